package multicast

import (
	"math/bits"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// subset is a request from a source to the nodes of a bit set.
func subset(source noc.NodeID, set uint64) Request {
	r := Request{Source: source}
	for ; set != 0; set &= set - 1 {
		r.Destinations = append(r.Destinations, noc.NodeID(bits.TrailingZeros64(set)))
	}
	return r
}

// allRelaxed is the set of directed links on any relaxed path between two processors.
func allRelaxed(u *topology.UpDown, a, b noc.NodeID) map[[2]int]bool {
	links := map[[2]int]bool{}
	for _, path := range u.Relaxed(u.Vertex(a), u.Vertex(b)) {
		for i := 1; i < len(path); i++ {
			links[[2]int{path[i-1], path[i]}] = true
		}
	}
	return links
}

// contends reports whether two unicasts of a plan can meet when each may take any relaxed path.
func contends(u *topology.UpDown, p Plan) bool {
	links := make([]map[[2]int]bool, len(p))
	for i, m := range p {
		links[i] = allRelaxed(u, m.From, m.Stops[0])
	}
	for b := range p {
		for a := range b {
			if p.Precedes(a, b) || p.Precedes(b, a) {
				continue
			}
			for link := range links[a] {
				if links[b][link] {
					return true
				}
			}
		}
	}
	return false
}

// TestPostorderDoublingNeverContends tries every multicast on small lattices and graphs, any
// relaxed path and any delay (theorem 2 of Libeskind-Hadas, Mazzoni and Rajagopalan). Chains in
// another order do contend, so the test can fail.
func TestPostorderDoublingNeverContends(t *testing.T) {
	seeds, switches := 6, 6
	if os.Getenv("CAROUSEL_LONG") != "" {
		seeds, switches = 60, 8
	}
	controls, multicasts := 0, 0
	for seed := range seeds {
		g := must.Get(topology.Lattice(switches, uint64(seed)))
		if seed%2 == 1 { // general graphs too: one chord, and a shared switch
			g.Processors[0] = g.Processors[1]
			if !slices.Contains(g.Links, [2]int{0, switches - 1}) {
				g.Links = append(g.Links, [2]int{0, switches - 1})
			}
		}
		u := must.Get(topology.NewUpDown(g, seed%switches))
		for source := range noc.NodeID(switches) {
			for set := range uint64(1) << switches {
				r := subset(source, set)
				multicasts++
				if contends(u, Doubling(PostorderChain(u, r), WithSender, u.Route)) {
					t.Fatalf("seed %d: source %d to %v contends", seed, source, r.Destinations)
				}
				scrambled := rotated(r, func(n noc.NodeID) int { return int(n) * 5 % 7 })
				if contends(u, Doubling(scrambled, WithSender, u.Route)) {
					controls++
				}
			}
		}
	}
	if controls == 0 {
		t.Error("chains in another order never contend either: the test cannot fail")
	}
	t.Logf("%d multicasts without contention; %d contend in another order", multicasts, controls)
}

// TestButterflyDoublingNeverContends: the rotated chain has no contention in bidirectional
// networks, whichever fixed port the way up takes at each stage.
func TestButterflyDoublingNeverContends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := must.Get(topology.NewMultistage(true, rapid.SampledFrom([]int{4, 8, 16}).Draw(t, "nodes"), 2))
		w := m.Wiring()
		ports := rapid.SliceOfN(rapid.IntRange(0, 1), m.Rows()*m.Stages, m.Rows()*m.Stages).Draw(t, "port up of each switch")
		route := func(a, b noc.NodeID) []noc.NodeID {
			path := nodes{}
			at, in := w.Entry[a].Router, int(w.Entry[a].Port)
			for {
				out, count := m.Outputs(at, in, b)
				if count > 1 {
					out += ports[at]
				}
				next, entry, ok := m.Step(at, out)
				if !ok {
					return path
				}
				at, in = next, entry
				path = append(path, at)
			}
		}
		r := anyRequest(t, m.Nodes(), m.Nodes())
		for _, middle := range []Middle{WithSender, WithReceiver} {
			p := Doubling(RotatedChain(r), middle, route)
			must.Do(p.Check(w, r))
			if pairs := must.Get(p.Contending(w)); len(pairs) > 0 {
				t.Fatalf("middle %d: unicasts %v contend", middle, pairs)
			}
		}
	})
}

// TestBaselineDoublingMustContend: in a unidirectional network with 4x4 switches no tree of two
// steps from node 0 to nodes 1, 2 and 3 avoids contention, so CMIN has to be simulated with it.
func TestBaselineDoublingMustContend(t *testing.T) {
	for _, c := range []struct{ nodes, arity int }{{16, 4}, {16, 2}} {
		m := must.Get(topology.NewMultistage(false, c.nodes, c.arity))
		for _, order := range [][]noc.NodeID{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
			for _, middle := range []Middle{WithSender, WithReceiver} {
				p := Doubling(append(nodes{0}, order...), middle, m.Route)
				if pairs := must.Get(p.Contending(m.Wiring())); len(pairs) == 0 {
					t.Errorf("%s: chain 0, %v, middle %d has no contention", m, order, middle)
				}
			}
		}
	}
}

// TestMcKinleyConditions: Precedes says of pairs what the four conditions of theorem 1 say, apart
// from common channels.
func TestMcKinleyConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 24).Draw(t, "nodes")
		p := Doubling(upTo[noc.NodeID](n), WithSender, func(_, _ noc.NodeID) []noc.NodeID { return nodes{} })
		reached := func(from noc.NodeID) map[noc.NodeID]bool { // R_from: those it informs, and itself
			set := map[noc.NodeID]bool{from: true}
			for _, m := range p { // senders come before those they inform
				if set[m.From] {
					set[m.Stops[0]] = true
				}
			}
			return set
		}
		for a := range p {
			for b := range p {
				u, v, x := p[a].From, p[a].Stops[0], p[b].From
				if a == b || p.Step(a) > p.Step(b) {
					continue
				}
				want := reached(v)[x] || x == u
				for _, later := range p {
					want = want || later.From == u && later.Round > p[a].Round && reached(later.Stops[0])[x]
				}
				if got := p.Precedes(a, b); got != want {
					t.Fatalf("%d to %d before %d to %d: %v, want %v", u, v, x, p[b].Stops[0], got, want)
				}
			}
		}
	})
}

// TestContendingCopies: copies of one round leave together and meet where they share a channel;
// those of different rounds follow each other.
func TestContendingCopies(t *testing.T) {
	g := topology.Mesh(3, 2)
	r := Request{0, nodes{1, 4, 5}}
	for injection, want := range map[int]int{2: 1, 1: 0} {
		p := must.Get(ColumnPath(g, r, injection))
		if pairs := must.Get(p.Contending(g.Wiring())); len(pairs) != want {
			t.Errorf("%d injection channels: %v contend, want %d pairs", injection, pairs, want)
		}
	}
}

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
		l := must.Get(NewLabelled(w, g.Snake()))
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
			plans := []Plan{DualPath(l, r), MultiPath(l, &g, r), must.Get(l.OCMS(r, Free)).Plan(l, r.Source), must.Get(l.OTMS(r, Strict)).Plan(l, r.Source)}
			if !g.Wrap {
				o := GroupOptions{Threshold: 500, InGroups: Multi}
				plans = append(plans, must.Get(QualifiedGroups(g, r, o)).Plan(l, &g, r, o))
				columns.add(must.Get(ColumnPath(g, r, 4)))
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
