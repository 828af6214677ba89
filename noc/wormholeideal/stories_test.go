package wormholeideal_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
	"github.com/carousel-sim/carousel/noc/wormholeideal/engine"
)

// TestStories plays the timelines of testdata with the plain form and with the engine. The scheme
// is unicast, dual-path, or tree on multistage networks.
func TestStories(t *testing.T) {
	for _, form := range []string{"plain", "engine"} {
		t.Run(form, func(t *testing.T) {
			stories.Play(t, "testdata", func(l topology.Layout, d *datadriven.TestData) (stories.Network, error) {
				n, err := build(t, form == "plain", l, d)
				return stories.Network{Network: n}, err
			})
		})
	}
}

func build(t *testing.T, plain bool, l topology.Layout, d *datadriven.TestData) (noc.Network, error) {
	var scheme string
	d.ScanArgs(t, "scheme", &scheme)
	c := wormholeideal.Default()
	if scheme == "tree" {
		c = wormholeideal.DefaultTree()
		c.Startup = 0
	}
	d.ScanArgs(t, "buffer", &c.BufferPhits)
	d.ScanArgs(t, "route", &c.RouteCycles)
	var planner dispatch.Planner
	switch {
	case scheme == "tree" && plain:
		return wormholeideal.NewStages(*l.Multistage, c, wormholeideal.TreePlanner{})
	case scheme == "tree":
		return engine.NewStages(*l.Multistage, c, wormholeideal.TreePlanner{})
	case scheme != "unicast":
		planner = noctest.Scheme(scheme, *l.Grid)
	}
	if plain {
		return wormholeideal.NewGrid(*l.Grid, c, planner)
	}
	return engine.NewGrid(*l.Grid, c, planner)
}

// A worm of ten flits crosses a channel per cycle, and the rest follows: the header takes three
// cycles for two channels and the way into the node, and the tail comes nine cycles later.
func Example() {
	n, err := wormholeideal.NewGrid(topology.Mesh(3, 3), wormholeideal.Default(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	n.Offer(noc.Packet{Src: 0, Dst: noc.One(2), Phits: 10})
	for n.InFlight() > 0 {
		n.Step(n.Now() + 100)
		for _, d := range n.Deliveries() {
			fmt.Printf("node %d has it in cycle %d\n", d.At, d.Arrived)
		}
	}
	// Output: node 2 has it in cycle 12
}
