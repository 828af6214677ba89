package models

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
)

// BenchmarkCycle is one simulated cycle of each model on the paper's 8x8 torus under uniform traffic. It
// reports cycles per second, the cost of one packet crossing one link, and memory per router.
func BenchmarkCycle(b *testing.B) {
	for _, m := range Table {
		for _, load := range []float64{0.05, 0.3, 1} {
			b.Run(fmt.Sprintf("%s/load=%v", m.Name, load), func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				o := DefaultOptions()
				n, err := m.New(o)
				if err != nil {
					b.Fatal(err)
				}
				d := noctest.NewDriver(n, o.Grid, noctest.Traffic{Load: load, Phits: 5, Classes: 6, Pattern: "uniform", Seed: 1})
				d.Run(3000)
				runtime.ReadMemStats(&after)
				hops := n.Totals().PhitHops
				b.ReportAllocs()
				b.ResetTimer()
				d.Run(noc.Cycle(b.N))
				seconds := b.Elapsed().Seconds()
				b.ReportMetric(float64(b.N)/seconds, "cycles/s")
				b.ReportMetric(seconds*1e9/(float64(n.Totals().PhitHops-hops)/5), "ns/packethop")
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n.Nodes()), "B/router")
			})
		}
	}
}
