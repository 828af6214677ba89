package routing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Named is a routing by name for worms with one stop. Unlike other functions it may look at the channel by which a
// header came, and at what was drawn for its worm at the source.
type Named struct {
	Name string
	// Parts is the number of parts into which the channels of a class are divided, 1 or 2.
	Parts int
	// Escape reports whether a header may take any candidate in the upper part, and else the first channel of
	// escape in either part, for which it waits. Without Escape it takes a candidate in its own part and waits.
	Escape bool

	wiring *topology.Wiring
	// candidates appends the channels by which a header goes on, in the order of preference. in is the channel by
	// which it came, -1 from a node; part is that of the header.
	candidates func(at noc.NodeID, in int32, node noc.NodeID, part uint8, into []int32) []int32
	escape     Function
	// draw sets what a worm gets at its source.
	draw func(dice uint64) (part uint8, via int32)
	// rotates reports whether the first candidate is a random one.
	rotates bool
	// checked are the parts of the channel dependency graph that must be free of cycles: within other parts, or
	// from lower to upper ones, there are none.
	checked []uint8
}

// State is what a worm has drawn at its source, and where it stands.
type State struct {
	Part uint8
	via  int32 // router on the way, or -1
	dice uint32
}

// Start draws for a worm; seed differs between the worms of a network.
func (n *Named) Start(seed uint64) State {
	dice := random.Mix((seed + 1) * random.Gamma)
	s := State{via: -1, dice: uint32(dice >> 32)}
	if n.draw != nil {
		s.Part, s.via = n.draw(dice)
	}
	return s
}

// Route appends the channels by which a worm goes on from a router, in the order of preference, and notes what
// part of its class's channels it takes from now on.
func (n *Named) Route(at noc.NodeID, in int32, node noc.NodeID, s *State, into []int32) []int32 {
	if s.via >= 0 {
		if s.via != int32(at) {
			return n.candidates(at, in, noc.NodeID(s.via), s.Part, into)
		}
		s.via, s.Part = -1, 1
	}
	before := len(into)
	into = n.candidates(at, in, node, s.Part, into)
	if list := into[before:]; n.rotates && len(list) > 1 {
		k := int(s.dice+uint32(at)*0x9e3779b1) % len(list)
		slices.Reverse(list[:k])
		slices.Reverse(list[k:])
		slices.Reverse(list)
	}
	return into
}

// Next returns the channel that a header prefers; with an escape, that one.
func (n *Named) Next(at, node noc.NodeID) int32 {
	if n.escape != nil {
		return n.escape.Next(at, node)
	}
	return n.candidates(at, -1, node, 1, nil)[0]
}

// Names lists the routings that [By] knows.
var Names = []string{"xy", "yx", "west-first", "north-last", "negative-first", "odd-even", "o1turn", "valiant", "adaptive", "up-down", "shortest", "nca", "table"}

// By returns a routing by name on a network, or tells why there is none.
func By(name string, l topology.Layout) (*Named, error) {
	n := &Named{Name: name, Parts: 1, wiring: l.Wiring, checked: []uint8{0}}
	if !slices.Contains(Names, name) || name == "table" {
		return nil, fmt.Errorf("routing is %q; choose from %s, and read a table from a file", name, strings.Join(Names, ", "))
	}
	var f Function
	var err error
	switch name {
	case "up-down":
		g := graphOf(l)
		u, failed := topology.NewUpDown(g, g.Root)
		if err = failed; err == nil {
			f, err = UpDown(u, l.Wiring)
		}
	case "shortest":
		f = shortest(l.Wiring)
	case "nca":
		if l.Multistage == nil || !l.Multistage.Bidirectional {
			return nil, fmt.Errorf("routing nca: %s has no common ancestors; it is for fattree:K:N and bimin:butterfly:N:B", l)
		}
		n.rotates = true
		f, err = Stages(*l.Multistage, l.Wiring)
	default:
		c, err := newCoordinates(name, l)
		if err == nil {
			c.choose(n)
		}
		return n, err
	}
	n.candidates = candidatesOf(f)
	return n, err
}

// coordinates are those of the routers of a mesh or of a flattened butterfly.
type coordinates struct {
	grid    topology.Grid
	full    bool    // routers along a dimension are all linked
	routers []int32 // per node
	channel []int32 // [router*width + to]: where full, to the router with a coordinate, else down and up
	width   int
	first   []int // of each dimension in a row of channel
	at      []int16
}

