package engine

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// newGroups plans by qualified groups on meshes, which has worms of two steps, and by dual-path
// worms on tori.
func newGroups(g topology.Grid) multicast.Planner {
	if g.Wrap {
		return noctest.Scheme("dual-path", g)
	}
	return noctest.Scheme("qg", g)
}

// anyConfig draws a router.
func anyConfig(t *rapid.T) wormhole.Config {
	c := wormhole.Default()
	c.Classes = rapid.IntRange(1, 3).Draw(t, "classes")
	c.VirtualChannels = rapid.SampledFrom([]int{0, 2, 3, 5, 8, 12}).Draw(t, "channels")
	c.ShareChannels = rapid.Bool().Draw(t, "share")
	c.BufferPhits = rapid.SampledFrom([]int{1, 2, 5, 8}).Draw(t, "buffer")
	c.MaxPhits = rapid.SampledFrom([]int{1, 3, 5, 12}).Draw(t, "longest")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "route")
	c.SwitchCycles = rapid.SampledFrom([]int{0, 1, 1, 3}).Draw(t, "switch")
	c.LinkCycles = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "link")
	c.CreditCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "credit")
	c.Speculative = rapid.Bool().Draw(t, "speculative")
	c.EjectionPerInput = rapid.Bool().Draw(t, "ejection per input")
	c.Startup = rapid.SampledFrom([]int{0, 0, 7}).Draw(t, "startup")
	c.CutThrough = rapid.Bool().Draw(t, "cut")
	c.Injection = rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "injection")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	return c
}

// TestEqualsPlainAnywhere does the same on multistage and irregular networks, where nodes share
// switches, leave by others than they enter, and headers have choices, and on unidirectional tori,
// whose channels are in halves.
func TestEqualsPlainAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := topology.Open(rapid.SampledFrom([]string{"min:baseline:8:2", "min:baseline:9:3", "min:butterfly:9:3", "min:butterfly:8:2", "bimin:butterfly:8:2", "bimin:butterfly:9:3",
			"bimin:butterfly:4:4", "lattice:9:1", "cmesh:3x2:2", "flatfly:3:2:1", "dragonfly:1:2:1", "full:4", "lattice:7:2:3:2", "lattice:12:3:4", "lattice:4:1:2:4", "utorus:4x3",
			"utorus:3x5:-y+x", "utorus:3x9:-y-x", "utorus:2x3x2:+z-x+y", "utorus:5"}).Draw(t, "network"))
		if err != nil {
			t.Fatal(err)
		}
		r := must.Get(routing.Native(l))
		if rapid.IntRange(0, 3).Draw(t, "fixed") == 0 {
			r = routing.Fixed(r)
		}
		c := anyConfig(t)
		var planner dispatch.Planner
		if rapid.Bool().Draw(t, "plans") {
			planner = noctest.Doubling{}
		}
		c.PhitBits = 32
		s := must.Get(c.OnWiring(withLinks(t, l).Wiring, r, planner))
		n, err := New(s, c, planner)
		if errors.Is(err, ErrTooLarge) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		compare(t, c, n, wormhole.New(s, c, planner), true, 60)
	})
}

// TestEqualsPlainOnLargeTorus compares the two on the unidirectional torus of a real chip,
// saturated: most channels are taken, and headers wait on both sides of every dateline.
func TestEqualsPlainOnLargeTorus(t *testing.T) {
	l := must.Get(topology.Open("utorus:10x12"))
	r := must.Get(routing.Native(l))
	c := wormhole.Default()
	c.Classes, c.VirtualChannels, c.BufferPhits, c.MaxPhits = 2, 5, 4, 12
	s := must.Get(c.OnWiring(l.Wiring, r, nil))
	p := noctest.Pair{Engine: must.Get(New(s, c, nil)), Model: wormhole.New(s, c, nil), Random: 1, Classes: c.Classes, Phits: c.MaxPhits, Load: 1, Bound: true}
	p.Run(t, 60)
}

// TestEqualsPlainByName does the same for routings by name.
func TestEqualsPlainByName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		on := map[string][]string{"mesh:4x3": routing.Names[:11], "mesh:5x4": routing.Names[:11], "mesh:3x2x2": {"xy", "yx", "negative-first", "valiant", "adaptive"},
			"lattice:9:1": {"up-down"}, "fattree:2:3": {"nca"}, "flatfly:3:2:1": {"xy", "valiant", "adaptive", "shortest"}, "torus:3x3": {"up-down"}, "cmesh:3x2:2": routing.Names[:11]}
		networks := slices.Sorted(maps.Keys(on))
		spec := rapid.SampledFrom(networks).Draw(t, "network")
		l := must.Get(topology.Open(spec))
		r := must.Get(routing.By(rapid.SampledFrom(on[spec]).Draw(t, "routing"), l))
		c := anyConfig(t)
		c.VirtualChannels = rapid.SampledFrom([]int{0, 2, 3, 5}).Draw(t, "channels")
		c.PhitBits = 32
		s := must.Get(c.OnWiring(withLinks(t, l).Wiring, r, nil))
		n, err := New(s, c, nil)
		if errors.Is(err, ErrTooLarge) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		compare(t, c, n, wormhole.New(s, c, nil), true, 60)
	})
}

