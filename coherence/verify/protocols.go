package verify

import (
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
)

// Protocol is what is checked of one protocol beside random programs and litmus tests on whole
// chips, which need no more than its name. In the table every field is set. One of another module
// may leave functions nil, and is checked for less then.
type Protocol struct {
	Name string
	// Defects lists the mistakes that can be seeded.
	Defects func() []coherence.Defect
	// Explorations lists the exhaustive checks, small ones first, with a defect seeded unless its
	// name is "".
	Explorations func(defect string) []Exploration
	// Stress is the k-th of an endless row of different random tests, with a defect seeded unless
	// its name is "".
	Stress func(k int, defect string) cohtest.Stress
}

// Protocols lists the protocols of the chip (coherence/cmp has a row with the same name for each).
var Protocols = []Protocol{
	{"token", token.Description.Mistakes, tokenExplorations, tokenStress},
	{"directory", directory.Description.Mistakes, directoryExplorations, directoryStress},
	{"msi", msi.Description.Mistakes, msiExplorations, msiStress},
}

// With returns the table and a row for each protocol of other modules, taken from checks where
// these have one of its name.
func With(more []cmp.ProtocolEntry, checks []Protocol) []Protocol {
	all := slices.Clone(Protocols)
	for i := range more {
		row := Protocol{Name: more[i].Name}
		for _, p := range checks {
			if p.Name == row.Name {
				row = p
			}
		}
		all = append(all, row)
	}
	return all
}

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

// tinyL1 and tinyL2 are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

// tight returns the k-th random test of protocols with a home, and the caches of its chip.
func tight(k int) (s cohtest.Stress, l1, l2 cache.Config) {
	l1, l2 = tinyL1, tinyL2
	if k%4 > 1 { // evictions all the time
		l1 = single
	}
	if k%3 == 2 { // the bank empties frames all the time
		l2 = cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	}
	return cohtest.Stress{
		Seed: uint64(k), Size: cohtest.Size{Cores: []int{2, 3, 4, 8}[k/4%4], Banks: 1 << (k % 3), Memories: 1 + k/2%2, Victims: k % 3},
		Blocks: []int{2, 5, 16, 64, 1}[k%5], Operations: 4000, Outstanding: 1 + k%6,
		Writes: 20 + 10*(k/2%4), Fetches: 10, Prefetches: 5, Cramped: []int{0, 30, 80}[k/2%3], OpenLimit: 20_000,
	}, l1, l2
}
