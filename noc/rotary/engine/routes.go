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
	place  []uint64 // coordinates of each node, a field each
	bias   uint64   // makes differences of places indices of the tables below, a field each
	toward []uint16 // by dimension and difference of coordinates: outputs on a shortest path

	masks  *tables.Masks
	near   []maskRow                      // per router, where sets are one word and ports are few
	nearer [maxPorts][1 << maxPorts]uint8 // see makeNearer
	tour   *tables.Tour                   // of the path scheme, or nil
}

// maskRow is the destinations that each output of a router serves. It is a cache line.
type maskRow [maxPorts]uint64

// The coordinates of a node are fields of a word, as a router has at most three dimensions.
const (
	fieldWidth = 21
	fieldBits  = 1<<fieldWidth - 1
)

func newRoutes(g topology.Grid, scheme rotary.Scheme) *routes {
	nodes := g.Nodes()
	rt := &routes{ports: g.Ports(), place: make([]uint64, nodes), masks: tables.NewMasks(g),
		toward: make([]uint16, 1)} // index 0 is the empty entry for missing dimensions
	for d, k := range g.Radix {
		for n := range nodes {
			rt.place[n] |= uint64(g.Coordinate(noc.NodeID(n), d)) << (d * fieldWidth)
		}
		rt.addDimension(g, d, k)
	}
	if scheme == rotary.Path {
		rt.tour = tables.NewTour(g)
	}
	rt.makeNearer()
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
	toward := make([]uint16, 2*k)
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
func (rt *routes) apart(from, d int) uint64 { return rt.place[d] - rt.place[from] + rt.bias }

// profitable returns the outputs of router r that start a shortest path to node d. It is branch-free:
// the branch would be mispredicted.
func (rt *routes) profitable(from, d int) uint16 {
	apart := rt.apart(from, d)
	ports := rt.toward[apart&fieldBits] | rt.toward[apart>>fieldWidth&fieldBits] | rt.toward[apart>>(2*fieldWidth)]
	return ports | uint16((uint32(ports)-1)>>31)<<topology.Local // none: it is there
}

// mask returns the destinations that output p of router r serves, where they are one word.
func (rt *routes) mask(from, port int) uint64 { return rt.near[from][port&(maxPorts-1)] }

// notEmpty returns 1 if a set has members, else 0, without a branch.
func notEmpty(set uint64) (some uint16) {
	if set != 0 {
		some = 1
	}
	return some
}

// union returns the outputs that serve any destination of a set.
func (m *maskRow) union(set uint64) uint16 {
	return notEmpty(set&m[0]) | notEmpty(set&m[1])<<1 | notEmpty(set&m[2])<<2 | notEmpty(set&m[3])<<3 |
		notEmpty(set&m[4])<<4 | notEmpty(set&m[5])<<5 | notEmpty(set&m[6])<<6 | notEmpty(set&m[7])<<7
}

// unionOf returns the outputs of a router that serve any destination of a set of words.
func (rt *routes) unionOf(from int, set []uint64) (outputs uint16) {
	for port := range rt.ports {
		if some, _ := rt.masks.Compare(from, port, set); some {
			outputs |= 1 << port
		}
	}
	return outputs
}

// farther returns by how many segments the route from input p, until all of a set has met an output
// that serves it, is longer on ring 0 than on ring 1. The input's own output is the last on both.
func (m *maskRow) farther(port, ports int, set uint64) int {
	first, second, sum := set, set, 0
	up, down := port, port
	for range ports - 1 {
		if up++; up == ports {
			up = 0
		}
		if down--; down < 0 {
			down = ports - 1
		}
		first &^= m[up&(maxPorts-1)]
		second &^= m[down&(maxPorts-1)]
		sum += int(notEmpty(first)) - int(notEmpty(second))
	}
	return sum
}

// fartherOf is farther for a set of words.
func (rt *routes) fartherOf(from, port int, set []uint64) int {
	_, first := rt.masks.Segments(from, 0, port, set)
	_, second := rt.masks.Segments(from, 1, port, set)
	return first - second
}

// chooseRing is rule 14 for rings with equally many free slots.
func (rt *routes) chooseRing(n *Network, from int, port uint, p *packet) uint {
	if p.flags&several != 0 {
		farther := 0
		if rt.near != nil {
			farther = rt.near[from].farther(int(port), rt.ports, p.owed)
		} else {
			farther = rt.fartherOf(from, int(port), n.set(p, &[1]uint64{}))
		}
		if farther != 0 {
			return choose(farther > 0)
		}
	}
	at := rt.nearer[port&portBits][p.outputs&(1<<maxPorts-1)]
	if at < rings {
		return uint(at)
	}
	return uint(tables.Coins(n.config.Seed, uint64(from), n.Clock) >> port & 1)
}

// makeNearer tabulates, by input and outputs, the ring on which the nearest of the outputs is nearer
// to the input, or rings if there is none.
func (rt *routes) makeNearer() {
	for port := range rt.ports {
		for outputs := range 1 << rt.ports {
			rt.nearer[port][outputs] = rings
			if first := rt.segmentsTo(port, uint16(outputs)); outputs != 0 && first[0] != first[1] {
				rt.nearer[port][outputs] = uint8(choose(first[1] < first[0]))
			}
		}
	}
}

// segmentsTo counts, on each ring, the segments from input p to the nearest of some outputs. The
// input's own output comes last, after a full turn.
func (rt *routes) segmentsTo(port int, outputs uint16) [rings]int {
	all := uint32(outputs)
	turned := (all>>port | all<<(rt.ports-port)) & (1<<rt.ports - 1) // bit k: output p+k
	ahead := turned&^1 | turned&1<<rt.ports
	return [rings]int{bits.TrailingZeros32(ahead), rt.ports + 1 - bits.Len32(turned)}
}

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
