package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/arguments"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/workloads"
	"github.com/carousel-sim/carousel/workloads/riscv"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// OpenWorkloads opens all that the configuration asks to replay, at the same time, because each is read
// as a whole for its digest. The error is that of the first one that has one.
func OpenWorkloads(ctx context.Context, c *config.Effective) ([]experiment.Workload, error) {
	if c.Trace != "" || c.Program.Path != "" {
		w, err := OpenWorkload(ctx, c)
		return []experiment.Workload{w}, err
	}
	names := c.WorkloadList()
	list := make([]experiment.Workload, len(names))
	err := parallel.Until(context.Background(), len(names), 0, nil, func(i int) (err error) {
		one := *c
		one.Workload = names[i]
		list[i], err = OpenWorkload(ctx, &one)
		return err
	})
	return list, err
}

// OpenWorkload finds the workload that the configuration names: a trace file, the user's recording
// of an application, or a workload of the catalogue. A bad file is a *config.InputError.
func OpenWorkload(ctx context.Context, c *config.Effective) (experiment.Workload, error) {
	if err := oneInput(c); err != nil {
		return experiment.Workload{}, err
	}
	if c.Program.Path != "" {
		return OpenProgram(ctx, c.Program, c.Windows)
	}
	if c.Trace != "" {
		return OpenTrace(ctx, c.Trace, c.Chip.Memory.Bytes)
	}
	if application, err := workloads.FindApplication(c.Workload); err == nil {
		path := workloads.RecordingFile(application.Name)
		if _, err := os.Stat(path); err == nil {
			w, err := OpenTrace(ctx, path, c.Chip.Memory.Bytes)
			w.Name = application.Name
			return w, err
		}
	}
	return OpenSource(ctx, c.Workload, func() (*workloads.Opened, error) { return workloads.Open(c.Workload, c.Synthetic, c.Workloads...) })
}

// oneInput checks that only one thing is asked for.
func oneInput(c *config.Effective) error {
	given := ""
	for _, in := range []struct{ key, value string }{{"workload", c.Workload}, {"trace", c.Trace}, {"program.path", c.Program.Path}} {
		switch {
		case in.value == "":
		case given != "":
			return fmt.Errorf("%s and %s is %q (given by %s); choose one", given, in.key, in.value, c.Origin(in.key))
		default:
			given = fmt.Sprintf("%s is %q (given by %s)", in.key, in.value, c.Origin(in.key))
		}
	}
	return nil
}

// OpenSource makes a workload of something that can be opened again and again.
func OpenSource(ctx context.Context, name string, open func() (*workloads.Opened, error)) (experiment.Workload, error) {
	opened, err := open()
	if err != nil {
		return experiment.Workload{}, fmt.Errorf("workload %s: %w", name, err)
	}
	defer opened.Close()
	digest, records, err := traces.Digest(ctx, opened.Source)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: fmt.Errorf("workload %s: %w", name, err)}
	}
	source, windows := string(opened.Info.Kind), 1
	if f, ok := opened.Source.(*traces.File); ok {
		windows = f.Windows()
	}
	if opened.Info.Kind == workloads.Recording {
		source = experiment.Recorded
	}
	return experiment.Workload{
		Name: name, Source: source, ByLine: opened.Info.Metadata.EdgesByLine(), CutsBarriers: opened.Info.Metadata.CutsBarriers(), Digest: digest, Cores: opened.Cores(), Records: records, Windows: windows,
		Open: func(window int) (traces.Source, func() error, error) {
			again, err := open()
			if err != nil {
				return nil, nil, err
			}
			if f, ok := again.Source.(*traces.File); ok {
				return windowsOf(func() (*traces.File, error) { return f, nil })(window)
			}
			return again, again.Close, nil
		},
	}, nil
}

// OpenTrace makes a workload of a trace file that has been read whole and found sound: a damaged
// trace stops a study before its first run. The file is opened once more for each run, so that runs
// share nothing. memoryBytes is the size of the physical address space.
func OpenTrace(ctx context.Context, path string, memoryBytes uint64) (experiment.Workload, error) {
	how := traces.ReaderConfig{MemoryBytes: memoryBytes}
	follow := how
	follow.Passed = func(int) error { return ctx.Err() }
	var survey traces.Survey
	file, err := traces.Open(path, follow)
	if err == nil {
		defer file.Close()
		survey, err = file.Verify()
	}
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: fmt.Errorf("cannot replay the trace: %w", err)}
	}
	digest, err := wholefile.Digest(ctx, path)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	name := file.Metadata().Workload
	if name == "" {
		name = printable.Name(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	}
	if file.Metadata().Executes {
		list, err := riscv.OpenWindows(file)
		if err != nil {
			err = &config.InputError{Err: fmt.Errorf("cannot execute %s: %w", path, err)}
		}
		return executed(name, digest, file.Cores(), list), err
	}
	source := experiment.Recorded
	if file.Metadata().Addresses == "synthetic" {
		source = string(workloads.Synthetic)
	}
	return experiment.Workload{
		Name: name, Source: source, ByLine: file.Metadata().EdgesByLine(), CutsBarriers: file.Metadata().CutsBarriers(), Digest: digest, Cores: file.Cores(), Records: survey.Sum().Records, Windows: file.Windows(),
		Open: windowsOf(func() (*traces.File, error) { return traces.Open(path, how) }),
	}, nil
}

