package messages

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// switched is a point on a network of switches with the times of postorder recursive doubling, in
// units of 10 ns.
func switched(network, scheme string) Config {
	c := Default()
	c.Topology, c.Scheme, c.Flits, c.Startup, c.Route, c.BufferFlits = network, scheme, 128, 1000, 2, 129
	c.Destinations, c.Batches, c.BatchMessages = 3, 2, 20
	return c
}

// TestSwitchesUnderLoad: software multicasts and unicasts of all nodes arrive, on every kind of
// network, with and without choices of ways.
func TestSwitchesUnderLoad(t *testing.T) {
	for _, p := range [][2]string{{"lattice:20:1", "postorder-doubling"}, {"lattice:9:2:4:3", "unicast"}, {"bimin:butterfly:16:4", "umin"},
		{"min:baseline:16:2", "cmin"}, {"min:baseline:16:4", "unicast"}, {"bimin:butterfly:27:3", "random-doubling"}} {
		for _, routing := range []string{ByScheme, FixedRouting} {
			c := switched(p[0], p[1])
			c.Startup, c.Flits, c.BufferFlits, c.Arrivals, c.Load, c.MulticastFraction, c.BatchCycles = 20, 16, 1, Exponential, 0.02, 0.3, 4000
			c.Routing = routing
			r := must.Get(Run(context.Background(), c, 1, quiet))
			if r.Saturated || r.Batches[0].Multicasts == 0 || !(r.Batches[0].UnicastLatencyMean.Value > 0) {
				t.Errorf("%v, routing %s: %+v", p, routing, r.Batches[0])
			}
		}
	}
}

// TestLabelsOnGraphs: label-ordered worms work on a graph whose file gives the labels of a
// Hamiltonian path.
func TestLabelsOnGraphs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ring")
	ring := "switches 5\nlink 0 1\nlink 1 2\nlink 2 3\nlink 3 4\nlink 4 0\nlabels 0 1 2 3 4\n"
	must.Do(os.WriteFile(file, []byte(ring), 0o644))
	c := switched("graph:"+file, "dual-path")
	if r := must.Get(Run(context.Background(), c, 1, quiet)); r.Batches[0].Multicasts != uint64(c.BatchMessages) {
		t.Errorf("%+v", r.Batches)
	}
	one := must.Get(Point(c, 1)).Key
	must.Do(os.WriteFile(file, []byte(ring+"link 0 2\n"), 0o644))
	if one == must.Get(Point(c, 1)).Key {
		t.Error("another graph in a file of the same name has the same key")
	}
}
