package verify

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
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
