package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// oddGrids are tori and meshes of odd sizes. The engines' own tests have even ones.
var oddGrids = []topology.Grid{topology.Torus(5, 3), topology.Mesh(7, 3), topology.Mesh(5, 1), topology.Torus(11), topology.Torus(7, 5), topology.Torus(5, 3, 3)}

// TestConformance holds every model of the table to the laws of package noc.
func TestConformance(t *testing.T) {
	for _, m := range Table() {
		t.Run(m.Name, func(t *testing.T) {
			s := subject(m, DefaultOptions())
			s.Grids = oddGrids
			noctest.Run(t, s)
		})
	}
}

// subject returns a model as the conformance suite takes it, with packets of five phits; the suite
// says on which grid, where the options name no other network.
func subject(m Model, o Options) noctest.Subject {
	o.Wormhole.MaxPhits, o.WormholeIdeal.MaxPhits = 5, 5
	build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(g topology.Grid, seed uint64) (noc.Network, error) {
			o := o
			o.Grid, o.Seed, o.EveryCycle = g, seed, everyCycle
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
		n := noctest.Must(m.Build(o))
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
		n := noctest.Must(m.Build(DefaultOptions()))
		n.Offer(noc.Packet{Dst: noc.SetOf(64, 1, 9, 40), Phits: 5})
		noctest.Drain(t, n)
		if got, one := n.Totals().Injected, m.Scheme != "unicast"; (got == 1) != one {
			t.Errorf("%s (scheme %s): %d worms left the source", m.Name, m.Scheme, got)
		}
	}
}

// TestUnlimitedOutput: rr-tree and rr-path take any number of packets for a closed sink; the
// other models fill their buffers and refuse.
func TestUnlimitedOutput(t *testing.T) {
	for _, m := range Table() {
		n := noctest.Must(m.Build(DefaultOptions()))
		n.LimitSink(9, 0, 0)
		taken := 0
		for range 500 {
			if n.Offer(noc.Packet{Dst: noc.One(9), Phits: 5}) {
				taken++
			}
			n.Step(n.Now() + 10)
		}
		if got, want := taken == 500, m.UnlimitedOutput; got != want {
			t.Errorf("%s took %d of 500 packets", m.Name, taken)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range Names() {
		if m, err := Lookup(name); err != nil || m.Name != name || m.Doc == "" {
			t.Errorf("Lookup(%q) = %+v, %v", name, m, err)
		}
	}
	for name, want := range map[string]string{"basemc": `did you mean "base-mc"?`, "MRR": `did you mean "mrr"?`, "idea": `did you mean "ideal"?`} {
		_, err := Lookup(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), strings.Join(Names(), ", ")) {
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
		m := noctest.Must(Lookup(name))
		for _, scheme := range m.Schemes {
			if slices.Contains([]string{"umin", "cmin", "postorder-doubling", "atbm"}, scheme) {
				continue // not for grids
			}
			o := DefaultOptions()
			o.Grid, o.Scheme = topology.Mesh(8, 8), scheme
			n := noctest.Must(m.Build(o))
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
				n := noctest.Must(m.Build(o))
				t.Run(fmt.Sprintf("%s/%s/plain=%v", name, scheme, plain), func(t *testing.T) { noctest.MulticastSinks(t, n, o.Classes, 5) })
			}
		}
	}
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
	own := noctest.Must(Lookup("ideal"))
	own.Name = "wire"
	list := append(Table(), own)
	m, err := list.Lookup("wire")
	if err != nil || !slices.Equal(list.Names(), append(Names(), "wire")) {
		t.Fatalf("Lookup: %v; names %q", err, list.Names())
	}
	if n, err := m.Build(DefaultOptions()); err != nil || n.Nodes() != 64 {
		t.Errorf("Build: %v, %v", n, err)
	}
	if _, err := Lookup("wire"); err == nil {
		t.Error("the table knows a model that was added to another list")
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
