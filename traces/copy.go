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

// Copy writes all that is left in a source: records, edges, pages when the source has a page map,
// and values when it has some and the metadata of the new trace names their stream. A source with
// values stands at its beginning.
func Copy(w *Writer, s Source) error { return copyInto(w, s, 0, true) }

// copyInto is Copy into streams of a writer from the first one, with or without the page maps.
func copyInto(w *Writer, s Source, first int, pages bool) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	hasPages = hasPages && pages
	known, values := valuesOf(s), new(Values)
	if !w.metadata.HasValues() {
		known = nil
	}
	for core := range s.Cores() {
		for position := uint64(0); ; {
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
			if known != nil {
				values.Reset()
				if err := known.ReadValues(core, position, n, values); err != nil {
					return err
				}
				if err := w.WriteValues(first+core, values); err != nil {
					return err
				}
			}
			position += uint64(n)
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
