package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Protocol makes the controllers of one chip and holds what they share: the configuration and the
// transition counters. It belongs to one goroutine.
type Protocol struct {
	controller.Chip
	config Config
	tokens int16
	seed   uint64

	evictData bool // EvictShared
	givesAll  bool // BankGives

	// Kept once for all L1s, so that it stays in the host's first cache.
	starving []int32              // per core: open persistent requests that its L1 knows of
	ignored  [GetWrite + 1]uint64 // transient requests by kind, in place of the cells
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs
// per core. It panics on arguments that Validate and TokensFor refuse.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	tokens, err := c.TokensFor(s.Cores)
	for _, e := range []error{err, c.Validate(), l1.Validate(), l2.Validate()} {
		if e != nil {
			panic(fmt.Sprintf("token: %v", e))
		}
	}
	return &Protocol{
		Chip:   controller.NewChip(&description, s, l1, l2, mshrs, newHitTable(c), func(mark byte) bool { return mark == 'x' }),
		config: c, tokens: int16(tokens), seed: s.Seed, starving: make([]int32, s.Cores),
		evictData: c.EvictShared == "data", givesAll: c.BankGives == "all",
	}
}

// Cells returns the legal cells of the transition tables and how often each was taken, also by what
// is counted in place of them.
func (p *Protocol) Cells() []coherence.Cell {
	return p.CellsWith(func(r coherence.Role, e, s uint8) uint64 {
		if r != coherence.Cache {
			return 0
		}
		return p.counted(e, s)
	})
}

var _ coherence.Protocol = (*Protocol)(nil)
