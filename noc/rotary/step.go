package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Step implements noc.Network.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if next := min(n.nextWork(), until); next > n.now {
			n.wheel.SkipTo(next)
			n.now = next
		} else {
			n.cycle()
		}
		seen := n.sinks.Next() <= n.now
		if seen {
			n.sinks.Collect(n.now)
		}
		if n.sources.TakeRoomAgain() || seen {
			break
		}
	}
	return n.now
}

// nextWork is the first cycle in which a router has something to do or a delivery becomes visible.
func (n *Network) nextWork() noc.Cycle {
	if n.config.EveryCycle {
		return n.now
	}
	return min(n.wheel.Next(), n.sinks.Next())
}

// cycle steps every router that is due.
func (n *Network) cycle() {
	if n.config.ClassLimit {
		n.publishLoad()
	}
	due := n.wheel.Due()
	if n.visit != nil || n.config.EveryCycle {
		n.visitInOrder(due)
	} else {
		for i, word := range due {
			for ; word != 0; word &= word - 1 {
				n.stepRouter(64*i + bits.TrailingZeros64(word))
			}
		}
	}
	n.wheel.Finish()
	n.now++
	if invariants {
		n.mustHold()
	}
}

// visitInOrder steps the due routers, or all, in the order that a test asks for.
func (n *Network) visitInOrder(due []uint64) {
	for i := range n.routers {
		r := i
		if n.visit != nil {
			r = int(n.visit[i])
		}
		if n.config.EveryCycle || due[r/64]>>(r%64)&1 != 0 {
			n.stepRouter(r)
		}
	}
}

// A unit is a part of a router that is examined on its own: its segments first, then its input stages
// (the local one stands for the interface), then its output stages. A set of units is a word of bits.
func (n *Network) inputUnits() int  { return n.segments }
func (n *Network) outputUnits() int { return n.segments + n.ports }

// stepRouter lets one router decide everything it can in this cycle.
func (n *Network) stepRouter(id int) {
	r := &n.routers[id]
	slot := uint(n.now) & (1<<n.dueShift - 1)
	cell := &n.due[uint(id)<<n.dueShift|slot]
	look := *cell
	*cell = 0
	r.armed &^= 1 << slot
	if n.config.EveryCycle || n.config.ClassLimit { // a class limit may change with any neighbour
		look = n.units
	}
	for m := look >> n.outputUnits(); m != 0; m &= m - 1 {
		look |= n.send(id, r, bits.TrailingZeros64(m))
	}
	wrote := uint32(0)
	if segments := uint32(look) & (1<<n.segments - 1); segments != 0 {
		var freed uint64
		freed, wrote = n.arbitrate(id, r, segments)
		look |= freed
	}
	inputs := uint32(look>>n.inputUnits()) & (1<<n.ports - 1)
	for m := inputs &^ (1 << topology.Local); m != 0; m &= m - 1 {
		n.enter(id, r, bits.TrailingZeros32(m), wrote)
	}
	if inputs>>topology.Local&1 != 0 {
		n.inject(id, r)
	}
	if r.expired != 0 || r.holder[0] >= 0 || r.holder[1] >= 0 {
		n.hold(id, r)
	}
	if n.config.ClassLimit && r.residents > 0 {
		n.arm(id, r, 0, 1)
	}
	if r.armed != 0 {
		turned := (uint64(r.armed) | uint64(r.armed)<<(1<<n.dueShift)) >> (slot + 1)
		n.wheel.Wake(noc.NodeID(id), n.now+1+noc.Cycle(bits.TrailingZeros64(turned)))
	}
}

// arm asks that a unit of the router being stepped be examined in some cycles' time. Waits beyond the
// calendar are cut to it; the unit then finds nothing due and is armed again.
func (n *Network) arm(id int, r *router, unit, cycles int) {
	slot := (uint(n.now) + uint(cycles)) & (1<<n.dueShift - 1)
	n.due[uint(id)<<n.dueShift|slot] |= 1 << unit
	r.armed |= 1 << slot
}

// armAt asks the same of any router, for the current cycle or the next.
func (n *Network) armAt(id, unit int, at noc.Cycle) {
	slot := uint(at) & (1<<n.dueShift - 1)
	n.due[uint(id)<<n.dueShift|slot] |= 1 << unit
	n.routers[id].armed |= 1 << slot
	n.wheel.Wake(noc.NodeID(id), at)
}
