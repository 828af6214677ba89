package traces

import (
	"errors"
	"io"
	"math"
)

// Amend changes the metadata of a trace file, which stands before all else in it, by writing the
// file again.
func Amend(path string, c WriterConfig, change func(*Metadata)) error {
	f, err := Open(path, ReaderConfig{MemoryBytes: math.MaxUint64})
	if err != nil {
		return err
	}
	defer f.Close()
	m := f.Metadata()
	change(&m)
	w, err := CreateFile(path, m, c)
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Close
	if err := CopyFile(w, f); err != nil {
		return err
	}
	f.Close() // some platforms do not replace a file that is open
	return w.Close()
}

// Copy writes all that is left in a source: records, edges, and pages when the source has a page
// map.
func Copy(w *Writer, s Source) error { return copyInto(w, s, 0, true) }

// copyInto is Copy into streams of a writer from the first one, with or without the page maps.
func copyInto(w *Writer, s Source, first int, pages bool) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	hasPages = hasPages && pages
	for core := range s.Cores() {
		for {
			n, err := s.ReadRecords(core, records)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if n == 0 {
				break
			}
			if err := w.WriteRecords(first+core, records[:n]); err != nil {
				return err
			}
		}
		for {
			n, err := s.ReadEdges(core, edges)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if n == 0 {
				break
			}
			if err := w.WriteEdges(first+core, edges[:n]); err != nil {
				return err
			}
		}
		if !hasPages {
			continue
		}
		mapped, err := paged.ReadPages(core)
		if err != nil {
			return err
		}
		if err := w.WritePages(first+core, mapped); err != nil {
			return err
		}
	}
	return nil
}
