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
		if err := n.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
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
	for _, c := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR(), minimum(rotary.DefaultRR()), minimum(rotary.DefaultMRR())} {
		for _, multicast := range []float64{0, 0.05, 1} {
			c.SourceQueue = 4
			t.Run(fmt.Sprintf("%s, segments of %d phits, %v broadcasts", c.Multicast, c.SegmentPhits, multicast), func(t *testing.T) {
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
	for _, c := range []rotary.Config{rotary.DefaultMRR(), minimum(rotary.DefaultMRR())} {
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
