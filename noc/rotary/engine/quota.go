package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// levels has a number for each class in 16 bits, from the lowest: four classes are compared at
// once.
type levels [2]uint64

// tops are the highest bits of all classes.
const tops = 0x8000800080008000

// quotas are the class quotas of rule 18 and what the routers hold of them.
type quotas struct {
	on               bool
	limit            [noc.MaxClasses]int16      // packets of classes up to each one
	plenty, two, one levels                     // what may be held to leave room for all takers, two packets, and one
	unit             [2 * noc.MaxClasses]levels // one packet of each class, and behind them what one for the node counts: nothing
	from             [noc.MaxClasses]levels     // highest bits of each class and those above it
	seen             []levels                   // held at the start of the cycle
	changed          []int32                    // routers of which the held has changed since
}

// holding is what a router holds: for each class from the lowest, how many packets of classes up to
// it.
type holding struct {
	levels
	changed bool // so that neighbours may have to know
	tight   bool // there was no room for all takers when it was published
}

func newQuotas(nodes int, c rotary.Config, l *rotary.Limits) quotas {
	q := quotas{on: c.HasQuota(), seen: make([]levels, nodes), changed: make([]int32, 0, nodes)}
	for class := range q.limit {
		if q.limit[class] = int16(l.Quota[class]); l.Quota[class] < 0 {
			q.limit[class] = math.MaxInt16 / 2 // never tight
		}
		for level := class; level < len(q.limit); level++ {
			q.unit[class][level/4] += 1 << (level % 4 * 16)
			q.from[class][level/4] |= 1 << (level%4*16 + 15)
		}
	}
	q.plenty, q.two, q.one = q.leaving(l.Takers()), q.leaving(2), q.leaving(1)
	return q
}

// leaving returns what at most may be held for some more packets to have room at every level, with
// the highest bits set.
func (q *quotas) leaving(packets int) (most levels) {
	for class, limit := range q.limit {
		most[class/4] |= uint64(1<<15+int(limit)-packets) << (class % 4 * 16)
	}
	return most
}

// allows reports whether what is held leaves what most says at the level of a class and all above.
// No sum exceeds its limit by more than a few, so that no difference reaches the bits of the next
// one.
func (q *quotas) allows(held, most *levels, c noc.Class) bool {
	from := &q.from[c&(noc.MaxClasses-1)]
	return (most[0]-held[0])&from[0] == from[0] && (most[1]-held[1])&from[1] == from[1]
}

// roomy reports whether there is room for all takers at every level.
func (q *quotas) roomy(held *levels) bool {
	return (q.plenty[0]-held[0])&(q.plenty[1]-held[1])&tops == tops
}

// upTo returns the packets of classes up to c.
func (h *levels) upTo(c int) int { return int(int16(h[c/4&1] >> (c % 4 * 16))) }

// take notes that a router holds a packet, leave that it no longer does. They report whether the
// others may have to know. A packet that is on its way to the node, which is 1 then, else 0, counts
// no longer.
func (q *quotas) take(h *holding, p *packet, node uint) bool {
	unit := &q.unit[(uint(p.class)|node*noc.MaxClasses)&(2*noc.MaxClasses-1)]
	h.levels[0] += unit[0]
	h.levels[1] += unit[1]
	return h.tight || !q.roomy(&h.levels)
}

func (q *quotas) leave(h *holding, p *packet) bool {
	unit := &q.unit[p.class&(noc.MaxClasses-1)]
	h.levels[0] -= unit[0]
	h.levels[1] -= unit[1]
	return h.tight
}

// note notes that what a router holds is to be published.
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
	r.group.tight ^= r.bit
	for port := 1; port < n.limits.Ports; port++ {
		if out := &r.port[port]; out.peer != nil {
			for ring := range rings {
				out.peer.asked ^= 1 << n.rules.behind[int(out.exit)+ring*maxPorts]
			}
		}
	}
}

// refusedBy reports whether a router lacks room for a packet of a class that comes from its port
// from, which is the local one for its interface, and needs what most leaves. taken tells that the
// sender has used its turn in this cycle.
func (n *Network) refusedBy(id, from int, c noc.Class, most *levels, taken bool) bool {
	q := &n.quotas
	held := &q.seen[id]
	if q.allows(held, &q.plenty, c) {
		return false
	}
	return taken || int(n.Clock%noc.Cycle(n.limits.Ports)) != from || !q.allows(held, most, c)
}
