package traces

import "io"

// Memory is a source that holds its records in slices: for tests, and for traces that a program
// makes up.
type Memory struct {
	records        [][]Record
	edges          [][]Edge
	recordAt       []int
	edgeAt         []int
	created        []bool
	stamps         *Timestamps
	limit          CacheLimit
	own            [][]uint64
	lead, measured uint64
}

// Creations is implemented by sources that know which cores start only when another core's Create
// record names them. The cores of other sources all start at once.
type Creations interface {
	Created(core int) bool
}

// Paged is implemented by sources that have page maps. Spaces that all cores share are core 0's.
type Paged interface {
	ReadPages(core int) ([]Page, error)
}

// NewMemory makes a source of one stream per element of records. A stream without an End record
// gets one. edges may be shorter than records, or nil; each element is ordered by At. The slices
// are kept.
func NewMemory(records [][]Record, edges [][]Edge) *Memory {
	m := &Memory{records: make([][]Record, len(records)), edges: make([][]Edge, len(records)),
		recordAt: make([]int, len(records)), edgeAt: make([]int, len(records)), created: make([]bool, len(records))}
	copy(m.edges, edges)
	for core, s := range records {
		if n := len(s); n == 0 || s[n-1].Kind != End {
			s = append(s[:n:n], Record{Kind: End})
		}
		m.records[core] = s
		for i := range s {
			if a := s[i].Address; s[i].Kind == Create && a < uint64(len(records)) {
				m.created[a] = true
			}
		}
	}
	return m
}

// WithTimestamps makes it know what caches up to a limit hold before its first record.
func (m *Memory) WithTimestamps(t *Timestamps, limit CacheLimit) *Memory {
	m.stamps, m.limit = t, limit
	return m
}

// WithTickets lets a replay give out its tickets.
func (m *Memory) WithTickets(own [][]uint64) *Memory {
	m.own = own
	return m
}

// Tickets implements [Ticketed].
func (m *Memory) Tickets() (own [][]uint64, ok bool) { return m.own, m.own != nil }

// Measuring makes it say that only a part of it is measured.
func (m *Memory) Measuring(lead, records uint64) *Memory {
	m.lead, m.measured = lead, records
	return m
}

// Measured implements [Partial].
func (m *Memory) Measured() (lead, records uint64) { return m.lead, m.measured }

// ReadTimestamps implements [Stamped].
func (m *Memory) ReadTimestamps() (*Timestamps, CacheLimit, error) { return m.stamps, m.limit, nil }

// Created reports whether a Create record starts the core.
func (m *Memory) Created(core int) bool { return m.created[core] }

// Cores returns the number of streams.
func (m *Memory) Cores() int { return len(m.records) }

// ReadRecords fills into with the next records of a core.
func (m *Memory) ReadRecords(core int, into []Record) (int, error) {
	return readMemory(m.records, m.recordAt, core, into)
}

// ReadEdges fills into with the next edges of a core.
func (m *Memory) ReadEdges(core int, into []Edge) (int, error) {
	return readMemory(m.edges, m.edgeAt, core, into)
}

func readMemory[T any](streams [][]T, at []int, core int, into []T) (int, error) {
	n := copy(into, streams[core][at[core]:])
	at[core] += n
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }

// Rewind starts all streams again.
func (m *Memory) Rewind() {
	clear(m.recordAt)
	clear(m.edgeAt)
}

// Copy writes all that is left in a source: records, edges, and pages when the source has a page
// map.
func Copy(w *Writer, s Source) error {
	records, edges := make([]Record, 1024), make([]Edge, 256)
	paged, hasPages := s.(Paged)
	if t, ok := s.(Ticketed); ok {
		if own, ok := t.Tickets(); ok {
			w.GiveTickets(own)
		}
	}
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
