package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// serves is rule 8: whether output p of a router serves some of a packet's destinations, and
// whether it serves all. On a path only the next destination counts (rule 24).
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

// aim is rule 24: it updates which destination of a packet comes next with the path scheme.
func (n *Network) aim(k *packet) {
	if n.tour == nil {
		return
	}
	if k.target = int(n.Packets.Only(k.id)); k.target < 0 {
		k.target = int(n.tour.Next(n.Packets.Set(k.id), noc.NodeID(k.visited), k.back))
	}
}

// segmentsTo returns how many segments of a ring, from input p on, a packet enters until the first
// output that serves any of its destinations, and until each of them has met an output that serves
// it. Rule 3 does not count.
func (n *Network) segmentsTo(r *router, ring, p int, k *packet) (first, last int) {
	only := int(n.Packets.Only(k.id))
	if n.tour != nil {
		only = k.target
	}
	if only >= 0 {
		for count := 1; ; count++ {
			if p = n.limits.Next(ring, p); n.masks.Serves(r.id, p, only) {
				return count, count
			}
		}
	}
	return n.masks.Segments(r.id, ring, p, n.Packets.Set(k.id))
}
