package engine

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

// drawNetwork draws a multistage network.
func drawNetwork(t *rapid.T) topology.Multistage {
	s := rapid.SampledFrom(sizes).Draw(t, "size")
	return topology.Multistage{Bidirectional: rapid.Bool().Draw(t, "bidirectional"), Arity: s[0], Stages: s[1]}
}

// drawTree draws parameters of a network whose switches replicate; without tokens it may stop.
func drawTree(t *rapid.T, m topology.Multistage) wormholeideal.Config {
	c := wormholeideal.DefaultTree()
	c.Classes = rapid.IntRange(1, 2).Draw(t, "classes")
	c.MaxPhits = rapid.SampledFrom([]int{1, 4, 9, 20}).Draw(t, "longest")
	c.BufferPhits = rapid.SampledFrom([]int{1, 1, 2, 5, 30}).Draw(t, "buffer")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "route")
	c.HeaderPhits = rapid.IntRange(0, 2).Draw(t, "header")
	c.EjectionChannels = rapid.SampledFrom([]int{1, m.Arity}).Draw(t, "ejection channels")
	c.Tree.TokenHop = rapid.IntRange(0, 3).Draw(t, "hop")
	c.Tree.TokenTime = rapid.SampledFrom([]wormholeideal.TokenTime{wormholeideal.Stage, wormholeideal.Once}).Draw(t, "token time")
	c.Tree.Release = rapid.SampledFrom([]wormholeideal.Release{wormholeideal.Headers, wormholeideal.Flits}).Draw(t, "release")
	c.Tree.Arbitration = rapid.SampledFrom([]wormholeideal.Arbitration{wormholeideal.Oldest, wormholeideal.RoundRobin}).Draw(t, "arbitration")
	c.Tree.Adaptive = rapid.Bool().Draw(t, "adaptive")
	c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
	c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	c.EveryCycle = rapid.IntRange(0, 3).Draw(t, "every cycle") == 0
	return c
}

// TestEqualsPlainOnStages compares the engine with the plain form on random small multistage
// networks whose switches replicate worms.
func TestEqualsPlainOnStages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawNetwork(t)
		c := drawTree(t, m)
		tree := dispatch.Planner(wormholeideal.TreePlanner{})
		planner := rapid.SampledFrom([]dispatch.Planner{tree, tree, tree, noctest.Doubling{}, nil}).Draw(t, "planner")
		n, err := NewStages(m, c, planner)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := wormholeideal.NewStages(m, c, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := noctest.Pair{Ordered: 0.25, Closely: 4, Engine: n, Model: plain, Random: random.Stream(rapid.Uint64().Draw(t, "seed")),
			Classes: c.Classes, Phits: c.MaxPhits, Load: rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), Others: 3,
			Bound: planner != tree} // a tree would hold places while it waits for others
		p.Run(t, 120)
		if got, want := n.Releases(), plain.Releases(); got != want {
			t.Fatalf("tokens %+v, plain %+v", got, want)
		}
	})
}
