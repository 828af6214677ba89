package engine

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
	"pgregory.net/rapid"
)

// scattered plans at random, the same for the same request: worms along rising and along falling
// labels, some of which start where others stop, some with explicit paths, in one round or several.
type scattered struct {
	w      *topology.Wiring
	of     []int
	router routing.Function
}

func (s scattered) Plan(r multicast.Request) (multicast.Plan, error) {
	draw := random.Stream(uint64(r.Source)*977 + 1)
	for _, d := range r.Destinations {
		draw = random.Stream(uint64(draw)*31 + uint64(d))
	}
	todo := slices.Clone(r.Destinations)
	from := []int{-1} // worms that can be followed
	var plan multicast.Plan
	for len(todo) > 0 {
		after := from[draw.Below(len(from))]
		start := r.Source
		if after >= 0 {
			start = plan[after].Stops[draw.Below(len(plan[after].Stops))]
		}
		rising := draw.Below(2) == 0
		var stops []noc.NodeID
		for _, d := range todo {
			if s.of[d] > s.of[start] == rising && draw.Below(4) > 0 {
				stops = append(stops, d)
			}
		}
		if len(stops) == 0 {
			continue
		}
		slices.SortFunc(stops, func(a, b noc.NodeID) int {
			if rising {
				return s.of[a] - s.of[b]
			}
			return s.of[b] - s.of[a]
		})
		todo = slices.DeleteFunc(todo, func(d noc.NodeID) bool { return slices.Contains(stops, d) })
		w := multicast.Worm{From: start, Stops: stops, After: after}
		if draw.Below(2) == 0 {
			w.Path = []noc.NodeID{}
			at := start
			for _, d := range stops {
				for at != d {
					at = s.w.Channels[s.router.Next(at, d)].To
					w.Path = append(w.Path, at)
				}
			}
		}
		last := -1
		for _, o := range plan {
			if o.From == start && o.After == after {
				last = max(last, o.Round)
			}
		}
		w.Round = max(last, 0)
		if last >= 0 && draw.Below(2) == 0 {
			w.Round++
		}
		plan = append(plan, w)
		from = append(from, len(plan)-1)
	}
	return plan, nil
}

// anyConfig draws a network but for its ejection channels.
func anyConfig(t *rapid.T) wormholeideal.Config {
	c := wormholeideal.Default()
	c.Classes = rapid.IntRange(1, 3).Draw(t, "classes")
	c.MaxPhits = rapid.SampledFrom([]int{1, 3, 9, 20}).Draw(t, "longest")
	c.CreditCycles = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "credit")
	c.BufferPhits = c.CreditCycles + rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "buffer")
	c.RouteCycles = rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "route")
	c.InjectionChannels = rapid.Bool().Draw(t, "injection channels")
	c.InjectionPorts = rapid.IntRange(0, 3).Draw(t, "injection ports")
	c.HeaderPhits = rapid.IntRange(0, 1).Draw(t, "header")
	c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
	c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
	c.CutThrough = rapid.Bool().Draw(t, "cut")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	c.EveryCycle = rapid.IntRange(0, 3).Draw(t, "every cycle") == 0
	return c
}

// TestEqualsPlain compares the engine with the plain form on random small networks: every
// delivery in the same cycle, the same phits inside in every cycle, the same counters at the end.
func TestEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.Bool().Draw(t, "wrap")}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		w, c := g.Wiring(), anyConfig(t)
		r, err := routing.SnakeLabels(g, w)
		labelled := true
		if rapid.Bool().Draw(t, "dimension order") && !g.Wrap {
			labelled = false
			r, err = routing.DimensionOrder(g, w)
		}
		if err != nil {
			t.Fatal(err)
		}
		var planner dispatch.Planner
		if labelled && rapid.Bool().Draw(t, "plans") {
			planner = scattered{w, multicast.SnakeLabels(g), r}
		} else {
			c.EjectionChannels = rapid.IntRange(0, 3).Draw(t, "ejection channels")
		}
		compare(t, w, c, r, planner, 150)
	})
}

// TestEqualsPlainAdaptive does the same on multistage and irregular networks, where headers have
// choices.
func TestEqualsPlainAdaptive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := topology.Open(rapid.SampledFrom([]string{"min:baseline:8:2", "min:baseline:9:3", "bimin:butterfly:8:2", "bimin:butterfly:16:4",
			"bimin:butterfly:4:4", "lattice:9:1", "lattice:7:2:3:2", "lattice:12:3:4", "lattice:16:1:4:1", "lattice:4:1:2:4"}).Draw(t, "network"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := routing.Native(l)
		if err != nil {
			t.Fatal(err)
		}
		route, err := multicast.NewNetwork(l).Route()
		if err != nil {
			t.Fatal(err)
		}
		c := anyConfig(t)
		c.EjectionChannels = rapid.IntRange(0, 2).Draw(t, "ejection channels")
		var planner dispatch.Planner
		switch rapid.IntRange(0, 3).Draw(t, "plans and paths") {
		case 0:
			planner = noctest.Doubling{}
		case 1:
			planner = noctest.Doubling{Route: route}
		}
		compare(t, l.Wiring, c, r, planner, 60)
	})
}

// compare runs engine and plain form side by side for some cycles. With several stops a worm
// would hold places of its first stops while it waits for one of a later.
func compare(t *rapid.T, w *topology.Wiring, c wormholeideal.Config, r routing.Function, planner dispatch.Planner, cycles noc.Cycle) {
	n, err := New(w, c, r, planner)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wormholeideal.New(w, c, r, planner)
	if err != nil {
		t.Fatal(err)
	}
	p := noctest.Pair{Ordered: 0.25, Closely: 4, Engine: n, Model: m, Random: random.Stream(rapid.Uint64().Draw(t, "seed")), Classes: c.Classes, Phits: c.MaxPhits,
		Load: rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), Others: 2, Bound: planner == nil}
	p.Run(t, cycles)
}
