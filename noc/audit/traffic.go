package audit

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Traffic makes random packets of all kinds: unicasts, multicasts, broadcasts, some to their own
// node, of all classes and lengths. Two of three ask for a receipt.
type Traffic struct {
	Nodes, Classes int
	Phits          int // longest packet
	Random         random.Stream
	made           int
}

// Packet makes the next packet, without a tag.
func (t *Traffic) Packet() noc.Packet {
	draw := t.Random.Remainder
	p := noc.Packet{Src: noc.NodeID(draw(t.Nodes)), Dst: noc.NewNodeSet(t.Nodes), Phits: uint16(1 + draw(t.Phits)),
		Class: noc.Class(draw(t.Classes)), Receipt: t.made%3 > 0}
	t.made++
	copies := 1
	switch kind := draw(40); {
	case kind == 0:
		copies = t.Nodes
		for i := range t.Nodes {
			p.Dst.Add(noc.NodeID(i))
		}
	case kind < 8:
		copies = 1 + draw(min(t.Nodes, 9))
	}
	for p.Dst.Count() < copies {
		p.Dst.Add(noc.NodeID(draw(t.Nodes)))
	}
	return p
}
