package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/formats"
	"github.com/carousel-sim/carousel/traces/inspect"
	"github.com/carousel-sim/carousel/traces/sample"
)

// destination is where the trace is written. It is read back as prove says, unless that is nil.
func (n *newFile) destination(prove *traces.ReaderConfig) traces.Destination {
	writing := traces.DefaultWriterConfig()
	writing.Small, writing.Prove = n.small, prove
	return traces.ToFile(n.path, writing)
}

// printWritten says what was read and written, with notes behind it.
func (a *app) printWritten(w inspect.Written, notes ...string) error {
	s := sheet.New("what", "number")
	for _, c := range w.Input {
		s.Add(c.Name, c.N)
	}
	s.Rows = append(s.Rows, sheet.Facts(w).Rows...)
	var idle []string
	if w.StateBytes > 0 {
		s.Add("states of the program [bytes]", w.StateBytes)
	} else {
		idle = traces.IdleNote(w.ActiveCores, w.Cores)
	}
	s.After = slices.Concat(idle, notes, []string{"trace: " + w.File})
	return a.print(w, s)
}

// nothingWritten returns what is left of a command that writes one file when it is interrupted.
func nothingWritten(out string) string {
	if _, err := os.Stat(out); err == nil {
		return out + " is what it was before"
	}
	return "nothing was written"
}

// importFlags are the flags of carousel trace import.
type importFlags struct {
	newFile
	from, name string
	anyway     bool
	config     traces.ImportConfig
}

func traceImport(a *app) *cobra.Command {
	var f importFlags
	command := newCommand("trace import", someArguments("needs files"), func(command *cobra.Command, args []string) error {
		return a.importTrace(command, args, f)
	})
	for _, f := range formats.Table {
		command.Long += fmt.Sprintf("\n  %-12s %s", f.Name, f.Doc)
	}
	flags := command.Flags()
	flags.StringVar(&f.from, "from", "", "format of the files: "+strings.Join(formats.Names(), ", ")+" (default: recognised)")
	flags.BoolVar(&f.anyway, "anyway", false, "with --from: import files that contradict the format")
	f.traceFlags(flags)
	flags.StringVar(&f.name, "name", "", "workload's name in the metadata (default: from the first file)")
	flags.StringVar(&f.config.Origin, "origin", "", "sentence about the trace's origin, for the metadata")
	flags.Uint64Var(&f.config.Instructions, "instructions", 0, "maximum number of instructions per file (not csv, synchrotrace); 0 reads all")
	flags.BoolVar(&f.config.Times, "times", false, "order threads by the times in the trace (drmemtrace): they wait as they did when it was recorded")
	complete(command, "from", formats.Names())
	return command
}

// importTrace reads files of another format and writes a trace.
func (a *app) importTrace(command *cobra.Command, files []string, f importFlags) error {
	files, remove, err := spooled(command, files)
	if err != nil {
		return err
	}
	defer remove()
	if err := f.check("trace", files...); err != nil {
		return err
	}
	in, err := chooseInput(files, f.from, f.anyway)
	if err != nil {
		return err
	}
	format := in.Format
	for _, flag := range []struct {
		name string
		used bool
	}{{"instructions", format.Bounded}, {"times", format.Timed}} {
		if command.Flags().Changed(flag.name) && !flag.used {
			return usagef("--%s has no effect on files of format %s; leave it out", flag.name, format.Name)
		}
	}
	f.config.Workload = cmp.Or(f.name, formats.WorkloadOf(files))
	followed := a.follow(command.Context(), "importing", files...)
	f.config.Passed = followed.passed
	prove, err := a.readerConfig(command, followed.passed)
	if err != nil {
		return err
	}
	done, err := in.Import(f.config, f.destination(prove))
	if errors.As(err, new(*traces.Unproved)) {
		err = fmt.Errorf("%s: %w", files[0], err)
	}
	if err := followed.end(err, nothingWritten(f.path)); err != nil {
		return err
	}
	written := inspect.NewWritten(f.path, done)
	written.From = format.Name
	return a.printWritten(written, written.Notes...)
}

