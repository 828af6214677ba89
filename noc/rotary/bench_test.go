package rotary_test

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkPlain simulates uniform traffic of 5-phit packets on an 8x8 torus with the plain router;
// an operation is one cycle. BenchmarkCycle of package models has the engine.
func BenchmarkPlain(b *testing.B) {
	for _, load := range []float64{0.05, 0.3, 1} {
		b.Run(fmt.Sprintf("load=%v", load), func(b *testing.B) {
			c := rotary.DefaultMRR()
			n, err := rotary.New(topology.Torus(8, 8), c)
			if err != nil {
				b.Fatal(err)
			}
			s := noctest.NewSchedule(n.Nodes(), load, 0, c.SlotPhits, c.Classes, 20_000)
			s.Replay(n, 1000)
			b.ReportAllocs()
			b.ResetTimer()
			s.Replay(n, noc.Cycle(b.N))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
		})
	}
}
