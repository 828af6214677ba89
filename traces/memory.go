package traces

import (
	"fmt"
	"io"
)

// Memory is a source that holds its records in slices: for tests, and for traces that a program
// makes up.
type Memory struct {
	records  [][]Record
	edges    [][]Edge
	recordAt []int
	edgeAt   []int
	created  []bool
	stamps   *Timestamps
	limit    CacheLimit
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

// readMemory reads on from where the stream of a core stands.
func readMemory[T any](streams [][]T, at []int, core int, into []T) (int, error) {
	if core < 0 || core >= len(streams) {
		return 0, fmt.Errorf("core %d: the trace has cores 0 to %d", core, len(streams)-1)
	}
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
