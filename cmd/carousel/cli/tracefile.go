package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/inspect"
)

// newFile is the file that a command writes: -o and --force, and --small for traces.
type newFile struct {
	path         string
	small, force bool
}

// flags adds -o and --force.
func (n *newFile) flags(flags *pflag.FlagSet, usage string) {
	flags.StringVarP(&n.path, "output", "o", "", usage)
	flags.BoolVar(&n.force, "force", false, "replace a file that exists")
}

// traceFlags adds -o, --force and --small.
func (n *newFile) traceFlags(flags *pflag.FlagSet) {
	n.flags(flags, "the new trace")
	flags.BoolVar(&n.small, "small", false, "compress better; takes ten times as long")
}

// check refuses a file that was not named, that is one of the inputs, that exists without --force,
// or that cannot be made, before anything is read. what names the file.
func (n *newFile) check(what string, inputs ...string) error {
	if n.path == "" {
		return usagef("name the new %s with -o FILE", what)
	}
	for _, path := range inputs {
		if err := distinct(path, n.path); err != nil {
			return err
		}
	}
	return creatable("-o", n.path, n.force)
}

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
	s.After = slices.Concat(traces.IdleNote(w.ActiveCores, w.Cores), notes, []string{"trace: " + w.File})
	return a.print(w, s)
}

// distinct refuses to write a file over one that is read.
func distinct(from, to string) error {
	a, errA := os.Stat(from)
	b, errB := os.Stat(to)
	if errA == nil && errB == nil && os.SameFile(a, b) || filepath.Clean(from) == filepath.Clean(to) {
		return usagef("-o %s is the input itself; name another file", to)
	}
	if err := wholefile.Check(from); err != nil {
		return inputError{err}
	}
	if errA != nil && errors.Is(errA, os.ErrNotExist) {
		return inputError{errA}
	}
	return nil
}

// creatable refuses a new file that exists, unless it may be replaced, or that cannot be made. flag
// is the one that names it.
func creatable(flag, path string, replace bool) error {
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return usagef("%s %s exists and is not a regular file; name another file", flag, path)
	case err == nil && !replace:
		return usagef("%s %s: the file exists; choose another name, or add --force", flag, path)
	}
	if err := wholefile.Probe(path); err != nil {
		var detail *fs.PathError
		if errors.As(err, &detail) { // it names the path once more
			err = detail.Err
		}
		return usagef("%s %s: the folder %s cannot be written: %w; choose another place", flag, path, filepath.Dir(path), err)
	}
	return nil
}

// nothingWritten returns what is left of a command that writes one file when it is interrupted.
func nothingWritten(out string) string {
	if _, err := os.Stat(out); err == nil {
		return out + " is what it was before"
	}
	return "nothing was written"
}
