package cmp

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// warm fills the caches with what they hold at the start of the trace's window, unless the
// configuration asks for empty ones or the trace does not say. Of a block with several holders the
// core that wrote it last is the owner, else the home bank, else the core that used it last.
func (s *System) warm(src traces.Source) error {
	stamped, ok := src.(traces.Stamped)
	if !ok || s.config.Cold {
		return nil
	}
	record, limit, err := stamped.ReadTimestamps()
	if err != nil || record == nil {
		return err
	}
	contents, err := timestamps.Select(record, limit, s.config.Cores, s.cacheShape())
	if err != nil {
		return fmt.Errorf("the caches cannot be filled: %w; lower chip.l2.sets, set chip.cold=true, or sample the trace again with a larger limit: carousel trace sample --l2 SETSxWAYS", err)
	}
	s.warmed = true
	entry, err := LookupProtocol(s.config.Protocol, s.config.More...)
	if err != nil {
		return err
	}
	if !s.agents.preload() {
		return fmt.Errorf("protocol %s cannot start with warm caches; set chip.cold=true", entry.Name)
	}
	s.fill(contents, entry.Inclusive)
	return s.audit.checkNow()
}

// preload reports whether all controllers can be filled.
func (a *agents) preload() bool {
	for _, c := range a.all {
		if _, ok := c.(coherence.Preloader); !ok {
			return false
		}
	}
	return true
}

// cacheShape is the shape of the caches as a record of last touches sees them.
func (s *System) cacheShape() timestamps.Shape {
	homes, l1, l2 := &s.plan.homes, s.config.L1, s.config.L2
	shift := bits.TrailingZeros(uint(homes.Banks))
	return timestamps.Shape{L1Sets: l1.Sets, L1Ways: l1.Ways, L2Sets: l2.Sets * homes.Banks, L2Ways: l2.Ways,
		Set: func(b uint32) int {
			return int(homes.Bank(coherence.Block(b)))*l2.Sets + int(b>>shift)&(l2.Sets-1)
		}}
}

// residents are the blocks that caches hold.
type residents struct {
	list   []coherence.Resident
	inBank []bool
	number map[uint32]int // by block
	cores  int
}

func (r *residents) of(b uint32) int {
	i, ok := r.number[b]
	if !ok {
		i = len(r.list)
		r.number[b] = i
		r.list = append(r.list, coherence.Resident{Block: coherence.Block(b), Holders: noc.NewNodeSet(r.cores), Owner: coherence.HomeOwner})
		r.inBank = append(r.inBank, false)
	}
	return i
}

// newResidents finds which caches hold which blocks. If the L2 is inclusive, it drops the blocks of
// L1s that the L2 does not hold.
func newResidents(c *timestamps.Contents, cores int, inclusive bool) *residents {
	r := &residents{number: make(map[uint32]int, len(c.L2)), cores: cores}
	for _, b := range c.L2 {
		r.inBank[r.of(b)] = true
	}
	kept := c.L1[:0]
	for _, e := range c.L1 {
		if _, ok := r.number[e.Block]; !ok && inclusive {
			continue
		}
		kept = append(kept, e)
		i := r.of(e.Block)
		x, core := &r.list[i], int(e.Cache/2)
		x.Holders.Add(noc.NodeID(core))
		wrote := e.Flags&traces.Wrote != 0
		if wrote || !x.OwnerWrote && !r.inBank[i] {
			x.Owner, x.OwnerWrote = core, wrote
		}
	}
	c.L1 = kept
	for _, e := range c.L1 {
		if x := &r.list[r.number[e.Block]]; x.Holders.Count() == 1 {
			x.Owner = int(e.Cache / 2)
		}
	}
	for i := range r.list {
		r.list[i].Modified = c.Modified[uint32(r.list[i].Block)]
	}
	return r
}

// fill puts the contents into the caches, in the order in which they were used.
func (s *System) fill(c *timestamps.Contents, inclusive bool) {
	r := newResidents(c, s.config.Cores, inclusive)
	for i := range r.list {
		x := &r.list[i]
		s.agents.memories[s.plan.homes.Memory(x.Block)].(coherence.Preloader).Preload(x, 0)
	}
	for _, b := range c.L2 {
		x := &r.list[r.number[b]]
		s.agents.banks[s.plan.homes.Bank(x.Block)].(coherence.Preloader).Preload(x, 0)
	}
	for _, e := range c.L1 {
		s.agents.caches[e.Cache/2].(coherence.Preloader).Preload(&r.list[r.number[e.Block]], int(e.Cache&1))
	}
}

// Warm reports whether the caches were filled before the first cycle.
func (s *System) Warm() bool { return s.warmed }