func newCoordinates(name string, l topology.Layout) (*coordinates, error) {
	c := &coordinates{}
	switch {
	case l.Hyper != nil:
		c.grid, c.full = l.Hyper.Grid, l.Hyper.Full
	case l.Grid != nil && !l.Grid.Wrap:
		c.grid = *l.Grid
	case l.Grid != nil:
		return nil, fmt.Errorf("routing %s: the rings of %s would deadlock; use dimension-order, or a mesh", name, l)
	default:
		return nil, fmt.Errorf("routing %s: %s has no coordinates; use by-scheme, up-down, shortest or table", name, l)
	}
	dims := len(c.grid.Radix)
	if two := slices.Contains(Names[2:7], name) && name != "negative-first"; c.full && slices.Contains(Names[1:7], name) || two && dims != 2 {
		return nil, fmt.Errorf("routing %s is for meshes of two dimensions, not for %s", name, l)
	}
	for n := range l.Nodes() {
		c.routers = append(c.routers, int32(l.Wiring.Exit[n].Router))
	}
	for _, k := range c.grid.Radix {
		c.first = append(c.first, c.width)
		if c.width += 2; c.full {
			c.width += k - 2
		}
	}
	c.channel = slices.Repeat([]int32{-1}, l.Wiring.Routers*c.width)
	for r := range noc.NodeID(l.Wiring.Routers) {
		for d := range dims {
			c.at = append(c.at, int16(c.grid.Coordinate(r, d)))
		}
	}
	for i, ch := range l.Wiring.Channels {
		for d := range dims {
			from, to := c.of(ch.From, d), c.of(ch.To, d)
			if from != to {
				c.channel[int(ch.From)*c.width+c.first[d]+c.slot(from, to)] = int32(i)
			}
		}
	}
	return c, nil
}

func (c *coordinates) of(router noc.NodeID, d int) int { return int(c.at[int(router)*len(c.first)+d]) }

// slot is where in the channels of a dimension the one towards a coordinate is.
func (c *coordinates) slot(from, to int) int {
	if c.full {
		return to
	}
	if to > from {
		return 1
	}
	return 0
}

// towards returns the channel along a dimension towards a router, and how far away that is.
func (c *coordinates) towards(at, to noc.NodeID, d int) (channel int32, offset int) {
	from, there := c.of(at, d), c.of(to, d)
	if from == there {
		return -1, 0
	}
	return c.channel[int(at)*c.width+c.first[d]+c.slot(from, there)], there - from
}

// productive appends the channels of a shortest path along the dimensions and ways that are permitted.
func (c *coordinates) productive(at, to noc.NodeID, into []int32, permitted func(d, offset int) bool) []int32 {
	for d := range c.first {
		if channel, offset := c.towards(at, to, d); offset != 0 && permitted(d, offset) {
			into = append(into, channel)
		}
	}
	return into
}

// inOrder returns the channel to a router along one dimension after the other, upwards or downwards.
func (c *coordinates) inOrder(at, to noc.NodeID, down bool) int32 {
	for i := range c.first {
		d := i
		if down {
			d = len(c.first) - 1 - i
		}
		if channel, offset := c.towards(at, to, d); offset != 0 {
			return channel
		}
	}
	return -1
}

