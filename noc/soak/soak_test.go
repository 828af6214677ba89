package soak

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// forgetful is a network that loses its deliveries.
type forgetful struct{ *ideal.Network }

func (n forgetful) Deliveries() []noc.Delivery { return n.Network.Deliveries()[:0] }

// TestFault: a run ends with what the audit finds, whose laws package audit breaks one by one.
func TestFault(t *testing.T) {
	g, c, config := topology.Torus(4, 4), Default(), ideal.Default()
	c.Cycles, c.DrainLimit, config.Classes = 300, 2000, c.Classes
	net := must.Get(ideal.New(g, config))
	if r, err := Run(context.Background(), forgetful{net}, g.Wiring(), c); err == nil || !strings.Contains(err.Error(), "are missing") {
		t.Errorf("%v after %+v", err, r)
	}
}

// TestDigest: equal runs have equal digests, others not.
func TestDigest(t *testing.T) {
	digest := func(seed uint64) string {
		g, c := topology.Mesh(3, 4), Default()
		c.Cycles, c.Seed = 200, seed
		config := ideal.Default()
		config.Classes = c.Classes
		net := must.Get(ideal.New(g, config))
		r, err := Run(context.Background(), net, g.Wiring(), c)
		if err != nil || r.Multicasts == 0 || r.Deliveries <= r.Packets {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Digest
	}
	one, again, other := digest(1), digest(1), digest(2)
	if one != again || one == other {
		t.Errorf("digests %s and %s of equal runs, %s of another", one, again, other)
	}
}

// TestRoutingsByName: with one flit of buffer and the fewest channels, no routing by name stops at any load.
func TestRoutingsByName(t *testing.T) {
	m := must.Get(models.Lookup("wormhole"))
	for _, v := range []struct {
		topology, routing string
		channels          int
	}{
		{"mesh:5x4", "xy", 1}, {"mesh:5x4", "yx", 1}, {"mesh:5x4", "west-first", 1}, {"mesh:5x4", "north-last", 1}, {"mesh:5x4", "negative-first", 1},
		{"mesh:5x4", "odd-even", 1}, {"mesh:5x4", "up-down", 1}, {"mesh:5x4", "o1turn", 2}, {"mesh:5x4", "valiant", 2}, {"mesh:5x4", "adaptive", 2},
		{"flatfly:3:2:2", "valiant", 2}, {"flatfly:3:2:2", "adaptive", 2}, {"fattree:2:4", "nca", 1}, {"torus:4x4", "up-down", 1}, {"dragonfly:1:4:2", "by-scheme", 2},
		{"chiplets:2x2:mesh:2x3", "adaptive", 2},
	} {
		o := models.DefaultOptions()
		o.Classes, o.Wormhole.Routing, o.Wormhole.VirtualChannels, o.Wormhole.BufferPhits = 1, wormhole.Routing(v.routing), v.channels, 1
		o = must.Get(o.WithLinks(must.Get(topology.Open(v.topology))))
		c := Default()
		c.Classes, c.Cycles = 1, 1500
		if r := (Subject{m, o}).Audit(t.Context(), c); r.Violation != "" || r.Skipped != "" || r.Deliveries < 500 {
			t.Errorf("%+v: %+v", v, r)
		}
	}
}

// TestRotaryAnywhere: rotary routers that are wired by a table deliver at any load, also with the smallest buffers.
func TestRotaryAnywhere(t *testing.T) {
	for _, spec := range []string{"lattice:16:1", "full:6", "chiplets:2x2:mesh:2x2"} {
		for _, router := range []string{"rr", "mrr"} {
			o := must.Get(models.SmallestOptions(topology.Mesh(2, 2)).WithLinks(must.Get(topology.Open(spec))))
			c := Default()
			c.Cycles = 1000
			if r := (Subject{must.Get(models.Lookup(router)), o}).Audit(t.Context(), c); r.Violation != "" || r.Skipped != "" || r.Deliveries < 1000 {
				t.Errorf("%s on %s: %+v", router, spec, r)
			}
		}
	}
}

// TestFixedSize: a router for one size of network is skipped elsewhere, with the reason, and a network
// that has routers and links of its own is called by their name.
func TestFixedSize(t *testing.T) {
	m := must.Get(models.Lookup("ideal"))
	places := make([]topology.Place, 16)
	for n := range places {
		places[n].Port = uint16(n)
	}
	star := must.Get(topology.NewWiring("star:16", 1, nil, places, places))
	m.Layout = func(models.Options) (topology.Layout, error) { return topology.Layout{Wiring: star}, nil }
	m.New = func(o models.Options) (noc.Network, error) {
		if o.Grid.Nodes() != star.Nodes() {
			return nil, errors.New("it has 16 nodes")
		}
		return ideal.NewWiring(star, nil, ideal.Default())
	}
	c := Default()
	c.Cycles, c.DrainLimit = 200, 2000
	for size, want := range map[int]Result{8: {Router: "ideal", Topology: "torus:8x8", Scheme: "unicast", Skipped: "it has 16 nodes"},
		4: {Router: "ideal", Topology: "star:16", Scheme: "unicast"}} {
		o := models.DefaultOptions()
		o.Grid = topology.Torus(size, size)
		got := Subject{m, o}.Audit(t.Context(), c)
		if got.Report = (Report{}); got != want {
			t.Errorf("%dx%d nodes: %+v, want %+v", size, size, got, want)
		}
	}
	m.New = must.Get(models.Lookup("ideal")).New
	if r := (Subject{m, models.DefaultOptions()}).Audit(t.Context(), c); r.Violation == "" {
		t.Error("a network that has not the routers of its layout is no violation")
	}
}

// TestSubjects: every model is audited on the torus, those for any topology also elsewhere, and
// the choice of schemes is used. An audit finds a network that loses a packet.
func TestSubjects(t *testing.T) {
	subjects := must.Get(Subjects(models.Table(), 6, false))
	seen := map[string]int{}
	for _, s := range subjects {
		seen[s.Model.Name]++
		seen[s.Options.Topology()]++
		seen[s.Model.Name+" "+s.Model.SchemeOf(s.Options)]++
		if _, err := s.Model.Build(s.Options); err != nil {
			t.Errorf("%s would be skipped on %s: %v", s.Model.Name, s.Options.Topology(), err)
		}
	}
	for _, m := range models.Table() {
		if seen[m.Name] < 2 {
			t.Errorf("%s is audited on %d networks", m.Name, seen[m.Name])
		}
	}
	if seen["torus:8x8"] != len(models.Table()) || seen["lattice:16:1:4:2"] == 0 || seen["wormhole qg"] == 0 || seen["wormhole-ideal atbm"] == 0 || seen["wormhole atbm"] != 0 {
		t.Errorf("subjects are %v", seen)
	}
	whole, err := Subjects(models.Table(), 6, true)
	if err != nil || len(whole) <= len(subjects) {
		t.Errorf("the full list has %d subjects, the quick one %d (%v)", len(whole), len(subjects), err)
	}
	broken := Subject{Model: models.Model{Name: "broken"}, Options: models.DefaultOptions()}
	if r := broken.Audit(t.Context(), Default()); r.Violation == "" || r.Router != "broken" {
		t.Errorf("a network that cannot be built: %+v", r)
	}
}
