package engine

import (
	"fmt"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

var patterns = []string{"uniform", "bitrev", "transpose", "shuffle", "tornado"}

// TestSaturationLives offers all that the sources can take, for RR and MRR: something must be
// delivered in every 1,000 cycles, the laws must hold, and the throughput must be that of the one
// saturated state.
func TestSaturationLives(t *testing.T) {
	cycles := noc.Cycle(20_000)
	if testing.Short() {
		cycles = 4_000
	}
	for _, c := range []struct {
		config    rotary.Config
		multicast float64
		delivered [5]float64 // per pattern
	}{
		{extended(rotary.DefaultRR()), 0, [5]float64{0.82, 0.59, 0.54, 0.61, 0.33}},
		{extended(rotary.DefaultRR()), 0.1, [5]float64{0.81, 0.79, 0.78, 0.79, 0.72}},
		{extended(rotary.DefaultMRR()), 0.01, [5]float64{0.89, 0.83, 0.82, 0.81, 0.47}},
		{extended(rotary.DefaultMRR()), 0.1, [5]float64{0.96, 0.98, 0.98, 0.96, 0.96}},
	} {
		for i, pattern := range patterns {
			g := topology.Torus(8, 8)
			n := build(t, g, c.config)
			m := mix{pattern: pattern, load: 1, phits: 5, classes: 6, multicast: c.multicast}
			r := newSource(n, g, m, 1).run(t, cycles, cycles/3)
			if err := n.CheckInvariants(); err != nil {
				t.Error(err)
			}
			if want := c.delivered[i]; want > 0 && cycles == 20_000 && (r.delivered < want-0.03 || r.delivered > want+0.03) {
				t.Errorf("%s, %s, %v multicast: %.3f phits per node and cycle, want about %.2f", c.config.Multicast, pattern, c.multicast, r.delivered, want)
			}
		}
	}
}

// TestNobodyStarves: where some nodes send nothing but broadcasts, the unicasts of all others still
// get through, and they do not when those broadcasts are free.
func TestNobodyStarves(t *testing.T) {
	const warm, cycles = 4000, 12_000
	g := topology.Torus(8, 8)
	for _, c := range []struct {
		pattern string
		percent int
		starves bool
	}{
		{"bitrev", rotary.DefaultMRR().SenderPercent, false},
		{"transpose", rotary.DefaultMRR().SenderPercent, false},
		{"transpose", 0, true},
	} {
		config := extended(rotary.DefaultMRR())
		config.SenderPercent = c.percent
		n := build(t, g, config)
		s := newSource(n, g, mix{pattern: c.pattern, load: 1, phits: 5, classes: 6, multicast: 0.15}, 1)
		s.run(t, warm, 0)
		got := make([]int, g.Nodes())
		for n.Now() < cycles {
			s.generate()
			n.Step(n.Now() + 1)
			for _, d := range n.Deliveries() {
				if d.Tag != manyTag {
					got[d.Src]++
				}
			}
		}
		least := cycles
		for at, packets := range got {
			if _, sends := s.partner(at); sends {
				least = min(least, packets)
			}
		}
		if starves := 5*least < (cycles-warm)*3/100; starves != c.starves {
			t.Errorf("%s, senders pay %d %%: some node delivers %d unicasts in %d cycles", c.pattern, c.percent, least, cycles-warm)
		}
	}
}

// TestReportThroughput prints a table of throughput under each rule set when asked.
func TestReportThroughput(t *testing.T) {
	if os.Getenv("ROTARY_THROUGHPUT") == "" {
		t.Skip("set ROTARY_THROUGHPUT=1 for the table")
	}
	g := topology.Torus(8, 8)
	for _, pattern := range patterns {
		for _, m := range []mix{{}, {multicast: .1, destinations: 8}, {multicast: .01}, {multicast: .1}} {
			m.pattern, m.load, m.phits, m.classes = pattern, 1, 5, 6
			for _, set := range rotary.RuleSets() {
				line := fmt.Sprintf("%-10s %.2f %d %-8s:", pattern, m.multicast, m.destinations, set.Name)
				for _, c := range []rotary.Config{rotary.DefaultRR(), rotary.DefaultMRR()} {
					if c.Multicast == rotary.Adaptive && m.multicast == 0 {
						continue
					}
					s := newSource(build(t, g, c.WithRules(set.Name)), g, m, 1)
					if last, stopped := watch(s.net.(*Network), s, 12_000); stopped {
						line += fmt.Sprintf("  stops in cycle %d", last)
						continue
					}
					r := s.run(t, 30_000, 12_000)
					line += fmt.Sprintf("  %.3f (%.0f cycles, %.1f hops)", r.delivered, r.latency, r.hops)
				}
				fmt.Println(line)
			}
		}
	}
}
