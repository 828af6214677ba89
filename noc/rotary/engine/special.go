package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// special is what few decisions about a router read. Sets of inputs are bits by port.
type special struct {
	served    noc.Cycle   // when the interface sent last
	aged      uint8       // classes that have an aged packet on the rings (rule 3)
	lastClass int8        // that the interface has sent
	holder    [rings]int8 // input for which its segment is held, or none
	expired   uint32      // inputs refused for long enough to ask for a hold (rule 15)

	turnTaken   uint32 // outputs by which quota of the neighbour has been taken
	turnTakenAt noc.Cycle
	agedOf      [noc.MaxClasses]int16 // aged packets on the rings, by class
	since       [maxPorts]noc.Cycle   // of the refused inputs
}

func (y *special) addAged(class uint8) {
	y.agedOf[class]++
	y.aged |= 1 << class
}

func (y *special) dropAged(class uint8) {
	if y.agedOf[class]--; y.agedOf[class] == 0 {
		y.aged &^= 1 << class
	}
}

// takeTurn notes that quota of the neighbour behind output p is taken in a cycle, tookTurn asks for
// it.
func (y *special) takeTurn(p int, now noc.Cycle) {
	if y.turnTakenAt != now {
		y.turnTakenAt, y.turnTaken = now, 0
	}
	y.turnTaken |= 1 << p
}

func (y *special) tookTurn(p int, now noc.Cycle) bool {
	return y.turnTakenAt == now && y.turnTaken>>p&1 != 0
}

// release takes the wish of an input for a hold back, and its holds.
func (s *router) release(p uint) {
	y := s.special
	s.refused &^= 1 << p
	y.expired &^= 1 << p
	for ring := range y.holder {
		if y.holder[ring] == int8(p) {
			y.holder[ring] = none
			s.unhold(p, uint(ring))
		}
	}
}

// urgent reports whether the interface asks for a hold or has one.
func (y *special) urgent() bool {
	return y.expired>>topology.Local&1 != 0 || y.holder[0] == topology.Local || y.holder[1] == topology.Local
}

// starve notes that both rings have refused the head of an input in this cycle.
func (s *router) starve(p uint) {
	n := s.net
	y := s.special
	if s.refused>>p&1 == 0 {
		s.refused |= 1 << p
		y.since[p&portBits] = n.Clock
	}
	if n.Clock+1-y.since[p&portBits] >= noc.Cycle(n.config.HoldAfter) {
		y.expired |= 1 << p
		s.group.holding |= s.bit
	}
}

// holdAll decides at the end of a cycle which segments refuse turns from the next cycle on (rule
// 15).
func (g *group) holdAll() {
	n := g.net
	for m := g.holding; m != 0; m &= m - 1 {
		s := &g.routers[first(m)]
		y := s.special
		if y.expired == 0 && s.held == 0 {
			g.holding &^= m & -m
			continue
		}
		for ring := range rings {
			spare := s.ringFree(ring) >= n.config.EnterSlots
			switch at := y.holder[ring]; {
			case at != none && !spare: // the ring would stop
				y.holder[ring] = none
				s.unhold(uint(at), uint(ring))
			case at == none && spare:
				s.hold(uint(ring))
			}
		}
	}
}

// hold holds the segment of the input that has been refused for longest, of those that lack one
// slot on the ring.
func (s *router) hold(ring uint) {
	n := s.net
	y := s.special
	longest := noc.Never
	for m := y.expired; m != 0; m &= m - 1 {
		p := uint(bits.TrailingZeros32(m))
		if y.since[p] >= longest || int(s.used[p+ring*maxPorts]) != n.rules.enterMost+1 {
			continue
		}
		longest, y.holder[ring] = y.since[p], int8(p)
	}
	if at := y.holder[ring]; at != none {
		s.held |= 1 << n.rules.behind[uint(at)+ring*maxPorts]
	}
}

// unhold lets the segment of an input take turns again.
func (s *router) unhold(p, ring uint) {
	n := s.net
	s.held &^= 1 << n.rules.behind[(p+ring*maxPorts)&segmentBits]
}

// ringFree returns the free slots of a ring.
func (s *router) ringFree(ring int) int {
	n := s.net
	free := n.limits.Ports * n.rules.segmentSlots
	for p := range n.limits.Ports {
		free -= int(s.used[p+ring*maxPorts])
	}
	return free
}

// used returns the ring slots of a router that are in use.
func (s *router) slotsInUse() int {
	n := s.net
	return n.limits.RingSlots() - s.ringFree(0) - s.ringFree(1)
}
