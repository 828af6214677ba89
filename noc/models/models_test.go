package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// TestConformance holds every model of the table to the laws of package noc. The engines' own tests
// do so for other configurations.
func TestConformance(t *testing.T) {
	for _, m := range Table() {
		t.Run(m.Name, func(t *testing.T) { noctest.Run(t, subject(m, DefaultOptions())) })
	}
	calm := DefaultOptions()
	calm.Rotary = calm.Rotary.WithRules("calm")
	t.Run("mrr, rules calm", func(t *testing.T) { noctest.Run(t, subject(must.Get(Lookup("mrr")), calm)) })
}

// subject returns a model as the conformance suite takes it, with packets of five phits; the suite
// says on which grid, where the options name no other network.
func subject(m Model, o Options) noctest.Subject {
	o.Wormhole.MaxPhits, o.WormholeIdeal.MaxPhits = 5, 5
	build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(g topology.Grid, seed uint64) (noc.Network, error) {
			o := o
			o.Seed, o.EveryCycle = seed, everyCycle
			if o.Other == nil || o.Other.Grid == nil {
				o.Grid = g
			}
			return m.Build(o)
		}
	}
	return noctest.Subject{Build: build(false), EveryCycle: build(true), Classes: o.Classes, Phits: 5, SharedClasses: m.SharedClasses}
}

// TestOptionsReachTheEngines: what the models share replaces what the engines' configurations say.
func TestOptionsReachTheEngines(t *testing.T) {
	for _, m := range Table() {
		o := DefaultOptions()
		o.Grid, o.Classes = topology.Torus(4, 4), 2
		n := must.Get(m.Build(o))
		if n.Nodes() != 16 {
			t.Errorf("%s has %d nodes", m.Name, n.Nodes())
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes class 2 of 2", m.Name)
				}
			}()
			n.Offer(noc.Packet{Dst: noc.One(1), Phits: 1, Class: 2})
		}()
		o.Classes = 100
		if n, err := m.Build(o); err == nil || n != nil {
			t.Errorf("%s: 100 classes: network %v, error %v", m.Name, n, err)
		}
	}
}

