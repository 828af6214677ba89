package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// serves reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all (rules 8 and 24).
func (n *Network) serves(r *router, p int, k *packet) (some, all bool) {
	only := int(n.Packets.Only(k.worm))
	switch {
	case n.tour != nil:
		some = n.masks.Serves(r.id, p, k.target)
		return some, some && (p != topology.Local || only >= 0)
	case only >= 0:
		some = n.masks.Serves(r.id, p, only)
		return some, some
	}
	return n.masks.Compare(r.id, p, n.Packets.Set(k.worm))
}

// divide takes the destinations that output p serves out of a packet, and returns a copy of it for
// them.
func (n *Network) divide(r *router, p int, k *packet) *packet {
	c := n.packets.take(*k)
	w := *n.Packets.At(k.worm)
	if n.tour != nil { // served one by one
		c.worm = n.Packets.New(w, noc.NodeID(k.target))
		n.Packets.Set(k.worm)[k.target/64] &^= 1 << (k.target % 64)
		k.visited = r.id
	} else {
		c.worm = n.Packets.NewSeveral(w)
		n.masks.Divide(r.id, p, n.Packets.Set(k.worm), n.Packets.Set(c.worm))
		n.Packets.Settle(c.worm)
	}
	n.Packets.Settle(k.worm)
	n.aim(k)
	return c
}

// aim updates which destination of a packet comes next with the path scheme.
func (n *Network) aim(k *packet) {
	if n.tour == nil {
		return
	}
	if k.target = int(n.Packets.Only(k.worm)); k.target < 0 {
		k.target = int(n.tour.Next(n.Packets.Set(k.worm), noc.NodeID(k.visited), k.back))
	}
}
