package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// quotas is what routers see of each other for rule 18.
type quotas struct {
	rooms   [][noc.MaxClasses]int // by router: for how many more packets of each class, at the start of the cycle
	changed []int32               // routers and ghosts of the region of which the held has changed since
}

// holding is what a router holds.
type holding struct {
	held    rotary.Quota
	spare   int   // packets that can be added before there may be no room for every possible sender
	takers  int32 // room for every possible sender; of a ghost more than there can be
	changed bool  // since it was published
	tight   bool  // there was no room for every possible sender when it was published
}

// enterQuota adds a packet to what a router holds, leaveQuota removes it. While there is room for
// every possible sender, others need not know how much.
func (n *region) enterQuota(r *router, k *packet) {
	h := &r.holding
	h.held[k.class&(noc.MaxClasses-1)]++
	if h.spare--; h.spare >= 0 || h.changed {
		return
	}
	if h.spare = h.held.Room(&n.limits, 0) - int(h.takers); h.spare < 0 {
		n.note(r)
	}
}

func (n *region) leaveQuota(r *router, k *packet) {
	h := &r.holding
	h.held[k.class&(noc.MaxClasses-1)]--
	if h.tight {
		n.note(r)
	}
}

// note has what a router holds published.
func (n *region) note(r *router) {
	if h := &r.holding; !h.changed {
		h.changed = true
		n.quotas.changed = append(n.quotas.changed, r.id)
	}
}

// publish shows the packets that routers of the region hold to all routers, as of this cycle.
func (n *region) publish() {
	for _, id := range n.quotas.changed {
		n.network.publishRouter(&n.network.routers[id])
	}
	n.quotas.changed = n.quotas.changed[:0]
}

// publishRouter shows what a router holds, and lets its neighbours ask when there is no room for
// everybody, or no longer when there is again.
func (n *Network) publishRouter(r *router) {
	h := &r.holding
	h.changed = false
	rooms := &r.net.quotas.rooms[r.id]
	*rooms = h.held.Rooms(&n.limits)
	h.spare = rooms[0] - int(h.takers)
	if tight := h.spare < 0; tight == h.tight {
		return
	}
	h.tight = !h.tight
	for p := 1; p < n.limits.Ports; p++ {
		if out := &r.stages[p]; out.peer != nil {
			out.peer.real().tight ^= r.net.draining(port(out.exit))
		}
	}
}

// admits is rule 18: whether router r takes a packet of a class that comes from its port from,
// which is the local one for its own interface, and has room for that number of packets. taken
// tells that the sender has used its turn in this cycle.
func (n *region) admits(r *router, from port, class noc.Class, packets int, taken bool) bool {
	room := n.quotas.rooms[r.id][class&(noc.MaxClasses-1)]
	if room >= n.limits.Takers() {
		return true
	}
	return !taken && room >= packets && uint(n.Clock%noc.Cycle(n.limits.Ports)) == uint(from)
}
