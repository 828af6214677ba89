package noctest

import (
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Subject is a kind of network under test.
type Subject struct {
	// Build makes a fresh network on the grid.
	Build func(g topology.Grid, seed uint64) (noc.Network, error)
	// EveryCycle makes the same network with skipping switched off; nil if it cannot be.
	EveryCycle func(g topology.Grid, seed uint64) (noc.Network, error)
	// Classes is the number of message classes, and Phits the longest packet that the suite sends.
	Classes, Phits int
	// Longest is the longest packet that the networks take; 0 is Phits.
	Longest int
	// SharedClasses tells that a packet may wait for one of a lower class, so that protocols need unlimited sinks.
	SharedClasses bool
	// Program tells that the network is a program of its own, whose memory is not seen.
	Program bool
	// Grids are the sizes to test, of any shape and number of nodes: every check runs on the first,
	// those of deliveries and wiring on all, and those of skipping on the first three. Empty stands
	// for a list of them that starts with a torus of 4x4.
	Grids []topology.Grid
	// Wiring is given for networks that are no grids: Build then makes networks on it, whatever
	// grid it is asked for.
	Wiring *topology.Wiring
}

// defaultGrids have even and odd sides, rings of two, one to three dimensions, meshes, and as many
// nodes as a word of a set has bits, and more.
var defaultGrids = []topology.Grid{topology.Torus(4, 4), topology.Torus(3, 2, 3), topology.Torus(5, 3), topology.Torus(2, 2),
	topology.Torus(8, 2), topology.Torus(11), topology.Mesh(7, 3), topology.Mesh(4, 5), topology.Mesh(5, 1), topology.Torus(8, 8), topology.Torus(9, 8)}

// FewGrids returns the sizes for a plain router, which equals an engine that the suite tests on
// all, and for variants of such an engine: three of them, or all with CAROUSEL_LONG=1.
func FewGrids() []topology.Grid {
	if os.Getenv("CAROUSEL_LONG") == "" {
		return defaultGrids[:3]
	}
	return defaultGrids
}

// grids returns the sizes to test; of a network that is no grid, its nodes in a line.
func (s Subject) grids() []topology.Grid {
	switch {
	case s.Wiring != nil:
		return []topology.Grid{topology.Mesh(s.Wiring.Nodes())}
	case len(s.Grids) > 0:
		return s.Grids
	}
	return defaultGrids
}

// grid returns the size on which every check runs.
func (s Subject) grid() topology.Grid { return s.grids()[0] }

// wiring returns the network on a grid as tables.
func (s Subject) wiring(g topology.Grid) *topology.Wiring {
	if s.Wiring != nil {
		return s.Wiring
	}
	return g.Wiring()
}

// moderate returns the load, in phits handed to destinations per node and cycle, at which links and
// interfaces are busy for at most 15 % of the time on average, were every copy sent alone by a
// shortest route. A small grid of many dimensions has more links than its interfaces can load.
func (s Subject) moderate(g topology.Grid) float64 {
	w, links := s.wiring(g), 0
	nodes, distance := noc.NodeID(w.Nodes()), w.NodeDistances()
	for from := range nodes {
		for to := range nodes {
			links += distance(from, to)
		}
	}
	if links <= 0 { // the nodes share a router, or nothing is known of the links
		return 0.3 / float64(nodes) // which a bus carries
	}
	return 0.15 * min(1, float64(len(w.Channels))*float64(nodes)/float64(links))
}

// check is one check of the suite.
type check struct {
	name string
	test func(T)
}

// checks lists the suite.
func (s Subject) checks() (list []check) {
	for _, g := range s.grids() {
		list = append(list, check{"Deliveries/" + s.wiring(g).Name, func(t T) { s.deliveries(t, g) }})
	}
	return append(list, []check{
		{"Hops", s.hops},
		{"NodeOrder", s.nodeOrder},
		{"StepByStep", s.stepByStep},
		{"EveryCycle", s.everyCycle},
		{"NoStarvation", s.noStarvation},
		{"EveryClass", s.everyClass},
		{"NoAllocation", s.noAllocation},
		{"RefusedOffer", s.refusedOffer},
		{"BoundedSink", s.boundedSink},
		{"CoupledSinks", s.coupledSinks},
		{"SinkReleasedAtOnce", s.sinkReleasedAtOnce},
		{"RaisedSink", s.raisedSink},
		{"SinkMisuse", s.sinkMisuse},
		{"MulticastSinks", s.multicastSinks},
		{"MalformedPacket", s.malformedPacket},
		{"Wiring", s.wirings},
		{"IdleNetwork", s.idleNetwork},
		{"Buffered", s.buffered},
	}...)
}

func (s Subject) build(t T, g topology.Grid, seed uint64) noc.Network {
	t.Helper()
	n, err := s.Build(g, seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { noc.Close(n) })
	if n.Nodes() != g.Nodes() || n.Now() != 0 || n.InFlight() != 0 {
		t.Fatalf("a fresh network on %s has %d nodes, is at cycle %d, and owes %d deliveries", g, n.Nodes(), n.Now(), n.InFlight())
	}
	return n
}

// deliveries audits random traffic of all kinds until the network has drained.
func (s Subject) deliveries(t T, g topology.Grid) {
	a := s.newAudit(t, s.build(t, g, 1), g)
	a.CheckEvery = noc.Cycle(max(1, g.Nodes()/16)) // the time that it takes grows with the nodes
	a.play(s.script(g, 3, 400, 0.25), oneCycle)
	a.must(a.End())
}

// hops: what packets say of the links that they crossed is what the network counts on its links.
func (s Subject) hops(t T) {
	g := s.grid()
	script := slices.DeleteFunc(s.script(g, 4, 400, 0.2), func(o offer) bool { return o.packet.Dst.Count() != 1 })
	phits := map[noc.Tag]uint64{}
	for _, o := range script {
		phits[o.packet.Tag] = uint64(o.packet.Phits)
	}
	a := s.newAudit(t, s.build(t, g, 1), g)
	a.play(script, oneCycle)
	said := uint64(0)
	for _, d := range a.log {
		said += uint64(d.Hops) * phits[d.Tag]
	}
	if counted := a.Network.Totals().PhitHops; counted != said {
		t.Errorf("deliveries say that %d phits crossed links, and the network has counted %d", said, counted)
	}
}

// nodeOrder: two networks of the same seed do the same, and the order in which different nodes
// offer within a cycle changes nothing.
func (s Subject) nodeOrder(t T) {
	g := s.grid()
	script := s.script(g, 5, 400, 0.6)
	s.compare(t, g, s.build(t, g, 7), script, manyCycles, reversedNodes(script))
}

// stepByStep: stepping one cycle at a time is the same as stepping to the next news.
func (s Subject) stepByStep(t T) {
	for _, load := range []float64{0.02, 0.6} {
		g := s.grid()
		script := s.script(g, 6, 400, load)
		s.compare(t, g, s.build(t, g, 7), script, oneCycle, script)
	}
}

// everyCycle: skipping cycles in which nothing can change changes nothing.
func (s Subject) everyCycle(t T) {
	if s.EveryCycle == nil {
		t.Skip("this network cannot switch skipping off")
	}
	grids := s.grids()
	for i, load := range []float64{0.02, 0.3, 1} {
		g := grids[i%len(grids)]
		script := s.script(g, 8, 500, load)
		slow, err := s.EveryCycle(g, 7)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { noc.Close(slow) })
		s.compare(t, g, slow, script, manyCycles, script)
	}
}

