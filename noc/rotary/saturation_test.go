package rotary

import (
	"fmt"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc/topology"
)

// TestReportThroughput prints the table of ref 12 when asked.
func TestReportThroughput(t *testing.T) {
	if os.Getenv("ROTARY_THROUGHPUT") == "" {
		t.Skip("set ROTARY_THROUGHPUT=1 for the table")
	}
	g := topology.Torus(8, 8)
	for _, pattern := range []string{"uniform", "bitrev", "transpose", "shuffle", "tornado"} {
		for _, m := range []mix{{}, {multicast: .1, destinations: 8}, {multicast: .01}, {multicast: .1}} {
			m.pattern, m.load, m.phits, m.classes = pattern, 1, 5, 6
			line := fmt.Sprintf("%-10s %.2f %d:", pattern, m.multicast, m.destinations)
			for _, c := range []Config{DefaultRR(), DefaultMRR()} {
				if c.Multicast == Adaptive && m.multicast == 0 {
					continue
				}
				n := build(t, g, c)
				r := newSource(n, g, m, 1).run(t, 30000, 12000)
				line += fmt.Sprintf("  %.3f (%.0f cycles, %.1f hops)", r.delivered, r.latency, r.hops)
			}
			fmt.Println(line)
		}
	}
}
