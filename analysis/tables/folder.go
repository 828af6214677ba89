package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Formats says how tables are written, beside Arrow.
type Formats struct {
	Parquet, CSV bool // files of these formats, too
	Compression  Compression
}

// Folder is a set of files on their way into a directory. They appear together in Commit; until
// then, and after Discard, the directory is as it was.
type Folder struct {
	Formats
	dir     string
	failed  error             // why a file could not be added
	made    bool              // the directory is ours
	names   []string          // of the files that were added
	waiting []*wholefile.File // complete and on the disk, under their temporary names
}

// OpenFolder prepares a directory, making it and its parents when they do not exist, and shows that
// files can be written there. Only the last directory made is taken away again by Discard.
func OpenFolder(dir string) (*Folder, error) {
	_, err := os.Stat(dir)
	f := &Folder{dir: dir, made: errors.Is(err, fs.ErrNotExist)}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the output directory: %w", err)
	}
	if err := wholefile.Probe(filepath.Join(dir, "carousel")); err != nil {
		f.Discard()
		return nil, fmt.Errorf("cannot write into the output directory: %w", err)
	}
	return f, nil
}

// Add writes one file under a temporary name and forces it to the disk. When it fails, nothing of
// the file is left, the folder takes no more files, and Err and Commit return the reason.
func (f *Folder) Add(name string, write func(*os.File) error) {
	if f.failed != nil {
		return
	}
	file, err := wholefile.Create(filepath.Join(f.dir, name))
	if err == nil {
		if err = write(file.File); err == nil {
			err = file.Seal()
		}
		if err != nil {
			file.Abort()
		}
	}
	switch {
	case err == nil:
		f.waiting, f.names = append(f.waiting, file), append(f.names, name)
	case errors.As(err, new(*fs.PathError)):
		f.failed = err // which names the file
	default:
		f.failed = fmt.Errorf("cannot write %s: %w", filepath.Join(f.dir, name), err)
	}
}

// Err says why a file could not be added.
func (f *Folder) Err() error { return f.failed }

// Names lists the files that have been added.
func (f *Folder) Names() []string { return f.names }

// Put adds a table's Arrow file, and those of the other formats of the folder.
func Put[R any](f *Folder, t *Table[R], rows []R, manifest string) {
	f.Add(t.Name+".arrow", func(w *os.File) error { return t.WriteArrow(w, rows, manifest, f.Compression) })
	if f.Parquet {
		f.Add(t.Name+".parquet", func(w *os.File) error { return t.WriteParquet(w, rows, manifest, f.Compression == Zstd) })
	}
	if f.CSV {
		f.Add(t.Name+".csv", func(w *os.File) error { return t.WriteCSV(w, rows) })
	}
}

// Commit gives all files their names and forces the directory to the disk. Files of the same names
// are replaced. Without all of the files none gets its name.
func (f *Folder) Commit() error {
	if f.failed != nil {
		return f.failed
	}
	for len(f.waiting) > 0 {
		if err := f.waiting[0].Place(); err != nil {
			f.Discard()
			return fmt.Errorf("cannot write into the output directory: %w", err)
		}
		f.waiting, f.made = f.waiting[1:], false
	}
	return wholefile.SyncFolder(f.dir)
}

// Discard removes what has not been committed. It does nothing after Commit.
func (f *Folder) Discard() {
	for _, w := range f.waiting {
		w.Abort()
	}
	f.waiting = nil
	if f.made {
		os.Remove(f.dir) // fails, as it should, if another process has put a file there
		f.made = false
	}
}
