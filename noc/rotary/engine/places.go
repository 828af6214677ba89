package engine

import (
	"math"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Places are what packets hold of the class quotas of rule 18, as the plain router says. A packet
// whose sink is full waits on a ring, where it stands in nobody's way: a place in the sink is
// reserved with the output stage.

// perClass has a number for each class.
type perClass [noc.MaxClasses]int16

// takers is the most packets that can take a place of one router in a cycle, and one more to be
// left: two rings of each neighbour, and the interface.
func (n *Network) takers() int16 { return int16(2*(n.ports-1) + 2) }

// levels is a number for each class in 16 bits, from the lowest.
type levels [2]uint64

// tops are the highest bits of all classes.
const tops = 0x8000800080008000

// leave is what at most may be held for so many places to be free at every level, with the highest
// bits set.
func (n *Network) leave(free int16) (most levels) {
	for c, limit := range n.limits {
		most[c/4] |= uint64(1<<15+int(limit)-int(free)) << (c % 4 * 16)
	}
	return most
}

// setLimits computes the limits of all classes.
func (n *Network) setLimits(l *rotary.Limits) {
	for c := range n.limits {
		n.limits[c] = math.MaxInt16 / 2 // never few
		if n.config.ClassLimit && c < n.config.Classes {
			n.limits[c] = int16(l.Quota[c])
		}
		for level := c; level < len(n.limits); level++ {
			n.unit[c][level/4] += 1 << (level % 4 * 16)
			n.from[c][level/4] |= 1 << (level%4*16 + 15)
		}
	}
	n.plenty, n.leavesTwo, n.leavesOne = n.leave(n.takers()), n.leave(2), n.leave(1)
	n.places, n.seen = make([]places, n.grid.Nodes()), make([]levels, n.grid.Nodes())
	n.changed = make([]int32, 0, n.grid.Nodes())
}

// places is those that packets hold at a router: for each class from the lowest, how many packets
// of classes up to it, 16 bits each.
type places struct {
	held    levels
	changed bool // so that neighbours may have to know
	few     bool // free places, as published
	full    bool // few for every class
}

// upTo is the places held by classes up to c.
func (h *places) upTo(c int) int16 { return int16(h.held[c/4&1] >> (c % 4 * 16)) }

// takePlace notes that a packet holds a place of a router, leavePlace that it no longer does.
func (n *Network) takePlace(id int, k packet) { n.holdPlaces(id, k, 1) }

// holdPlaces is takePlace for one packet or none, without a branch.
func (n *Network) holdPlaces(id int, k packet, packets uint64) {
	h, unit := &n.places[id], &n.unit[k.class()&(noc.MaxClasses-1)]
	h.held[0] += unit[0] & -packets
	h.held[1] += unit[1] & -packets
	if h.few || !n.hasPlenty(&h.held) {
		n.noteChange(id)
	}
}

func (n *Network) leavePlace(id int, k packet) {
	h, unit := &n.places[id], &n.unit[k.class()&(noc.MaxClasses-1)]
	h.held[0] -= unit[0]
	h.held[1] -= unit[1]
	if h.few {
		n.noteChange(id)
	}
}

// noteChange has the free places of a router published.
func (n *Network) noteChange(id int) {
	if h := &n.places[id]; !h.changed {
		h.changed = true
		n.changed = append(n.changed, int32(id))
	}
}

// publish makes the free places that everybody sees in this cycle.
func (n *Network) publish() {
	for _, id := range n.changed {
		n.publishRouter(int(id))
	}
	n.changed = n.changed[:0]
}

// free reports whether held leaves what most says at the level of class c and all above. Four
// classes are compared at once. No sum exceeds its limit by more than a few, so that no difference
// reaches the bits of the next one.
func (n *Network) free(held, most *levels, c noc.Class) bool {
	from := &n.from[c&(noc.MaxClasses-1)]
	return (most[0]-held[0])&from[0] == from[0] && (most[1]-held[1])&from[1] == from[1]
}

// hasPlenty reports whether a router has free places for all takers at every level.
func (n *Network) hasPlenty(held *levels) bool {
	return (n.plenty[0]-held[0])&(n.plenty[1]-held[1])&tops == tops
}

// publishRouter shows the places that are held at a router to its neighbours, and tells them when
// those that are free become few, or many again.
func (n *Network) publishRouter(id int) {
	h := &n.places[id]
	h.changed = false
	n.seen[id] = h.held
	few, full := !n.hasPlenty(&h.held), !n.free(&h.held, &n.plenty, noc.Class(n.config.Classes-1))
	if few == h.few && full == h.full {
		return
	}
	b, bit := n.bankOf(id)
	tight, closed := few != h.few, full != h.full
	h.few, h.full = few, full
	if tight {
		b.few ^= bit
	}
	b.wake = min(b.wake, n.now)
	for p := 1; p < n.ports; p++ {
		in := &b.input[p]
		up := int(in.upstream[id&63])
		if up < 0 {
			continue
		}
		c, sender := n.bankOf(up)
		for ring := range rings {
			s := n.feeder(int(in.exit), ring)
			x := &c.segment[s]
			if tight {
				if x.tight ^= sender; x.tight == 0 {
					c.tight &^= 1 << s
				} else {
					c.tight |= 1 << s
				}
				c.noteAsked(up&63, x)
			}
			if closed {
				x.full ^= sender
			}
		}
		c.wake = min(c.wake, n.now)
	}
}

// noteAsked has the words of a router say whether all rules judge the heads of a segment.
func (b *bank) noteAsked(r int, x *segment) {
	if b.inWords {
		s := &b.words[r&63]
		j := 2*x.entry.number + x.ring
		s.asked = s.asked&^(1<<j) | uint16((x.tight|x.judged)>>(r&63)&1)<<j
	}
}

// refused reports whether a router lacks places for a packet of class c that comes from its port
// from (the local one stands for the interface), and needs what most leaves; passed: the sender has
// used its turn in this cycle.
func (n *Network) refused(id, from int, c noc.Class, most *levels, passed bool) bool {
	held := &n.seen[id]
	if n.free(held, &n.plenty, c) {
		return false
	}
	return passed || !n.hasTurn(from) || !n.free(held, most, c)
}

// hasTurn reports whether those who come from a port may take one of a few places in this cycle.
func (n *Network) hasTurn(from int) bool { return int(n.now%noc.Cycle(n.ports)) == from }

// shut reports whether the neighbour at output p of a router lacks places.
func (n *Network) shut(b *bank, r, p int, c noc.Class, most *levels) bool {
	o := &b.output[p]
	return n.config.ClassLimit && p != topology.Local && o.peer[r] >= 0 &&
		n.refused(int(o.peer[r]), int(o.entry), c, most, o.passed>>r&1 != 0)
}

// withQuota is the set of waiting classes for which a router has places to inject.
func (n *Network) withQuota(b *bank, r int, waiting uint8) uint8 {
	if !n.config.ClassLimit || b.few>>r&1 == 0 {
		return waiting
	}
	for m := waiting; m != 0; m &= m - 1 {
		if c := noc.Class(bits.TrailingZeros8(m)); n.refused(b.first+r, topology.Local, c, &n.leavesTwo, false) {
			waiting &^= 1 << c
		}
	}
	return waiting
}