// spooled copies standard input, which "-" names, into a file that remove removes: importers read files more than once.
func spooled(command *cobra.Command, files []string) (paths []string, remove func(), err error) {
	i := slices.Index(files, "-")
	if i < 0 {
		return files, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "carousel-import-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	paths = slices.Clone(files)
	paths[i] = filepath.Join(dir, "stdin")
	to, err := os.Create(paths[i])
	if err == nil {
		stop := context.AfterFunc(command.Context(), func() { os.Stdin.Close() })
		_, err = io.Copy(to, command.InOrStdin())
		stop()
		err = errors.Join(err, to.Close())
	}
	if command.Context().Err() != nil {
		err = interruptedError{"nothing was written"}
	}
	if err != nil {
		remove()
	}
	return paths, remove, err
}

// chooseInput finds the format by name, or recognises it when there is no name.
func chooseInput(files []string, name string, anyway bool) (formats.Input, error) {
	if _, err := formats.Find(name); name != "" && err != nil {
		return formats.Input{}, usagef("--from: %w%s", err, suggest.Text(name, formats.Names()))
	}
	if anyway && name == "" {
		return formats.Input{}, usagef("--anyway needs --from, which names the format to read")
	}
	in, err := formats.Choose(files, name, anyway)
	if err != nil {
		err = inputError{err}
	}
	return in, err
}

func traceSample(a *app) *cobra.Command {
	config := sample.DefaultConfig()
	var out newFile
	var l1, l2 string
	command := newCommand("trace sample", oneFile, func(command *cobra.Command, args []string) error {
		if err := out.check("trace", args[0]); err != nil {
			return err
		}
		var err error
		if config.Limit.L1Sets, config.Limit.L1Ways, err = parseCache("l1", l1); err != nil {
			return err
		}
		if config.Limit.L2Sets, config.Limit.L2Ways, err = parseCache("l2", l2); err != nil {
			return err
		}
		if err := config.Validate(); err != nil {
			return usageError{err}
		}
		settings, err := a.configuration(command)
		if err != nil {
			return err
		}
		config.Seed = settings.Seed
		return a.rewrite(command, "drawing windows", args[0], out, func(file *traces.File, _ *traces.ReaderConfig) (done traces.Imported, err error) {
			if err := config.Fits(file); err != nil {
				return done, usageError{err}
			}
			if done, err = sample.Draw(file, config, out.destination(nil)); err != nil {
				return done, err
			}
			sums := make([]traces.CoreTotals, file.Cores()) // over the windows
			for i, t := range done.Totals {
				sums[i%len(sums)] = sums[i%len(sums)].Plus(t)
			}
			done.Totals = sums
			return done, nil
		})
	})
	flags := command.Flags()
	limit := traces.DefaultCacheLimit()
	flags.IntVar(&config.Windows, "windows", config.Windows, "number of windows")
	flags.Uint64Var(&config.Records, "records", config.Records, fmt.Sprintf("mean length of a window, in records per core; the minimum length if windows go from barrier to barrier (default %d to %d, for %d misses per core)",
		sample.LeastRecords, sample.MostRecords, sample.WindowMisses))
	flags.Uint64Var(&config.WarmUp, "warm-up", config.WarmUp, "mean number of misses per core in the warm-up before a window; 0 for windows without warm-up and tail")
	flags.StringVar(&l1, "l1", cacheText(limit.L1Sets, limit.L1Ways), "largest L1 that can be filled, as SETSxWAYS")
	flags.StringVar(&l2, "l2", cacheText(limit.L2Sets, limit.L2Ways), "largest L2 that can be filled, all banks together, as SETSxWAYS")
	out.traceFlags(flags)
	return command
}

// rewrite makes a trace of another one and says what was written.
func (a *app) rewrite(command *cobra.Command, what, from string, into newFile, write func(*traces.File, *traces.ReaderConfig) (traces.Imported, error)) error {
	var done traces.Imported
	var before uint64
	records := func(totals []traces.CoreTotals) uint64 { return traces.Survey{Totals: totals}.Sum().Records }
	err := a.readTrace(command, what, from, nothingWritten(into.path), func(file *traces.File, config *traces.ReaderConfig) (err error) {
		before = records(file.Totals())
		done, err = write(file, config)
		return err
	})
	if err != nil {
		return err
	}
	m := done.Metadata
	notes := m.Notes[max(0, len(m.Notes)-1):] // that of a slice
	if m.Drawn != "" {
		notes = []string{m.Drawn}
		if after := records(done.Totals); after > before {
			notes = append(notes, fmt.Sprintf("windows, warm-ups and tails together have %.2g times the records of the trace, so a replay of the whole trace takes less time", float64(after)/float64(before)))
		}
	}
	return a.printWritten(inspect.NewWritten(into.path, done), notes...)
}

func cacheText(sets, ways int) string { return fmt.Sprintf("%dx%d", sets, ways) }

// parseCache reads SETSxWAYS.
func parseCache(flag, text string) (sets, ways int, err error) {
	left, right, _ := strings.Cut(text, "x")
	s, e1 := strconv.ParseUint(left, 10, 64)
	w, e2 := strconv.ParseUint(right, 10, 64)
	if e1 != nil || e2 != nil {
		return 0, 0, usagef("--%s %s: write SETSxWAYS, such as 256x8", flag, text)
	}
	return int(s), int(w), nil
}

func traceSlice(a *app) *cobra.Command {
	var config traces.SliceConfig
	var out newFile
	var cores string
	command := newCommand("trace slice", oneFile, func(command *cobra.Command, args []string) error {
		if err := out.check("trace", args[0]); err != nil {
			return err
		}
		var err error
		if config.Cores, err = parseCores(cores); err != nil {
			return err
		}
		// The slice gets its name when it is proved to be one that can be replayed: its locks may need an
		// order that only what was left out would give.
		return a.rewrite(command, "slicing", args[0], out, func(file *traces.File, prove *traces.ReaderConfig) (done traces.Imported, err error) {
			if err := config.Validate(file.Cores()); err != nil {
				return done, usageError{err}
			}
			if done, err = traces.Slice(file, config, out.destination(prove)); errors.As(err, new(*traces.Unproved)) {
				err = wrongError{fmt.Errorf("%w; choose other bounds", err)}
			}
			return done, err
		})
	})
	rangeFlags(command, &config.Range)
	flags := command.Flags()
	flags.StringVar(&cores, "cores", "", "cores to keep, such as 0-3,8 (default: all)")
	out.traceFlags(flags)
	return command
}

// parseCores reads "0-3,8".
func parseCores(text string) ([]int, error) {
	var list []int
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, ok := parseRange(part)
		if !ok || last > math.MaxUint16 {
			return nil, usagef("--cores %s: %q is neither a core nor a range such as 0-3", text, part)
		}
		for core := first; core <= last; core++ {
			list = append(list, core)
		}
	}
	return list, nil
}
