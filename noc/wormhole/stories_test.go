package wormhole_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest/stories"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormhole"
	"github.com/carousel-sim/carousel/noc/wormhole/engine"
)

// TestStories plays the timelines of testdata with the plain form and with the engine.
func TestStories(t *testing.T) {
	for _, form := range []string{"plain", "engine"} {
		t.Run(form, func(t *testing.T) {
			stories.Play(t, "testdata", func(l topology.Layout, d *datadriven.TestData) (n stories.Network, err error) {
				c := wormhole.Default()
				c.Classes, c.Speculative = 1, d.HasArg("speculative")
				d.ScanArgs(t, "channels", &c.VirtualChannels)
				d.ScanArgs(t, "buffer", &c.BufferPhits)
				if s, wrong := c.OnLayout(l, nil); wrong != nil {
					err = wrong
				} else if n.Network = wormhole.New(s, c, nil); form == "engine" {
					n.Network, err = engine.New(s, c, nil)
				}
				return n, err
			})
		})
	}
}

// A packet of five flits over two links of an idle mesh: each of the three routers takes the
// pipeline's four cycles and one for the link behind it.
func Example() {
	c := wormhole.Default()
	setup, err := c.OnLayout(topology.Mesh(3, 2).Layout(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := wormhole.New(setup, c, nil)
	n.Offer(noc.Packet{Src: 0, Dst: noc.One(2), Phits: 5})
	for n.InFlight() > 0 {
		n.Step(n.Now() + 100)
		for _, d := range n.Deliveries() {
			fmt.Printf("node %d has it in cycle %d, after %d links\n", d.At, d.Arrived, d.Hops)
		}
	}
	// Output: node 2 has it in cycle 20, after 2 links
}
