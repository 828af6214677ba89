package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes are the tables of dimension-order routing (rule 4). In a small network the port by router,
// destination and parity, and the links between two nodes, are tables of their own.
type routes struct {
	*topology.Sectors
	near  *[2 * maxNear * maxNear]uint8 // nil in a large network, like hops
	hops  []uint8
	nodes int
}

// maxNear is up to how many nodes a network has a table of ports: one that stays in the first
// cache.
const maxNear = 128

func newRoutes(g topology.Grid) routes {
	t := routes{Sectors: topology.NewSectors(g, topology.TieBySum), nodes: g.Nodes()}
	if t.nodes > maxNear {
		return t
	}
	near, hops := new([2 * maxNear * maxNear]uint8), make([]uint8, t.nodes*t.nodes)
	for i := range hops {
		from, to := noc.NodeID(i/t.nodes), noc.NodeID(i%t.nodes)
		hops[i] = uint8(t.Hops(from, to))
		for parity := range packet(2) {
			near[from*2*maxNear+2*to+noc.NodeID(parity)] = t.Next(from, to, (parity << oddShift).ties()).Port
		}
	}
	t.near, t.hops = near, hops
	return t
}

// distance is the number of links between two nodes.
func (t *routes) distance(from, to noc.NodeID) uint16 {
	if t.hops != nil {
		return uint16(t.hops[int(from)*t.nodes+int(to)])
	}
	return uint16(t.Hops(from, to))
}
