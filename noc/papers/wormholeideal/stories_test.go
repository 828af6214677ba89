package wormholeideal_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestStories plays the timelines of testdata. The scheme is unicast, dual-path, or tree on
// multistage networks.
func TestStories(t *testing.T) {
	stories.Play(t, "testdata", func(l topology.Layout, d *datadriven.TestData) (stories.Network, error) {
		n, err := build(t, l, d)
		return stories.Network{Network: n}, err
	})
}

func build(t *testing.T, l topology.Layout, d *datadriven.TestData) (noc.Network, error) {
	var scheme string
	d.ScanArgs(t, "scheme", &scheme)
	c := wormholeideal.Default()
	if scheme == "tree" {
		c = wormholeideal.DefaultTree()
		c.Startup = 0
	}
	d.ScanArgs(t, "buffer", &c.BufferPhits)
	d.ScanArgs(t, "route", &c.RouteCycles)
	switch scheme {
	case "tree":
		return wormholeideal.New(l, c, nil, wormholeideal.TreePlanner{})
	case "unicast":
		return wormholeideal.New(l, c, nil, nil)
	}
	return wormholeideal.New(l, c, nil, noctest.Scheme(scheme, *l.Grid))
}

// A worm of ten flits crosses a channel per cycle, and the rest follows: the header takes three
// cycles for two channels and the way into the node, and the tail comes nine cycles later.
func Example() {
	n, err := wormholeideal.New(topology.Mesh(3, 3).Layout(), wormholeideal.Default(), nil, nil)
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
