package verify

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/explore"
)

// Exploration is one exhaustive check.
type Exploration struct {
	explore.Model
	Protocol string
	// Long is left out of a quick run, States bounds the search (0: not), SafetyOnly as in
	// explore.Options.
	Long       bool
	States     int
	SafetyOnly bool
	// Independent is the number of states of the independent model, 0 if it has none like this.
	Independent int
}

// single is an array for one block.
var single = cache.Config{Sets: 1, Ways: 1}

var (
	loadStore = []coherence.AccessKind{coherence.Load, coherence.Store}
	allKinds  = []coherence.AccessKind{coherence.Load, coherence.Store, coherence.Fetch}
)

// chip returns a small chip on which loads, stores and evictions happen.
func chip(cores int) explore.Model {
	return explore.Model{Cores: cores, Blocks: 1, Accesses: loadStore, Outstanding: 1, OrderedInFlight: 2,
		Evictions: true, Replacements: true}
}

// Stress is one random test and the chip it runs on.
type Stress struct {
	cohtest.Stress
	New func(coherence.System) coherence.Protocol
}

// tinyL1 and tinyL2 are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

// Run performs the test. The cells are those of its own protocol's tables.
func (s Stress) Run() (cohtest.Report, []coherence.Cell, error) {
	var p coherence.Protocol
	report, err := s.Stress.Run(func(system coherence.System) coherence.Protocol {
		p = s.New(system)
		return p
	})
	return report, p.Cells(), err
}