// windowsOf opens a window of a trace file, which it opens first, with a function that closes both.
func windowsOf(open func() (*traces.File, error)) func(window int) (traces.Source, func() error, error) {
	return func(window int) (traces.Source, func() error, error) {
		f, err := open()
		if err != nil {
			return nil, nil, err
		}
		one, err := f.Window(window)
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		return one, func() error { return errors.Join(one.Close(), f.Close()) }, nil
	}
}

// Executed is the source of workloads that are programs, which the chip executes.
const Executed = "program"

// OpenProgram makes a workload of a program for RISC-V. It has run to the start of its region, where
// each run starts, or has been executed for so many windows of the region.
func OpenProgram(ctx context.Context, c config.Program, windows int) (experiment.Workload, error) {
	list, err := arguments.Split(c.Arguments)
	if err != nil {
		return experiment.Workload{}, fmt.Errorf("program.arguments %w", err)
	}
	how := riscv.DefaultConfig()
	how.Threads, how.Arguments, how.Files, how.Fetches = c.Threads, list, c.Files, c.Fetches
	p, err := riscv.Open(c.Path, how)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	if windows > 0 {
		return windowsOfProgram(ctx, p, riscv.WindowConfig{Windows: windows, Instructions: c.WindowInstructions})
	}
	return ProgramWorkload(ctx, p)
}

// windowsOfProgram makes a workload of windows of a program, each of which the chip executes.
func windowsOfProgram(ctx context.Context, p *riscv.Program, c riscv.WindowConfig) (experiment.Workload, error) {
	list, err := p.Windows(ctx, c)
	if errors.Is(err, riscv.ErrWindows) {
		return experiment.Workload{}, fmt.Errorf("windows is %d and program.window_instructions is %d: %w", c.Windows, c.Instructions, err)
	}
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	digest := experiment.Digest(struct {
		Program string
		Windows riscv.WindowConfig
		Drawn   string
	}{p.Digest, c, list.Drawn})
	return executed(p.Name, digest, p.Config.Threads, list), nil
}

// executed makes a workload of windows that are open.
func executed(name, digest string, cores int, list *riscv.Windows) experiment.Workload {
	return experiment.Workload{Name: name, Source: Executed, Digest: digest, Cores: cores, Windows: list.Len(),
		Open: func(i int) (traces.Source, func() error, error) {
			return list.Open(i), func() error { return nil }, nil
		}}
}

// ProgramWorkload makes a workload of a program that has been read.
func ProgramWorkload(ctx context.Context, p *riscv.Program) (experiment.Workload, error) {
	ready, err := p.Start(ctx)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	return experiment.Workload{Name: p.Name, Source: Executed, Digest: p.Digest, Cores: p.Config.Threads, Windows: 1,
		Open: func(int) (traces.Source, func() error, error) {
			return ready.Clone(), func() error { return nil }, nil
		}}, nil
}

// HandOff is the program in which each two of some threads hand a word to each other, with so many timed round trips.
func HandOff(ctx context.Context, threads, rounds int) (experiment.Workload, error) {
	c := riscv.DefaultConfig()
	c.Threads, c.Arguments = threads, []string{fmt.Sprint(threads), fmt.Sprint(rounds)}
	p, err := riscv.Load("hand-off", kernels.HandOff, c)
	if err != nil {
		return experiment.Workload{}, err
	}
	return ProgramWorkload(ctx, p)
}

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
		live, err := ProgramWorkload(ctx, p)
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
		list = append(list, live, experiment.Workload{Name: k.Name + ReplayForm, Source: experiment.Recorded, Digest: hex.EncodeToString(digest[:]),
			Cores: threads, Records: done.Sum().Records, Windows: 1, Open: windowsOf(func() (*traces.File, error) {
				return traces.OpenReader(bytes.NewReader(content.Bytes()), int64(content.Len()), traces.DefaultReaderConfig())
			})})
	}
	return list, nil
}
