package engine

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkStep simulates uniform 5-phit unicast; an operation is one cycle.
func BenchmarkStep(b *testing.B) {
	for _, k := range []int{4, 8, 16, 32, 64} {
		for _, load := range []float64{0.05, 0.3, 1} {
			if k > 16 && load < 1 {
				continue
			}
			b.Run(fmt.Sprintf("%dx%d/load=%v", k, k, load), func(b *testing.B) {
				measure(b, topology.Torus(k, k), rotary.DefaultRR(), load, 0)
			})
		}
	}
}

// BenchmarkBroadcast simulates the same with a tenth of the messages for all other nodes, on the
// MRR.
func BenchmarkBroadcast(b *testing.B) {
	for _, load := range []float64{0.005, 0.1, 1} {
		b.Run(fmt.Sprintf("8x8/load=%v", load), func(b *testing.B) {
			measure(b, topology.Torus(8, 8), rotary.DefaultMRR(), load, 0.1)
		})
	}
}

// measure reports speed and memory of a network whose source queues have filled as far as they
// will.
func measure(b *testing.B, g topology.Grid, c rotary.Config, load, broadcast float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := build(b, g, c)
	runtime.GC()
	runtime.ReadMemStats(&after)
	built := after.HeapAlloc - before.HeapAlloc
	s := noctest.NewSchedule(n.Nodes(), load, broadcast, 5, c.Classes, noc.Cycle(1_280_000/n.Nodes()))
	runtime.GC()
	runtime.ReadMemStats(&before)
	s.Replay(n, max(600, noc.Cycle(320_000/n.Nodes()))) // warm up
	runtime.GC()
	runtime.ReadMemStats(&after)
	hops := n.Totals().PhitHops
	b.ResetTimer()
	s.Replay(n, noc.Cycle(b.N))
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(float64(n.Totals().PhitHops-hops)/5), "ns/hop")
	b.ReportMetric(float64(built)/float64(n.Nodes()), "B/router")
	b.ReportMetric(float64(int64(built)+int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n.Nodes()), "B/router-loaded")
}
