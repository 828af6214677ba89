package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// levels has a number for each class in 16 bits, from the lowest: packets of classes up to that
// one. Four classes are compared at once.
type levels [2]uint64

// tops are the highest bits of all classes.
const tops = 0x8000800080008000

// quotas are the class quotas of rule 18, and what routers see of each other.
type quotas struct {
	unit    [noc.MaxClasses]levels // what one packet of each class adds
	from    [noc.MaxClasses]levels // highest bits of each class and those above it
	plenty  levels                 // the most that may be held to leave room for every possible sender
	leaving [3]levels              // the most that may be held to leave room for 0, 1 or 2 packets
	seen    []levels               // by router: held at the start of the cycle
	changed []int32                // routers of which the held has changed since
}

// holding is what a router holds.
type holding struct {
	levels
	changed bool // since it was published
	tight   bool // there was no room for every possible sender when it was published
}

func newQuotas(nodes int, l *rotary.Limits) quotas {
	q := quotas{seen: make([]levels, nodes), changed: make([]int32, 0, nodes)}
	for class := range noc.MaxClasses {
		for level := class; level < noc.MaxClasses; level++ {
			q.unit[class][level/4] += 1 << (level % 4 * 16)
			q.from[class][level/4] |= 1 << (level%4*16 + 15)
		}
	}
	q.plenty = mostLeaving(l, l.Takers())
	for packets := range q.leaving {
		q.leaving[packets] = mostLeaving(l, packets)
	}
	return q
}

// mostLeaving returns what at most may be held for some more packets to have room at every level,
// with the highest bits set.
func mostLeaving(l *rotary.Limits, packets int) (most levels) {
	for class, limit := range l.Quota {
		if limit < 0 {
			limit = math.MaxInt16 / 2 // never tight
		}
		most[class/4] |= uint64(1<<15+limit-packets) << (class % 4 * 16)
	}
	return most
}

// within reports whether what is held is at most what is given, at the level of a class and all
// above. No sum exceeds its limit by more than a few, so that no difference reaches the bits of the
// next one.
func (q *quotas) within(held, most *levels, class noc.Class) bool {
	from := &q.from[class&(noc.MaxClasses-1)]
	return (most[0]-held[0])&from[0] == from[0] && (most[1]-held[1])&from[1] == from[1]
}

// roomy reports whether there is room for every possible sender at every level.
func (q *quotas) roomy(held *levels) bool {
	return (q.plenty[0]-held[0])&(q.plenty[1]-held[1])&tops == tops
}

// upTo returns the packets of classes up to one.
func (h *levels) upTo(class int) int { return int(int16(h[class/4&1] >> (class % 4 * 16))) }

// add adds a packet to what a router holds, remove removes it. While there is room for every
// possible sender, others need not know how much.
func (q *quotas) add(r *router, k *packet) {
	h, unit := &r.holding, &q.unit[k.class&(noc.MaxClasses-1)]
	h.levels[0] += unit[0]
	h.levels[1] += unit[1]
	if !q.roomy(&h.levels) {
		q.note(r)
	}
}

func (q *quotas) remove(r *router, k *packet) {
	h, unit := &r.holding, &q.unit[k.class&(noc.MaxClasses-1)]
	h.levels[0] -= unit[0]
	h.levels[1] -= unit[1]
	if h.tight {
		q.note(r)
	}
}

// note has what a router holds published.
func (q *quotas) note(r *router) {
	if h := &r.holding; !h.changed {
		h.changed = true
		q.changed = append(q.changed, r.id)
	}
}

// publish shows the packets that routers hold to all routers, as of this cycle.
func (n *Network) publish() {
	for _, id := range n.quotas.changed {
		n.publishRouter(&n.routers[id])
	}
	n.quotas.changed = n.quotas.changed[:0]
}

// publishRouter shows what a router holds, and lets its neighbours ask when there is no room for
// everybody, or no longer when there is again.
func (n *Network) publishRouter(r *router) {
	q, h := &n.quotas, &r.holding
	h.changed = false
	q.seen[r.id] = h.levels
	if tight := !q.roomy(&h.levels); tight == h.tight {
		return
	}
	h.tight = !h.tight
	for p := 1; p < n.limits.Ports; p++ {
		if out := &r.stages[p]; out.peer != nil {
			out.peer.tight ^= n.draining(port(out.exit))
		}
	}
}

// admits is rule 18: whether router r takes a packet of a class that comes from its port from,
// which is the local one for its own interface, and has room for that number of packets. taken
// tells that the sender has used its turn in this cycle.
func (n *Network) admits(r *router, from port, class noc.Class, packets int, taken bool) bool {
	q := &n.quotas
	held := &q.seen[r.id]
	if q.within(held, &q.plenty, class) {
		return true
	}
	return !taken && uint(n.Clock%noc.Cycle(n.limits.Ports)) == uint(from) && q.within(held, &q.leaving[packets], class)
}