// choose makes a routing of a name.
func (c *coordinates) choose(n *Named) {
	all := func(int, int) bool { return true }
	route := func(f func(at, to noc.NodeID, in int32, part uint8, into []int32) []int32) {
		n.candidates = func(at noc.NodeID, in int32, node noc.NodeID, part uint8, into []int32) []int32 {
			return f(at, noc.NodeID(c.routers[node]), in, part, into)
		}
	}
	switch n.Name {
	case "xy", "yx":
		route(func(at, to noc.NodeID, _ int32, _ uint8, into []int32) []int32 {
			return append(into, c.inOrder(at, to, n.Name == "yx"))
		})
	case "o1turn":
		n.Parts, n.checked = 2, []uint8{0, 1}
		n.draw = func(dice uint64) (uint8, int32) { return uint8(dice & 1), -1 }
		route(func(at, to noc.NodeID, _ int32, part uint8, into []int32) []int32 {
			return append(into, c.inOrder(at, to, part == 0))
		})
	case "valiant":
		n.Parts, n.checked = 2, []uint8{1}
		routers := uint64(n.wiring.Routers)
		n.draw = func(dice uint64) (uint8, int32) { return 0, int32((dice >> 32) * routers >> 32) }
		n.candidates = func(at noc.NodeID, _ int32, node noc.NodeID, part uint8, into []int32) []int32 {
			to := node // of the first part: a router
			if part == 1 {
				to = noc.NodeID(c.routers[node])
			}
			return append(into, c.inOrder(at, to, false))
		}
	case "west-first": // west before anything else
		route(func(at, to noc.NodeID, _ int32, _ uint8, into []int32) []int32 {
			_, x := c.towards(at, to, 0)
			return c.productive(at, to, into, func(d, _ int) bool { return x >= 0 || d == 0 })
		})
	case "north-last": // north after everything else
		route(func(at, to noc.NodeID, _ int32, _ uint8, into []int32) []int32 {
			_, x := c.towards(at, to, 0)
			return c.productive(at, to, into, func(d, offset int) bool { return d == 0 || offset < 0 || x == 0 })
		})
	case "negative-first":
		route(func(at, to noc.NodeID, _ int32, _ uint8, into []int32) []int32 {
			before := len(into)
			if into = c.productive(at, to, into, func(_, offset int) bool { return offset < 0 }); len(into) > before {
				return into
			}
			return c.productive(at, to, into, all)
		})
	case "odd-even":
		route(func(at, to noc.NodeID, in int32, _ uint8, into []int32) []int32 {
			return c.oddEven(n.wiring, at, to, in, into)
		})
	case "adaptive":
		n.Parts, n.Escape = 2, true
		n.escape = pick(func(at, node noc.NodeID) int32 { return c.inOrder(at, noc.NodeID(c.routers[node]), false) })
		route(func(at, to noc.NodeID, _ int32, _ uint8, into []int32) []int32 {
			return c.productive(at, to, into, all)
		})
	}
}

// oddEven: no header that goes east turns in an even column, and none turns west in an odd one. (Chiu, IEEE
// Transactions on Parallel and Distributed Systems, 2000.) What would leave a header without a way is not permitted
// either: to arrive eastwards in an even column of its destination's and have to turn there, and to leave the row in
// an odd column when the destination lies west.
func (c *coordinates) oddEven(w *topology.Wiring, at, to noc.NodeID, in int32, into []int32) []int32 {
	column := c.of(at, 0)
	_, x := c.towards(at, to, 0)
	_, y := c.towards(at, to, 1)
	eastward := in >= 0 && c.of(w.Channels[in].From, 0) < column
	return c.productive(at, to, into, func(d, _ int) bool {
		switch {
		case x > 0 && d == 0:
			return y == 0 || x > 1 || c.of(to, 0)%2 == 1
		case x >= 0 && d == 1:
			return !(eastward && column%2 == 0)
		}
		return d == 0 || column%2 == 0
	})
}

// pick is a Function.
type pick func(at, node noc.NodeID) int32

func (f pick) Next(at, node noc.NodeID) int32 { return f(at, node) }

// candidatesOf makes candidates of a Function.
func candidatesOf(f Function) func(noc.NodeID, int32, noc.NodeID, uint8, []int32) []int32 {
	a, leavesChoice := f.(Adaptive)
	return func(at noc.NodeID, _ int32, node noc.NodeID, _ uint8, into []int32) []int32 {
		if leavesChoice {
			return a.Choices(at, node, into)
		}
		return append(into, f.Next(at, node))
	}
}

// shortest routes by a table of shortest paths by number of links; of several, by the lowest port.
func shortest(w *topology.Wiring) Function {
	f := &table{nodes: w.Nodes(), channel: slices.Repeat([]int32{-1}, w.Routers*w.Nodes())}
	distances := w.Distances()
	for node, exit := range w.Exit {
		distance := distances(exit.Router)
		for i := len(w.Channels) - 1; i >= 0; i-- { // the lowest port last
			if c := w.Channels[i]; distance[c.From] > 0 && distance[c.To] == distance[c.From]-1 {
				f.channel[int(c.From)*f.nodes+node] = int32(i)
			}
		}
	}
	return f
}

// graphOf returns the switches, links and processors of a network whose channels lead both ways.
func graphOf(l topology.Layout) topology.Graph {
	if l.Graph != nil {
		return *l.Graph
	}
	g := topology.Graph{Name: l.String(), Switches: l.Wiring.Routers, Processors: []int{}}
	for _, c := range l.Wiring.Channels {
		if c.From < c.To && l.Wiring.Channel(c.To, c.From) >= 0 {
			g.Links = append(g.Links, [2]int{int(c.From), int(c.To)})
		}
	}
	for _, e := range l.Wiring.Exit {
		g.Processors = append(g.Processors, int(e.Router))
	}
	return g
}
