package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// serves reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all (rules 8, 21 and 24).
func (n *Network) serves(r *router, p int, k *packet) (some, all bool) {
	switch {
	case k.ordered:
		some = n.dimensionOrder(r, k.only) == p
		return some, some
	case n.tour != nil:
		some = n.masks.Serves(r.id, p, k.target)
		return some, some && (p != topology.Local || k.count == 1)
	case k.only >= 0:
		some = n.masks.Serves(r.id, p, k.only)
		return some, some
	}
	return n.masks.Compare(r.id, p, k.owed)
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
	c := n.pool.takeCopy(k)
	if n.tour == nil {
		n.masks.Divide(r.id, p, k.owed, c.owed)
	} else { // served one by one
		clear(c.owed)
		c.owed[k.target/64] |= 1 << (k.target % 64)
		k.owed[k.target/64] &^= 1 << (k.target % 64)
		k.visited = r.id
	}
	c.recount()
	n.aim(k)
	return c
}

// aim updates what follows from the destinations of a packet; with the path scheme, which one comes
// next.
func (n *Network) aim(k *packet) {
	k.recount()
	if n.tour != nil {
		k.target = int(n.tour.Next(k.owed, noc.NodeID(k.visited), k.back))
	}
}
