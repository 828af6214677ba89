package wormholeideal

import (
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
func anyConfig(t *rapid.T) Config {
	c := Default()
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
	return c
}

// TestPaths holds random small networks of paths to the laws of the oracle and to EveryCycle.
func TestPaths(t *testing.T) {
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
			planner = scattered{w, g.Snake(), r}
		} else {
			c.EjectionChannels = rapid.IntRange(0, 3).Draw(t, "ejection channels")
		}
		comparePaths(t, w, c, r, planner, 150)
	})
}

// TestAdaptive does the same on multistage and irregular networks, where headers have choices.
func TestAdaptive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := topology.Open(rapid.SampledFrom([]string{"min:baseline:8:2", "min:baseline:9:3", "min:butterfly:9:3", "min:butterfly:8:2", "bimin:butterfly:8:2", "bimin:butterfly:16:4",
			"bimin:butterfly:4:4", "lattice:9:1", "lattice:7:2:3:2", "lattice:12:3:4", "lattice:16:1:4:1", "lattice:4:1:2:4"}).Draw(t, "network"))
		if err != nil {
			t.Fatal(err)
		}
		r := must.Get(routing.Native(l))
		route := must.Get(multicast.NewNetwork(l).Route())
		c := anyConfig(t)
		c.EjectionChannels = rapid.IntRange(0, 2).Draw(t, "ejection channels")
		var planner dispatch.Planner
		switch rapid.IntRange(0, 3).Draw(t, "plans and paths") {
		case 0:
			planner = noctest.Doubling{}
		case 1:
			planner = noctest.Doubling{Route: route}
		}
		comparePaths(t, l.Wiring, c, r, planner, 60)
	})
}

// comparePaths compares networks of paths. With several stops a worm would hold places of its first
// stops while it waits for one of a later.
func comparePaths(t *rapid.T, w *topology.Wiring, c Config, r routing.Function, planner dispatch.Planner, cycles noc.Cycle) {
	compare(t, c, noctest.Pair{Others: 2, Bound: planner == nil}, cycles, func(c Config) (*Network, error) { return New(topology.Layout{Wiring: w}, c, r, planner) })
}

// sizes are small networks: ports of a switch and stages.
var sizes = [][2]int{{2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}

// drawNetwork draws a multistage network.
func drawNetwork(t *rapid.T) topology.Multistage {
	s := rapid.SampledFrom(sizes).Draw(t, "size")
	return topology.Multistage{Bidirectional: rapid.Bool().Draw(t, "bidirectional"), Arity: s[0], Stages: s[1]}
}

// drawTree draws parameters of a network whose switches replicate; without tokens it may stop.
func drawTree(t *rapid.T, m topology.Multistage) Config {
	c := DefaultTree()
	c.Classes = rapid.IntRange(1, 2).Draw(t, "classes")
	c.MaxPhits = rapid.SampledFrom([]int{1, 4, 9, 20}).Draw(t, "longest")
	c.BufferPhits = rapid.SampledFrom([]int{1, 1, 2, 5, 30}).Draw(t, "buffer")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "route")
	c.HeaderPhits = rapid.IntRange(0, 2).Draw(t, "header")
	c.EjectionChannels = rapid.SampledFrom([]int{1, m.Arity}).Draw(t, "ejection channels")
	c.Tree.TokenHop = rapid.IntRange(0, 3).Draw(t, "hop")
	c.Tree.TokenTime = rapid.SampledFrom([]TokenTime{Stage, Once}).Draw(t, "token time")
	c.Tree.Release = rapid.SampledFrom([]Release{Headers, Flits}).Draw(t, "release")
	c.Tree.Arbitration = rapid.SampledFrom([]Arbitration{Oldest, RoundRobin}).Draw(t, "arbitration")
	c.Tree.Adaptive = rapid.Bool().Draw(t, "adaptive")
	c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
	c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	return c
}

// TestTrees does the same on random small multistage networks whose switches replicate worms.
func TestTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawNetwork(t)
		c := drawTree(t, m)
		tree := dispatch.Planner(TreePlanner{})
		planner := rapid.SampledFrom([]dispatch.Planner{tree, tree, tree, noctest.Doubling{}, nil}).Draw(t, "planner")
		// A tree would hold places of sinks while it waits for others.
		n, slow := compare(t, c, noctest.Pair{Others: 3, Bound: planner != tree}, 120, func(c Config) (*Network, error) { return New(m.Layout(), c, nil, planner) })
		if got, want := n.Releases(), slow.Releases(); got != want {
			t.Fatalf("tokens %+v, in every cycle %+v", got, want)
		}
	})
}

// compare runs a network beside one that does all its work in every cycle, which the oracle
// watches: every delivery in the same cycle, the same flits inside in every cycle, and the same
// counters at the end.
func compare(t *rapid.T, c Config, p noctest.Pair, cycles noc.Cycle, build func(Config) (*Network, error)) (n, slow *Network) {
	n = must.Get(build(c))
	c.EveryCycle = true
	slow = must.Get(build(c))
	p.Engine, p.Model = n, &watched{Network: slow, oracle: newOracle(slow)}
	p.Closely, p.Classes, p.Phits = 4, c.Classes, c.MaxPhits
	p.Random = random.Stream(rapid.Uint64().Draw(t, "seed"))
	p.Load = rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load")
	p.Run(t, cycles)
	return n, slow
}

// watched is a network with an oracle that looks at it after each cycle.
type watched struct {
	*Network
	oracle *oracle
}

func (w *watched) Step(until noc.Cycle) noc.Cycle {
	w.Network.Step(until)
	w.oracle.look()
	return w.Now()
}

// CheckInvariants reports what the network and the oracle complain about.
func (w *watched) CheckInvariants() error {
	if w.oracle.err != nil {
		return w.oracle.err
	}
	return w.Network.CheckInvariants()
}

// TestConformance holds the variants of the network to the laws of package noc.
func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"one flit": func(*Config) {},
		"startup, slow credits": func(c *Config) {
			c.Startup, c.InjectionPorts, c.EjectionChannels, c.InjectionChannels = 3, 1, 1, true
			c.BufferPhits, c.CreditCycles, c.RouteCycles = 8, 1, 1
		},
	} {
		c := Default()
		c.MaxPhits = 5
		change(&c)
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, SharedClasses: true, Grids: noctest.FewGrids(),
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g.Layout(), c, nil, nil) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g.Layout(), slow, nil, nil) }})
		})
	}
}
