package traces

import (
	"slices"
	"sort"
)

// valueStream is the reading position in one core's values.
type valueStream struct {
	rows     []int32
	next     int    // row to read next
	position uint64 // of the record whose value is read next
	plain    []byte
	decoder  valueDecoder
	passed   Values // values that are passed over
}

// WriteValues appends the values of a core's next records: those that follow the ones whose values
// have been written. Values may be written before and after their records; records whose values are
// not written have none. The metadata must name the stream.
func (w *Writer) WriteValues(core int, values *Values) error {
	c, err := w.core(core)
	if err != nil {
		return err
	}
	for i := range values.Len() {
		value := values.Of(i)
		if n := len(value); n > LineBytes || n&(n-1) != 0 || !w.metadata.HasValues() {
			return w.fault(ValueStream, core, c.valued+uint64(c.values.entries()), ErrIllegal,
				"a value has 1, 2, 4 to 64 bytes, and the metadata names the stream \"values\"", "")
		}
		if len(value) > 0 {
			c.written.Values++
		}
		if c.values.size()+1+len(value) > w.config.BlockBytes {
			w.flushValues(core, c)
		}
		if c.values.append(value); c.values.entries() == w.config.BlockRecords {
			w.flushValues(core, c)
		}
	}
	return w.err
}

func (w *Writer) flushValues(core int, c *coreWriter) {
	n := c.values.entries()
	if n == 0 {
		return
	}
	c.values.take(&w.columns)
	w.block(blockRow{stream: ValueStream, core: uint16(core), first: c.valued, entries: uint32(n)}, 0)
	c.valued += uint64(n)
}

// HasValues reports whether the file may hold what accesses read and wrote.
func (f *File) HasValues() bool { return f.metadata.HasValues() }

// ReadValues implements [Valued].
func (f *File) ReadValues(core int, first uint64, records int, into *Values) error {
	if core < 0 || core >= len(f.values) {
		return f.fault(-1, ErrMissingStream, noCore(core), "")
	}
	s := &f.values[core]
	if err := f.seekValues(s, first); err != nil {
		return err
	}
	return f.nextValues(s, records, into)
}

// nextValues reads on; records beyond the stream have no values.
func (f *File) nextValues(s *valueStream, records int, into *Values) error {
	for records > 0 {
		if len(s.decoder.codes) == 0 {
			if s.next == len(s.rows) {
				s.position += uint64(records)
				for range records {
					into.Append(nil)
				}
				return nil
			}
			if err := f.openValues(s); err != nil {
				return err
			}
		}
		n := min(records, len(s.decoder.codes))
		s.decoder.read(n, into)
		s.position += uint64(n)
		records -= n
	}
	return nil
}

// seekValues moves a stream to the value of a record; it decodes at most one block.
func (f *File) seekValues(s *valueStream, first uint64) error {
	if s.position == first {
		return nil
	}
	if left := uint64(len(s.decoder.codes)); first < s.position || first > s.position+left {
		row := max(0, sort.Search(len(s.rows), func(i int) bool { return f.index[s.rows[i]].first > first })-1)
		s.next, s.position, s.decoder.codes = row, 0, nil
		if row < len(s.rows) {
			s.position = f.index[s.rows[row]].first
		}
	}
	for s.position < first {
		s.passed.Reset()
		if err := f.nextValues(s, int(min(first-s.position, 1<<16)), &s.passed); err != nil {
			return err
		}
	}
	return nil
}

// openValues decompresses the next block of a stream.
func (f *File) openValues(s *valueStream) error {
	row := &f.index[s.rows[s.next]]
	var err error
	if s.plain, err = f.readBlock(row, s.plain); err != nil {
		return err
	}
	if !s.decoder.open(int(row.entries), &f.columns) {
		s.decoder.codes = nil
		return f.damage(ValueStream, int(row.core)%f.metadata.Cores, row.first, int64(row.offset), "the columns do not fit each other")
	}
	s.next++
	return nil
}

// verifyValues checks that the values of a core are those of its accesses, and counts them.
func (f *File) verifyValues(core int) (known uint64, err error) {
	s := &f.records[core]
	s.next, s.position, s.decoder.codes = 0, 0, nil
	records, values := make([]Record, scanRecords), new(Values)
	for {
		position := s.position
		n, err := f.ReadRecords(core, records)
		if n == 0 {
			return known, ignoreEnd(err)
		}
		values.Reset()
		if err := f.ReadValues(core, position, n, values); err != nil {
			return known, err
		}
		for i := range records[:n] {
			r, bytes := &records[i], len(values.Of(i))
			if bytes == 0 {
				continue
			}
			known++
			if !r.Kind.IsAccess() || bytes != 1<<r.Size {
				return known, &Error{File: f.name, Window: f.windowNumber(), Stream: ValueStream, Core: core, Record: position + uint64(i), Offset: -1, Err: ErrIllegal,
					Problem: "a value is of an access and has as many bytes"}
			}
		}
	}
}

// HasValues reports whether the trace may hold what accesses read and wrote.
func (m Metadata) HasValues() bool { return slices.Contains(m.Streams, ValueStream.String()) }

// WithValues returns the metadata of a trace that holds what accesses read and wrote.
func (m Metadata) WithValues() Metadata {
	if !m.HasValues() {
		m.Streams = append(slices.Clone(m.Streams), ValueStream.String())
	}
	return m
}
