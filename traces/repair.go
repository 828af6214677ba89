package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Repaired says what Repair has saved and lost.
type Repaired struct {
	Totals []CoreTotals // of the new file, per window and core
	// Lost is, per window and core, what could be told to be missing.
	Lost []Loss
	// Cold tells that timestamps were damaged, so that the windows of the new trace begin cold.
	Cold bool
	// SkippedBytes of the damaged file belong to no complete block; the index, if any, is among
	// them.
	SkippedBytes int64
}

// Loss is what a repair took from one core.
type Loss struct {
	// Cut tells that the stream did not reach its end; it was given one.
	Cut bool
	// Records were readable, but came after a lost block of their stream or after a barrier, lock
	// or join that the loss leaves closed for ever.
	Records uint64
	// Edges were readable, but name a record that is gone.
	Edges uint64
	// Unlocks were added for locks held where the stream now ends.
	Unlocks uint64
}

// Repair copies all that is complete in a damaged file to a new one that can be replayed. Without
// its index, blocks are found one after the other and, after damage, by their magic. Of each core's
// records the unbroken beginning is kept; edges to lost records are dropped; a core ends where it
// would wait for ever, and releases its locks. The head must be whole: without it nothing is known
// of the cores. passed, if not nil, follows the reading, as in [ReaderConfig].
func Repair(from, to string, c WriterConfig, passed func(bytes int) error) (Repaired, error) {
	file, size, err := openSized(from)
	if err != nil {
		return Repaired{}, err
	}
	defer file.Close()
	var report Repaired
	windows, skipped, err := recoverBlocks(from, file, size, passed)
	if err != nil {
		return report, err
	}
	defer closeAll(windows)
	report.SkippedBytes = skipped
	m := windows[0].file.metadata
	if report.Cold = !timestampsWhole(windows); report.Cold {
		m.Timestamps = nil
	}
	w, err := CreateFile(to, m, c)
	if err != nil {
		return report, err
	}
	defer w.Abort() // does nothing after Close
	for i, s := range windows {
		if err := s.copy(w, i); err != nil {
			return report, err
		}
		report.Lost = append(report.Lost, s.lost...)
	}
	if err := w.Close(); err != nil {
		return report, err
	}
	report.Totals = w.Totals()
	return report, nil
}

func closeAll(windows []*salvage) {
	for _, s := range windows {
		s.file.zstd.Close()
	}
}

// timestampsWhole reports whether every window has the timestamps that it should have.
func timestampsWhole(windows []*salvage) bool {
	for _, s := range windows {
		if _, _, err := s.file.ReadTimestamps(); err != nil {
			return false
		}
	}
	return true
}

// recoverBlocks finds what is left of each window of a trace and makes it fit to be replayed.
func recoverBlocks(name string, from io.ReaderAt, size int64, passed func(bytes int) error) ([]*salvage, int64, error) {
	f, err := openHead(name, from, size, ReaderConfig{MemoryBytes: 1 << 63, Passed: passed})
	if err != nil {
		return nil, 0, err
	}
	defer f.zstd.Close()
	skipped, err := f.scan()
	var windows []*salvage
	for i := 0; err == nil && i < f.Windows(); i++ {
		var one *File
		if one, err = f.Window(i); err == nil {
			windows = append(windows, one.salvage())
			err = windows[i].settle()
		}
	}
	if err != nil {
		closeAll(windows)
		return nil, skipped, err
	}
	return windows, skipped, nil
}

// scan rebuilds the index from the blocks themselves: those that are whole, decode, and join the
// blocks of their stream before them. It returns how many bytes it had to skip.
func (f *File) scan() (int64, error) {
	cores := f.metadata.streams()
	f.whole = newStreams(cores)
	seen := make([][lastStream + 1]uint64, cores)
	window := make([]byte, 1<<16)
	skipped := int64(0)
	for at := f.blocks; at < f.size; {
		row, ok, err := f.wholeBlock(at)
		if err != nil {
			return skipped, err
		}
		if ok {
			at += int64(row.stored)
			if next := &seen[row.core][row.stream]; row.stream == EdgeStream || row.first == *next {
				*next = row.first + uint64(row.entries)
				f.index = append(f.index, row)
				f.keep(&row, int32(len(f.index)-1))
			}
			continue
		}
		// Resynchronise on the next magic.
		n, err := f.readAt(window, at+1)
		if err != nil {
			return skipped, err
		}
		step := int64(n) + 1
		if i := bytes.Index(window[:n], []byte(blockMagic)); i >= 0 {
			step = int64(i) + 1
		} else if n == len(window) {
			step = int64(n) - 2 // the magic may lie across the end of the window
		}
		step = min(step, f.size-at)
		skipped += step
		at += step
	}
	return skipped, nil
}

