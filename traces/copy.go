package traces

import "math"

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
	for window := range f.Windows() {
		if err := copyWindow(w, f, window); err != nil {
			return err
		}
	}
	f.Close() // some platforms do not replace a file that is open
	return w.Close()
}

// copyWindow writes a window of a file, with its timestamps, as the same one of a trace with as many.
func copyWindow(w *Writer, f *File, window int) error {
	one, err := f.Window(window)
	if err != nil {
		return err
	}
	defer one.zstd.Close()
	if err := copyInto(w, one, window*one.Cores(), window == 0); err != nil {
		return err
	}
	t, _, err := one.ReadTimestamps()
	if err != nil || t == nil || w.metadata.Timestamps == nil {
		return err
	}
	return w.WriteTimestamps(window, t)
}

// Copy writes all that is left in a source: records, edges, and pages when the source has a page
// map.
func Copy(w *Writer, s Source) error { return copyInto(w, s, 0, true) }

// copyInto is Copy into streams of a writer from the first one, with or without the page maps.
func copyInto(w *Writer, s Source, first int, pages bool) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	for core := range s.Cores() {
		if err := copyStream(w.WriteRecords, first+core, s.ReadRecords, core, records); err != nil {
			return err
		}
		if err := copyStream(w.WriteEdges, first+core, s.ReadEdges, core, edges); err != nil {
			return err
		}
		if !hasPages || !pages {
			continue
		}
		if err := w.CopyPages(first+core, paged, core); err != nil {
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

// copyStream writes what is left of one stream to another.
func copyStream[T any](write func(int, []T) error, to int, read func(int, []T) (int, error), from int, batch []T) error {
	for {
		n, err := read(from, batch)
		if err = ignoreEnd(err); err != nil || n == 0 {
			return err
		}
		if err := write(to, batch[:n]); err != nil {
			return err
		}
	}
}
