package buffered

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkCycle is one simulated cycle of an 8x8 torus under uniform traffic.
func BenchmarkCycle(b *testing.B) {
	for _, load := range []float64{0.05, 0.3, 1} {
		b.Run(fmt.Sprintf("load=%v", load), func(b *testing.B) {
			benchmark(b, topology.Torus(8, 8), noctest.Traffic{Load: load, Pattern: "uniform"})
		})
	}
}

// BenchmarkSize shows that the cost of a packet hop does not follow the size of the network.
func BenchmarkSize(b *testing.B) {
	for _, k := range []int{8, 16, 32, 64} {
		b.Run(fmt.Sprintf("torus=%dx%d", k, k), func(b *testing.B) {
			benchmark(b, topology.Torus(k, k), noctest.Traffic{Load: 1.6 / float64(k), Pattern: "uniform"})
		})
	}
}

func benchmark(b *testing.B, g topology.Grid, tr noctest.Traffic) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := build(b, g, DefaultBaseMC())
	tr.Phits, tr.Classes, tr.Seed = 5, 6, 1
	d := noctest.NewDriver(n, g, tr)
	d.Run(3000)
	runtime.ReadMemStats(&after)
	hops := n.Totals().PhitHops
	b.ReportAllocs()
	b.ResetTimer()
	d.Run(noc.Cycle(b.N))
	b.StopTimer()
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/seconds, "cycles/s")
	b.ReportMetric(seconds*1e9/(float64(n.Totals().PhitHops-hops)/5), "ns/packethop")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(g.Nodes()), "B/router")
}
