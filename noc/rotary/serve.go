package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// serves reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all (rules 8, 21 and 24).
func (n *Network) serves(r *router, p int, k *packet) (some, all bool) {
	only := int(n.Packets.Only(k.worm))
	switch {
	case k.ordered:
		some = n.dimensionOrder(r, only) == p
		return some, some
	case n.tour != nil:
		some = n.masks.Serves(r.id, p, k.target)
		return some, some && (p != topology.Local || only >= 0)
	case only >= 0:
		some = n.masks.Serves(r.id, p, only)
		return some, some
	}
	return n.masks.Compare(r.id, p, n.Packets.Set(k.worm))
}

// dimensionOrder returns the output by which an ordered packet leaves: along the lowest dimension
// that differs, never over the links that close the rings of a torus.
func (n *Network) dimensionOrder(r *router, to int) int {
	for dim := range n.grid.Radix {
		here, there := n.grid.Coordinate(noc.NodeID(r.id), dim), n.grid.Coordinate(noc.NodeID(to), dim)
		if there > here {
			return n.grid.Port(dim, +1)
		} else if there < here {
			return n.grid.Port(dim, -1)
		}
	}
	return topology.Local
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
	if n.wires != nil {
		n.wires.Share(k.worm, c.worm)
		n.wires.Address(k.worm)
		n.wires.Address(c.worm)
	}
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
