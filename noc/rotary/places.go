package rotary

import (
	"math"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Places are the class limits (the paper's "modified virtual cut-through", section 3.2), which it describes
// without numbers: low classes never stand in the way of higher ones, because each router bounds what it
// holds for them.
//
// A packet holds a place of router r from the moment it is injected there, or granted an output stage towards
// r, until it is granted an output stage that leads away from r or to its node. So packets on their way count,
// and what a router has admitted always finds its way onto the rings: links and stages drain whatever happens.
// At most limit(c) packets of classes up to c may hold places. A packet of class c needs one free place at
// each level from c upwards to go to a router; injection and replication need two, so that one is left.
//
//	limit(highest) = ring slots - placesKept      limit(c) = limit(c+1) - ClassStep
//
// Why that is live, from the highest class down: the highest is always consumed. When the classes above c
// have drained, hops conserve the free places of level c, and injection and replication leave one; routers
// without packets of class c have at least ClassStep of them, because lower classes are bounded; so some
// router next to a packet of class c has one, and rule 3 lets the packet use it. A packet whose sink is full
// waits on a ring, where it stands in nobody's way: a place in the sink is reserved with the output stage.
//
// Neighbours see the counts of the start of a cycle. While there are free places for everybody who might
// take one, everybody may; else only one, whose turn it is by the number of the cycle, takes a single one. So
// no count depends on the order in which routers are visited and no limit is ever exceeded.
const placesKept = 3 // two rings with two free slots in one of them and a packet before it, for rule 1

// perClass has a number for each class.
type perClass [noc.MaxClasses]int16

// takers is the most packets that can take a place of one router in a cycle, and one more to be left: two
// rings of each neighbour, and the interface.
func (n *Network) takers() int16 { return int16(2*(n.ports-1) + 2) }

// setLimits computes the limits of all classes.
func (n *Network) setLimits() {
	most := n.segments*n.segmentSlots - placesKept
	for c := range n.limits {
		n.limits[c] = math.MaxInt16 / 2 // never few
		if n.config.ClassLimit && c < n.config.Classes {
			n.limits[c] = int16(max(2, most-n.config.ClassStep*(n.config.Classes-1-c)))
		}
		n.plenty[c/4] |= uint64(1<<15+int(n.limits[c])-int(n.takers())) << (c % 4 * 16)
	}
}

// changePlaces changes the number of places that a class holds at a router.
func (n *Network) changePlaces(id int, r *router, c noc.Class, more int16) {
	r.places[c] += more
	if !r.changed && n.config.ClassLimit {
		r.changed = true
		n.changed = append(n.changed, int32(id))
	}
}

// publish makes the free places that everybody sees in this cycle.
func (n *Network) publish() {
	for _, id := range n.changed {
		n.publishRouter(int(id), &n.routers[id])
	}
	n.changed = n.changed[:0]
}

// hasPlenty tells whether a router has free places for all takers at every level. Four classes are added up
// at once, from the lowest to each of them, and compared with what leaves plenty of places. No sum exceeds
// its limit, so that no difference reaches the bits of the next one.
func (n *Network) hasPlenty(r *router) bool {
	const ones, tops = 0x0001000100010001, 0x8000800080008000
	h := &r.places
	low := (uint64(uint16(h[0])) | uint64(uint16(h[1]))<<16 | uint64(uint16(h[2]))<<32 | uint64(uint16(h[3]))<<48) * ones
	high := (uint64(uint16(h[4])) | uint64(uint16(h[5]))<<16 | uint64(uint16(h[6]))<<32 | uint64(uint16(h[7]))<<48) * ones
	high += low >> 48 * ones
	return (n.plenty[0]-low)&(n.plenty[1]-high)&tops == tops
}

// publishRouter tells the neighbours of a router when its free places become few, or many again.
func (n *Network) publishRouter(id int, r *router) {
	r.changed = false
	if !r.few && n.hasPlenty(r) {
		return // the free places that were published last are plenty, too
	}
	room, held, least := &n.room[id], int16(0), int16(math.MaxInt16)
	for c, k := range r.places {
		held += k
		room[c] = n.limits[c] - held
	}
	for c := noc.MaxClasses - 1; c >= 0; c-- { // a class needs room at its own level and above
		least = min(least, room[c])
		room[c] = least
	}
	if few := least < n.takers(); few != r.few {
		r.few = few
		n.wheel.Wake(noc.NodeID(id), n.now)
		for p := 1; p < n.ports; p++ {
			up := r.input[p].upstream
			if up < 0 {
				continue
			}
			feeders := uint32(1)<<n.feeder(int(r.input[p].exit), 0) | uint32(1)<<n.feeder(int(r.input[p].exit), 1)
			if u := &n.routers[up]; few {
				u.tight |= feeders
			} else {
				u.tight &^= feeders
				n.wheel.Wake(noc.NodeID(up), n.now)
			}
		}
	}
}

// refused tells whether a router lacks places for a packet of class c that comes from its port from (the
// local one stands for the interface); passed: the sender has used its turn in this cycle.
func (n *Network) refused(id, from int, c noc.Class, need int16, passed bool) bool {
	room := n.room[id][c]
	if room >= n.takers() {
		return false
	}
	return passed || room < need || int(n.now%noc.Cycle(n.ports)) != from
}

// shut tells whether the neighbour at output p lacks places.
func (n *Network) shut(r *router, p int, c noc.Class, need int16) bool {
	o := &r.output[p]
	return n.config.ClassLimit && p != topology.Local && o.peer >= 0 &&
		n.refused(int(o.peer), int(o.entry), c, need, r.passed>>p&1 != 0)
}

// roomy is the set of waiting classes for which a router has places to inject.
func (n *Network) roomy(id int, r *router, waiting uint8) uint8 {
	if !n.config.ClassLimit || !r.few {
		return waiting
	}
	for m := waiting; m != 0; m &= m - 1 {
		if c := noc.Class(bits.TrailingZeros8(m)); n.refused(id, topology.Local, c, 2, false) {
			waiting &^= 1 << c
		}
	}
	return waiting
}
