package traces

import (
	"fmt"
	"slices"
)

// SliceConfig chooses a part of a trace.
type SliceConfig struct {
	Range       // of every core
	Cores []int // in ascending order; nil takes all
}

// Validate checks the bounds for a trace of that many cores.
func (c SliceConfig) Validate(cores int) error {
	if err := c.Range.Validate(); err != nil {
		return err
	}
	for i, core := range c.Cores {
		if core < 0 || core >= cores || i > 0 && core <= c.Cores[i-1] {
			return fmt.Errorf("cores are %v; name cores from 0 to %d in ascending order, each once", c.Cores, cores-1)
		}
	}
	return nil
}

// Slice writes a part of a trace, which can be replayed by itself.
//
// Instructions of records that are left out count for the next record that is kept, and dependences
// on accesses before the slice are dropped. What is left of the order between cores is what the whole trace
// implies for the records that are kept: an edge moves to the next record kept of the core that
// waits, and to the last one kept of the other; a barrier is one of those that meet at it within
// the slice, if there are several. Objects at which not always the same cores meet are left out,
// and so are unlocks of locks taken before the slice, and creations and joins of cores that are not
// in it. Locks still held are released at the end. Of a damaged trace Slice reads what is whole:
// cores and ranges whose blocks are.
func Slice(f *File, c SliceConfig, to Destination) (Imported, error) {
	var none Imported
	if err := c.Validate(f.Cores()); err != nil {
		return none, err
	}
	if c.Cores == nil {
		for core := range f.Cores() {
			c.Cores = append(c.Cores, core)
		}
	}
	defer f.Rewind()
	s := &slicer{file: f, config: c, number: map[uint64]int{}}
	for i, core := range c.Cores {
		s.number[uint64(core)] = i
	}
	if err := s.plan(); err != nil {
		return none, err
	}
	m := s.metadata()
	w, err := to(m)
	if err != nil {
		return none, err
	}
	if err := s.write(w); err != nil {
		w.Abort()
		return none, err
	}
	return Imported{Metadata: m, Totals: w.Totals(), Input: s.dropped.list()}, nil
}

// slicer is the state of Slice.
type slicer struct {
	file    *File
	config  SliceConfig
	number  map[uint64]int // of the cores kept, by their old numbers
	cores   []sliceCore    // kept ones
	dropped sliceCounts
}

// sliceCore is what is planned for a core.
type sliceCore struct {
	first, end uint64 // positions of the window
	kept       ranks  // by position - first
	meet       map[uint64]uint16
}

// sliceCounts tells what did not fit.
type sliceCounts struct{ edges, barriers, unlocks, creations, added uint64 }

func (n sliceCounts) list() []Count {
	return []Count{{"edges left out", n.edges}, {"barriers left out", n.barriers}, {"unlocks left out", n.unlocks},
		{"creations and joins left out", n.creations}, {"unlocks added at the end", n.added}}
}

func (s *slicer) metadata() Metadata {
	m := s.file.Metadata().Alone()
	m.Cores = len(s.config.Cores)
	if m.AddressSpaces > 1 {
		m.AddressSpaces = m.Cores
	}
	if len(m.CoreNames) > 0 {
		names := m.CoreNames
		m.CoreNames = nil
		for _, core := range s.config.Cores {
			m.CoreNames = append(m.CoreNames, names[core])
		}
	}
	c := &s.config
	m.Notes = append(slices.Clone(m.Notes), fmt.Sprintf("a slice of a trace of %d cores: cores %v, records %d to %s, instructions %d to %s",
		s.file.Cores(), c.Cores, c.First, bound(c.Last), c.FromInstruction, bound(c.ToInstruction)))
	return m
}

func bound(v uint64) string {
	if v == 0 {
		return "the end"
	}
	return fmt.Sprint(v)
}

// write copies what is planned.
func (s *slicer) write(w *Writer) error {
	s.file.Rewind()
	for i, core := range s.config.Cores {
		if err := s.writeEdges(w, i, core); err != nil {
			return err
		}
		s.file.Rewind() // a window passes over edges itself
		if err := s.writeRecords(w, i, core); err != nil {
			return err
		}
		if i < w.metadata.AddressSpaces {
			space := core
			if w.metadata.AddressSpaces == 1 {
				space = 0
			}
			pages, err := s.file.ReadPages(space)
			if err != nil {
				return err
			}
			if err := w.WritePages(i, pages); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// writeRecords writes the records of a core that are kept.
func (s *slicer) writeRecords(w *Writer, i, core int) error {
	k := &s.cores[i]
	var held []uint64
	var gap, accesses uint64 // instructions of records left out; accesses so far
	done := s.config.FromInstruction
	err := s.config.Each(s.file, core, func(position, executed uint64, r *Record, _ []Edge) error {
		x := *r
		// Of the first record's instructions, those before the window do not count.
		gap += executed + uint64(r.Instructions) - max(executed, s.config.FromInstruction)
		done = executed + uint64(r.Instructions)
		keep := k.kept.has(position-k.first) && r.Kind != End
		if r.Kind.IsAccess() {
			if uint64(r.Dependence) > accesses {
				x.Dependence = 0 // on a load before the slice
			}
			accesses++
		}
		if !keep {
			return nil
		}
		x.Instructions, gap = uint32(min(gap, 1<<32-1)), 0
		switch r.Kind {
		case Lock:
			held = append(held, r.Address)
		case Unlock:
			held = slices.DeleteFunc(held, func(object uint64) bool { return object == r.Address })
		case Create, Join:
			x.Address = uint64(s.number[r.Address])
		case Barrier:
			x.Count = k.meet[position]
		}
		return w.WriteRecords(i, []Record{x})
	})
	if err != nil {
		return err
	}
	for _, object := range held {
		s.dropped.added++
		if err := w.WriteRecords(i, []Record{{Kind: Unlock, Address: object}}); err != nil {
			return err
		}
	}
	if to := s.config.ToInstruction; to != 0 && s.file.totals != nil {
		gap += max(done, min(to, s.file.totals[core].Instructions)) - done
	}
	return w.WriteRecords(i, []Record{{Kind: End, Instructions: uint32(min(gap, 1<<32-1))}})
}

// writeEdges moves the edges of a core to records that are kept.
func (s *slicer) writeEdges(w *Writer, i, core int) error {
	k := &s.cores[i]
	edges := make([]Edge, 256)
	for {
		n, err := s.file.ReadEdges(core, edges)
		if n == 0 {
			return ignoreEnd(err)
		}
		kept := edges[:0]
		for _, e := range edges[:n] {
			p, ok := s.number[uint64(e.Producer)]
			if !ok || e.At >= k.end || e.Position < s.cores[p].first {
				s.dropped.edges++
				continue
			}
			q := &s.cores[p]
			before := q.kept.below(min(e.Position+1, q.end) - q.first)
			if before == 0 {
				s.dropped.edges++
				continue
			}
			kept = append(kept, Edge{At: k.kept.below(max(e.At, k.first) - k.first), Producer: uint16(p), Position: before - 1})
		}
		if err := w.WriteEdges(i, kept); err != nil {
			return err
		}
	}
}
