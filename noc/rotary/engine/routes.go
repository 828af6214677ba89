package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes answers which outputs of a router serve a destination or a set of them, in time that does
// not depend on the size of the grid where it can. Outputs are bits of a uint16.
type routes struct {
	ports  int
	place  []uint64  // coordinates of each node, a field each
	bias   uint64    // makes differences of places indices of the tables below, a field each
	toward []portSet // by dimension and difference of coordinates: outputs on a shortest path

	masks *tables.Masks
	near  []maskRow    // per router, where sets are one word and ports are few
	tour  *tables.Tour // of the path scheme, or nil
}

// maskRow is the destinations that each output of a router serves. It is a cache line.
type maskRow [maxPorts]uint64

// The coordinates of a node are fields of a word, as a router has at most three dimensions.
const (
	fieldWidth = 21
	fieldBits  = 1<<fieldWidth - 1
)

func newRoutes(g topology.Grid, scheme rotary.Scheme) routes {
	nodes := g.Nodes()
	rt := routes{ports: g.Ports(), place: make([]uint64, nodes), masks: tables.NewMasks(g),
		toward: make([]portSet, 1)} // index 0 is the empty entry for missing dimensions
	for d, k := range g.Radix {
		for n := range nodes {
			rt.place[n] |= uint64(g.Coordinate(noc.NodeID(n), d)) << (d * fieldWidth)
		}
		rt.addDimension(g, d, k)
	}
	if scheme == rotary.Path {
		rt.tour = tables.NewTour(g)
	}
	if rt.masks.Words() == 1 {
		rt.near = make([]maskRow, nodes)
		for from := range rt.near {
			for port := range rt.ports {
				rt.near[from][port] = rt.masks.Word(from, port, 0)
			}
		}
	}
	return rt
}

// addDimension tabulates the outputs along one dimension by difference of coordinates.
func (rt *routes) addDimension(g topology.Grid, d, k int) {
	rt.bias |= uint64(len(rt.toward)+k) << (d * fieldWidth)
	toward := make([]portSet, 2*k)
	for difference := 1 - k; difference < k; difference++ {
		for _, sign := range [...]int{+1, -1} {
			if tables.Towards(difference, k, sign, g.Wrap) {
				toward[difference+k] |= 1 << g.Port(d, sign)
			}
		}
	}
	rt.toward = append(rt.toward, toward...)
}

// apart returns the index in the tables of the route from router r to node d, a field for each
// dimension.
func (rt *routes) apart(from int32, d int) uint64 { return rt.place[d] - rt.place[from] + rt.bias }

// profitable returns the outputs of router r that start a shortest path to node d. It is
// branch-free: the branch would be mispredicted.
func (rt *routes) profitable(from int32, d int) portSet {
	apart := rt.apart(from, d)
	ports := rt.toward[apart&fieldBits] | rt.toward[apart>>fieldWidth&fieldBits] | rt.toward[apart>>(2*fieldWidth)]
	return ports | portSet((uint32(ports)-1)>>31)<<topology.Local // none: it is there
}

// notEmpty returns 1 if a set has members, else 0, without a branch.
func notEmpty(set uint64) (some portSet) {
	if set != 0 {
		some = 1
	}
	return some
}

// union returns the outputs that serve any destination of a set.
func (m *maskRow) union(set uint64) portSet {
	return notEmpty(set&m[0]) | notEmpty(set&m[1])<<1 | notEmpty(set&m[2])<<2 | notEmpty(set&m[3])<<3 |
		notEmpty(set&m[4])<<4 | notEmpty(set&m[5])<<5 | notEmpty(set&m[6])<<6 | notEmpty(set&m[7])<<7
}

// left returns after how many segments, one bit for each number, destinations of a set are left that have not met an
// output that serves them, from input p on: on ring 0 and on ring 1. The input's own output is the last on both.
func (m *maskRow) left(p port, ports int, set uint64) (first, second portSet) {
	a, b := set, set
	up, down := int(p), int(p)
	for k := range ports - 1 {
		if up++; up == ports {
			up = 0
		}
		if down--; down < 0 {
			down = ports - 1
		}
		a &^= m[up&portBits]
		b &^= m[down&portBits]
		first |= notEmpty(a) << k
		second |= notEmpty(b) << k
	}
	return first, second
}

// farther returns by how many segments the route of a packet that has several destinations, from input p until all of
// them have met an output that serves them, is longer on ring 0 than on ring 1.
func (n *region) farther(r *router, p port, k *packet) int {
	var first, second portSet
	if near := n.routes.near; near != nil {
		first, second = near[r.id].left(p, n.routes.ports, k.owed)
		return bits.Len8(uint8(first)) - bits.Len8(uint8(second))
	}
	for i, w := range n.set(k, &[1]uint64{}) {
		if w == 0 {
			continue
		}
		var row maskRow
		for output := range n.routes.ports {
			row[output&portBits] = n.routes.masks.Word(int(r.id), output, i)
		}
		a, b := row.left(p, n.routes.ports, w)
		first, second = first|a, second|b
	}
	return bits.Len8(uint8(first)) - bits.Len8(uint8(second))
}

