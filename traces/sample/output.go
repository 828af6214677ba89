package sample

import (
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// output writes windows.
type output struct {
	writer *traces.Writer
	begun  int       // windows
	open   []*window // that have begun and not ended
	counts struct{ edges, unlocks, added, dependences uint64 }
}

// window is one that is written.
type window struct {
	number  int
	close   uint64   // after how many records of the long trace
	starts  []uint64 // positions at which the cores begin
	streams []stream
}

// stream is one core's part of a window.
type stream struct {
	written  uint64   // records so far
	accesses uint64   // of those, memory accesses
	dropped  []uint64 // positions of records left out
	gap      uint64   // instructions of records left out
	held     []uint64 // locks taken in the window
	ended    bool
}

// start begins a window.
func (o *output) start(end uint64, cores []core, t *traces.Timestamps) error {
	w := &window{o.begun, end, make([]uint64, len(cores)), make([]stream, len(cores))}
	for i := range cores {
		w.starts[i] = cores[i].position
	}
	o.open, o.begun = append(o.open, w), o.begun+1
	return o.writer.WriteTimestamps(w.number, t)
}

// record adds a record of a core at a position of the long trace, and the edges that it waits for.
func (o *output) record(w *window, core int, position uint64, r *traces.Record, edges []traces.Edge) error {
	s := &w.streams[core]
	for _, e := range edges {
		if at, ok := w.place(int(e.Producer), e.Position); ok {
			_ = o.writer.WriteEdges(w.stream(core), []traces.Edge{{At: s.written, Position: at, Producer: e.Producer}})
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
		return o.finish(w, core, *r)
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
	return o.write(w, core, x)
}

// stream is the number of a core's stream in the new trace.
func (w *window) stream(core int) int { return w.number*len(w.streams) + core }

// place returns where in the window a record of the long trace is, or the last one before it that
// was not left out; false when it lies before the window.
func (w *window) place(core int, position uint64) (uint64, bool) {
	if position < w.starts[core] {
		return 0, false
	}
	at := position - w.starts[core]
	for _, d := range w.streams[core].dropped {
		if d <= position {
			at--
		}
	}
	return at, at < w.streams[core].written // at is below 0 when all before it were left out
}

// finish writes what ends a core's stream, and the given end.
func (o *output) finish(w *window, core int, end traces.Record) error {
	s := &w.streams[core]
	for _, object := range slices.Backward(s.held) {
		_ = o.write(w, core, traces.Record{Kind: traces.Unlock, Address: object})
		o.counts.added++
	}
	end.Instructions = uint32(min(s.gap+uint64(end.Instructions), 1<<32-1))
	return o.write(w, core, end)
}

// write writes a record. The writer keeps its first error.
func (o *output) write(w *window, core int, r traces.Record) error {
	return o.writer.WriteRecords(w.stream(core), []traces.Record{r})
}

// end closes one of the open windows. awaiting gives the end of the part of a core that has not ended.
func (o *output) end(i int, awaiting func(core int) traces.Record) error {
	w := o.open[i]
	o.open = slices.Delete(o.open, i, i+1)
	for core := range w.streams {
		if !w.streams[core].ended {
			if err := o.finish(w, core, awaiting(core)); err != nil {
				return err
			}
		}
	}
	return nil
}

// list is what became of records at the borders of windows.
func (o *output) list() []traces.Count {
	return []traces.Count{{Name: "edges to records before their window", N: o.counts.edges},
		{Name: "dependences on records before their window", N: o.counts.dependences},
		{Name: "unlocks left out", N: o.counts.unlocks}, {Name: "unlocks added at the end", N: o.counts.added}}
}
