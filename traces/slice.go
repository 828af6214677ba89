package traces

import (
	"errors"
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
			return fmt.Errorf("core %d: name cores from 0 to %d in ascending order, each once", core, cores-1)
		}
	}
	return nil
}

// Slice writes a part of a trace, which can be replayed by itself.
//
// Instructions of records that are left out count for the next record that is kept, and dependences on accesses before
// the slice are dropped. An edge moves to the next record kept of the core that waits, and to the last one kept of the
// other. Other order that leads through cores or records that are left out is lost. A barrier waits for those cores that
// meet at it within the slice, if there are several. Objects at which not always the same cores meet are left out, and so
// are unlocks of locks taken before the slice, and creations and joins of cores that are not in it. Locks still held are
// released at the end. Of a damaged trace Slice reads what is whole: cores and ranges whose blocks are.
func Slice(f *File, c SliceConfig, to Destination) (Imported, error) {
	var none Imported
	if err := c.Validate(f.Cores()); err != nil {
		return none, err
	}
	if f.metadata.Executes {
		return none, f.fault(-1, ErrIllegal, "it has states of a program, and no records", "record the program without --live")
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
	return Imported{Metadata: m, Totals: w.Totals(), Input: append(s.dropped.list(), f.KeptTickets(w.Totals())...)}, nil
}

type slicer struct {
	file    *File
	config  SliceConfig
	number  map[uint64]int // of the cores kept, by their old numbers
	cores   []sliceCore    // kept ones
	dropped sliceCounts
}

// sliceCore is what is planned for a core.
type sliceCore struct {
	first, end uint64   // positions of the window
	out        []uint64 // of it, positions that are left out, in order when all are known
	meet       map[uint64]uint16
}

// keeps reports whether a record of the window is kept, and how many of those before it are. A position
// may be the end.
func (k *sliceCore) keeps(position uint64) (kept bool, before uint64) {
	i, out := slices.BinarySearch(k.out, position)
	return !out, position - k.first - uint64(i)
}

// sliceCounts tells what did not fit.
type sliceCounts struct{ edges, dependences, barriers, unlocks, creations, added uint64 }

func (n sliceCounts) list() []Count {
	return []Count{{"edges left out", n.edges}, {"dependences on records before the slice", n.dependences}, {"barriers left out", n.barriers},
		{"unlocks left out", n.unlocks}, {"creations and joins left out", n.creations}, {"unlocks added at the end", n.added}}
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
	c, caches := &s.config, ""
	if s.file.Metadata().Timestamps != nil {
		caches = "; contents of caches at the start left out"
	}
	m.Notes = append(slices.Clone(m.Notes), fmt.Sprintf("a slice of a trace of %d cores: cores %v, records %d to %s, instructions %d to %s%s",
		s.file.Cores(), c.Cores, c.First, bound(c.Last), c.FromInstruction, bound(c.ToInstruction), caches))
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
			if err := w.CopyPages(i, s.file, space); err != nil {
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
		keep, _ := k.keeps(position)
		if r.Kind.IsAccess() {
			if uint64(r.Dependence) > accesses {
				x.Dependence = 0 // on a load before the slice
				s.dropped.dependences++
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
	return copyStream(func(_ int, edges []Edge) error {
		kept := edges[:0]
		for _, e := range edges {
			p, ok := s.number[uint64(e.Producer)]
			if !ok || e.At >= k.end || e.Position < s.cores[p].first {
				s.dropped.edges++
				continue
			}
			q := &s.cores[p]
			_, before := q.keeps(min(e.Position+1, q.end))
			if before == 0 {
				s.dropped.edges++
				continue
			}
			_, at := k.keeps(max(e.At, k.first))
			kept = append(kept, Edge{At: at, Producer: uint16(p), Position: before - 1})
		}
		return w.WriteEdges(i, kept)
	}, s.file.ReadEdges, core, make([]Edge, 256))
}

// plan decides which records are kept.
func (s *slicer) plan() error {
	s.file.Rewind()
	all := make([][]placed, s.file.Cores())
	for core := range all {
		found := scan(s.file, core, s.file.config.MemoryBytes, nil)
		if found.err != nil && !errors.Is(found.err, ErrCorrupt) {
			return s.file.place(found.err)
		}
		// Of a damaged stream, only the part before the damage meets others. choose returns the
		// error if the slice needs more.
		all[core] = found.sync
	}
	s.file.Rewind()
	s.cores = make([]sliceCore, len(s.config.Cores))
	for i, core := range s.config.Cores {
		if err := s.choose(&s.cores[i], core); err != nil {
			return err
		}
	}
	s.barriers(all)
	for i := range s.cores {
		slices.Sort(s.cores[i].out)
	}
	return nil
}

// choose marks the records of a core that are kept, all barriers among them.
func (s *slicer) choose(k *sliceCore, core int) error {
	k.meet = map[uint64]uint16{}
	held := map[uint64]bool{}
	begun := false
	err := s.config.Each(s.file, core, func(position, _ uint64, r *Record, _ []Edge) error {
		if !begun {
			begun, k.first = true, position
		}
		k.end = position + 1
		keep := true
		switch r.Kind {
		case Lock:
			held[r.Address] = true
		case Unlock:
			if keep = held[r.Address]; !keep {
				s.dropped.unlocks++
			}
			delete(held, r.Address)
		case Create, Join:
			if _, keep = s.number[r.Address]; !keep {
				s.dropped.creations++
			}
		case End:
			keep = false
		}
		if !keep {
			k.out = append(k.out, position)
		}
		return nil
	})
	return err
}

// arrival is one core's arrival at a barrier.
type arrival struct {
	core     int
	position uint64
}

// barriers keeps those at which several cores of the slice meet. Where as many cores use an object
// as always meet at it, the n-th arrival of each of them belongs to the n-th meeting.
func (s *slicer) barriers(all [][]placed) {
	meetings := map[uint64][][]arrival{} // by object
	users := map[uint64]map[int]int{}    // arrivals so far, by object and core
	irregular := map[uint64]uint16{}
	for core, list := range all {
		for _, r := range list {
			if r.Kind != Barrier {
				continue
			}
			object := r.Address
			if users[object] == nil {
				users[object], irregular[object] = map[int]int{}, r.Count
			}
			n := users[object][core]
			users[object][core]++
			if n == len(meetings[object]) {
				meetings[object] = append(meetings[object], nil)
			}
			meetings[object][n] = append(meetings[object][n], arrival{core, r.position})
		}
	}
	for object, list := range meetings {
		regular := len(users[object]) == int(irregular[object])
		for _, meeting := range list {
			s.meeting(meeting, regular && len(meeting) == len(users[object]))
		}
	}
}

// meeting keeps one meeting for those of its cores that are in the slice.
func (s *slicer) meeting(list []arrival, regular bool) {
	var present []arrival
	for _, a := range list {
		if i, ok := s.number[uint64(a.core)]; ok && a.position >= s.cores[i].first && a.position < s.cores[i].end {
			present = append(present, arrival{i, a.position})
		}
	}
	for _, a := range present {
		k := &s.cores[a.core]
		if regular && len(present) > 1 {
			k.meet[a.position] = uint16(len(present))
		} else {
			k.out = append(k.out, a.position)
			s.dropped.barriers++
		}
	}
}
