package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/topology"
)

// packet is one copy of a packet in the network. The arena knows its destinations, and what the
// source said of it.
type packet struct {
	id    fabric.PacketID
	phits int
	class noc.Class
	hops  int

	turns   int  // segments entered in the present router
	back    bool // path scheme: it goes backwards on the tour (rule 24)
	target  int  // path scheme: the destination that comes next
	visited int  // path scheme: where it has been served last, or its source
}

// slot is a place in a buffer: reserved for a packet when its header is granted the move, and
// filled phit by phit.
type slot struct {
	packet  *packet
	arrival [MaxSlotPhits]noc.Cycle // phit i is here from cycle arrival[i] on
	filled  int                     // phits with an arrival
	sent    int                     // phits that have left
	readers int                     // streams out of the slot
	left    bool                    // the header has left, so the place is free again
	since   noc.Cycle               // when the header is here
	enters  noc.Cycle               // first cycle in which the packet counts as being in the router
}

// headerHere reports whether the header may be granted its next move.
func (s *slot) headerHere(now noc.Cycle) bool { return s.filled > 0 && s.arrival[0] <= now }

// fifo is a queue of slots.
type fifo = queue.FIFO[*slot]

// pool has things that are not in use, so that a warm network allocates nothing.
type pool[T any] struct {
	free []*T
	live int // in use
}

// take returns a thing like v.
func (o *pool[T]) take(v T) *T {
	o.live++
	var t *T
	if last := len(o.free) - 1; last >= 0 {
		t, o.free = o.free[last], o.free[:last]
	} else {
		t = new(T)
	}
	*t = v
	return t
}

func (o *pool[T]) drop(t *T) {
	o.live--
	o.free = append(o.free, t)
}

// serves reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all (rules 8 and 24).
func (n *Network) serves(r *router, p int, k *packet) (some, all bool) {
	only := int(n.Packets.Only(k.id))
	switch {
	case n.tour != nil:
		some = n.masks.Serves(r.id, p, k.target)
		return some, some && (p != topology.Local || only >= 0)
	case only >= 0:
		some = n.masks.Serves(r.id, p, only)
		return some, some
	}
	return n.masks.Compare(r.id, p, n.Packets.Set(k.id))
}

// divide takes the destinations that output p serves out of a packet, and returns a copy of it for
// them.
func (n *Network) divide(r *router, p int, k *packet) *packet {
	c := n.packets.take(*k)
	w := *n.Packets.At(k.id)
	if n.tour != nil { // served one by one
		c.id = n.Packets.New(w, noc.NodeID(k.target))
		n.Packets.Set(k.id)[k.target/64] &^= 1 << (k.target % 64)
		k.visited = r.id
	} else {
		c.id = n.Packets.NewSeveral(w)
		n.masks.Divide(r.id, p, n.Packets.Set(k.id), n.Packets.Set(c.id))
		n.Packets.Settle(c.id)
	}
	n.Packets.Settle(k.id)
	n.aim(k)
	return c
}

// aim updates which destination of a packet comes next with the path scheme.
func (n *Network) aim(k *packet) {
	if n.tour == nil {
		return
	}
	if k.target = int(n.Packets.Only(k.id)); k.target < 0 {
		k.target = int(n.tour.Next(n.Packets.Set(k.id), noc.NodeID(k.visited), k.back))
	}
}
