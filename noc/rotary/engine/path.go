package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// takeAhead removes the next packet of a class from its source, or if it has destinations on both
// sides the part of it that goes forwards (rule 24). back tells that it goes backwards.
func (n *Network) takeAhead(node noc.NodeID, c noc.Class) (worm fabric.WormID, back bool) {
	head := n.sources.Head(node, c)
	if n.worms.Only(head) >= 0 {
		return n.sources.Pop(node, c), false
	}
	some, others := false, false
	for i, w := range n.worms.Set(head) {
		ahead := n.aheadOf(node, i, w)
		some = some || ahead != 0
		others = others || w&^ahead != 0
	}
	if !some || !others {
		return n.sources.Pop(node, c), !some
	}
	worm = n.worms.NewSeveral(*n.worms.At(head))
	kept, taken := n.worms.Set(head), n.worms.Set(worm)
	for i := range kept {
		taken[i] = n.aheadOf(node, i, kept[i])
		kept[i] &^= taken[i]
	}
	n.worms.Settle(head)
	n.worms.Settle(worm)
	n.injected-- // inject counts each part; the two are one packet
	return worm, false
}

// aheadOf returns those of the members of word i of a set that a source serves forwards.
func (n *Network) aheadOf(node noc.NodeID, i int, set uint64) (ahead uint64) {
	for w := set; w != 0; w &= w - 1 {
		if n.tour.Ahead(node, noc.NodeID(64*i+bits.TrailingZeros64(w))) {
			ahead |= w & -w
		}
	}
	return ahead
}
