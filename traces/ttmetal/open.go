package ttmetal

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Open reads files, folders with files below them, and tar archives, all of them compressed or not,
// in the order given; in folders and archives it takes what ends in .json, in a folder also such a
// file compressed or an archive.
func Open(paths ...string) (all []*Trace, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		before := len(all)
		if info.IsDir() {
			all, err = openFolder(path, all)
		} else {
			all, err = openFile(path, all)
		}
		if err != nil {
			return nil, err
		}
		if len(all) == before {
			return nil, &traces.Error{File: path, Core: -1, Offset: -1, Err: traces.ErrNotATrace, Problem: "there is no file that ends in .json in it"}
		}
	}
	return all, nil
}

// openFolder reads what a folder and those below it hold, by name.
func openFolder(path string, all []*Trace) ([]*Trace, error) {
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (isTrace(file) || isArchive(file)) {
			all, err = openFile(file, all)
		}
		return err
	})
	return all, err
}

// openFile reads a trace, or an archive of some.
func openFile(path string, all []*Trace) ([]*Trace, error) {
	from, err := packed.Open(path, nil)
	if err != nil {
		return all, err
	}
	defer from.Close()
	const magicAt = 257
	if head, _ := from.Peek(magicAt + 5); len(head) == magicAt+5 && bytes.Equal(head[magicAt:], []byte("ustar")) {
		return openArchive(path, from, all)
	}
	t, err := Parse(path, from)
	if err != nil {
		return all, err
	}
	return append(all, t), nil
}

// openArchive reads the traces of a tar archive.
func openArchive(path string, from io.Reader, all []*Trace) ([]*Trace, error) {
	for archive := tar.NewReader(from); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			problem, condition := packed.Condition(err)
			return all, &traces.Error{File: path, Core: -1, Offset: -1, Err: condition, Problem: problem}
		}
		if head.Typeflag != tar.TypeReg || !isTrace(head.Name) {
			continue
		}
		t, err := Parse(fmt.Sprintf("%s(%s)", path, head.Name), archive)
		if err != nil {
			return all, err
		}
		t.Name = baseName(head.Name)
		all = append(all, t)
	}
}

// isTrace tells by the name whether a file among others is a trace.
func isTrace(name string) bool {
	base := filepath.Base(name)
	return !strings.HasPrefix(base, ".") && (strings.HasSuffix(base, ".json") || strings.Contains(base, ".json."))
}

func isArchive(name string) bool {
	base := filepath.Base(name)
	return !strings.HasPrefix(base, ".") && (strings.HasSuffix(base, ".tar") || strings.Contains(base, ".tar.") || strings.HasSuffix(base, ".tgz"))
}

// baseName is a file's name without folder and extensions.
func baseName(path string) string {
	base := filepath.Base(path)
	if i := strings.Index(base, ".json"); i > 0 {
		return base[:i]
	}
	return base
}