// TestAdaptiveIsFreeOfDeadlock saturates a small mesh whose packets are longer than its buffers. If packets queued in
// adaptive channels, some would wait for each other in a ring, each behind another and so without its escape.
func TestAdaptiveIsFreeOfDeadlock(t *testing.T) {
	c := wormhole.Default()
	c.Classes, c.VirtualChannels, c.BufferPhits, c.MaxPhits = 3, 2, 2, 3
	c.ShareChannels, c.Speculative, c.CutThrough = true, true, true
	c.SwitchCycles, c.CreditCycles, c.SourceQueue, c.EjectionPerInput = 3, 3, 4, true
	l := must.Get(topology.Open("mesh:3x2x2"))
	s := must.Get(c.OnWiring(l.Wiring, must.Get(routing.By("adaptive", l)), nil))
	for seed := range random.Stream(300) {
		p := noctest.Pair{Engine: must.Get(New(s, c, nil)), Model: wormhole.New(s, c, nil), Random: seed, Classes: c.Classes, Phits: c.MaxPhits, Load: 1.5, Others: 0.5, Bound: true}
		p.Run(t, 60)
	}
}

// TestEqualsPlain compares the engine with the plain form on random small networks: every
// delivery in the same cycle, the same flits inside in every cycle, the same counters at the end.
func TestEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.Bool().Draw(t, "wrap")}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		c := anyConfig(t)
		c.PhitBits = 32
		c.Routing = rapid.SampledFrom([]wormhole.Routing{wormhole.DimensionOrder, wormhole.Labels}).Draw(t, "routing")
		var planner dispatch.Planner
		if c.Routing == wormhole.Labels && c.EjectionPerInput {
			planner = newGroups(g)
		}
		n, err := onLayout(withLinks(t, g.Layout()), c, planner)
		if errors.Is(err, ErrTooLarge) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		compare(t, c, n, wormhole.New(n.Setup, c, planner), dispatch.OneStop(planner), 150)
	})
}

// withLinks gives some links of a network delays of their own, mostly none.
func withLinks(t *rapid.T, l topology.Layout) topology.Layout {
	if !rapid.Bool().Draw(t, "links") {
		return l
	}
	w := *l.Wiring
	w.Channels = slices.Clone(w.Channels)
	for i := range w.Channels {
		if rapid.Bool().Draw(t, "own") {
			w.Channels[i].Link = &topology.Link{Cycles: rapid.SampledFrom([]int{0, 1, 2, 9}).Draw(t, "cycles"), Bits: rapid.SampledFrom([]int{0, 64, 16, 11, 5}).Draw(t, "bits")}
		}
	}
	l.Wiring = &w
	return l
}

// compare runs the engine and the plain form side by side for some cycles. Worms with several stops
// may wait for each other's places in bounded sinks for good.
func compare(t *rapid.T, c wormhole.Config, n *Network, m *wormhole.Network, oneStop bool, cycles noc.Cycle) {
	p := noctest.Pair{Engine: n, Model: m, Closely: 1, Random: random.Stream(rapid.Uint64().Draw(t, "seed")), Classes: c.Classes, Phits: c.MaxPhits,
		Load: rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), Others: 0.5, Bound: true}
	if !oneStop {
		p.Stops = 3 * cycles
	}
	p.Run(t, cycles)
}

// TestConformance holds the variants of the router to the laws of package noc, in both forms.
func TestConformance(t *testing.T) {
	// With phits of 96 bits there are links of three kinds.
	layout := func(g topology.Grid, c wormhole.Config) topology.Layout {
		l := g.Layout()
		for i := range l.Wiring.Channels {
			if c.PhitBits == 96 && i%3 > 0 {
				l.Wiring.Channels[i].Link = &topology.Link{Cycles: 1 + 4*(i%3), Bits: 96 / (i % 3)}
			}
		}
		return l
	}
	plain := func(g topology.Grid, c wormhole.Config) (noc.Network, error) {
		s, err := c.OnLayout(layout(g, c), nil)
		if err != nil {
			return nil, err
		}
		return wormhole.New(s, c, nil), nil
	}
	engine := func(g topology.Grid, c wormhole.Config) (noc.Network, error) {
		n, err := onLayout(layout(g, c), c, nil)
		if errors.Is(err, ErrTooLarge) { // in three dimensions
			return plain(g, c)
		}
		return n, err
	}
	for name, change := range map[string]func(*wormhole.Config){
		"speculative": func(c *wormhole.Config) { c.Speculative, c.RouteCycles, c.EjectionPerInput = true, 0, true },
		"uneven sets": func(c *wormhole.Config) { c.Classes, c.VirtualChannels, c.BufferPhits = 5, 12, 3 },
		"shared":      func(c *wormhole.Config) { c.VirtualChannels = 4 },
		"links":       func(c *wormhole.Config) { c.PhitBits = 96 },
		"labels":      func(c *wormhole.Config) { c.Routing, c.LinkCycles, c.CreditCycles = wormhole.Labels, 2, 0 },
	} {
		c := wormhole.Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		for form, build := range map[string]func(topology.Grid, wormhole.Config) (noc.Network, error){"plain": plain, "engine": engine} {
			t.Run(name+"/"+form, func(t *testing.T) {
				if os.Getenv("CAROUSEL_LONG") == "" && form == "plain" && name != "speculative" {
					t.Skip("with CAROUSEL_LONG=1; the engine equals the plain router")
				}
				noctest.Run(t, noctest.Subject{Classes: c.Classes, Phits: 5, SharedClasses: name == "shared", Grids: noctest.FewGrids(),
					Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, c) },
					EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return build(g, slow) }})
			})
		}
	}
}
