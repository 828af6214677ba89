package silicon

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// The chip: 10 columns and 12 rows of routers, with a node each.
const (
	Columns = 10
	Rows    = 12
	Nodes   = Columns * Rows
)

// Topologies are the two networks of the chip: the first leads right and down and routes along x
// first, the second leads up and left and routes along y first.
var Topologies = [2]string{"utorus:10x12", "utorus:10x12:-y-x"}

// FlitBytes is the payload of a flit, PacketBytes the longest of a packet.
const (
	FlitBytes   = 32
	PacketBytes = 8192
)

// NodeKind is what is at a place of the chip.
type NodeKind uint8

// The kinds of nodes.
const (
	Worker NodeKind = iota
	DRAM
	Ethernet
	OtherNode // ARC, PCIe, or a router alone
)

// KindOf is what is at a place.
func KindOf(n ttmetal.Node) NodeKind {
	switch {
	case n.X == 5:
		return DRAM
	case n.X == 0:
		switch n.Y {
		case 0, 1, 5, 6, 7, 11:
			return DRAM
		}
		return OtherNode
	case n.Y == 0 || n.Y == 6:
		return Ethernet
	}
	return Worker
}

// nodeID is the number of a place, as topologies count.
func nodeID(n ttmetal.Node) (noc.NodeID, error) {
	if n.X < 0 || n.X >= Columns || n.Y < 0 || n.Y >= Rows {
		return 0, fmt.Errorf("node %s is not on a chip of %d columns and %d rows", n, Columns, Rows)
	}
	return noc.NodeID(n.X + Columns*n.Y), nil
}

// placeOf is the place of a node.
func placeOf(id noc.NodeID) ttmetal.Node {
	return ttmetal.Node{X: int(id) % Columns, Y: int(id) / Columns}
}
