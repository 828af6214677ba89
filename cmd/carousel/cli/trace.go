package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
)

// openFile opens a trace with the memory of the configured chip as the bound of addresses. passed,
// if not nil, follows the reading.
func (a *app) openFile(command *cobra.Command, path string, passed func(bytes int) error) (*traces.File, error) {
	reading, err := a.readerConfig(command, passed)
	if err != nil {
		return nil, err
	}
	file, err := traces.Open(path, *reading)
	if err != nil {
		return nil, inputError{err}
	}
	return file, nil
}

// readerConfig reads traces with the memory of the configured chip as the bound of addresses.
func (a *app) readerConfig(command *cobra.Command, passed func(bytes int) error) (*traces.ReaderConfig, error) {
	c, err := a.configuration(command)
	if err != nil {
		return nil, err
	}
	return &traces.ReaderConfig{MemoryBytes: c.Chip.Memory.Bytes, Passed: passed}, nil
}

// openWindow is openFile for a command that reads the window of --window.
func (a *app) openWindow(command *cobra.Command, path string, passed func(bytes int) error) (*traces.File, error) {
	window, err := command.Flags().GetInt("window")
	if err != nil {
		return nil, err
	}
	file, err := a.openFile(command, path, passed)
	if err != nil {
		return nil, err
	}
	if err := file.Choose(window); err != nil {
		file.Close()
		return nil, usagef("--window %d: there are windows 0 to %d in %s", window, file.Windows()-1, path)
	}
	return file, nil
}

// unread is what an interrupted command says that has read only a part of a trace.
const unread = "the trace has not been read to its end"

func traceInfo(a *app) *cobra.Command {
	var brief bool
	command := newCommand("trace info", oneFile, func(command *cobra.Command, args []string) error {
		followed := a.follow(command.Context(), "reading", args[0])
		file, err := a.openFile(command, args[0], followed.passed)
		if err != nil {
			return followed.end(err, unread)
		}
		defer file.Close()
		d, err := inspect.Of(args[0], file, brief, runtime.GOMAXPROCS(0))
		if err := followed.end(err, unread); err != nil {
			return err
		}
		return a.print(d, describedTrace(d))
	})
	command.Flags().BoolVar(&brief, "brief", false, "leave out access sizes, sharing and hot blocks")
	return command
}

// describedTrace is a description for people.
func describedTrace(d *inspect.Description) *sheet.Sheet {
	s := sheet.Facts(*d)
	if b := d.Behaviour; b != nil {
		s.Rows = append(s.Rows, sheet.Facts(*b).Rows...)
		for _, e := range b.Sizes {
			s.Add(fmt.Sprintf("of %d bytes: loads, stores, atomics", e.Bytes), []uint64{e.Loads, e.Stores, e.Atomics})
		}
		for _, e := range b.Sharing {
			s.Add(e.Class+" blocks; accesses", fmt.Sprintf("%d; %d", e.Blocks, e.Accesses))
		}
		for _, e := range b.HotBlocks {
			text := fmt.Sprintf("%d accesses; %d cores, %d readers, %d writers", e.Accesses, e.Cores, e.Readers, e.Writers)
			if e.FalseSharing {
				text += "; false sharing"
			}
			s.Add(fmt.Sprintf("hot block %#x", e.Address), text)
		}
	}
	if d.Drawn != "" {
		s.Add("drawn", d.Drawn)
	}
	if l := d.CacheLimit; l != nil {
		s.Add("timestamps", fmt.Sprintf("%d, for L1s up to %s and an L2 up to %s sets and ways", d.Timestamps, cacheText(l.L1Sets, l.L1Ways), cacheText(l.L2Sets, l.L2Ways)))
	} else {
		s.Add("timestamps", "none: caches start empty")
	}
	for _, note := range d.Notes {
		s.Add("note", note)
	}
	if d.Dependences == 0 {
		s.Note("the trace has no dependences between loads")
	}
	s.Note(traces.IdleNote(d.ActiveCores, d.Cores)...)
	return s
}
