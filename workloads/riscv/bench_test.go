package riscv

import (
	"fmt"
	"io"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// BenchmarkExecute executes kernels without a chip, and records them.
func BenchmarkExecute(b *testing.B) {
	for _, name := range []string{"static", "queue-fine"} {
		c := DefaultConfig()
		c.Threads, c.Arguments = 1, []string{name, "1", "200"}
		p := must.Get(Load("kernels", kernels.Executable, c))
		instructions := func(b *testing.B, n uint64) {
			b.ReportMetric(float64(n)/1e6/b.Elapsed().Seconds(), "Minstructions/s")
		}
		b.Run(fmt.Sprintf("alone/%s", name), func(b *testing.B) {
			n := uint64(0)
			for range b.N {
				m := p.start()
				must.Do(m.run(b.Context(), func() bool { return false }))
				n += m.executed()
			}
			instructions(b, n)
		})
		b.Run(fmt.Sprintf("recorded/%s", name), func(b *testing.B) {
			n := uint64(0)
			for range b.N {
				done := must.Get(Record(b.Context(), p, record.DefaultConfig(), traces.ToStream(io.Discard, traces.DefaultWriterConfig())))
				n += done.Sum().Instructions
			}
			instructions(b, n)
		})
	}
}
