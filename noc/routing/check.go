package routing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// mostEscapes bounds the networks, in routers times nodes, on which Check follows what lies between two channels of
// escape; the larger ones have the same rules.
const mostEscapes = 1 << 16

// Check reports whether worms with one stop could wait for each other in a circle on the channels of a network: it
// looks for a cycle in the channel dependency graph, and names it. With an escape, that is the extended graph of the
// channels of escape. (Dally and Seitz, IEEE Transactions on Computers, 1987; Duato, IEEE Transactions on Parallel and
// Distributed Systems, 1993.) It also reports routes that end or do not end.
func Check(w *topology.Wiring, f Function) error {
	g := dependencies{wiring: w, waits: make([][]int32, 2*len(w.Channels))}
	n, isNamed := f.(*Named)
	if !isNamed {
		g.candidates, g.half = candidatesOf(f), func(noc.NodeID, noc.NodeID) uint8 { return 0 }
		if d, ok := f.(Datelined); ok {
			g.half = d.Half
		}
		return g.check(0)
	}
	if n.Escape && w.Routers*w.Nodes() > mostEscapes {
		return nil
	}
	g.candidates, g.escape = n.candidates, n.escape
	for _, part := range n.checked {
		g.half = func(noc.NodeID, noc.NodeID) uint8 { return part }
		if err := g.check(part); err != nil {
			return fmt.Errorf("routing %s: %w", n.Name, err)
		}
	}
	return nil
}

// dependencies is a channel dependency graph: which channels a worm may wait for while it holds another. A
// vertex is twice the index of a channel, plus the half.
type dependencies struct {
	wiring     *topology.Wiring
	candidates func(noc.NodeID, int32, noc.NodeID, uint8, []int32) []int32
	half       func(router, node noc.NodeID) uint8
	escape     Function
	waits      [][]int32
}

// check builds the graph and looks for a cycle.
func (g *dependencies) check(part uint8) error {
	for node := range noc.NodeID(g.wiring.Nodes()) {
		if err := g.follow(node, part); err != nil {
			return err
		}
	}
	if cycle := g.cycle(); cycle != nil {
		var names []string
		for _, v := range cycle {
			c := g.wiring.Channels[v/2]
			names = append(names, fmt.Sprintf("%d-%d", c.From, c.To))
		}
		return fmt.Errorf("worms on %s can wait for each other in a circle of %d links, from router to router: %s; use a routing that is free of cycles, such as up-down",
			g.wiring.Name, len(cycle), strings.Join(names, " "))
	}
	return nil
}

// follow adds what worms to a node can wait for.
func (g *dependencies) follow(node noc.NodeID, part uint8) error {
	w, end := g.wiring, g.wiring.Exit[node].Router
	seen := make([]bool, len(w.Channels)+w.Routers) // channels, and routers where worms start
	var work, next []int32
	for _, e := range w.Entry {
		if i := len(w.Channels) + int(e.Router); !seen[i] {
			seen[i] = true
			work = append(work, int32(i))
		}
	}
	for ; len(work) > 0; work = work[1:] {
		in, at := work[0], noc.NodeID(int(work[0])-len(w.Channels))
		if int(in) < len(w.Channels) {
			at = w.Channels[in].To
		} else {
			in = -1
		}
		if at == end {
			continue
		}
		next = g.candidates(at, in, node, part, next[:0])
		if len(next) == 0 || slices.Contains(next, -1) {
			return fmt.Errorf("router %d of %s has no channel towards node %d", at, w.Name, node)
		}
		if g.escape != nil {
			next = append(next, g.escape.Next(at, node))
		}
		for _, out := range next {
			if w.Channels[out].From != at {
				return fmt.Errorf("router %d of %s sends to node %d by a channel of router %d", at, w.Name, node, w.Channels[out].From)
			}
			if in >= 0 && g.escape == nil {
				g.add(2*in+int32(g.half(w.Channels[in].From, node)), 2*out+int32(g.half(at, node)))
			}
			if !seen[out] {
				seen[out] = true
				work = append(work, out)
			}
		}
	}
	if g.escape != nil {
		g.followEscapes(node, part, seen)
	}
	return nil
}

// followEscapes adds, for each channel of escape that worms to a node may hold, those of all routers that they can
// come to behind it.
func (g *dependencies) followEscapes(node noc.NodeID, part uint8, seen []bool) {
	w, end := g.wiring, g.wiring.Exit[node].Router
	var next []int32
	for i, c := range w.Channels {
		if !seen[i] || c.From == end || g.escape.Next(c.From, node) != int32(i) {
			continue
		}
		reached := map[noc.NodeID]bool{c.To: true}
		for work := []noc.NodeID{c.To}; len(work) > 0; work = work[1:] {
			if work[0] == end {
				continue
			}
			escape := g.escape.Next(work[0], node)
			g.add(2*int32(i), 2*escape)
			next = append(g.candidates(work[0], -1, node, part, next[:0]), escape)
			for _, out := range next {
				if to := w.Channels[out].To; !reached[to] {
					reached[to] = true
					work = append(work, to)
				}
			}
		}
	}
}

func (g *dependencies) add(holds, wants int32) {
	if !slices.Contains(g.waits[holds], wants) {
		g.waits[holds] = append(g.waits[holds], wants)
	}
}

// cycle returns a cycle of the graph, or nil.
func (g *dependencies) cycle() []int32 {
	const (
		onPath = 1 + iota
		done
	)
	mark := make([]uint8, len(g.waits))
	next := make([]int, len(g.waits)) // edge to follow
	for start := range g.waits {
		path := []int32{int32(start)}
		if mark[start] != 0 {
			continue
		}
		for mark[start] = onPath; len(path) > 0; {
			v := path[len(path)-1]
			if next[v] == len(g.waits[v]) {
				mark[v] = done
				path = path[:len(path)-1]
				continue
			}
			to := g.waits[v][next[v]]
			next[v]++
			switch mark[to] {
			case onPath:
				return path[slices.Index(path, to):]
			case 0:
				mark[to] = onPath
				path = append(path, to)
			}
		}
	}
	return nil
}
