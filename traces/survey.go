package traces

import "math/bits"

// Survey is what one pass over a source finds.
type Survey struct {
	Totals []CoreTotals // per core, pages left out
	// Lines and Pages are the footprint: 64-byte lines and 4 KB pages touched by any access or fetch.
	Lines, Pages uint64
	// SharedLines are the lines that more than one core has touched by loads, stores or atomics;
	// WrittenSharedLines those of them that some core has written.
	SharedLines, WrittenSharedLines uint64
}

// Sum adds the totals of all cores.
func (s Survey) Sum() CoreTotals {
	var sum CoreTotals
	for _, t := range s.Totals {
		sum = sum.Plus(t)
	}
	return sum
}

// pageUse is what is known of one page: one bit per line, and who touched the line first.
type pageUse struct {
	touched, data, shared, written uint64
	first                          [PageBytes / LineBytes]uint16
}

// surveyor collects the footprint. Memory grows with the pages touched, not with the records.
type surveyor struct {
	pages  map[uint64]*pageUse
	recent []*pageUse // per core: the last page, and its number
	number []uint64
}

func newSurveyor(cores int) *surveyor {
	return &surveyor{pages: map[uint64]*pageUse{}, recent: make([]*pageUse, cores), number: make([]uint64, cores)}
}

func (s *surveyor) access(core int, r *Record) {
	n := r.Address / PageBytes
	p := s.recent[core]
	if p == nil || s.number[core] != n {
		if p = s.pages[n]; p == nil {
			p = new(pageUse)
			s.pages[n] = p
		}
		s.recent[core], s.number[core] = p, n
	}
	line := r.Address % PageBytes / LineBytes
	bit := uint64(1) << line
	p.touched |= bit
	if r.Kind == Fetch {
		return
	}
	if p.data&bit == 0 {
		p.data |= bit
		p.first[line] = uint16(core)
	} else if int(p.first[line]) != core {
		p.shared |= bit
	}
	if r.Kind != Load {
		p.written |= bit
	}
}

// footprint adds up the pages; sums do not depend on their order.
func (s *surveyor) footprint(into *Survey) {
	for _, p := range s.pages {
		into.Pages++
		into.Lines += uint64(bits.OnesCount64(p.touched))
		into.SharedLines += uint64(bits.OnesCount64(p.shared))
		into.WrittenSharedLines += uint64(bits.OnesCount64(p.shared & p.written))
	}
}
