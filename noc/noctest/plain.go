package noctest

import "github.com/carousel-sim/carousel/noc"

// Plain makes the plain form of a router the model of a Pair.
func Plain(n noc.Network) Model { return plain{n} }

type plain struct{ noc.Network }

// Cycle simulates one cycle.
func (p plain) Cycle() { p.Step(p.Now() + 1) }

// Buffered returns the number of phits inside.
func (p plain) Buffered() uint64 { return p.Totals().Buffered }

// LinkPhits returns the number of phits that left a router by a port.
func (p plain) LinkPhits(from noc.NodeID, port uint8) uint64 {
	for _, l := range p.Links(nil) {
		if l.From == from && l.Port == port {
			return l.Phits
		}
	}
	panic("noctest: no such link")
}
