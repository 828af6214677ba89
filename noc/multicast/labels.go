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
