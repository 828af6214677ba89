package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// A packet copy owes its destinations, and its header says which. All that a router copies of what
// left a source as one packet shares one worm, since nothing in it differs; the worm awaits as many
// deliveries as it had destinations, and is free with the last. So a copy is made, and a router
// chooses its outputs, without a look at anything but the header.

// header is the rest of a packet copy in the network.
type header struct {
	// owed is the only destination; with severalFlag their set, a bit each, or where sets are rows
	// the row of the arena times 2^32; with moreFlag that row and the next destination. Of an
	// unused header it is the next unused one.
	owed   uint64
	worm   fabric.WormID
	hops   uint16
	origin uint8 // input port of this router
	flags  uint8
}

const (
	severalFlag = 1 // there are several destinations at once; the lowest bit
	moreFlag    = 2 // the path scheme: there are destinations after this one
	backFlag    = 4 // the path scheme: backwards on the tour
	spreadFlag  = 8 // of a multicast that the routers copy

	rowShift = 32
)

// only is the destination of a header that does not have several at once.
func (h *header) only() int { return int(uint32(h.owed)) }

// row is the row of the arena with the destinations of a header that has more than one.
func (h *header) row() int32 { return int32(h.owed >> rowShift) }

// owe has a header whose packet leaves the source at router id owe what its worm does, and tells
// how many destinations that are.
func (n *Network) owe(id int, h *header) (count int) {
	if only := n.worms.Only(h.worm); only >= 0 {
		h.owed, count = uint64(only), 1
	} else if n.rows {
		count = n.worms.Count(h.worm)
		n.aim(id, h, n.worms.TakeRow(h.worm))
	} else {
		h.owed = n.worms.TakeWord(h.worm)
		h.flags |= severalFlag
		count = bits.OnesCount64(h.owed)
	}
	n.worms.Await(h.worm, count)
	return count
}

// split takes the destinations that output p of router id serves from a header with several, and
// makes another one for them.
func (n *Network) split(id, p int, h, part *header) {
	*part = *h
	if n.rows {
		n.splitRow(id, p, h, part)
		return
	}
	mask := n.routes.mask(id, p)
	part.owed &= mask
	h.owed &^= mask
	if fabric.Invariants {
		n.must(part.owed != 0 && h.owed != 0, "a replica or its original has no destination (law 6)", id)
	}
	part.settle()
	h.settle()
}

// settle recognises a set of which one destination is left.
func (h *header) settle() {
	if set := h.owed; set&(set-1) == 0 {
		h.owed = uint64(bits.TrailingZeros64(set))
		h.flags &^= severalFlag
	}
}

// splitRow is split where sets are rows.
func (n *Network) splitRow(id, p int, h, part *header) {
	row := n.worms.NewRow()
	kept, taken := n.worms.Row(h.row()), n.worms.Row(row)
	for i := range kept {
		mask := n.maskWord(id, p, i)
		taken[i] = kept[i] & mask
		kept[i] &^= mask
	}
	n.aim(id, part, row)
	n.aim(id, h, h.row())
}

// aim notes what a header in router id owes, whose destinations are a row that has changed: the
// only one, or several at once, or with the path scheme the next one on the tour, and others after
// it.
func (n *Network) aim(id int, h *header, row int32) {
	h.flags &^= severalFlag | moreFlag
	if only := n.worms.SettleRow(row); only >= 0 {
		h.owed = uint64(only)
		return
	}
	h.owed = uint64(row) << rowShift
	if n.tour == nil {
		h.flags |= severalFlag
		return
	}
	h.owed |= uint64(n.tour.Next(n.worms.Row(row), noc.NodeID(id), h.flags&backFlag != 0))
	h.flags |= moreFlag
}

// count is the number of destinations that a header owes.
func (n *Network) count(h *header) int {
	switch {
	case h.flags&(severalFlag|moreFlag) == 0:
		return 1
	case n.rows:
		return n.worms.CountRow(h.row())
	}
	return bits.OnesCount64(h.owed)
}

// members is a copy of the destinations that a header owes, for people.
func (n *Network) members(h *header) noc.NodeSet {
	set := noc.NewNodeSet(n.Nodes())
	switch {
	case h.flags&(severalFlag|moreFlag) == 0:
		set.Add(noc.NodeID(h.only()))
	case n.rows:
		words := n.worms.Row(h.row())
		set.Low = words[0]
		copy(set.More, words[1:])
	default:
		set.Low = h.owed
	}
	return set
}
