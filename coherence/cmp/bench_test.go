package cmp_test

import (
	"context"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/workloads"
)

// BenchmarkReplay runs the embedded recording on a whole chip. Its figure is the time per memory
// reference, trace decoding and network included; setting up the chip is not.
func BenchmarkReplay(b *testing.B) {
	for _, name := range models.Names() {
		b.Run(name, func(b *testing.B) {
			references := uint64(0)
			for range b.N {
				b.StopTimer()
				src, err := workloads.Open("nas-is-s", workloads.Default())
				if err != nil {
					b.Fatal(err)
				}
				s, err := cmp.New(cmp.Default(), network(b, name, 1, nil), src.Source, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				r, err := s.Run(context.Background(), nil)
				if err != nil {
					b.Fatal(err)
				}
				references += r.Loads + r.Stores + r.Atomics + r.Fetches
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(references), "ns/reference")
			b.ReportMetric(float64(references)/b.Elapsed().Seconds()/1e6, "Mref/s")
		})
	}
}
