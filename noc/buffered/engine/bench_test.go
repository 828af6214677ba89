package engine

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkCycle is one simulated cycle of an 8x8 torus under uniform traffic.
func BenchmarkCycle(b *testing.B) {
	for _, v := range []struct {
		name      string
		c         buffered.Config
		load      float64
		broadcast float64
	}{
		{"base/load=0.05", buffered.DefaultBase(), 0.05, 0},
		{"base/load=0.3", buffered.DefaultBase(), 0.3, 0},
		{"base/load=1", buffered.DefaultBase(), 1, 0},
		{"base-mc/load=0.05", buffered.DefaultBaseMC(), 0.05, 0},
		{"base-mc/load=0.3", buffered.DefaultBaseMC(), 0.3, 0},
		{"base-mc/load=1", buffered.DefaultBaseMC(), 1, 0},
		{"base/broadcast=10%", buffered.DefaultBase(), 0.1, 0.1},
		{"base-mc/broadcast=10%", buffered.DefaultBaseMC(), 0.1, 0.1},
	} {
		b.Run(v.name, func(b *testing.B) { benchmark(b, topology.Torus(8, 8), v.c, v.load, v.broadcast) })
	}
}

// BenchmarkSize shows that the cost of a packet hop does not follow the size of the network.
func BenchmarkSize(b *testing.B) {
	for _, k := range []int{8, 16, 32, 64} {
		b.Run(fmt.Sprintf("torus=%dx%d", k, k), func(b *testing.B) {
			benchmark(b, topology.Torus(k, k), buffered.DefaultBaseMC(), 1.6/float64(k), 0)
		})
	}
}

// benchmark replays a schedule, so that the time is the engine's alone: Offer, Step and Deliveries.
func benchmark(b *testing.B, g topology.Grid, c buffered.Config, load, broadcast float64) {
	traffic := noctest.NewSchedule(g.Nodes(), load, broadcast, 5, c.Classes, noc.Cycle(1_280_000/g.Nodes()))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := build(b, g, c)
	traffic.Replay(n, 3000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	start := n.Totals()
	b.ReportAllocs()
	b.ResetTimer()
	traffic.Replay(n, noc.Cycle(b.N))
	b.StopTimer()
	seconds := b.Elapsed().Seconds()
	hops := float64(n.Totals().PhitHops-start.PhitHops) / 5
	b.ReportMetric(float64(b.N)/seconds, "cycles/s")
	b.ReportMetric(seconds*1e9/hops, "ns/packethop")
	b.ReportMetric(seconds*1e9/(hops+float64(n.Totals().Phits-start.Phits)/5), "ns/grant")
	b.ReportMetric(float64(int64(after.HeapAlloc-before.HeapAlloc))/float64(g.Nodes()), "B/router")
	runtime.KeepAlive(traffic)
}
