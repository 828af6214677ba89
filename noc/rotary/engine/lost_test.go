package engine

import (
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// cell is a cell of figure 8: a pattern of unicasts, and a share of multicasts to 8 nodes or all
// others.
type cell struct {
	pattern      string
	destinations int
	share        float64
}

// lost is what a network delivers in a cell past saturation, and what keeps its packets waiting.
type lost struct {
	delivered       float64 // phits per node and cycle
	hops, misroutes float64 // per copy that is delivered

	// Shares of the heads on rings whose output leads nearer to a destination: they find no quota
	// (rule 18), a full output stage (rule 13), or may not leave a copy (rule 4).
	quota, stage, copies float64
	entries              float64 // share of the input stages whose head finds no space on a ring (rule 1)
	calm                 float64 // share of the interfaces that an aged packet stops (rule 19)
}

// losses runs a cell at a load of 1, and looks every 500 cycles at the packets that wait.
func losses(t *testing.T, c rotary.Config, at cell, warm, cycles noc.Cycle) (l lost) {
	g := topology.Torus(8, 8)
	n := build(t, g, c)
	d := drivenAt(t, n, g, at)
	looks, heads := 0.0, 0.0
	var before noc.Totals
	misrouted := func() (sum float64) {
		for _, a := range n.Activity(nil) {
			sum += float64(a.Misroutes)
		}
		return sum
	}
	early := 0.0
	for n.Now() < cycles {
		if n.Now() == warm {
			d.Clear()
			before, early = n.Totals(), misrouted()
		}
		if d.Run(n.Now() + 500); n.Now() <= warm {
			continue
		}
		looks++
		for _, s := range n.Explain() {
			output, turn, onRing := strings.Cut(s.Waits, "; ")
			switch {
			case onRing && turn != "" && !strings.Contains(output, "not on its way"):
				heads++
				l.quota += one(strings.Contains(output, "no quota"))
				l.stage += one(strings.HasSuffix(output, ": no free slot"))
				l.copies += one(strings.Contains(output, "to replicate"))
			case strings.HasPrefix(s.Holds, "input stage"):
				l.entries += one(strings.Contains(s.Waits, "fewer than")) / float64(4*g.Nodes())
			case strings.HasPrefix(s.Holds, "source queue of class 0"):
				l.calm += one(strings.Contains(s.Waits, "aged")) / float64(g.Nodes())
			}
		}
	}
	now := n.Totals()
	copies := float64(now.Delivered - before.Delivered)
	l.delivered, l.hops, l.misroutes = d.Window().Delivered, float64(now.PhitHops-before.PhitHops)/5/copies, (misrouted()-early)/copies
	l.quota, l.stage, l.copies, l.entries, l.calm = l.quota/heads, l.stage/heads, l.copies/heads, l.entries/looks, l.calm/looks
	return l
}

func drivenAt(t *testing.T, n *Network, g topology.Grid, at cell) *traffic.Driver {
	t.Helper()
	c := traffic.Default()
	c.Load, c.Pattern, c.MulticastFraction, c.MulticastDestinations, c.Seed = 1, at.pattern, at.share, at.destinations, 1
	d, err := traffic.New(n, g, c, traffic.Interface{QueuePackets: 16})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// TestLost shows what MRR loses past saturation against RR, and what the rule set calm gets back:
// with some broadcasts among transposed unicasts the packets of MRR are misrouted more often, because
// the copies that routers make pass by the interfaces, which an aged packet stops. CAROUSEL_LONG=1
// prints a table of all cells of figure 8.
func TestLost(t *testing.T) {
	cells := []cell{{"transpose", 63, 0.05}}
	if os.Getenv("CAROUSEL_LONG") != "" {
		cells = nil
		for _, destinations := range []int{8, 63} {
			for _, pattern := range []string{"uniform", "bit-reversal", "perfect-shuffle", "transpose", "tornado"} {
				for _, share := range []float64{0.01, 0.05, 0.1, 0.15} {
					cells = append(cells, cell{pattern, destinations, share})
				}
			}
		}
	}
	t.Log("multicasts, pattern | delivered by rr, mrr and mrr with rules calm | the same over rr | links per copy | misroutes per copy | waits for quota | for an output stage | no copy made | inputs wait | calm")
	for _, c := range cells {
		rr, live := losses(t, rotary.DefaultRR(), c, 8000, 20_000), losses(t, mrr(), c, 8000, 20_000)
		calm := losses(t, mrr().WithRules(rotary.CalmRules), c, 8000, 20_000)
		t.Logf("| %.0f %% to %d, %s | %.2f, %.2f, %.2f | %.2f, %.2f | %.1f, %.1f, %.1f | %.2f, %.2f, %.2f | %.2f, %.2f, %.2f | %.2f, %.2f, %.2f | %.2f, %.2f | %.2f, %.2f, %.2f | %.2f, %.2f, %.2f |",
			100*c.share, c.destinations, c.pattern, rr.delivered, live.delivered, calm.delivered, live.delivered/rr.delivered, calm.delivered/rr.delivered,
			rr.hops, live.hops, calm.hops, rr.misroutes, live.misroutes, calm.misroutes, rr.quota, live.quota, calm.quota,
			rr.stage, live.stage, calm.stage, live.copies, calm.copies, rr.entries, live.entries, calm.entries, rr.calm, live.calm, calm.calm)
		if len(cells) == 1 && (live.delivered > rr.delivered || live.misroutes < 2*rr.misroutes || calm.delivered < 1.2*live.delivered) {
			t.Errorf("%+v: rr %+v, mrr %+v, calm %+v", c, rr, live, calm)
		}
	}
}
