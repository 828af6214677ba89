package sample

import (
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// output writes one window after the other.
type output struct {
	file    *traces.File
	writer  *traces.Writer
	window  int      // that is open, or comes next
	starts  []uint64 // positions at which the cores begin the window
	streams []stream
	counts  struct{ edges, unlocks, added, dependences uint64 }
}

// stream is one core's part of the window.
type stream struct {
	written  uint64   // records so far
	accesses uint64   // of those, memory accesses
	dropped  []uint64 // positions of records left out
	gap      uint64   // instructions of records left out
	held     []uint64 // locks taken in the window
	ended    bool
}

func newOutput(f *traces.File, w *traces.Writer) output {
	return output{file: f, writer: w, starts: make([]uint64, f.Cores()), streams: make([]stream, f.Cores())}
}

// open begins a window.
func (o *output) open(t *traces.Timestamps) error {
	clear(o.streams)
	return o.writer.WriteTimestamps(o.window, t)
}

// record adds a record of a core at a position of the long trace, and the edges that it waits for.
func (o *output) record(core int, position uint64, r *traces.Record, edges []traces.Edge) error {
	s := &o.streams[core]
	for _, e := range edges {
		if at, ok := o.place(int(e.Producer), e.Position); ok {
			_ = o.writer.WriteEdges(o.window*len(o.streams)+core, []traces.Edge{{At: s.written, Position: at, Producer: e.Producer}})
		} else {
			o.counts.edges++
		}
	}
	x := *r
	switch r.Kind {
	case traces.Lock:
		s.held = append(s.held, r.Address)
	case traces.Unlock:
		i := slices.Index(s.held, r.Address)
		if i < 0 {
			s.gap += uint64(r.Instructions)
			s.dropped = append(s.dropped, position)
			o.counts.unlocks++
			return nil
		}
		s.held = slices.Delete(s.held, i, i+1)
	case traces.End:
		s.ended = true
		return o.finish(core, uint64(r.Instructions))
	}
	x.Instructions = uint32(min(s.gap+uint64(r.Instructions), 1<<32-1))
	s.gap = 0
	if r.Kind.IsAccess() {
		if uint64(x.Dependence) > s.accesses {
			x.Dependence = 0
			o.counts.dependences++
		}
		s.accesses++
	}
	s.written++
	return o.write(core, x)
}

// place returns where in the window a record of the long trace is, or the last one before it that
// was not left out; false when it lies before the window.
func (o *output) place(core int, position uint64) (uint64, bool) {
	if position < o.starts[core] {
		return 0, false
	}
	at := position - o.starts[core]
	for _, d := range o.streams[core].dropped {
		if d <= position {
			at--
		}
	}
	return at, at < o.streams[core].written // at is below 0 when all before it were left out
}

// finish writes what ends a core's stream.
func (o *output) finish(core int, instructions uint64) error {
	s := &o.streams[core]
	for _, object := range slices.Backward(s.held) {
		_ = o.write(core, traces.Record{Kind: traces.Unlock, Address: object})
		o.counts.added++
	}
	return o.write(core, traces.Record{Kind: traces.End, Instructions: uint32(min(s.gap+instructions, 1<<32-1))})
}

// write writes a record. The writer keeps its first error.
func (o *output) write(core int, r traces.Record) error {
	return o.writer.WriteRecords(o.window*len(o.streams)+core, []traces.Record{r})
}

// close ends a window.
func (o *output) close() error {
	for core := range o.streams {
		if !o.streams[core].ended {
			if err := o.finish(core, 0); err != nil {
				return err
			}
		}
	}
	o.window++
	return nil
}

// list is what became of records at the borders of windows.
func (o *output) list() []traces.Count {
	return []traces.Count{{Name: "edges to records before their window", N: o.counts.edges},
		{Name: "dependences on records before their window", N: o.counts.dependences},
		{Name: "unlocks left out", N: o.counts.unlocks}, {Name: "unlocks added at the end", N: o.counts.added}}
}
