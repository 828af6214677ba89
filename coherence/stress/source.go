package stress

import (
	"io"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// source makes up the programs of all cores as they are read.
type source struct {
	mix     Mix
	streams []stream
}

// stream is one core's program so far.
type stream struct {
	random random.Stream
	block  uint64
	left   int    // accesses to the block
	todo   uint64 // records to come, without the end
	made   uint64 // records handed out
}

func newSource(c Config) *source {
	s := &source{mix: c.Mix, streams: make([]stream, c.Chip.Cores)}
	cores := uint64(c.Chip.Cores)
	for i := range s.streams {
		share := c.Accesses / cores
		if uint64(i) < c.Accesses%cores {
			share++
		}
		s.streams[i] = stream{random: random.Stream(c.Seed ^ uint64(i+1)*0xd1342543de82ef95), todo: share}
	}
	return s
}

// Cores returns the number of programs.
func (s *source) Cores() int { return len(s.streams) }

// ReadRecords makes up the next records of a core.
func (s *source) ReadRecords(core int, into []traces.Record) (int, error) {
	t := &s.streams[core]
	n := 0
	for ; n < len(into) && t.todo > 0; n++ {
		into[n] = s.mix.next(t)
		t.todo--
	}
	if n < len(into) && t.todo == 0 {
		t.todo-- // the largest number: the end has been made
		into[n] = traces.Record{Kind: traces.End}
		n++
	}
	t.made += uint64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ReadEdges gives none: every interleaving is allowed.
func (s *source) ReadEdges(int, []traces.Edge) (int, error) { return 0, io.EOF }

// next makes up one record: an access to a word, or to one byte of it.
func (m Mix) next(t *stream) traces.Record {
	v := t.random.Uint64()
	if t.left == 0 {
		t.block = v >> 8 % uint64(m.Blocks) * uint64(m.Stride)
		t.left = 1 + int(v>>40%uint64(2*m.Repeat-1))
		v = t.random.Uint64()
	}
	t.left--
	r := traces.Record{Kind: traces.Load, Size: 3, Address: t.block*coherence.BlockBytes + v>>8%8*8,
		Instructions: 1 + uint32(v>>16%uint64(m.Gap+1))}
	switch p := int(v >> 24 % 100); {
	case p < m.Stores:
		r.Kind = traces.Store
	case p < m.Stores+m.Atomics:
		r.Kind = traces.Atomic
	case p < m.Stores+m.Atomics+m.Fetches:
		r.Kind = traces.Fetch
	case p < m.Stores+m.Atomics+m.Fetches+m.Fences:
		return traces.Record{Kind: traces.Fence, Instructions: r.Instructions}
	}
	if v>>48%8 == 0 {
		r.Size = 0
		r.Address += v >> 51 % 8
	}
	if v>>54%8 == 0 {
		r.Dependence = 1 + uint16(v>>57%4)
	}
	return r
}
