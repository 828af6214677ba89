package multicast

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// dependencies collects which channel waits for which while it is held: the next one on the way of
// a worm.
type dependencies struct {
	w     *topology.Wiring
	after [][]bool
}

func newDependencies(w *topology.Wiring) *dependencies {
	d := &dependencies{w: w, after: make([][]bool, len(w.Channels))}
	for c := range d.after {
		d.after[c] = make([]bool, len(w.Channels))
	}
	return d
}

func (d *dependencies) add(p Plan) {
	for _, m := range p {
		at, last := m.From, -1
		for _, next := range m.Path {
			c := d.w.Channel(at, next)
			if last >= 0 {
				d.after[last][c] = true
			}
			at, last = next, c
		}
	}
}

// cyclic reports whether channels can wait for each other.
func (d *dependencies) cyclic() bool {
	state := make([]int, len(d.after)) // 1 open, 2 done
	var visit func(c int) bool
	visit = func(c int) bool {
		state[c] = 1
		for next, is := range d.after[c] {
			if is && (state[next] == 1 || state[next] == 0 && visit(next)) {
				return true
			}
		}
		state[c] = 2
		return false
	}
	for c := range state {
		if state[c] == 0 && visit(c) {
			return true
		}
	}
	return false
}

// TestWhichTrafficMayShareChannels is the table of what deadlocks: schemes with the unicasts of
// their own routing never do, label-ordered worms with dimension-ordered unicasts do from 4x4 on,
// and so do dimension-ordered worms that visit destinations in any order, which is why Qualified
// Groups cannot be routed as its paper demands.
func TestWhichTrafficMayShareChannels(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(4, 4), topology.Mesh(5, 4), topology.Mesh(3, 3, 3), topology.Torus(4, 4)} {
		w := g.Wiring()
		l := must(NewLabelled(w, SnakeLabels(g)))
		byLabel, withXY, columns, anyOrder := newDependencies(w), newDependencies(w), newDependencies(w), newDependencies(w)
		for a := range noc.NodeID(g.Nodes()) {
			for b := range noc.NodeID(g.Nodes()) {
				byLabel.add(Plan{{From: a, Path: l.Route(nil, a, b)}})
				xy := Plan{{From: a, Path: dimensionOrder(g, a, b)}}
				withXY.add(xy)
				columns.add(xy)
				anyOrder.add(Plan{{From: a, Path: slices.Concat(dimensionOrder(g, a, b), dimensionOrder(g, b, (a+b)%noc.NodeID(g.Nodes())))}})
			}
		}
		for seed := range noc.NodeID(300) { // multicasts to five nodes spread by the seed
			r := Request{Source: seed % noc.NodeID(g.Nodes())}
			for i := range noc.NodeID(5) {
				r.Destinations = append(r.Destinations, (seed*7+i*i*(seed%11+3))%noc.NodeID(g.Nodes()))
			}
			plans := []Plan{DualPath(l, r), MultiPath(l, &g, r), must(l.OCMS(r, Free)).Plan(l, r.Source), must(l.OTMS(r, Strict)).Plan(l, r.Source)}
			if !g.Wrap {
				o := GroupOptions{Threshold: 500, InGroups: Multi}
				plans = append(plans, must(QualifiedGroups(g, r, o)).Plan(l, &g, r, o))
				columns.add(must(ColumnPath(g, r, 4)))
			}
			for _, p := range plans {
				byLabel.add(p)
				withXY.add(p)
			}
		}
		if byLabel.cyclic() {
			t.Errorf("%s: label-ordered worms and label-routed unicasts deadlock", g)
		}
		if !withXY.cyclic() {
			t.Errorf("%s: label-ordered worms and dimension-ordered unicasts do not deadlock", g)
		}
		if !g.Wrap && columns.cyclic() {
			t.Errorf("%s: column-path worms and dimension-ordered unicasts deadlock", g)
		}
		if !anyOrder.cyclic() {
			t.Errorf("%s: dimension-ordered worms in any order do not deadlock", g)
		}
	}
}
