package wormholeideal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
	"github.com/carousel-sim/carousel/noc/wormholeideal/engine"
)

// TestStories plays the timelines of testdata with the plain form and with the engine. The first line of a story is
// "TOPOLOGY BUFFER ROUTE SCHEME", where SCHEME is unicast, dual-path, or tree on multistage networks.
func TestStories(t *testing.T) {
	for _, form := range []string{"plain", "engine"} {
		t.Run(form, func(t *testing.T) {
			noctest.Stories(t, "testdata", func(line string) (noc.Network, error) {
				words := strings.Fields(line)
				c := wormholeideal.Default()
				if words[3] == "tree" {
					c = wormholeideal.DefaultTree()
					c.Startup = 0
				}
				if _, err := fmt.Sscan(words[1]+" "+words[2], &c.BufferPhits, &c.RouteCycles); err != nil {
					return nil, err
				}
				l, err := topology.Open(words[0])
				if err != nil {
					return nil, err
				}
				var planner dispatch.Planner
				switch {
				case words[3] == "tree" && form == "plain":
					return wormholeideal.NewStages(*l.Multistage, c, wormholeideal.TreePlanner{})
				case words[3] == "tree":
					return engine.NewStages(*l.Multistage, c, wormholeideal.TreePlanner{})
				case words[3] != "unicast":
					planner = noctest.Scheme(words[3], *l.Grid)
				}
				if form == "plain" {
					return wormholeideal.NewGrid(*l.Grid, c, planner)
				}
				return engine.NewGrid(*l.Grid, c, planner)
			})
		})
	}
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
