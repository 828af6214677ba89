package traces

import (
	"fmt"
	"math"
)

// Amend changes the metadata of a trace file without windows, which stands before all else in it, by
// writing the file again.
func Amend(path string, c WriterConfig, change func(*Metadata)) error {
	f, err := Open(path, ReaderConfig{MemoryBytes: math.MaxUint64})
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Windows() > 1 || f.metadata.Timestamps != nil {
		return fmt.Errorf("%s has windows with timestamps, which are not copied", path)
	}
	m := f.Metadata()
	change(&m)
	w, err := CreateFile(path, m, c)
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Close
	if err := Copy(w, f); err != nil {
		return err
	}
	f.Close() // some platforms do not replace a file that is open
	return w.Close()
}

// Copy writes all that is left in a source: records, edges, and pages when the source has a page
// map.
func Copy(w *Writer, s Source) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	for core := range s.Cores() {
		if err := copyStream(w.WriteRecords, s.ReadRecords, core, records); err != nil {
			return err
		}
		if err := copyStream(w.WriteEdges, s.ReadEdges, core, edges); err != nil {
			return err
		}
		if !hasPages {
			continue
		}
		if err := w.CopyPages(core, paged, core); err != nil {
			return err
		}
	}
	return nil
}

// CopyPages writes the page map of a core of a source as that of a core.
func (w *Writer) CopyPages(to int, s Paged, core int) error {
	pages, err := s.ReadPages(core)
	if err != nil {
		return err
	}
	return w.WritePages(to, pages)
}

// copyStream writes what is left of a stream of a core.
func copyStream[T any](write func(int, []T) error, read func(int, []T) (int, error), core int, batch []T) error {
	for {
		n, err := read(core, batch)
		if err = ignoreEnd(err); err != nil || n == 0 {
			return err
		}
		if err := write(core, batch[:n]); err != nil {
			return err
		}
	}
}