// segmentsTo counts, on each ring, the segments from input p to the nearest of some outputs. The
// input's own output comes last, after a full turn.
func (rt *routes) segmentsTo(p, outputs uint) (first, second int) {
	ports := uint(rt.ports)
	turned := (outputs>>p | outputs<<(ports-p)) & (1<<ports - 1) // bit k: output p+k
	return bits.TrailingZeros(turned&^1 | turned&1<<ports), int(ports) + 1 - bits.Len(turned)
}

// rows reports whether a set of several destinations is a row of the arena instead of a word:
// because networks are large, or sets are those of paths.
func (n *region) rows() bool { return n.routes.masks.Words() > 1 || n.routes.tour != nil }

// set returns the destinations of a packet with more than one as words, which are valid until the
// next row is taken; word is room for one.
func (n *region) set(k *packet, word *[1]uint64) []uint64 {
	if n.rows() {
		return n.Packets.Row(k.row())
	}
	word[0] = k.owed
	return word[:]
}

// route finds the outputs by which a packet may leave a router: those that serve one of its
// destinations, and the links if it may be misrouted. No other function does.
func (n *region) route(r *router, k *packet) {
	links := portSet(0)
	if n.mayMisroute(k) {
		links = 1<<n.limits.Ports - 1<<topology.Local - 1
	}
	switch {
	case k.flags&several == 0:
		k.outputs = n.routes.profitable(r.id, k.only()) | links
	case n.routes.near != nil:
		k.outputs = n.routes.near[r.id].union(k.owed) | links
	default:
		k.outputs = portSet(n.routes.masks.Serving(int(r.id), n.set(k, &[1]uint64{}))) | links
	}
}

// serves is rule 8: whether an output of a router serves some of a packet's destinations, and
// whether it serves all. On a path, the outputs on the route to the next destination serve all
// (rule 24).
func (n *region) serves(r *router, output port, k *packet) (some, all bool) {
	if k.flags&several == 0 {
		some = n.routes.profitable(r.id, k.only()).Has(output)
		return some, some && (output != topology.Local || k.flags&more == 0)
	}
	if near := n.routes.near; near != nil {
		mask := near[r.id][output&portBits]
		return k.owed&mask != 0, k.owed&^mask == 0
	}
	return n.routes.masks.Compare(int(r.id), int(output), n.set(k, &[1]uint64{}))
}

// divide takes the destinations that an output of a router serves from a packet with more than one,
// for a copy of it.
func (n *region) divide(r *router, output port, k, c *packet) {
	if n.rows() {
		row := n.Packets.NewRow()
		n.routes.masks.Divide(int(r.id), int(output), n.Packets.Row(k.row()), n.Packets.Row(row))
		n.aim(r, c, row)
		n.aim(r, k, k.row())
		return
	}
	mask := n.routes.masks.Word(int(r.id), int(output), 0)
	c.owed &= mask
	k.owed &^= mask
	if fabric.Invariants && (c.owed == 0 || k.owed == 0) {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: a copy or its original has no destination (law 6)", n.Clock, r.id))
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

// owe makes a packet that leaves its source owe what the arena says.
func (n *region) owe(r *router, k *packet) {
	count := 1
	if only := n.Packets.Only(k.id); only >= 0 {
		k.owed = uint64(only)
	} else if n.rows() {
		count = n.Packets.Count(k.id)
		n.aim(r, k, n.Packets.TakeRow(k.id))
	} else {
		k.owed = n.Packets.TakeWord(k.id)
		k.flags |= several
		count = bits.OnesCount64(k.owed)
	}
	n.Packets.Await(k.id, count)
}

// aim is rule 24. It notes what a packet in a router owes, whose destinations are a row that has
// changed: the only one, or several at once, or with the path scheme the next one on the tour, and
// others after it.
func (n *region) aim(r *router, k *packet, row int32) {
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
	k.owed |= uint64(n.routes.tour.Next(n.Packets.Row(row), noc.NodeID(r.id), k.flags&back != 0))
	k.flags |= more
}

// count returns the number of destinations that a packet owes.
func (n *region) count(k *packet) int {
	switch {
	case k.flags&(several|more) == 0:
		return 1
	case n.rows():
		return n.Packets.CountRow(k.row())
	}
	return bits.OnesCount64(k.owed)
}
