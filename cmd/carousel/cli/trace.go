package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/csv"
	"github.com/carousel-sim/carousel/traces/inspect"
)

// readerConfig reads traces with the memory of the configured chip as the bound of addresses. passed,
// if not nil, follows the reading.
func (a *app) readerConfig(command *cobra.Command, passed func(bytes int) error) (*traces.ReaderConfig, error) {
	c, err := a.configuration(command)
	if err != nil {
		return nil, err
	}
	return &traces.ReaderConfig{MemoryBytes: c.Chip.Memory.Bytes, Passed: passed}, nil
}

// openTrace opens a trace, at the window of --window where a command has that flag.
func (a *app) openTrace(command *cobra.Command, path string, passed func(bytes int) error) (*traces.File, *traces.ReaderConfig, error) {
	config, err := a.readerConfig(command, passed)
	if err != nil {
		return nil, nil, usageError{err}
	}
	file, err := traces.Open(path, *config)
	if err != nil {
		return nil, nil, inputError{err}
	}
	if window, err := command.Flags().GetInt("window"); err == nil && file.Choose(window) != nil {
		file.Close()
		return nil, nil, usagef("--window %d: there are windows 0 to %d in %s", window, file.Windows()-1, path)
	}
	return file, config, nil
}

// readTrace reads a trace with the function read, and draws the progress. what names the work of
// the command, such as "verifying". left is what an interrupted command says of its work.
func (a *app) readTrace(command *cobra.Command, what, path, left string, read func(file *traces.File, config *traces.ReaderConfig) error) error {
	followed := a.follow(command.Context(), what, path)
	file, config, err := a.openTrace(command, path, followed.passed)
	if err == nil {
		defer file.Close()
		err = read(file, config)
	}
	return followed.end(err, left)
}

// unread is what an interrupted command says that has read only a part of its files.
const unread = "the files have not been read to their end"

func traceInfo(a *app) *cobra.Command {
	var brief bool
	command := newCommand("trace info", oneFile, func(command *cobra.Command, args []string) error {
		var d *inspect.Description
		err := a.readTrace(command, "reading", args[0], unread, func(file *traces.File, _ *traces.ReaderConfig) (err error) {
			d, err = inspect.Of(args[0], file, brief, runtime.GOMAXPROCS(0))
			return err
		})
		if err != nil {
			return err
		}
		return a.print(d, describedTrace(d))
	})
	command.Flags().BoolVar(&brief, "brief", false, "leave out access sizes, sharing and hot blocks")
	windowFlag(command)
	return command
}

// describedTrace is a description for people.
func describedTrace(d *inspect.Description) *sheet.Sheet {
	s := sheet.Facts(*d)
	if b := d.Behaviour; b != nil {
		s.Rows = append(s.Rows, sheet.Facts(*b).Rows...)
		for _, e := range b.Sizes {
			s.Add(fmt.Sprintf("loads, stores and atomics of size %d", e.Bytes), []uint64{e.Loads, e.Stores, e.Atomics})
		}
		for _, e := range b.Sharing {
			s.Add(e.Class+" blocks; accesses", fmt.Sprintf("%d; %d", e.Blocks, e.Accesses))
		}
		for _, e := range b.HotBlocks {
			text := fmt.Sprintf("%d accesses by %d cores, of which %d read and %d write", e.Accesses, e.Cores, e.Readers, e.Writers)
			if e.FalseSharing {
				text += "; false sharing"
			}
			if len(e.Symbols) > 0 {
				text = strings.Join(e.Symbols, ", ") + ": " + text
			}
			s.Add(fmt.Sprintf("hot block %#x", e.Address), text)
		}
	}
	if d.Drawn != "" {
		s.Add("drawn", d.Drawn)
	}
	if l := d.CacheLimit; l != nil {
		s.Add("contents of caches at the start", fmt.Sprintf("last uses of %d blocks, for L1s up to %s and an L2 up to %s sets and ways", d.Timestamps, cacheText(l.L1Sets, l.L1Ways), cacheText(l.L2Sets, l.L2Ways)))
	} else {
		s.Add("contents of caches at the start", "not recorded: caches start empty")
	}
	for _, note := range d.Notes {
		s.Add("note", note)
	}
	if d.StateBytes > 0 {
		s.Add("states of the program [bytes]", d.StateBytes)
		return s
	}
	if d.Dependences == 0 {
		s.Note("the trace has no dependences between loads")
	}
	if d.Behaviour != nil && d.Windows > 1 {
		s.Note(fmt.Sprintf("sizes, sharing and hot blocks are those of window %d; the trace has %d windows, numbered from 0 (--window)", d.Behaviour.Window, d.Windows))
	}
	s.Note(traces.IdleNote(d.ActiveCores, d.Cores)...)
	return s
}

