package tickets

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/carousel-sim/carousel/traces"
)

// body is what a core of the recording does from a ticket or a barrier up to the next one.
type body struct {
	first, end uint64 // positions in the recorded stream
	core       int    // that does it, or nobody
	base       uint64 // position of its first record in that core's stream
	done       bool
	number     uint64 // of its ticket
}

const nobody = -1

// place is a body of a stream, by its number there.
type place struct{ stream, body int }

// stream is what was recorded of a core. What is read of it and not yet done is kept.
type stream struct {
	bodies   []body
	meetings []int // the bodies that begin behind barriers
	low      int   // first body that is not done
	records  []traces.Record
	from     uint64 // position of the first record kept
	edges    []traces.Edge
	ended    bool // all edges have been read
}

// surveyOf finds the bodies of a core, the words of its tickets, the bodies behind these, and its
// barriers.
func surveyOf(s traces.Source, core int) (v stream, words []uint64, behind []int, barriers []traces.Record, err error) {
	position, number := uint64(0), uint64(0)
	v.bodies = []body{{core: nobody}}
	err = traces.Batches(s, core, func(batch []traces.Record) error {
		for i := range batch {
			r := &batch[i]
			position++
			ticket := r.Kind == traces.Atomic && r.Count > 0
			if !ticket && r.Kind != traces.Barrier {
				continue
			}
			v.bodies[len(v.bodies)-1].end = position
			v.bodies = append(v.bodies, body{first: position, core: nobody})
			last := len(v.bodies) - 1
			if !ticket {
				v.meetings, barriers = append(v.meetings, last), append(barriers, *r)
				continue
			}
			if modulo := uint64(r.Count - 1); len(words) == 0 {
				number = modulo
			} else {
				number++ // and up to the next one with this remainder
				number += (modulo + traces.MostTickets - number%traces.MostTickets) % traces.MostTickets
			}
			v.bodies[last].number = number
			words, behind = append(words, r.Address), append(behind, last)
		}
		return nil
	})
	v.bodies[len(v.bodies)-1].end = position
	return v, words, behind, barriers, err
}

// read makes a record of a stream available and returns it.
func (w *source) read(stream int, position uint64) (*traces.Record, error) {
	s := &w.streams[stream]
	for position-s.from >= uint64(len(s.records)) {
		var batch [256]traces.Record
		n, err := w.from.ReadRecords(stream, batch[:])
		if n == 0 {
			return nil, errors.Join(err, fmt.Errorf("core %d: the stream ends at record %d: %w", stream, position, io.ErrUnexpectedEOF))
		}
		s.records = append(s.records, batch[:n]...)
	}
	return &s.records[position-s.from], nil
}

// edgesOf returns the edges of a record of a stream.
func (w *source) edgesOf(stream int, position uint64) ([]traces.Edge, error) {
	s := &w.streams[stream]
	for !s.ended && (len(s.edges) == 0 || s.edges[len(s.edges)-1].At <= position) {
		var batch [64]traces.Edge
		n, err := w.from.ReadEdges(stream, batch[:])
		if n == 0 && err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		s.edges, s.ended = append(s.edges, batch[:n]...), n == 0
	}
	first := sort.Search(len(s.edges), func(i int) bool { return s.edges[i].At >= position })
	end := first
	for end < len(s.edges) && s.edges[end].At == position {
		end++
	}
	return s.edges[first:end], nil
}

// forget drops what is kept of a stream before its first body that is not done.
func (s *stream) forget() {
	for s.low < len(s.bodies) && s.bodies[s.low].done {
		s.low++
	}
	first := s.bodies[len(s.bodies)-1].end
	if s.low < len(s.bodies) {
		first = s.bodies[s.low].first
	}
	if n := first - s.from; n >= uint64(len(s.records)/2) && n <= uint64(len(s.records)) {
		s.records, s.from = s.records[:copy(s.records, s.records[n:])], first
		n := sort.Search(len(s.edges), func(i int) bool { return s.edges[i].At >= first })
		s.edges = s.edges[:copy(s.edges, s.edges[n:])]
	}
}

// bodyAt returns the body of a stream that has a record.
func (s *stream) bodyAt(position uint64) *body {
	i := sort.Search(len(s.bodies), func(i int) bool { return s.bodies[i].end > position })
	return &s.bodies[min(i, len(s.bodies)-1)]
}
