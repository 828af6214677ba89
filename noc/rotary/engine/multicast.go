package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// rows reports whether several destinations are a row of the arena, not a word: they are too many,
// or a path's.
func (n *Network) rows() bool { return n.routes.masks.Words() > 1 || n.routes.tour != nil }

// words returns the destinations of a packet that has more than one, as words. They are valid until
// the next row is taken.
func (n *Network) words(k *packet) []uint64 { return n.Packets.Row(k.row()) }

// route updates the outputs of a packet that stands in a router.
func (n *Network) route(id int, k *packet) {
	links := uint16(0)
	if n.isAged(k) {
		links = n.links()
	}
	switch {
	case k.flags&several == 0:
		k.outputs = n.routes.profitable(id, k.only()) | links
	case n.routes.near != nil:
		k.outputs = n.routes.near[id].union(k.owed) | links
	default:
		k.outputs = n.routes.unionOf(id, n.set(k, &[1]uint64{})) | links
	}
}

// set returns the destinations of a packet with several as words; word is room for one.
func (n *Network) set(k *packet, word *[1]uint64) []uint64 {
	if n.rows() {
		return n.words(k)
	}
	word[0] = k.owed
	return word[:]
}

// owe makes a packet that leaves its source owe what its worm does.
func (s *router) owe(k *packet) {
	n, count := s.net, 1
	if only := n.Packets.Only(k.worm); only >= 0 {
		k.owed = uint64(only)
	} else if n.rows() {
		count = n.Packets.Count(k.worm)
		n.aim(int(s.id), k, n.Packets.TakeRow(k.worm))
	} else {
		k.owed = n.Packets.TakeWord(k.worm)
		k.flags |= several
		count = bits.OnesCount64(k.owed)
	}
	n.Packets.Await(k.worm, count)
}

// compare reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all. On a path, the outputs on the way to the next destination serve all (rule 24).
func (n *Network) compare(id, p int, k *packet) (some, all bool) {
	switch {
	case k.flags&several == 0:
		some = n.routes.profitable(id, k.only())>>p&1 != 0
		return some, some && (p != 0 || k.flags&more == 0)
	case n.rows():
		return n.routes.masks.Compare(id, p, n.words(k))
	}
	mask := n.routes.mask(id, p)
	return k.owed&mask != 0, k.owed&^mask == 0
}

// divide takes the destinations that output p of a router serves from a packet with more than one,
// for a copy of it.
func (n *Network) divide(id, p int, k, c *packet) {
	if n.rows() {
		n.divideRow(id, p, k, c)
		return
	}
	mask := n.routes.mask(id, p)
	c.owed &= mask
	k.owed &^= mask
	if fabric.Invariants && (c.owed == 0 || k.owed == 0) {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: a copy or its original has no destination (law 6)", n.Clock, id))
	}
	c.settle()
	k.settle()
}

// settle recognises a set of which one destination is left.
func (k *packet) settle() {
	if set := k.owed; set&(set-1) == 0 {
		k.owed = uint64(bits.TrailingZeros64(set))
		k.flags &^= several
	}
}

// divideRow is divide where sets are rows.
func (n *Network) divideRow(id, p int, k, c *packet) {
	row := n.Packets.NewRow()
	n.routes.masks.Divide(id, p, n.words(k), n.Packets.Row(row))
	n.aim(id, c, row)
	n.aim(id, k, k.row())
}

// aim notes what a packet in a router owes, whose destinations are a row that has changed: the only
// one, or several at once, or with the path scheme the next one on the tour, and others after it.
func (n *Network) aim(id int, k *packet, row int32) {
	k.flags &^= several | more
	if only := n.Packets.SettleRow(row); only >= 0 {
		k.owed = uint64(only)
		return
	}
	k.owed = uint64(row) << rowShift
	if n.routes.tour == nil {
		k.flags |= several
		return
	}
	k.owed |= uint64(n.routes.tour.Next(n.Packets.Row(row), noc.NodeID(id), k.flags&back != 0))
	k.flags |= more
}

// count returns the number of destinations that a packet owes.
func (n *Network) count(k *packet) int {
	switch {
	case k.flags&(several|more) == 0:
		return 1
	case n.rows():
		return n.Packets.CountRow(k.row())
	}
	return bits.OnesCount64(k.owed)
}
