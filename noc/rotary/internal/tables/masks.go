// Package tables holds the lookup tables of rotary routers: the destinations that each output
// serves, and the tour of the path scheme.
//
// [Masks] and [Tour] are immutable and may be shared by networks.
package tables

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Masks tells for each output of each router which destinations it serves: those to which it starts
// a shortest path, or the router's own node for the local output. At exactly half way round a ring
// both directions are shortest.
//
// The mask of a network output depends on the router's coordinate in the output's dimension only,
// so routers share rows.
type Masks struct {
	ports, words int
	rows         []uint64
	rowOf        []int32 // per router and port: first word of its row
}

// NewMasks makes the masks of a grid.
func NewMasks(g topology.Grid) *Masks {
	m := &Masks{ports: g.Ports(), words: noc.SetWords(g.Nodes()), rowOf: make([]int32, g.Nodes()*g.Ports())}
	for p := 1; p < m.ports; p++ {
		m.addPort(g, p)
	}
	return m
}

// addPort makes the rows of a network output, one for each coordinate along its dimension.
func (m *Masks) addPort(g topology.Grid, p int) {
	dim, sign := g.Direction(p)
	k, base := g.Radix[dim], len(m.rows)
	at := make([]int, g.Nodes()) // coordinates
	for n := range at {
		at[n] = g.Coordinate(noc.NodeID(n), dim)
	}
	m.rows = append(m.rows, make([]uint64, k*m.words)...)
	for here := range k {
		row := m.rows[base+here*m.words:][:m.words]
		for n := range at {
			if Towards(at[n]-here, k, sign, g.Wrap) {
				row[n/64] |= 1 << (n % 64)
			}
		}
	}
	for r := range at {
		m.rowOf[r*m.ports+p] = int32(base + at[r]*m.words)
	}
}

// NewMasksOf makes the masks of any direct network, by a search for the distances to each node. It fails where a
// node cannot be reached.
func NewMasksOf(w *topology.Wiring) (*Masks, error) {
	m := &Masks{ports: w.Ports(), words: noc.SetWords(w.Nodes()), rowOf: make([]int32, w.Routers*w.Ports())}
	m.rows = make([]uint64, (len(w.Channels)+1)*m.words) // the first is that of ports without a link
	for i, c := range w.Channels {
		m.rowOf[int(c.From)*m.ports+int(c.Out)] = int32((i + 1) * m.words)
	}
	distances := w.Distances()
	for to := range noc.NodeID(w.Nodes()) {
		distance := distances(to)
		if lost := slices.Index(distance, -1); lost >= 0 {
			return nil, fmt.Errorf("rotary: no links lead from router %d of %s to router %d", lost, w.Name, to)
		}
		for i, c := range w.Channels {
			if distance[c.To] == distance[c.From]-1 {
				m.rows[(i+1)*m.words+int(to)/64] |= 1 << (to % 64)
			}
		}
	}
	return m, nil
}

// Towards reports whether going in the direction of sign is a shortest route over a difference of
// coordinates, in a dimension of k nodes that wraps or does not.
func Towards(difference, k, sign int, wrap bool) bool {
	if !wrap {
		return difference*sign > 0
	}
	ahead := (difference*sign + k) % k
	return ahead != 0 && 2*ahead <= k
}

// Words returns the number of words of a set of destinations.
func (m *Masks) Words() int { return m.words }

// Word returns word i of the destinations that output p of router r serves.
func (m *Masks) Word(r, p, i int) uint64 {
	if p != topology.Local {
		return m.rows[int(m.rowOf[r*m.ports+p])+i]
	}
	if i == r>>6 {
		return 1 << (r & 63)
	}
	return 0
}

// Serves reports whether output p of router r serves node d.
func (m *Masks) Serves(r, p, d int) bool { return m.Word(r, p, d>>6)>>(d&63)&1 != 0 }

