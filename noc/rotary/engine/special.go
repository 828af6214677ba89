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

func (rare *special) addAged(class uint8) {
	rare.agedOf[class]++
	rare.aged |= 1 << class
}

func (rare *special) dropAged(class uint8) {
	if rare.agedOf[class]--; rare.agedOf[class] == 0 {
		rare.aged &^= 1 << class
	}
}

// takeTurn notes that quota of the neighbour behind output p is taken in a cycle; tookTurn reports
// it.
func (rare *special) takeTurn(port int, now noc.Cycle) {
	if rare.turnTakenAt != now {
		rare.turnTakenAt, rare.turnTaken = now, 0
	}
	rare.turnTaken |= 1 << port
}

func (rare *special) tookTurn(port int, now noc.Cycle) bool {
	return rare.turnTakenAt == now && rare.turnTaken>>port&1 != 0
}

// release takes the wish of an input for a hold back, and its holds.
func (r *router) release(port uint) {
	rare := r.special
	r.refused &^= 1 << port
	rare.expired &^= 1 << port
	for ring := range rare.holder {
		if rare.holder[ring] == int8(port) {
			rare.holder[ring] = none
			r.unhold(port, uint(ring))
		}
	}
}

// urgent reports whether the interface asks for a hold or has one.
func (rare *special) urgent() bool {
	return rare.expired>>topology.Local&1 != 0 || rare.holder[0] == topology.Local || rare.holder[1] == topology.Local
}

// starve notes that both rings have refused the head of an input in this cycle.
func (r *router) starve(port uint) {
	n := r.net
	rare := r.special
	if r.refused>>port&1 == 0 {
		r.refused |= 1 << port
		rare.since[port&portBits] = n.Clock
	}
	if n.Clock+1-rare.since[port&portBits] >= noc.Cycle(n.config.HoldAfter) {
		rare.expired |= 1 << port
		r.group.holding |= r.bit
	}
}

// holdAll decides at the end of a cycle which segments refuse turns from the next cycle on (rule
// 15).
func (g *group) holdAll() {
	n := g.net
	for m := g.holding; m != 0; m &= m - 1 {
		r := &g.routers[first(m)]
		rare := r.special
		if rare.expired == 0 && r.held == 0 {
			g.holding &^= m & -m
			continue
		}
		for ring := range rings {
			spare := r.ringFree(ring) >= n.config.EnterSlots
			switch at := rare.holder[ring]; {
			case at != none && !spare: // the ring would stop
				rare.holder[ring] = none
				r.unhold(uint(at), uint(ring))
			case at == none && spare:
				r.hold(uint(ring))
			}
		}
	}
}

// hold holds the segment of the input that has been refused for longest, of those that lack one
// slot on the ring.
func (r *router) hold(ring uint) {
	n := r.net
	rare := r.special
	longest := noc.Never
	for m := rare.expired; m != 0; m &= m - 1 {
		port := uint(bits.TrailingZeros32(m))
		if rare.since[port] >= longest || int(r.used[port+ring*maxPorts]) != n.rules.enterMost+1 {
			continue
		}
		longest, rare.holder[ring] = rare.since[port], int8(port)
	}
	if at := rare.holder[ring]; at != none {
		r.held |= 1 << n.rules.behind[uint(at)+ring*maxPorts]
	}
}

// unhold lets the segment of an input take turns again.
func (r *router) unhold(port, ring uint) {
	n := r.net
	r.held &^= 1 << n.rules.behind[(port+ring*maxPorts)&segmentBits]
}

// ringFree returns the free slots of a ring.
func (r *router) ringFree(ring int) int {
	n := r.net
	free := n.limits.Ports * n.rules.segmentSlots
	for port := range n.limits.Ports {
		free -= int(r.used[port+ring*maxPorts])
	}
	return free
}

// used returns the ring slots of a router that are in use.
func (r *router) slotsInUse() int {
	n := r.net
	return n.limits.RingSlots() - r.ringFree(0) - r.ringFree(1)
}
