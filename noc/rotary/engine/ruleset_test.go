package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// TestRuleSetsAgreeBelowSaturation: where a network carries what it is offered, the rule sets
// differ in nothing that counts: the same load is delivered, and the mean latency is within a
// hundredth.
func TestRuleSetsAgreeBelowSaturation(t *testing.T) {
	const warm, cycles = 2000, 8000
	g := topology.Torus(8, 8)
	for _, c := range []struct {
		config    rotary.Config
		pattern   string
		load      float64
		multicast float64
	}{
		{rotary.DefaultRR(), "uniform", 0.3, 0},
		{rotary.DefaultRR(), "tornado", 0.15, 0},
		{rotary.DefaultMRR(), "uniform", 0.05, 0.1},
		{rotary.DefaultMRR(), "bit-reversal", 0.2, 0.01},
	} {
		var delivered, latency float64 // with the first
		for i, set := range rotary.RuleSets() {
			n := build(t, g, c.config.WithRules(set.Name))
			w := measureFrom(t, drive(t, n, g, c.pattern, c.load, c.multicast), warm, cycles)
			copies, sum := w.Latencies.All(traffic.Unicast, traffic.Broadcast).Total()
			mean := float64(sum) / float64(copies)
			if i == 0 {
				delivered, latency = w.Delivered, mean
			}
			more, later := w.Delivered/delivered-1, mean/latency-1
			if max(more, -more, later, -later) > 0.01 {
				t.Errorf("%s, %s at %v: %s delivers %.4f after %.2f cycles, %s %.4f after %.2f", c.config.Multicast, c.pattern, c.load,
					set.Name, w.Delivered, mean, rotary.RuleSets()[0].Name, delivered, latency)
			}
		}
	}
}

// TestLiveDelivers offers all that sources can take to networks with the smallest buffers:
// something is delivered in every 5,000 cycles, and from every node, after a while, in every
// 100,000. CAROUSEL_LONG=1 goes on for ten million cycles.
func TestLiveDelivers(t *testing.T) {
	const window, patience = 5000, 100_000
	cycles := noc.Cycle(window)
	if os.Getenv("CAROUSEL_LONG") != "" {
		cycles = 10_000_000
	}
	g := topology.Torus(8, 8)
	for _, multicast := range []float64{0, 0.1, 1} {
		for _, classes := range []int{6, 1} {
			for _, c := range []rotary.Config{minimum(rotary.DefaultRR()), minimum(rotary.DefaultMRR())} {
				c.Classes = classes
				t.Run(fmt.Sprintf("%s, %d classes, %v broadcasts", c.Multicast, classes, multicast), func(t *testing.T) {
					n := build(t, g, c)
					d := noctest.Drive(t, n, g, traffic.Config{Load: 1, Classes: classes, Pattern: "bit-reversal", MulticastFraction: multicast})
					to := targets(t, g, "bit-reversal")
					injected, since := make([]uint64, g.Nodes()), make([]noc.Cycle, g.Nodes())
					for n.Now() < cycles {
						d.Clear()
						d.Run(n.Now() + window)
						if d.Window().DeliveredPackets == 0 {
							t.Fatalf("nothing is delivered in the %d cycles before %d", window, n.Now())
						}
						for node, a := range n.Activity(nil) {
							if a.InjectPhits > injected[node] || multicast == 0 && to[node] == noc.NodeID(node) {
								injected[node], since[node] = a.InjectPhits, n.Now()
							} else if n.Now()-since[node] > patience {
								t.Fatalf("node %d has sent nothing since cycle %d", node, since[node])
							}
						}
					}
				})
			}
		}
	}
}

// TestPaperRulesStop: with the rules of the paper alone a network with the smallest buffers stops,
// and it says what its packets wait for; with one rule more it goes on.
func TestPaperRulesStop(t *testing.T) {
	g := topology.Mesh(4, 4)
	for _, set := range []rotary.Rules{rotary.PaperRules, rotary.LiveRules} {
		n := build(t, g, minimum(rotary.DefaultMRR().WithRules(set)))
		_, stopped := watch(n, drive(t, n, g, "uniform", 1, 1), 20_000)
		if stopped != (set == rotary.PaperRules) {
			t.Errorf("%s: stopped is %v", set, stopped)
		}
		waits := 0
		for _, k := range n.Explain() {
			if strings.Contains(k.Waits, "fewer than 2 free slots") {
				waits++
			}
		}
		if stopped && waits == 0 {
			t.Error("no packet waits for a ring")
		}
	}
}
