package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
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
		{mrr(), "uniform", 0.05, 0.1},
		{mrr(), "bit-reversal", 0.2, 0.01},
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
			for _, c := range []rotary.Config{minimum(rotary.DefaultRR()), minimum(mrr()), minimum(mrr().WithRules(rotary.CalmRules))} {
				c.Classes = classes
				t.Run(fmt.Sprintf("%s, rules %s, %d classes, %v broadcasts", c.Multicast, c.Rules, classes, multicast), func(t *testing.T) {
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
		n := build(t, g, minimum(mrr().WithRules(set)))
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

// drive prepares traffic of packets of five phits in six classes, of which a share is broadcast.
// With its seed networks without a rule stop soon, which some seeds leave to chance for long.
func drive(t testing.TB, n noc.Network, g topology.Grid, pattern string, load, broadcasts float64) *traffic.Driver {
	t.Helper()
	return noctest.Drive(t, n, g, traffic.Config{Pattern: pattern, Load: load, MulticastFraction: broadcasts, Seed: 4})
}

// measureFrom runs traffic and returns what happened from a cycle on. It fails when nothing is
// delivered for 1,000 cycles.
func measureFrom(t testing.TB, d *traffic.Driver, warm, cycles noc.Cycle) traffic.Window {
	t.Helper()
	for n := d.Network(); n.Now() < cycles; {
		if n.Now() == warm {
			d.Clear()
		}
		before, owed := d.Window().DeliveredPackets, n.InFlight()
		if d.Run(n.Now() + 1000); d.Window().DeliveredPackets == before && owed > 0 {
			t.Fatalf("no delivery in the 1,000 cycles before %d: %v", n.Now(), n.Explain())
		}
	}
	return d.Window()
}

func build(t testing.TB, g topology.Grid, c rotary.Config) *Network { return must.Get(New(g, c)) }

// targets returns the destination of each node under a pattern, itself if it sends no unicasts.
func targets(t *testing.T, g topology.Grid, pattern string) []noc.NodeID {
	t.Helper()
	c := traffic.Default()
	c.Pattern = pattern
	return must.Get(c.Targets(g))
}

// minimum makes all buffers as small as the rules allow: a segment takes what rule 2 asks for.
func minimum(c rotary.Config) rotary.Config {
	c.InputStagePhits, c.SegmentPhits, c.OutputStagePhits = c.SlotPhits, c.InjectSlots*c.SlotPhits, 2*c.SlotPhits
	return c
}

// coupled runs coupled traffic until no phit has moved on a link or into a node for a window, and
// tells in which cycle that was found, or 0.
func coupled(t *testing.T, n *Network, g topology.Grid, multicast float64, cycles noc.Cycle) (d *noctest.Coupled, stopped noc.Cycle) {
	t.Helper()
	d = noctest.NewCoupled(n, g, traffic.Config{MulticastFraction: multicast}, 2)
	const window = 2000
	for moved := uint64(0); n.Now() < cycles; {
		before := d.Delivered
		d.Run(window)
		must.Do(n.CheckInvariants())
		tot := n.Totals()
		if tot.PhitHops+tot.Phits == moved || d.Delivered == before {
			return d, n.Now()
		}
		moved = tot.PhitHops + tot.Phits
	}
	return d, 0
}

// TestCoupledSinks: chains of six classes through finite sinks and sources go on, whatever the
// buffers and the share of broadcasts, and the classes above the first keep up with each other.
func TestCoupledSinks(t *testing.T) {
	cycles := noc.Cycle(8_000)
	if os.Getenv("CAROUSEL_LONG") != "" {
		cycles = 10_000_000
	}
	g := topology.Torus(4, 4)
	for _, c := range []rotary.Config{rotary.DefaultRR(), mrr(), minimum(rotary.DefaultRR()), minimum(mrr()),
		mrr().WithRules(rotary.CalmRules), minimum(mrr().WithRules(rotary.CalmRules))} {
		for _, multicast := range []float64{0, 0.05, 1} {
			c.SourceQueue = 4
			t.Run(fmt.Sprintf("%s, rules %s, segments of %d phits, %v broadcasts", c.Multicast, c.Rules, c.SegmentPhits, multicast), func(t *testing.T) {
				d, stopped := coupled(t, build(t, g, c), g, multicast, cycles)
				if stopped > 0 {
					t.Errorf("stopped at cycle %d after %v deliveries", stopped, d.Delivered)
				}
				if first, last := d.Delivered[1], d.Delivered[5]; 4*last < first {
					t.Errorf("%d packets of the second class and %d of the last", first, last)
				}
				t.Logf("%d cycles, deliveries by class %v", cycles, d.Delivered)
			})
		}
	}
}

// TestClassLimitPreventsDeadlock is the negative control: without the class limits requests fill
// the rings and wait for sinks that answers would free, and the answers find no room.
func TestClassLimitPreventsDeadlock(t *testing.T) {
	g := topology.Torus(4, 4)
	for _, c := range []rotary.Config{mrr(), minimum(mrr())} {
		c.ClassLimit, c.SourceQueue = false, 4
		n := build(t, g, c)
		if _, stopped := coupled(t, n, g, 1, 60_000); stopped == 0 {
			t.Fatalf("segments of %d phits: it goes on without the class limits", c.SegmentPhits)
		}
		requests, answers := 0, 0
		for _, s := range n.Explain() {
			if s.Class == 0 && strings.HasPrefix(s.Holds, "ring") && s.Waits == "sink of class 0: no place" {
				requests++
			}
			if s.Class == 1 && s.Holds == "source queue of class 1" && strings.Contains(s.Waits, "fewer than 3 free slots") {
				answers++
			}
		}
		if requests == 0 || answers == 0 {
			t.Errorf("%d requests on rings wait for sinks, %d answers for room: the circle is not explained", requests, answers)
		}
	}
}
