package plan

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/riscv"
)

// Executed is the source of workloads that are programs, which the chip executes.
const Executed = "program"

// OpenProgram makes a workload of a program for RISC-V. It has run to the start of its region; each
// run starts there.
func OpenProgram(c config.Program) (experiment.Workload, error) {
	arguments, err := riscv.SplitArguments(c.Arguments)
	if err != nil {
		return experiment.Workload{}, fmt.Errorf("program.arguments %w", err)
	}
	how := riscv.DefaultConfig()
	how.Threads, how.Arguments, how.Files, how.Fetches = c.Threads, arguments, c.Files, c.Fetches
	p, err := riscv.Open(c.Path, how)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	return ProgramWorkload(p)
}

// ProgramWorkload makes a workload of a program that has been read.
func ProgramWorkload(p *riscv.Program) (experiment.Workload, error) {
	ready, err := p.Start(context.Background())
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	return experiment.Workload{Name: p.Name, Source: Executed, Digest: p.Digest, Cores: p.Config.Threads, Windows: 1,
		Open: func(int) (traces.Source, func() error, error) {
			return ready.Clone(), func() error { return nil }, nil
		}}, nil
}
