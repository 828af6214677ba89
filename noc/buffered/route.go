package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// route returns the output of a router towards a node (rule 4).
func (n *Network) route(src, at, to noc.NodeID) int {
	for dim := range n.grid.Radix {
		if hops, tie := n.grid.Offset(at, to, dim); hops != 0 {
			if tie && n.grid.Odd(src) {
				hops = -hops
			}
			return n.grid.Port(dim, hops)
		}
	}
	return topology.Local
}

// outputsOf returns the outputs that lead to the destinations of a packet in a router.
func (n *Network) outputsOf(at noc.NodeID, id fabric.PacketID) (outputs uint16) {
	src := n.Packets.At(id).Src
	if to := n.Packets.Only(id); to >= 0 {
		return 1 << n.route(src, at, noc.NodeID(to))
	}
	set := noc.FromWords(n.Packets.Set(id))
	for to, ok := set.Next(0); ok; to, ok = set.Next(to + 1) {
		outputs |= 1 << n.route(src, at, to)
	}
	return outputs
}

// branch takes the destinations behind an output out of a packet and gives them a packet of their
// own (rule 12).
func (n *Network) branch(at noc.NodeID, id fabric.PacketID, out int) fabric.PacketID {
	leaves := n.Packets.NewSeveral(*n.Packets.At(id))
	src, stay, taken := n.Packets.At(id).Src, n.Packets.Set(id), n.Packets.Set(leaves)
	set := noc.FromWords(stay)
	for to, ok := set.Next(0); ok; to, ok = set.Next(to + 1) {
		if n.route(src, at, to) == out {
			stay[to/64] &^= 1 << (to % 64)
			taken[to/64] |= 1 << (to % 64)
		}
	}
	n.Packets.Settle(id)
	n.Packets.Settle(leaves)
	return leaves
}
