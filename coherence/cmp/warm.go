package cmp

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// Filling is what the caches hold at the start of a window. Chips of one configuration that replay
// the same window share one: the first fills the model and audits it, and all copy it. Networks and
// seeds do not matter to it.
type Filling struct {
	once      sync.Once
	err       error
	known     bool                 // the trace says what the caches hold
	residents []coherence.Resident // every block that a cache holds; once the model is filled, that an L1 holds
	banks     []int32              // of residents: what the L2 holds, the block used last at the end
	caches    []holding            // likewise of the L1s

	// The model: banks and memory controllers that are filled and never run.
	modelBanks    []coherence.Controller
	modelMemories []coherence.MemoryController
}

// holding is a resident in an L1.
type holding struct {
	cache    uint16 // twice the core's number, and 1 more for its instructions
	resident int32
}

// warm fills the caches with what they hold at the start of the trace's window, unless the
// configuration asks for empty ones or the trace does not say.
func (s *System) warm(src traces.Source, f *Filling) error {
	stamped, ok := src.(traces.Stamped)
	if !ok || s.config.Cold {
		return nil
	}
	f.once.Do(func() {
		if f.err = f.find(s, stamped); f.err == nil && f.known {
			f.err = f.fillModel(s)
		}
	})
	if f.err == nil && f.known {
		f.copyTo(&s.audit.parts)
		s.warmed = true
	}
	return f.err
}

// fillModel makes the model of chips like s, fills it with L1s of its own, and audits all.
func (f *Filling) fillModel(s *System) error {
	model, err := s.newControllers(0)
	if err != nil {
		return err
	}
	for i := range f.residents {
		x := &f.residents[i]
		model.Memories[model.Homes.Memory(x.Block)].(coherence.Preloader).Preload(x, 0)
	}
	for _, n := range f.banks {
		x := &f.residents[n]
		model.Banks[model.Homes.Bank(x.Block)].(coherence.Preloader).Preload(x, 0)
	}
	f.fillCaches(&model)
	f.modelBanks, f.modelMemories = model.Banks, model.Memories
	f.keepHeld()
	return model.Check(false)
}

// keepHeld drops the residents that no L1 holds, which are most and which only the model needs.
func (f *Filling) keepHeld() {
	kept, numbers := make([]coherence.Resident, 0, len(f.caches)), make([]int32, len(f.residents))
	for i := range f.caches {
		n := &numbers[f.caches[i].resident]
		if *n == 0 {
			kept = append(kept, f.residents[f.caches[i].resident])
			*n = int32(len(kept))
		}
		f.caches[i].resident = *n - 1
	}
	f.residents, f.banks = kept, nil
}

// fillCaches puts the residents into the L1s of a chip, in the order in which they were used.
func (f *Filling) fillCaches(chip *coherence.Audit) {
	for _, h := range f.caches {
		chip.Caches[h.cache/2].(coherence.Preloader).Preload(&f.residents[h.resident], int(h.cache&1))
	}
}

// copyTo fills the caches of a chip like those of the model.
func (f *Filling) copyTo(chip *coherence.Audit) {
	for i, c := range f.modelMemories {
		chip.Memories[i].(coherence.Copier).CopyFrom(c)
	}
	for i, c := range f.modelBanks {
		chip.Banks[i].(coherence.Copier).CopyFrom(c)
	}
	f.fillCaches(chip)
}

// find reads what the caches of a chip hold.
func (f *Filling) find(s *System, src traces.Stamped) error {
	record, limit, err := src.ReadTimestamps()
	if err != nil || record == nil {
		return err
	}
	contents, err := timestamps.Select(record, limit, s.config.Cores, s.cacheShape())
	if err != nil {
		return fmt.Errorf("the caches cannot be filled: %w; choose smaller caches, set chip.cold=true, or sample the trace again with a larger --l1 or --l2", err)
	}
	entry, err := LookupProtocol(s.config.Protocol, s.config.More...)
	if err != nil {
		return err
	}
	if !s.agents.preload() {
		return fmt.Errorf("protocol %s cannot start with warm caches; set chip.cold=true", entry.Name)
	}
	f.known = true
	f.place(contents, s.config.Cores, entry.Inclusive)
	return nil
}

// preload reports whether all controllers can be filled.
func (a *agents) preload() bool {
	for i, c := range a.all {
		_, fills := c.(coherence.Preloader)
		if _, copies := c.(coherence.Copier); !fills || !copies && a.names[i].Role != coherence.Cache {
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

// place finds which caches hold which blocks. If the L2 is inclusive, it drops the blocks of L1s
// that the L2 does not hold. Of a block with several holders the core that wrote it last is the
// owner, else the home bank, else the core that used it last.
func (f *Filling) place(c *timestamps.Contents, cores int, inclusive bool) {
	numbers := blocktable.New[uint32](int32(-1)) // of the residents, by block
	most := len(c.L2) + len(c.L1)
	numbers.Grow(most)
	f.residents = make([]coherence.Resident, 0, most)
	of := func(b uint32) int32 {
		n := numbers.Get(b)
		if *n < 0 {
			*n = int32(len(f.residents))
			f.residents = append(f.residents, coherence.Resident{Block: coherence.Block(b), Holders: noc.NewNodeSet(cores),
				Owner: coherence.HomeOwner, Modified: c.Modified(b)})
		}
		return *n
	}
	for _, b := range c.L2 {
		f.banks = append(f.banks, of(b))
	}
	inBank := int32(len(f.residents)) // the residents below it
	for _, e := range c.L1 {
		if inclusive && numbers.Find(e.Block) == nil {
			continue
		}
		n, core := of(e.Block), int(e.Cache/2)
		f.caches = append(f.caches, holding{e.Cache, n})
		x := &f.residents[n]
		x.Holders.Add(noc.NodeID(core))
		wrote := e.Flags&traces.Wrote != 0
		if wrote || !x.OwnerWrote && n >= inBank {
			x.Owner, x.OwnerWrote = core, wrote
		}
	}
	for _, h := range f.caches {
		if x := &f.residents[h.resident]; x.Holders.Count() == 1 {
			x.Owner = int(h.cache / 2)
		}
	}
}

// Warm reports whether the caches were filled before the first cycle.
func (s *System) Warm() bool { return s.warmed }