func traceVerify(a *app) *cobra.Command {
	return newCommand("trace verify", oneFile, func(command *cobra.Command, args []string) error {
		v := struct {
			File    string `json:"file" title:"file"`
			Cores   int    `json:"cores" title:"cores"`
			Records uint64 `json:"records" title:"records"`
			Edges   uint64 `json:"edges" title:"edges"`
			Valid   bool   `json:"valid" title:"valid"`
		}{File: args[0], Valid: true}
		err := a.readTrace(command, "verifying", args[0], unread, func(file *traces.File, _ *traces.ReaderConfig) error {
			survey, err := file.Verify()
			if err != nil {
				return err
			}
			sum := survey.Sum()
			v.Cores, v.Records, v.Edges = file.Cores(), sum.Records, sum.Edges
			return nil
		})
		if err != nil {
			return err
		}
		return printOne(a, v)
	})
}

func traceCat(a *app) *cobra.Command {
	config := inspect.Part{}
	command := newCommand("trace cat", oneFile, func(command *cobra.Command, args []string) error {
		if err := config.Validate(); err != nil {
			return usageError{err}
		}
		ctx := command.Context()
		file, _, err := a.openTrace(command, args[0], func(int) error { return ctx.Err() })
		if err != nil {
			return err
		}
		defer file.Close()
		if config.Core >= file.Cores() {
			return usagef("--core %d: the trace has cores 0 to %d", config.Core, file.Cores()-1)
		}
		out := bufio.NewWriterSize(a.stdout, 1<<16)
		switch a.format {
		case "table", "csv":
			err = inspect.WriteCSV(out, file, config)
		case "json":
			err = inspect.WriteJSON(out, file, config)
		default:
			return usagef("%s %s: %s writes table, json or csv", a.optionLabel("format"), a.format, command.CommandPath())
		}
		if err != nil && ctx.Err() != nil {
			return errors.Join(out.Flush(), interruptedError{"the records end here"})
		}
		if damaged := new(traces.Error); errors.As(err, &damaged) {
			return inputError{err}
		}
		if err != nil {
			return err
		}
		return out.Flush()
	})
	flags := command.Flags()
	flags.IntVar(&config.Core, "core", -1, "print this core only; -1 prints all")
	rangeFlags(command, &config.Range)
	return command
}

// windowFlag is the flag by which openTrace chooses a window.
func windowFlag(command *cobra.Command) {
	command.Flags().Int("window", 0, "window of a trace that has several, from 0")
}

// rangeFlags are the flags that choose a part of every core's records.
func rangeFlags(command *cobra.Command, w *traces.Range) {
	windowFlag(command)
	flags := command.Flags()
	flags.Uint64Var(&w.First, "first", 0, "first record of each core")
	flags.Uint64Var(&w.Last, "last", 0, "last record of each core; 0 means the end of the trace")
	flags.Uint64Var(&w.FromInstruction, "from-instruction", 0, "first instruction of each core, from 0")
	flags.Uint64Var(&w.ToInstruction, "to-instruction", 0, "end of the instructions of each core, exclusive; 0 means the end of the trace")
}

func traceExport(a *app) *cobra.Command {
	var to string
	var out newFile
	command := newCommand("trace export", oneFile, func(command *cobra.Command, args []string) error {
		return a.exportTrace(command, args[0], to, out)
	})
	command.Flags().StringVar(&to, "to", exported, "format: csv is the only one")
	out.flags(command.Flags(), "the new file, or - for standard output")
	windowFlag(command)
	complete(command, "to", []string{exported})
	return command
}

// exported is the format that traces can be written in for other programs.
const exported = "csv"

// exportTrace writes a trace in another format.
func (a *app) exportTrace(command *cobra.Command, path, to string, into newFile) error {
	if to != exported {
		return usagef("--to %s: traces can be written as %s", to, exported)
	}
	toScreen := into.path == "-"
	if !toScreen {
		if err := into.check("file", path); err != nil {
			return err
		}
	}
	records := uint64(0)
	err := a.readTrace(command, "exporting", path, nothingWritten(into.path), func(file *traces.File, _ *traces.ReaderConfig) error {
		records = traces.Survey{Totals: file.Totals()}.Sum().Records
		if lost := csv.Lost(file.Metadata()); lost != nil {
			fmt.Fprintf(a.stderr, "warning: the CSV file leaves out %s\n", strings.Join(lost, ", "))
		}
		export := func(w io.Writer) error {
			if err := csv.Export(w, file, file.Metadata().Alone()); err != nil {
				return fmt.Errorf("cannot export %s: %w", path, err)
			}
			return nil
		}
		if toScreen {
			return export(command.OutOrStdout())
		}
		return wholefile.Write(into.path, export)
	})
	if err != nil || toScreen {
		return err
	}
	return printOne(a, struct {
		File    string `json:"file" title:"file"`
		To      string `json:"to" title:"format"`
		Records uint64 `json:"records" title:"records"`
	}{into.path, to, records})
}
