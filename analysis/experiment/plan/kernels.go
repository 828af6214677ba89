package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads/riscv"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// The two forms of a kernel are workloads with its name and one of these behind it.
const (
	LiveForm   = " live"
	ReplayForm = " replay"
)

// Kernels makes two workloads of each kernel of package kernels: the program, which the chip
// executes, and a recording of it.
func Kernels(ctx context.Context, threads, rounds int) (list []experiment.Workload, err error) {
	for _, k := range kernels.Table {
		c := riscv.DefaultConfig()
		c.Threads, c.Arguments = threads, []string{k.Name, fmt.Sprint(threads), fmt.Sprint(rounds)}
		p, err := riscv.Load("kernels", kernels.Executable, c)
		if err != nil {
			return nil, err
		}
		live, err := ProgramWorkload(p)
		if err != nil {
			return nil, err
		}
		var content bytes.Buffer
		done, err := riscv.Record(ctx, p, record.DefaultConfig(), traces.ToStream(&content, traces.DefaultWriterConfig()))
		if err != nil {
			return nil, err
		}
		digest := sha256.Sum256(content.Bytes())
		live.Name = k.Name + LiveForm
		list = append(list, live, experiment.Workload{Name: k.Name + ReplayForm, Source: Recorded, Digest: hex.EncodeToString(digest[:]),
			Cores: threads, Records: done.Sum().Records, Windows: 1, Open: windowsOf(func() (*traces.File, error) {
				return traces.OpenReader(bytes.NewReader(content.Bytes()), int64(content.Len()), traces.DefaultReaderConfig())
			})})
	}
	return list, nil
}