// TestScheme: a multicast is one worm in the models that replicate, several in the others.
func TestScheme(t *testing.T) {
	for _, m := range Table() {
		n := must.Get(m.Build(DefaultOptions()))
		n.Offer(noc.Packet{Dst: noc.SetOf(64, 1, 9, 40), Phits: 5})
		noctest.Drain(t, n)
		if got, one := n.Totals().Injected, m.Scheme != "unicast"; (got == 1) != one {
			t.Errorf("%s (scheme %s): %d worms left the source", m.Name, m.Scheme, got)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range Table().Names() {
		if m, err := Lookup(name); err != nil || m.Name != name || m.Doc == "" {
			t.Errorf("Lookup(%q) = %+v, %v", name, m, err)
		}
	}
	for name, want := range map[string]string{"basemc": `did you mean "base-mc"?`, "MRR": `did you mean "mrr"?`, "idea": `did you mean "ideal"?`} {
		_, err := Lookup(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), strings.Join(Table().Names(), ", ")) {
			t.Errorf("Lookup(%q): %v", name, err)
		}
	}
	if _, err := Lookup("hypercube"); err == nil || strings.Contains(err.Error(), "mean") {
		t.Errorf("Lookup of something else: %v", err)
	}
}

// TestWormSchemes: the wormhole networks deliver by every scheme that they list, on a mesh, and
// count a multicast once; they name the schemes when another is asked for.
func TestWormSchemes(t *testing.T) {
	for _, name := range []string{"wormhole", "wormhole-ideal"} {
		m := must.Get(Lookup(name))
		for _, scheme := range m.Schemes {
			if slices.Contains([]string{"umin", "cmin", "postorder-doubling", "atbm", "atbm-multiple"}, scheme) {
				continue // not for grids
			}
			o := DefaultOptions()
			o.Grid, o.Scheme = topology.Mesh(8, 8), scheme
			n := must.Get(m.Build(o))
			if m.SchemeOf(o) != scheme {
				t.Errorf("%s: the scheme is %s, not %s", name, m.SchemeOf(o), scheme)
			}
			deliverAll(t, n, m, o, 12)
		}
		o := DefaultOptions()
		o.Scheme = "tree"
		if _, err := m.Build(o); err == nil || !strings.Contains(err.Error(), "dual-path") {
			t.Errorf("%s: scheme tree: %v", name, err)
		}
		o.Scheme = "column-path"
		if _, err := m.Build(o); err == nil || !strings.Contains(err.Error(), "needs a mesh") {
			t.Errorf("%s: column-path on a torus: %v", name, err)
		}
	}
}

// TestWormsKeepSinkLimits: bounded sinks hold no more than they have places for, whatever the scheme:
// several worms may leave copies at one node in the same cycle.
func TestWormsKeepSinkLimits(t *testing.T) {
	for _, name := range []string{"wormhole", "wormhole-ideal"} {
		for _, scheme := range []string{"dual-path", "multi-path", "column-path", "qg", "otms", "random-doubling"} {
			for _, plain := range []bool{false, true} {
				o := DefaultOptions()
				o.Grid, o.Scheme, o.Plain = topology.Mesh(4, 4), scheme, plain
				m, _ := Lookup(name)
				n := must.Get(m.Build(o))
				t.Run(fmt.Sprintf("%s/%s/plain=%v", name, scheme, plain), func(t *testing.T) { noctest.MulticastSinks(t, n, o.Classes, 5) })
			}
		}
	}
}

// TestInOrder: where a model promises order, no packet overtakes another of the same source,
// destination and class, under more load than the network carries. The adaptive routers show that the
// test finds packets that do.
func TestInOrder(t *testing.T) {
	for _, m := range Table() {
		for _, plain := range []bool{false, true} {
			if m.Name != "rr" && !m.InOrder {
				continue
			}
			o := DefaultOptions()
			o.Grid, o.Plain, o.Buffered.RouteAfterTail = topology.Torus(4, 4), plain, plain
			if got := overtakes(must.Get(m.Build(o))); (got == 0) != m.InOrder {
				t.Errorf("%s, plain %v: %d packets arrive before earlier ones", m.Name, plain, got)
			}
		}
	}
}

// overtakes offers unicasts and multicasts with growing tags, and returns how many arrive after later
// ones of the same source, destination and class.
func overtakes(n noc.Network) (count int) {
	r, last := random.Stream(3), map[[3]int]noc.Tag{}
	for tag := noc.Tag(1); n.Now() < 3000; n.Step(n.Now() + 1) {
		for src := range noc.NodeID(n.Nodes()) {
			to := noc.SetOf(n.Nodes(), noc.NodeID(r.Below(4)))
			if r.Below(8) == 0 {
				to.Add(noc.NodeID(r.Below(n.Nodes())))
			}
			n.Offer(noc.Packet{Src: src, Dst: to, Tag: tag, Phits: uint16(1 + r.Below(5)), Class: noc.Class(r.Below(2))})
			tag++
		}
		for _, d := range n.Deliveries() {
			line := [3]int{int(d.Src), int(d.At), int(d.Class)}
			if d.Tag < last[line] {
				count++
			}
			last[line] = max(last[line], d.Tag)
		}
	}
	return count
}

// deliverAll sends a network of worms multicasts, to so many nodes each, among other traffic: all
// must arrive, and each counts once unless its copies leave the source one by one.
func deliverAll(t *testing.T, n noc.Network, m Model, o Options, destinations int) {
	t.Helper()
	d := noctest.Drive(t, n, o.Places(), traffic.Config{Load: 0.02, MulticastFraction: 0.2, MulticastDestinations: destinations})
	d.Run(3000)
	noctest.Drain(t, n)
	if tot := n.Totals(); (o.Scheme != "unicast") != (tot.Injected == tot.Offered) {
		t.Errorf("%s, %s on %s: %d packets offered, %d injected", m.Name, o.Scheme, o.Topology(), tot.Offered, tot.Injected)
	}
}

// TestOutsiders: a list takes models of other modules, and refuses what they leave out.
func TestOutsiders(t *testing.T) {
	own := must.Get(Lookup("ideal"))
	own.Name = "wire"
	list := append(Table(), own)
	m, err := list.Lookup("wire")
	if err != nil || !slices.Equal(list.Names(), append(Table().Names(), "wire")) {
		t.Fatalf("Lookup: %v; names %q", err, list.Names())
	}
	if n, err := m.Build(DefaultOptions()); err != nil || n.Nodes() != 64 {
		t.Errorf("Build: %v, %v", n, err)
	}
	if _, err := Lookup("wire"); err == nil {
		t.Error("the table knows a model that was added to another list")
	}
	for name, want := range map[string]string{"chordal:64:8": "fixed, wiring chordal:64:8", "torus:8x8": "fixed"} {
		own.RuleText = func(Options) string { return "fixed" }
		own.Layout = func(o Options) (topology.Layout, error) {
			w := *o.Grid.Wiring()
			w.Name = name
			return topology.Layout{Wiring: &w}, nil
		}
		if got := own.RulesOf(DefaultOptions()); got != want {
			t.Errorf("rules %q, want %q", got, want)
		}
	}
	for _, incomplete := range []Model{{New: own.New, MaxPhits: own.MaxPhits}, {New: own.New, SourceQueue: own.SourceQueue},
		{SourceQueue: own.SourceQueue, MaxPhits: own.MaxPhits}} {
		if n, err := incomplete.Build(DefaultOptions()); n != nil || err == nil || !strings.Contains(err.Error(), "incomplete") {
			t.Errorf("an incomplete model: %v, %v", n, err)
		}
	}
}

// TestPlain: models have a plain form, or say that they have none.
func TestPlain(t *testing.T) {
	o := DefaultOptions()
	o.Plain = true
	for _, m := range Table() {
		n, err := m.Build(o)
		switch {
		case m.Plain == nil && (n != nil || err == nil || !strings.Contains(err.Error(), "network.plain")):
			t.Errorf("%s without a plain form: network %v, error %v", m.Name, n, err)
		case m.Plain != nil && err != nil:
			t.Errorf("plain %s: %v", m.Name, err)
		}
	}
}

// TestReplicaAtTheFork is figure 4 and section 3.1 of Abad, Puente and Gregorio: in an empty
// network a packet whose destinations are two behind one port and one behind another leaves one
// replica for the two and goes on for the third, all over shortest paths.
func TestReplicaAtTheFork(t *testing.T) {
	o := DefaultOptions()
	o.Grid = topology.Mesh(3, 3)
	m := must.Get(Lookup("mrr"))
	n := must.Get(m.Build(o))
	n.Offer(noc.Packet{Dst: noc.SetOf(9, 1, 3, 6), Phits: 5})
	for _, d := range noctest.Drain(t, n) {
		if int(d.Hops) != o.Grid.Distance(0, d.At) {
			t.Errorf("node %d is reached over %d links, and is %d away", d.At, d.Hops, o.Grid.Distance(0, d.At))
		}
	}
	leaving, all := uint64(0), uint64(0)
	for _, l := range n.Links(nil) {
		if all += l.Phits; l.From == 0 {
			leaving += l.Phits
		}
	}
	if copies := n.Activity(nil)[0].Replications; leaving != 10 || all != 15 || copies != 1 {
		t.Errorf("%d phits leave router 0 after %d replications, %d cross links in all; want 10, 1 and 15", leaving, copies, all)
	}
}

// others are small networks that are no grids, of 16 nodes each: of every kind, with one switch
// or several per node and several nodes per switch.
var others = []string{"min:baseline:16:2", "min:butterfly:16:2", "min:baseline:16:4", "bimin:butterfly:16:2", "bimin:butterfly:16:4", "lattice:16:1:4", "lattice:8:2:3:2", "utorus:4x4:-y+x"}

// on returns the options for a network by name.
func on(t testing.TB, name string) Options {
	t.Helper()
	l := must.Get(topology.Open(name))
	o := must.Get(DefaultOptions().WithLinks(l))
	return o
}

// TestConformanceAnywhere holds every model that works on any topology to the laws of package noc
// on networks that are no grids.
func TestConformanceAnywhere(t *testing.T) {
	for _, m := range Table() {
		names := []string{"utorus:7x5:-y-x", "bimin:butterfly:9:3", "lattice:7:2:3:2",
			"chiplets:2x2:mesh:2x3", "dragonfly:1:2:2:3:9", "flatfly:3:2:2", "full:6", "bimin:two-sided:18:3",
			"utorus:4x6", "utorus:3x9:-y+x", "utorus:5", "min:baseline:27:3", "lattice:13:1:4"}
		if m.Schemes == nil {
			names = names[:4] // without contention they are much alike
		}
		for _, name := range names {
			o := on(t, name)
			if !m.Fits(o) {
				continue
			}
			t.Run(m.Name+"/"+name, func(t *testing.T) {
				s := subject(m, o)
				s.Wiring = o.Other.Wiring
				noctest.Run(t, s)
			})
		}
	}
}

// TestConformanceByName holds routings by name to the laws, on a mesh.
func TestConformanceByName(t *testing.T) {
	m := must.Get(Lookup("wormhole"))
	for _, name := range []wormhole.Routing{"odd-even", "o1turn", "valiant", "adaptive", "negative-first", "up-down"} {
		t.Run(string(name), func(t *testing.T) {
			o := DefaultOptions()
			o.Wormhole.Routing = name
			s := subject(m, o)
			s.Grids = []topology.Grid{topology.Mesh(4, 4)}
			noctest.Run(t, s)
		})
	}
}

// TestUnknownRouting: a wrong name, or too few channels for a name, is told.
func TestUnknownRouting(t *testing.T) {
	m := must.Get(Lookup("wormhole"))
	o := DefaultOptions()
	o.Grid = topology.Mesh(4, 4)
	for name, want := range map[wormhole.Routing]string{
		"west-frist": `routing is "west-frist"; choose from by-scheme, dimension-order, labels, fixed, xy, yx, west-first`,
		"adaptive":   "virtual_channels is 1; routing adaptive needs 2, one for each part of a route",
		"table":      `wormhole.routing is "table" and wormhole.table is ""; a table needs both`,
	} {
		o.Wormhole.Routing, o.Wormhole.VirtualChannels = name, 1
		if n, err := m.Build(o); n != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestLargeWormholeRouters: routers of more than 64 virtual channels and links of more cycles than a wheel has
// take the plain form, and deliver.
func TestLargeWormholeRouters(t *testing.T) {
	m := must.Get(Lookup("wormhole"))
	for name, plain := range map[string]bool{"torus:4x4": false, "torus:4x4x4": true, // 5 and 7 ports of 12 channels
		"dragonfly:1:2:2:3:50": false, "dragonfly:1:2:2:100:256": true} {
		o := on(t, name)
		n := must.Get(m.Build(o))
		if _, got := n.(*wormhole.Network); got != plain {
			t.Errorf("%s: the plain form is built: %v, want %v", name, got, plain)
		}
		noctest.Drive(t, n, topology.Mesh(n.Nodes()), traffic.Config{Load: 0.1, PacketPhits: 5, Classes: 1, Seed: 1}).Run(3000)
		if n.Totals().Delivered == 0 {
			t.Errorf("%s: no packet is delivered", name)
		}
	}
}