// wholeBlock reports whether a complete, sound block begins at an offset.
func (f *File) wholeBlock(at int64) (blockRow, bool, error) {
	b := make([]byte, headLength(limitColumns))
	n, err := f.readAt(b, at)
	if err != nil {
		return blockRow{}, false, err
	}
	var h blockHead
	if _, problem := parseBlockHead(b[:n], &h); problem != "" {
		return blockRow{}, false, nil
	}
	h.offset = uint64(at)
	row := h.blockRow
	if int(row.core) >= f.metadata.streams() || row.stream < RecordStream || row.stream > lastStream || at+int64(row.stored) > f.size {
		return row, false, nil
	}
	plain, err := f.readBlock(&row, nil)
	if err != nil {
		if errors.Is(err, ErrCorrupt) {
			err = nil
		}
		return row, false, err
	}
	return row, f.decodes(&row, plain), nil
}

// decodes tries the columns just read into plain.
func (f *File) decodes(row *blockRow, plain []byte) bool {
	n := int(row.entries)
	switch row.stream {
	case RecordStream:
		var d recordDecoder
		return d.open(n, plain[:len(plain)+decoderSlack], &f.columns) && d.read(make([]Record, n)) == n && !d.corrupt && d.spent()
	case EdgeStream:
		var d edgeDecoder
		d.open(n, &f.columns)
		_, ok := d.read(make([]Edge, n))
		return ok
	case ValueStream:
		var d valueDecoder
		return d.open(n, &f.columns)
	case TimestampStream:
		return decodeTimestamps(new(Timestamps), n, &f.columns)
	}
	_, ok := decodePages(nil, n, &f.columns)
	return ok
}

// salvage is what scan has found, as a source that can be replayed.
type salvage struct {
	file  *File
	limit []uint64 // records kept per core
	found []uint64 // records readable per core
	ended []bool   // the last of them is an End
	lost  []Loss
	cores []salvagedCore
}

func (f *File) salvage() *salvage {
	n := f.metadata.Cores
	s := &salvage{file: f, limit: make([]uint64, n), found: make([]uint64, n), ended: make([]bool, n), lost: make([]Loss, n)}
	for core := range s.limit {
		for _, i := range f.records[core].rows {
			s.found[core] += uint64(f.index[i].entries)
		}
		s.limit[core] = s.found[core]
	}
	return s
}

// settle cuts the cores that would wait for ever, until none does. Every turn cuts at least one
// record.
func (s *salvage) settle() error {
	for {
		before := append([]uint64(nil), s.limit...)
		s.rewind()
		p := newReplay(s, 1<<63)
		_, err := p.run()
		var e *Error
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &e) || e.Core < 0:
			return err
		case e.Err == ErrDeadlock:
			s.cutStuck(p)
		case e.Err == ErrIllegal && e.Record < s.limit[e.Core] && e.Stream == RecordStream:
			s.limit[e.Core] = e.Record
		default:
			return fmt.Errorf("what is left cannot be replayed: %w", err)
		}
		if slices.Equal(before, s.limit) {
			return fmt.Errorf("what is left cannot be replayed: %w", err)
		}
	}
}

// cutStuck ends the cores that wait at barriers that never fill: that frees those that wait for
// them. When none does, it ends all that are stuck.
func (s *salvage) cutStuck(p *replay) {
	atBarrier := false
	for core := range p.cores {
		atBarrier = atBarrier || p.cores[core].joined
	}
	for core := range p.cores {
		if c := &p.cores[core]; !c.ended && c.joined == atBarrier {
			s.limit[core] = c.position
		}
	}
}

// copy writes what is kept of a window and counts what is not.
func (s *salvage) copy(w *Writer, window int) error {
	s.rewind()
	if err := copyInto(w, s, window*s.Cores(), window == 0); err != nil {
		return err
	}
	if w.metadata.Timestamps != nil {
		t, _, err := s.file.ReadTimestamps()
		if err == nil {
			err = w.WriteTimestamps(window, t)
		}
		if err != nil {
			return err
		}
	}
	for core := range s.lost {
		s.lost[core].Cut = !s.ended[core]
		s.lost[core].Records = s.found[core] - s.limit[core]
	}
	return nil
}
