package traces

import "math/bits"

// Survey is what one pass over a source finds.
type Survey struct {
	Totals []CoreTotals // per core, pages left out
	// Lines and Pages are the footprint: 64-byte lines and 4 KB pages touched by any access or
	// fetch.
	Lines, Pages uint64
	// SharedLines are the lines that more than one core has touched by loads, stores or atomics;
	// WrittenSharedLines those of them that some core has written.
	SharedLines, WrittenSharedLines uint64
	// Dependent is the number of accesses that are known to depend on a load.
	Dependent uint64
}

// Sum adds the totals of all cores.
func (s Survey) Sum() CoreTotals {
	var sum CoreTotals
	for _, t := range s.Totals {
		sum = sum.Plus(t)
	}
	return sum
}

// add joins what another window holds, but for the footprint.
func (s *Survey) add(o Survey) {
	for core, t := range o.Totals {
		s.Totals[core] = s.Totals[core].Plus(t)
	}
	s.Dependent += o.Dependent
}

// pageUse is what is known of one page: one bit per line. data and written are by loads, stores and
// atomics.
type pageUse struct{ touched, data, shared, written uint64 }

// footprint is the pages touched. That of one core has no shared lines.
type footprint map[uint64]*pageUse

// pageCache remembers the last page, which is most often the next one, too.
type pageCache struct {
	number uint64
	page   *pageUse
}

func (c *pageCache) access(f footprint, r *Record) {
	if n := r.Address / PageBytes; c.page == nil || c.number != n {
		c.number = n
		if c.page = f[n]; c.page == nil {
			c.page = new(pageUse)
			f[n] = c.page
		}
	}
	bit := uint64(1) << (r.Address % PageBytes / LineBytes)
	c.page.touched |= bit
	if r.Kind == Fetch {
		return
	}
	c.page.data |= bit
	if r.Kind != Load {
		c.page.written |= bit
	}
}

// add joins another core's footprint; the order of cores does not matter.
func (f footprint) add(other footprint) {
	for n, o := range other {
		p := f[n]
		if p == nil {
			f[n] = o
			continue
		}
		p.shared |= o.shared | p.data&o.data
		p.touched |= o.touched
		p.data |= o.data
		p.written |= o.written
	}
}

// join returns the footprint with what the same core has touched elsewhere.
func (f footprint) join(other footprint) footprint {
	if f == nil {
		f = footprint{}
	}
	for n, o := range other {
		p := f[n]
		if p == nil {
			p = new(pageUse)
			f[n] = p
		}
		p.touched |= o.touched
		p.data |= o.data
		p.written |= o.written
	}
	return f
}

// fill adds up the pages; sums do not depend on their order.
func (f footprint) fill(into *Survey) {
	for _, p := range f {
		into.Pages++
		into.Lines += uint64(bits.OnesCount64(p.touched))
		into.SharedLines += uint64(bits.OnesCount64(p.shared))
		into.WrittenSharedLines += uint64(bits.OnesCount64(p.shared & p.written))
	}
}

// placed is a record with its position in its core's stream.
type placed struct {
	Record
	position uint64
}

// scanned is what one core's records hold.
type scanned struct {
	totals    CoreTotals
	sync      []placed // lock to end
	footprint footprint
	dependent uint64 // accesses with a dependence
	err       error
}

// scan reads all of a core's records and checks each by itself. Memory grows with synchronisation
// records and pages touched, not with accesses.
func scan(s Source, core int, memory uint64) *scanned {
	found := &scanned{footprint: footprint{}}
	cores, accesses := s.Cores(), uint64(0)
	fault := func(condition error, at uint64, problem string) error {
		return &Error{Stream: RecordStream, Core: core, Record: at, Offset: -1, Err: condition, Problem: problem}
	}
	var page pageCache
	ended := false
	found.err = Batches(s, core, func(batch []Record) error {
		for i := range batch {
			r, at := &batch[i], found.totals.Records+uint64(i)
			if ended {
				return fault(ErrIllegal, at, "a record follows the end")
			}
			if problem := Illegal(r, cores, accesses); problem != "" {
				return fault(ErrIllegal, at, problem)
			}
			if address, uses := r.Memory(); uses && address >= memory {
				return addressError("", core, at, -1, address, memory)
			}
			if r.Kind.IsAccess() {
				accesses++
				if r.Dependence > 0 {
					found.dependent++
				}
				page.access(found.footprint, r)
				continue
			}
			ended = r.Kind == End
			if r.Kind != Fence {
				found.sync = append(found.sync, placed{*r, at})
			}
		}
		found.totals.count(batch)
		return nil
	})
	if found.err == nil && !ended {
		found.err = fault(ErrMissingStream, found.totals.Records, "the stream has no end record")
	}
	return found
}
