package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// rows reports whether a set of several destinations is a row of the arena instead of a word:
// because networks are large, or sets are those of paths.
func (n *Network) rows() bool { return n.routes.masks.Words() > 1 || n.routes.tour != nil }

// words returns the destinations of a packet that has more than one, as words. They are valid until
// the next row is taken.
func (n *Network) words(p *packet) []uint64 { return n.Packets.Row(p.row()) }

// route makes the mask of the outputs that a packet in a router may leave by (rules 8 and 12). No
// other function makes it, but for cross, where a packet with one destination has not turned yet.
func (n *Network) route(id int, p *packet) {
	links := uint16(0)
	if n.mayMisroute(p) {
		links = n.links()
	}
	switch {
	case p.flags&several == 0:
		p.outputs = n.routes.profitable(id, p.only()) | links
	case n.routes.near != nil:
		p.outputs = n.routes.near[id].union(p.owed) | links
	default:
		p.outputs = n.routes.unionOf(id, n.set(p, &[1]uint64{})) | links
	}
}

// set returns the destinations of a packet with several as words; word is room for one.
func (n *Network) set(p *packet, word *[1]uint64) []uint64 {
	if n.rows() {
		return n.words(p)
	}
	word[0] = p.owed
	return word[:]
}

// owe makes a packet that leaves its source owe what the arena says.
func (r *router) owe(p *packet) {
	n, count := r.net, 1
	if only := n.Packets.Only(p.id); only >= 0 {
		p.owed = uint64(only)
	} else if n.rows() {
		count = n.Packets.Count(p.id)
		n.aim(int(r.id), p, n.Packets.TakeRow(p.id))
	} else {
		p.owed = n.Packets.TakeWord(p.id)
		p.flags |= several
		count = bits.OnesCount64(p.owed)
	}
	n.Packets.Await(p.id, count)
}

// compare reports whether output p of a router serves some of a packet's destinations, and whether
// it serves all. On a path, the outputs on the route to the next destination serve all (rule 24).
func (n *Network) compare(id, port int, p *packet) (some, all bool) {
	switch {
	case p.flags&several == 0:
		some = n.routes.profitable(id, p.only())>>port&1 != 0
		return some, some && (port != 0 || p.flags&more == 0)
	case n.rows():
		return n.routes.masks.Compare(id, port, n.words(p))
	}
	mask := n.routes.mask(id, port)
	return p.owed&mask != 0, p.owed&^mask == 0
}

// divide takes the destinations that output p of a router serves from a packet with more than one,
// for a copy of it.
func (n *Network) divide(id, port int, p, c *packet) {
	if n.rows() {
		n.divideRow(id, port, p, c)
		return
	}
	mask := n.routes.mask(id, port)
	c.owed &= mask
	p.owed &^= mask
	if fabric.Invariants && (c.owed == 0 || p.owed == 0) {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: a copy or its original has no destination (law 6)", n.Clock, id))
	}
	c.settle()
	p.settle()
}

// settle recognises a set of which one destination is left.
func (p *packet) settle() {
	if set := p.owed; set&(set-1) == 0 {
		p.owed = uint64(bits.TrailingZeros64(set))
		p.flags &^= several
	}
}

// divideRow is divide where sets are rows.
func (n *Network) divideRow(id, port int, p, c *packet) {
	row := n.Packets.NewRow()
	n.routes.masks.Divide(id, port, n.words(p), n.Packets.Row(row))
	n.aim(id, c, row)
	n.aim(id, p, p.row())
}

// aim notes what a packet in a router owes, whose destinations are a row that has changed: the only
// one, or several at once, or with the path scheme the next one on the tour, and others after it.
func (n *Network) aim(id int, p *packet, row int32) {
	p.flags &^= several | more
	if only := n.Packets.SettleRow(row); only >= 0 {
		p.owed = uint64(only)
		return
	}
	p.owed = uint64(row) << rowShift
	if n.routes.tour == nil {
		p.flags |= several
		return
	}
	p.owed |= uint64(n.routes.tour.Next(n.Packets.Row(row), noc.NodeID(id), p.flags&back != 0))
	p.flags |= more
}

// count returns the number of destinations that a packet owes.
func (n *Network) count(p *packet) int {
	switch {
	case p.flags&(several|more) == 0:
		return 1
	case n.rows():
		return n.Packets.CountRow(p.row())
	}
	return bits.OnesCount64(p.owed)
}
