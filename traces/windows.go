package traces

import "fmt"

// streams are the reading positions in the streams of all cores of one window, or of all windows.
type streams struct {
	records    []recordStream
	edges      []edgeStream
	pages      [][]int32 // rows of the index
	timestamps [][]int32 // rows; of a window's first core only
}

func newStreams(n int) streams {
	return streams{make([]recordStream, n), make([]edgeStream, n), make([][]int32, n), make([][]int32, n)}
}

// of returns the streams from first up to end. Windows share the page maps of the first one.
func (s *streams) of(first, end int) streams {
	return streams{s.records[first:end], s.edges[first:end], s.pages[:end-first], s.timestamps[first:end]}
}

// Stamped is implemented by sources that may know what caches hold before the first record.
type Stamped interface {
	// ReadTimestamps returns the memory timestamp record, and the limit of the caches that it is
	// good for; nil and no error when nothing is known.
	ReadTimestamps() (*Timestamps, CacheLimit, error)
}

// Windows returns the number of windows. The streams of an opened file are those of window 0.
func (f *File) Windows() int { return f.metadata.WindowCount() }

// Window returns the same file with the streams of a window, and with reading positions and buffers
// of its own, for another goroutine. It is good until f is closed, and closed by itself.
func (f *File) Window(window int) (*File, error) {
	own, err := f.Again()
	if err != nil {
		return nil, err
	}
	if err := own.Choose(window); err != nil {
		own.zstd.Close()
		return nil, err
	}
	return own, nil
}

// Choose makes the streams of the file those of a window, from their beginning.
func (f *File) Choose(window int) error {
	if window < 0 || window >= f.Windows() {
		return f.fault(-1, ErrMissingStream, fmt.Sprintf("window %d does not exist; there are windows 0 to %d", window, f.Windows()-1), "")
	}
	f.stand(window)
	f.Rewind()
	return nil
}

// stand makes the streams of a window those of the file.
func (f *File) stand(window int) {
	cores := f.metadata.Cores
	f.window = window
	f.streams = f.whole.of(window*cores, (window+1)*cores)
	if f.allTotals != nil {
		f.totals = f.allTotals[window*cores : (window+1)*cores]
	}
}

// windowNumber is what errors have for the file's window.
func (f *File) windowNumber() int { return f.metadata.windowNumber(f.window) }

// windowNumber is what errors have for a window: nothing when there is only one.
func (m Metadata) windowNumber(window int) int {
	if len(m.Windows) == 0 {
		return 0
	}
	return window + 1
}

// WindowNumber returns which window the file's streams are of.
func (f *File) WindowNumber() int { return f.window }

// ReadTimestamps implements [Stamped].
func (f *File) ReadTimestamps() (*Timestamps, CacheLimit, error) {
	limit := f.metadata.Timestamps
	if limit == nil {
		return nil, CacheLimit{}, nil
	}
	rows := f.timestamps[0]
	entries := uint64(0)
	for _, i := range rows {
		entries += uint64(f.index[i].entries)
	}
	if most := limit.entries(f.metadata.Cores); entries > most {
		return nil, *limit, f.damage(TimestampStream, 0, 0, int64(f.index[rows[0]].offset),
			fmt.Sprintf("there are %d timestamps; caches of the recorded limit hold at most %d blocks", entries, most))
	}
	if entries == 0 && f.metadata.Windows[f.window].After > 0 {
		return nil, *limit, &Error{File: f.name, Window: f.windowNumber(), Stream: TimestampStream, Offset: -1, Err: ErrMissingStream,
			Problem: "the window has no timestamps, though its metadata names some", Hint: "sample the trace again, or replay it with --cold"}
	}
	t := new(Timestamps)
	if err := f.decodeAll(rows, 0, func(entries int) bool { return decodeTimestamps(t, entries, &f.columns) }); err != nil {
		return nil, *limit, err
	}
	if entry, problem, condition := t.check(*limit, f.metadata.Cores, f.config.MemoryBytes); problem != "" {
		return nil, *limit, &Error{File: f.name, Window: f.windowNumber(), Stream: TimestampStream, Record: uint64(entry),
			Offset: f.offsetOf(rows, uint64(entry)), Err: condition, Problem: problem}
	}
	return t, *limit, nil
}

// WriteTimestamps writes the memory timestamp record of a window, once. The metadata must give its
// limit.
func (w *Writer) WriteTimestamps(window int, t *Timestamps) error {
	m := &w.metadata
	fault := func(entry int, condition error, problem string) error {
		return &Error{File: w.path, Window: m.windowNumber(window), Stream: TimestampStream, Record: uint64(entry), Offset: -1, Err: condition, Problem: problem}
	}
	switch {
	case w.err != nil:
		return w.err
	case m.Timestamps == nil || window < 0 || window >= m.WindowCount():
		return fault(0, ErrIllegal, "the metadata names no such window, or no limit of timestamps")
	case w.cores[window*m.Cores].written.Timestamps > 0:
		return fault(0, ErrIllegal, "the window has its timestamps already")
	}
	if entry, problem, condition := t.check(*m.Timestamps, m.Cores, 1<<63); problem != "" {
		return fault(entry, condition, problem)
	}
	core := window * m.Cores
	for first := 0; first < len(t.Entries); first += timestampsPerBlock {
		end := min(first+timestampsPerBlock, len(t.Entries))
		encodeTimestamps(t, first, end, &w.columns)
		w.block(blockRow{stream: TimestampStream, core: uint16(core), first: uint64(first), entries: uint32(end - first)}, 0)
		w.cores[core].written.Timestamps += uint64(end - first)
	}
	return w.err
}
