package noctest

import "github.com/carousel-sim/carousel/noc"

// Plain makes the plain form of a router, which is a network, the model of a [Pair].
func Plain(n noc.Network) Model { return plain{n} }

type plain struct{ noc.Network }

func (p plain) Cycle() { p.Step(p.Now() + 1) }

// CheckInvariants checks those of the network, if it has any.
func (p plain) CheckInvariants() error {
	if c, ok := p.Network.(noc.Checker); ok {
		return c.CheckInvariants()
	}
	return nil
}

func (p plain) Buffered() uint64 { return p.Totals().Buffered }

func (p plain) LinkPhits(from noc.NodeID, port uint8) uint64 {
	for _, l := range p.Links(nil) {
		if l.From == from && l.Port == port {
			return l.Phits
		}
	}
	return 0
}