// compare plays a script on a network, in steps of at most step cycles, and another one on a second
// network, in long steps. They must have the same deliveries, receipts, refusals, counters, links
// and totals.
func (s Subject) compare(t T, g topology.Grid, first noc.Network, script []offer, step noc.Cycle, second []offer) {
	t.Helper()
	one, two := s.newAudit(t, first, g), s.newAudit(t, s.build(t, g, 7), g)
	one.play(script, step)
	two.play(second, manyCycles)
	until := max(one.Network.Now(), two.Network.Now())
	one.runTo(until)
	two.runTo(until)
	if len(one.log) != len(two.log) {
		t.Fatalf("%d and %d deliveries", len(one.log), len(two.log))
	}
	for i := range one.log {
		if one.log[i] != two.log[i] {
			t.Fatalf("delivery %d of %d differs: %s, and in the second run %s", i, len(one.log), said(one.log[i]), said(two.log[i]))
		}
	}
	if one.Refused != two.Refused {
		t.Errorf("%d and %d refused offers", one.Refused, two.Refused)
	}
	if a, b := one.Network.Totals(), two.Network.Totals(); a != b {
		t.Errorf("totals differ:\n%+v\n%+v", a, b)
	}
	for r, a := range one.Network.Activity(nil) {
		if b := two.Network.Activity(nil)[r]; a != b {
			t.Fatalf("activity of router %d differs:\n%+v\n%+v", r, a, b)
		}
	}
	if !reflect.DeepEqual(one.Network.Links(nil), two.Network.Links(nil)) {
		t.Error("link traffic differs")
	}
}

// said describes a delivery.
func said(d delivery) string {
	return fmt.Sprintf("packet %d of node %d, class %d, offered in cycle %d and taken in %d, arrives at node %d in cycle %d after %d links", d.Tag, d.Src, d.Class, d.Offered, d.Injected, d.At, d.Arrived, d.Hops)
}

// buffered: a packet counts as buffered as a whole or not at all, and for some time.
func (s Subject) buffered(t T) {
	g := s.grid()
	n := s.build(t, g, 1)
	n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(g.Nodes(), noc.NodeID(g.Nodes()-1)), Phits: uint16(s.Phits)})
	changes, last := 0, uint64(0)
	for n.InFlight() > 0 {
		n.Step(n.Now() + 1)
		n.Deliveries()
		b := n.Totals().Buffered
		if b != 0 && b != uint64(s.Phits) {
			t.Fatalf("cycle %d: %d phits of a packet of %d are buffered", n.Now(), b, s.Phits)
		}
		if b != last {
			changes, last = changes+1, b
		}
	}
	if last != 0 || changes != 2 {
		t.Errorf("the buffered phits changed %d times, and are %d in the end", changes, last)
	}
}
