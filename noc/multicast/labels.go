package multicast

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Labelled is a direct network whose nodes are numbered along a Hamiltonian path. Label-ordered
// routing on it is free of deadlock: a worm either climbs (uses channels from smaller to larger
// labels only) or descends, and neither kind of channel forms a cycle. (Bouchitté, Cohen and
// Fleury, section 2.2.) On a mesh numbered by its snake, routes are shortest in one and two
// dimensions, and not in three.
type Labelled struct {
	Wiring *topology.Wiring
	label  []int32
	near   [][]noc.NodeID // neighbours, by ascending label
}

// NewLabelled checks that the labels follow a Hamiltonian path of the network.
func NewLabelled(w *topology.Wiring, labels []int) (*Labelled, error) {
	if !w.Direct() {
		return nil, fmt.Errorf("topology %s: labels need a direct network, with one node at each router", w.Name)
	}
	if len(labels) != w.Nodes() {
		return nil, fmt.Errorf("topology %s: %d labels for %d nodes", w.Name, len(labels), w.Nodes())
	}
	l := &Labelled{Wiring: w, label: make([]int32, len(labels)), near: make([][]noc.NodeID, len(labels))}
	path := make([]int, len(labels)) // node + 1 of each label
	for n, label := range labels {
		if label < 0 || label >= len(labels) || path[label] != 0 {
			return nil, fmt.Errorf("topology %s: node %d has label %d; labels are 0 to %d, each once", w.Name, n, label, len(labels)-1)
		}
		path[label] = n + 1
		l.label[n] = int32(label)
	}
	for n := range labels {
		for _, c := range w.Out(noc.NodeID(n)) {
			if !slices.Contains(l.near[n], c.To) {
				l.near[n] = append(l.near[n], c.To)
			}
		}
		slices.SortFunc(l.near[n], func(a, b noc.NodeID) int { return int(l.label[a] - l.label[b]) })
	}
	for i := 1; i < len(path); i++ {
		a, b := noc.NodeID(path[i-1]-1), noc.NodeID(path[i]-1)
		if w.Channel(a, b) < 0 || w.Channel(b, a) < 0 {
			return nil, fmt.Errorf("topology %s: labels %d and %d are nodes %d and %d, which are not linked both ways", w.Name, i-1, i, a, b)
		}
	}
	return l, nil
}

// searchSteps bounds the search for a Hamiltonian path. It is enough to decide graphs of a dozen
// nodes, and to find a path in most larger graphs that have many paths.
const searchSteps = 2_000_000

// SearchLabels looks for a Hamiltonian path by backtracking, from the lowest node on, trying first
// the neighbours with the fewest ways on. It gives up after a fixed amount of work.
func SearchLabels(w *topology.Wiring) ([]int, error) {
	if !w.Direct() {
		return nil, fmt.Errorf("topology %s: labels need a direct network, with one node at each router", w.Name)
	}
	s := &pathSearch{wiring: w, label: make([]int, w.Nodes()), left: searchSteps}
	for start := range w.Nodes() {
		for n := range s.label {
			s.label[n] = -1
		}
		if s.extend(noc.NodeID(start), 0) {
			return s.label, nil
		}
	}
	if s.left <= 0 {
		return nil, fmt.Errorf("topology %s: no Hamiltonian path was found within the search's limit; give the labels", w.Name)
	}
	return nil, fmt.Errorf("topology %s: has no Hamiltonian path, so label-ordered schemes cannot be used", w.Name)
}

type pathSearch struct {
	wiring *topology.Wiring
	label  []int
	left   int // steps
}

func (s *pathSearch) extend(n noc.NodeID, label int) bool {
	if s.left--; s.left < 0 {
		return false
	}
	s.label[n] = label
	if label == len(s.label)-1 {
		return true
	}
	type way struct {
		to   noc.NodeID
		exit int
	}
	var ways []way
	for _, to := range s.open(n) {
		ways = append(ways, way{to, len(s.open(to))})
	}
	slices.SortStableFunc(ways, func(a, b way) int { return a.exit - b.exit })
	for _, v := range ways {
		if s.extend(v.to, label+1) {
			return true
		}
	}
	s.label[n] = -1
	return false
}

// open lists the neighbours without a label that are linked both ways, ascending.
func (s *pathSearch) open(n noc.NodeID) []noc.NodeID {
	var list []noc.NodeID
	for _, c := range s.wiring.Out(n) {
		if s.label[c.To] < 0 && s.wiring.Channel(c.To, n) >= 0 && !slices.Contains(list, c.To) {
			list = append(list, c.To)
		}
	}
	slices.Sort(list)
	return list
}

// Next is the routing function R: the neighbour of u whose label comes nearest to that of v without
// passing it; v itself when u is v. The next node of the Hamiltonian path is always a candidate, so
// every route arrives, and labels only grow or only shrink on the way.
func (l *Labelled) Next(u, v noc.NodeID) noc.NodeID {
	near, goal := l.near[u], l.label[v]
	switch {
	case l.label[u] < goal:
		for i := len(near) - 1; ; i-- {
			if l.label[near[i]] <= goal {
				return near[i]
			}
		}
	case l.label[u] > goal:
		for i := 0; ; i++ {
			if l.label[near[i]] >= goal {
				return near[i]
			}
		}
	}
	return u
}

// Route appends the nodes after u on the route to v.
func (l *Labelled) Route(path []noc.NodeID, u, v noc.NodeID) []noc.NodeID {
	for u != v {
		u = l.Next(u, v)
		path = append(path, u)
	}
	return path
}

// Distance is the number of channels from u to v by R. It can exceed the length of a shortest path.
func (l *Labelled) Distance(u, v noc.NodeID) int {
	d := 0
	for ; u != v; d++ {
		u = l.Next(u, v)
	}
	return d
}

// sides splits the targets of a request into those with larger labels than the source, ascending,
// and those with smaller ones, descending: the orders in which a climbing and a descending worm
// meet them.
func (l *Labelled) sides(r Request) (high, low []noc.NodeID) {
	list := r.Targets()
	slices.SortFunc(list, func(a, b noc.NodeID) int { return int(l.label[a] - l.label[b]) })
	first := 0
	for first < len(list) && l.label[list[first]] < l.label[r.Source] {
		first++
	}
	low = slices.Clone(list[:first])
	slices.Reverse(low)
	return list[first:], low
}

// worm is a path along the stops, label-routed. With via it takes that neighbour first.
func (l *Labelled) worm(from noc.NodeID, stops []noc.NodeID, via ...noc.NodeID) Worm {
	path := append(make([]noc.NodeID, 0, len(via)+4*len(stops)+8), via...) // seldom grows
	at := from
	if len(via) > 0 {
		at = via[0]
	}
	for _, s := range stops {
		path = l.Route(path, at, s)
		at = s
	}
	return Worm{From: from, Stops: stops, Path: path, After: -1}
}

// ports lists the neighbours of a node on one side: by ascending label above it, by descending
// label below it, so that the nearest on the Hamiltonian path comes first.
func (l *Labelled) ports(n noc.NodeID, high bool) []noc.NodeID {
	var list []noc.NodeID
	for _, m := range l.near[n] {
		if (l.label[m] > l.label[n]) == high {
			list = append(list, m)
		}
	}
	if !high {
		slices.Reverse(list)
	}
	return list
}
