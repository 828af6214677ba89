package program

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// BenchmarkCall measures cycles of the example in C under traffic: the time of a cycle, of a call, and the
// bytes of its messages.
func BenchmarkCall(b *testing.B) {
	path := compile(b, "source/relay.c")
	for _, load := range []float64{0.02, 0.2, 0.6} {
		b.Run(fmt.Sprintf("load=%g", load), func(b *testing.B) {
			g := topology.Torus(8, 8)
			n := must.Get(New(setup(path, g)))
			defer n.Close()
			d := noctest.Drive(b, n, g, traffic.Config{Load: load})
			d.Run(2000)
			calls := n.far.calls
			b.ResetTimer()
			d.Run(n.Now() + noc.Cycle(b.N))
			b.StopTimer()
			b.ReportMetric(float64(n.far.calls-calls)/float64(b.N), "calls/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n.far.calls-calls), "ns/call")
		})
	}
}