// Compare reports whether output p of router r serves some of the destinations of a set, and
// whether it serves all.
func (m *Masks) Compare(r, p int, set []uint64) (some, all bool) {
	all = true
	for i, w := range set {
		if w != 0 {
			mask := m.Word(r, p, i)
			some = some || w&mask != 0
			all = all && w&^mask == 0
		}
	}
	return some, all
}

// Divide moves the destinations that output p of router r serves from one set to another, which is
// overwritten.
func (m *Masks) Divide(r, p int, from, to []uint64) {
	for i, w := range from {
		mask := m.Word(r, p, i)
		to[i] = w & mask
		from[i] = w &^ mask
	}
}

// Serving returns a bit for each output of router r that serves some of the destinations of a set. Only words without
// a destination cost a branch.
func (m *Masks) Serving(r int, set []uint64) (outputs uint64) {
	for i, w := range set {
		if w == 0 {
			continue
		}
		for p := range m.ports {
			some := uint64(0)
			if w&m.Word(r, p, i) != 0 {
				some = 1
			}
			outputs |= some << p
		}
	}
	return outputs
}

// Segments returns how many segments of a ring a packet enters from input p of router r on until
// the first output that serves any of a set, and until each destination has met an output that
// serves it.
func (m *Masks) Segments(r, ring, p int, set []uint64) (first, last int) {
	for i, rest := range set {
		at := p
		for count := 1; rest != 0; count++ {
			at = Next(ring, at, m.ports)
			mask := m.Word(r, at, i)
			if rest&mask == 0 {
				continue
			}
			if rest &^= mask; first == 0 || count < first {
				first = count
			}
			last = max(last, count)
		}
	}
	return first, last
}

// Next returns the port whose segment follows that of port p on a ring of a router with that number
// of ports.
func Next(ring, p, ports int) int {
	if ring == 0 {
		return (p + 1) % ports
	}
	return (p + ports - 1) % ports
}

// Coins returns 64 random bits for a seed, a router and a cycle, so that nothing depends on the
// order in which routers are visited.
func Coins(seed, router uint64, cycle noc.Cycle) uint64 {
	return random.Mix(seed*random.Gamma + router*0xd1b54a32d192ed03 + uint64(cycle)*0x8cb92ba72f3d8dd7)
}

// Tour is the order in which the packets of the path scheme visit their destinations: the snake
// through the grid.
//
// Any two consecutive nodes are neighbours, the last and the first as well on a torus whose last
// dimension is even. There a broadcast serves one node with every link it crosses, and because each
// source starts at its own place of the cycle, broadcasts of all sources load its links equally. On
// a mesh the tour does not close.
type Tour struct {
	Node     []noc.NodeID // by position
	Position []int32      // by node
	Closed   bool         // to a cycle
}

// NewTour makes the tour of a grid.
func NewTour(g topology.Grid) *Tour {
	t := &Tour{Node: make([]noc.NodeID, g.Nodes()), Position: make([]int32, g.Nodes()), Closed: g.Wrap}
	for n, k := range g.Snake() {
		t.Node[k], t.Position[n] = noc.NodeID(n), int32(k)
	}
	return t
}

// Ahead reports whether a source serves a destination forwards: on the half of the cycle ahead of
// it, or on a mesh anywhere after it. The source itself is ahead.
func (t *Tour) Ahead(src, d noc.NodeID) bool {
	distance, nodes := int(t.Position[d]-t.Position[src]), len(t.Node)
	if !t.Closed {
		return distance >= 0
	}
	return (distance+nodes)%nodes <= nodes/2
}

// Next returns the first member of a set on the tour from a node on, which may be the node itself,
// forwards or backwards. The set must not be empty.
func (t *Tour) Next(set []uint64, from noc.NodeID, back bool) noc.NodeID {
	step := 1
	if back {
		step = len(t.Node) - 1
	}
	for k := int(t.Position[from]); ; k = (k + step) % len(t.Node) {
		if d := t.Node[k]; set[d/64]>>(d%64)&1 != 0 {
			return d
		}
	}
}
