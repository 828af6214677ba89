package treeworm

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
	"pgregory.net/rapid"
)

// sizes are small networks: ports of a switch and stages.
var sizes = [][2]int{{2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}

// drawNetwork draws a network.
func drawNetwork(t *rapid.T) topology.Multistage {
	s := rapid.SampledFrom(sizes).Draw(t, "size")
	return topology.Multistage{Bidirectional: rapid.Bool().Draw(t, "bidirectional"), Arity: s[0], Stages: s[1]}
}

// drawConfig draws parameters; without tokens the network may stop.
func drawConfig(t *rapid.T, m topology.Multistage) Config {
	c := Default()
	c.Classes = rapid.IntRange(1, 2).Draw(t, "classes")
	c.MaxPhits = rapid.SampledFrom([]int{1, 4, 9, 20}).Draw(t, "longest")
	c.BufferPhits = rapid.SampledFrom([]int{1, 1, 2, 5, 30}).Draw(t, "buffer")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "route")
	c.HeaderPhits = rapid.IntRange(0, 2).Draw(t, "header")
	c.Consumption = rapid.SampledFrom([]int{1, m.Arity}).Draw(t, "consumption")
	c.TokenHop = rapid.IntRange(0, 3).Draw(t, "hop")
	c.Release = rapid.SampledFrom([]Release{Headers, Flits}).Draw(t, "release")
	c.Arbitration = rapid.SampledFrom([]Arbitration{Oldest, RoundRobin}).Draw(t, "arbitration")
	c.Adaptive = rapid.Bool().Draw(t, "adaptive")
	c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
	c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	return c
}

// TestEqualsReference compares the engine with the flit-by-flit model on random small networks: every
// delivery in the same cycle, the same phits inside in every cycle, the same counters at the end.
func TestEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawNetwork(t)
		c := drawConfig(t, m)
		planner := rapid.SampledFrom([]dispatch.Planner{Tree{}, Tree{}, Tree{}, noctest.Doubling{}, nil}).Draw(t, "planner")
		n, err := New(m, c, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := noctest.Pair{Engine: n, Model: noctest.Plain(plain(t, m, c, planner)), Random: random.Stream(rapid.Uint64().Draw(t, "seed")),
			Classes: c.Classes, Phits: c.MaxPhits, Load: rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), Others: 3,
			Bound: planner != dispatch.Planner(Tree{})} // a tree would hold places while it waits for others
		p.Run(t, 120)
	})
}

// plain is the plain form of a network.
func plain(t *rapid.T, m topology.Multistage, c Config, planner dispatch.Planner) *wormholeideal.Network {
	p := wormholeideal.DefaultTree()
	p.Classes, p.MaxPhits, p.BufferPhits, p.RouteCycles, p.HeaderPhits, p.EjectionChannels = c.Classes, c.MaxPhits, c.BufferPhits, c.RouteCycles, c.HeaderPhits, c.Consumption
	p.Startup, p.Preparation, p.PhitBits, p.SourceQueue = c.Startup, c.Preparation, c.PhitBits, c.SourceQueue
	p.Tree = &wormholeideal.Tree{Tokens: c.Tokens, LocalTokens: c.LocalTokens, Release: wormholeideal.Release(c.Release),
		Arbitration: wormholeideal.Arbitration(c.Arbitration), TokenHop: c.TokenHop, Adaptive: c.Adaptive}
	n, err := wormholeideal.NewStages(m, p, planner)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
