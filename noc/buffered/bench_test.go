package buffered

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkCycle is one simulated cycle of an 8x8 torus of plain routers under uniform traffic of
// 5-phit packets.
func BenchmarkCycle(b *testing.B) {
	for name, c := range map[string]Config{"base": DefaultBase(), "base-mc": DefaultBaseMC()} {
		for _, load := range []float64{0.05, 0.3, 1} {
			b.Run(fmt.Sprintf("%s/load=%v", name, load), func(b *testing.B) {
				n := build(b, topology.Torus(8, 8), c)
				traffic := noctest.NewSchedule(n.Nodes(), load, 0, 5, c.Classes, 20_000)
				traffic.Replay(n, 3000)
				b.ReportAllocs()
				b.ResetTimer()
				start := n.Now()
				traffic.Replay(n, noc.Cycle(b.N))
				b.ReportMetric(float64(n.Now()-start)/b.Elapsed().Seconds(), "cycles/s")
			})
		}
	}
}
