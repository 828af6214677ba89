package power

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// HopOf is what one phit does that crosses an idle router of the given hardware alone and leaves
// on a link: through one FIFO and the crossbar, or through an input stage, one ring segment and
// an output stage. The header's part is left out, and so is the link. How many segments a phit
// visits is measured, not assumed: one is the least.
func HopOf(h noc.Hardware) (a noc.Activity) {
	access := func(k noc.BufferKind) {
		if h.FIFOs[k] > 0 {
			a.BufferWrites[k], a.BufferReads[k] = 1, 1
		}
	}
	grant := func(s noc.ArbiterStage) { a.ArbRequests[s], a.ArbGrants[s] = 1, 1 }
	access(noc.VirtualChannel)
	if h.Crossbar {
		a.Crossbar = 1
		grant(noc.SwitchInput)
		grant(noc.SwitchOutput)
	}
	if h.FIFOs[noc.RingSegment] > 0 {
		for _, k := range []noc.BufferKind{noc.InputStage, noc.RingSegment, noc.OutputStage} {
			access(k)
		}
		a.InputDemux, a.RingInject, a.RingEject, a.OutputMux = 1, 1, 1, 1
		grant(noc.RingEntry)
		grant(noc.OutputLane)
	}
	return a
}

// Hop sums up a price list in the quantities in which routers are compared.
type Hop struct {
	// RouterPJ is the energy of a phit that crosses an idle router (HopOf), and RouterPJPerBit
	// that of each of its bits; LinkPJPerBitMM that of a bit over a millimetre of link, 0 for
	// links without length.
	RouterPJ, RouterPJPerBit, LinkPJPerBitMM float64
	// StaticShare is the part of clock and leakage in a router's power when it moves 0.3 phits
	// per cycle and port, 0 to 1.
	StaticShare float64
}

// usualLoad is the load in phits per cycle and port at which StaticShare is taken.
const usualLoad = 0.3

// SummaryOf prices one hop.
func SummaryOf(h noc.Hardware, c Config) (Hop, error) {
	router, err := NewRouter(h, c)
	if err != nil {
		return Hop{}, err
	}
	link, err := NewLink(h.PhitBits, c)
	if err != nil {
		return Hop{}, err
	}
	moved, waited := router.Price(HopOf(h), 0).Dynamic(), router.Price(noc.Activity{}, 1).Static()
	s := Hop{RouterPJ: moved * 1e12, RouterPJPerBit: moved * 1e12 / float64(h.PhitBits)}
	if c.LinkMM > 0 {
		s.LinkPJPerBitMM = link.phit * 1e12 / float64(h.PhitBits) / c.LinkMM
	}
	if power := waited + usualLoad*float64(h.Ports)*moved; power > 0 {
		s.StaticShare = waited / power
	}
	return s, nil
}

// silicon lists what measured chips leave room for (rule 14): pJ per bit and hop.
// There is no range for 90 and 22 nm, and the one for links is that of these technologies.
var silicon = map[int][2]float64{65: {0.1, 2}, 45: {0.05, 1}, 32: {0.03, 0.7}}

// Doubts lists what about a summary lies outside the range of measured chips, for people to read;
// nothing for a network that has no routers to speak of.
func (s Hop) Doubts(c Config) (list []string) {
	if s.RouterPJ == 0 {
		return nil
	}
	outside := func(value float64, low, high float64, what string) {
		if value < low || value > high {
			list = append(list, fmt.Sprintf("%s is %.3g, outside the %g to %g of measured chips", what, value, low, high))
		}
	}
	if r, known := silicon[c.TechNM]; known {
		outside(s.RouterPJPerBit, r[0], r[1], "energy per bit and hop in pJ")
		if c.LinkMM > 0 {
			outside(s.LinkPJPerBitMM, 0.03, 0.25, "energy per bit and mm of link in pJ")
		}
	}
	outside(s.StaticShare, 0.05, 0.9, "share of clock and leakage at 0.3 phits per cycle and port")
	return list
}
