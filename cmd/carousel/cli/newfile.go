package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
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
	if n.path == "-" {
		return usagef("-o -: the new %s must be a file, since it is checked when it is whole; ./- names a file called -", what)
	}
	if err := apart("-o", n.path, "file", inputs...); err != nil {
		return err
	}
	for _, path := range inputs {
		if err := wholefile.Check(path); err != nil {
			return inputError{err}
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return inputError{err}
		}
	}
	return creatable("-o", n.path, n.force)
}

// apart refuses an output that is one of the files and folders that the command reads, or in one of
// these folders, or that has one in it. Inputs that do not exist matter to nobody. flag names the
// output, and kind is what it is.
func apart(flag, out, kind string, inputs ...string) error {
	for _, in := range inputs {
		switch {
		case in == "":
		case sameFile(in, out):
			return usagef("%s %s is the input itself; name another %s", flag, out, kind)
		case hasFile(in, out):
			return usagef("%s %s is in %s, which the command reads; name another %s", flag, out, in, kind)
		case isBelow(in, out):
			return usagef("%s %s has %s in it, which the command reads; name another %s", flag, out, in, kind)
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file, which need not exist.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB) || followed(a) == followed(b)
}

// followed returns where a path leads, whether or not something is there.
func followed(path string) string {
	for range 40 { // as many links as Linux follows
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// hasFile reports whether a file is in a folder, by any name.
func hasFile(dir, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	found := false
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error { // who reads the folder tells errors
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if other, err := d.Info(); err == nil && os.SameFile(info, other) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isBelow reports whether a path leads below a folder.
func isBelow(path, dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	for at := followed(path); ; at = filepath.Dir(at) {
		if other, err := os.Stat(at); err == nil && os.SameFile(info, other) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
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
	if err := wholefile.Probe(path); refused(err) != nil {
		return unwritten(err)
	} else if err != nil {
		var detail *fs.PathError
		if errors.As(err, &detail) { // it names the path once more
			err = detail.Err
		}
		return usagef("%s %s: the folder %s cannot be written: %w; choose another place", flag, path, filepath.Dir(path), err)
	}
	return nil
}
