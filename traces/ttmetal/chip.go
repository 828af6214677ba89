package ttmetal

// The chip: 10 columns and 12 rows of routers, with a node each.
const (
	Columns = 10
	Rows    = 12
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
func KindOf(n Node) NodeKind {
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

// Workers lists the nodes that a multicast of a node goes to: the workers of its rectangle, which may lead around the
// edges of the chip, but for the node itself. Both corners are on the chip.
func (e *Event) Workers(from Node) (list []Node) {
	for x := e.Peer.X; ; x = (x + 1) % Columns {
		for y := e.Peer.Y; ; y = (y + 1) % Rows {
			if n := (Node{x, y}); KindOf(n) == Worker && n != from {
				list = append(list, n)
			}
			if y == e.Corner.Y {
				break
			}
		}
		if x == e.Corner.X {
			return list
		}
	}
}

// OnChip reports whether a place is one of the chip.
func (n Node) OnChip() bool { return n.X >= 0 && n.X < Columns && n.Y >= 0 && n.Y < Rows }
