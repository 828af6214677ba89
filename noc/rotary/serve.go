package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

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
