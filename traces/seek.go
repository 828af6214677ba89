package traces

import (
	"errors"
	"fmt"
	"sort"
)

// SeekRecord moves a core's records to a position, or to the end when there are not so many. It decodes
// at most one block. Edges stay where they are.
func (f *File) SeekRecord(core int, position uint64) error {
	s := &f.records[core]
	f.seekBlock(s, sort.Search(len(s.rows), func(i int) bool { return f.index[s.rows[i]].first > position })-1)
	var batch [256]Record
	for s.position < position {
		n, err := f.ReadRecords(core, batch[:min(uint64(len(batch)), position-s.position)])
		if n == 0 {
			return ignoreEnd(err)
		}
	}
	return nil
}

// SeekInstruction moves a core's records to the first one that belongs to the instruction of that
// number, from 0, or to a later one. It returns the record's position, and how many instructions the
// records before it count. It decodes at most one block. Edges stay where they are.
func (f *File) SeekInstruction(core int, instruction uint64) (position, executed uint64, err error) {
	s := &f.records[core]
	row := sort.Search(len(s.rows), func(i int) bool { return f.index[s.rows[i]].instructions > instruction }) - 1
	f.seekBlock(s, row)
	if row >= 0 {
		executed = f.index[s.rows[row]].instructions
	}
	var batch [256]Record
	for {
		n, err := f.ReadRecords(core, batch[:])
		if n == 0 {
			return s.position, executed, ignoreEnd(err)
		}
		for i := range batch[:n] {
			if executed+uint64(batch[i].Instructions) > instruction {
				position = s.position - uint64(n-i)
				return position, executed, f.SeekRecord(core, position)
			}
			executed += uint64(batch[i].Instructions)
		}
	}
}

// seekBlock moves to the start of a block of the stream; -1 is the first one.
func (f *File) seekBlock(s *recordStream, row int) {
	s.next, s.position = max(row, 0), 0
	s.decoder.drop()
	if row > 0 {
		s.position = f.index[s.rows[row]].first
	}
}

// Range chooses a part of every core's records.
type Range struct {
	// First and Last bound positions; Last 0 is the end.
	First, Last uint64
	// FromInstruction and ToInstruction bound the instructions, from 0, that records belong to;
	// ToInstruction is the first one left out, and 0 the end.
	FromInstruction, ToInstruction uint64
}

// Validate checks the bounds.
func (w Range) Validate() error {
	if w.Last != 0 && w.Last < w.First {
		return fmt.Errorf("records %d to %d: the last comes before the first", w.First, w.Last)
	}
	if w.ToInstruction != 0 && w.ToInstruction <= w.FromInstruction {
		return fmt.Errorf("the instruction range %d to %d is empty: --to-instruction must be greater than --from-instruction", w.FromInstruction, w.ToInstruction)
	}
	return nil
}

// Each visits a core's records within the range, with the edges that each waits for. The source
// stands at the core's first record and first edge; a file seeks. executed is the number
// of instructions of the core before the record's own.
func (w Range) Each(s Source, core int, visit func(position, executed uint64, r *Record, after []Edge) error) error {
	var position, executed uint64
	if file, ok := s.(*File); ok {
		var err error
		switch {
		case w.FromInstruction > 0:
			position, executed, err = file.SeekInstruction(core, w.FromInstruction)
		case w.First > 0 && w.ToInstruction == 0:
			position, err = w.First, file.SeekRecord(core, w.First)
		}
		if err != nil {
			return err
		}
	}
	return Each(s, core, position, func(position uint64, r *Record, after []Edge) error {
		before := executed
		executed += uint64(r.Instructions)
		if w.Last != 0 && position > w.Last || w.ToInstruction != 0 && executed > w.ToInstruction {
			return ErrStop
		}
		if position < w.First || executed <= w.FromInstruction && w.FromInstruction > 0 {
			return nil
		}
		if err := visit(position, before, r, after); err != nil || position != w.Last || w.Last == 0 {
			return err
		}
		return ErrStop // the next block may be damaged
	})
}

// ErrStop ends an [Each] early, without an error, when the function it calls returns it.
var ErrStop = errors.New("stop")

// Each visits what is left of a core's records, with the edges that each waits for. position is
// that of the core's next record; the core's edges are read from where they stand, and those of
// earlier records are passed over. The record and the edges are good until visit returns.
func Each(s Source, core int, position uint64, visit func(position uint64, r *Record, after []Edge) error) error {
	edges := NewEdgeCursor(s, core)
	err := Batches(s, core, func(batch []Record) error {
		for i := range batch {
			after, err := edges.Of(position)
			if err != nil {
				return err
			}
			if err := visit(position, &batch[i], after); err != nil {
				return err
			}
			position++
		}
		return nil
	})
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

// Batches visits what is left of a core's records, a batch at a time, which is good until visit
// returns.
func Batches(s Source, core int, visit func(batch []Record) error) error {
	const most = 1024
	for records := make([]Record, most/32); ; { // most cores of a trace with many have few records
		n, err := s.ReadRecords(core, records)
		if err = ignoreEnd(err); err != nil || n == 0 {
			return err
		}
		if err := visit(records[:n]); err != nil {
			return err
		}
		if n == len(records) && n < most {
			records = make([]Record, most)
		}
	}
}

// EdgeCursor walks the edges of a core of a source, from where they stand.
type EdgeCursor struct {
	source Source
	core   int
	buffer []Edge
	at     int
	ended  bool
	due    []Edge
}

// NewEdgeCursor returns a cursor for a core.
func NewEdgeCursor(s Source, core int) EdgeCursor { return EdgeCursor{source: s, core: core} }

// peek returns the next edge, which the caller passes with at++, or nil.
func (c *EdgeCursor) peek() (*Edge, error) {
	if c.at == len(c.buffer) && !c.ended {
		if c.buffer == nil {
			c.buffer = make([]Edge, 0, 64)
		}
		n, err := c.source.ReadEdges(c.core, c.buffer[:cap(c.buffer)])
		if err = ignoreEnd(err); err != nil {
			return nil, err
		}
		if c.buffer, c.at = c.buffer[:n], 0; n == 0 {
			c.buffer, c.ended = nil, true
		}
	}
	if c.at == len(c.buffer) {
		return nil, nil
	}
	return &c.buffer[c.at], nil
}

// Of lists the edges of a record, which are good until the next ones are asked for; positions are in
// ascending order.
func (c *EdgeCursor) Of(position uint64) ([]Edge, error) {
	c.due = c.due[:0]
	for {
		e, err := c.peek()
		if err != nil || e == nil || e.At > position {
			return c.due, err
		}
		if e.At == position {
			c.due = append(c.due, *e)
		}
		c.at++
	}
}
