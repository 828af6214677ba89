package verify

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/token"
)

// Exploration is one exhaustive check.
type Exploration struct {
	explore.Model
	Protocol string
	// Long is left out of a quick run, States bounds the search (0: not), SafetyOnly as in explore.Options.
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

// Explorations lists the exhaustive checks of a protocol, small ones first, with a defect seeded unless its
// name is "".
func Explorations(protocol, defect string) []Exploration {
	if protocol == "directory" {
		return directoryExplorations(defect)
	}
	return tokenExplorations(defect)
}

func chip(cores int) explore.Model {
	return explore.Model{Cores: cores, Blocks: 1, Accesses: loadStore, Outstanding: 1, OrderedInFlight: 2,
		Evictions: true, Replacements: true}
}

// directoryChip makes a chip of the directory protocol with as little room as the protocol works with.
func directoryChip(cores int, silent bool, defect string) explore.Model {
	m := chip(cores)
	m.New = func(s coherence.System) coherence.Explorable {
		c := directory.Config{SilentS: silent, Transactions: 1, StallQueue: max(1, cores-1), WriteBacks: 1}
		p := directory.New(s, c, single, single, 1)
		p.Seed(defect)
		return p
	}
	return m
}

func directoryExplorations(defect string) []Exploration {
	var list []Exploration
	add := func(name string, cores int, silent bool, e Exploration, change func(*explore.Model)) {
		e.Model, e.Protocol = directoryChip(cores, silent, defect), "directory"
		if change != nil {
			change(&e.Model)
		}
		e.Name = fmt.Sprintf("%d L1%s", cores, name)
		list = append(list, e)
	}
	named := func(m *explore.Model) { m.Named, m.InstantMemory = true, true }
	add(", names kept", 1, false, Exploration{Independent: 123}, named)
	add(", every access", 1, false, Exploration{}, func(m *explore.Model) { m.Accesses = allKinds })
	add(", 2 blocks", 1, false, Exploration{}, func(m *explore.Model) { m.Blocks = 2 })
	add("s, names kept", 2, false, Exploration{Independent: 4538}, named)
	add("s, silent S, names kept", 2, true, Exploration{Independent: 5603}, named)
	everything := func(m *explore.Model) { m.Accesses, m.History = allKinds, true }
	add("s, every access, values of overtaken loads", 2, false, Exploration{}, everything)
	add("s, silent S, every access, values of overtaken loads", 2, true, Exploration{}, everything)
	add("s, 2 accesses each", 2, false, Exploration{}, func(m *explore.Model) { m.Outstanding, m.History = 2, true })
	add("s, one place per queue", 2, false, Exploration{}, func(m *explore.Model) { m.Accesses, m.Cramped = allKinds, true })
	add("s", 3, false, Exploration{}, nil)
	add("s, one place per queue", 3, false, Exploration{}, func(m *explore.Model) { m.Cramped = true })
	add("s, 2 blocks", 2, false, Exploration{}, func(m *explore.Model) { m.Blocks = 2 })
	add("s", 4, false, Exploration{}, nil)
	add("s, names kept", 3, false, Exploration{Long: true, Independent: 135_399}, named)
	add("s, silent S, names kept", 3, true, Exploration{Long: true, Independent: 183_881}, named)
	add("s, values of overtaken loads", 3, false, Exploration{Long: true}, func(m *explore.Model) { m.History = true })
	add("s, every access", 3, true, Exploration{Long: true}, func(m *explore.Model) { m.Accesses = allKinds })
	return list
}

// bankless is a token protocol of a chip without L2.
type bankless struct{ *token.Protocol }

// NewBank makes what takes the bank's place.
func (p bankless) NewBank(index int) coherence.Controller { return p.NewPassage(index) }

// tokenChip makes a chip of the token protocol. After one transient request a miss may turn persistent, so that
// either can end it.
func tokenChip(cores, tokens int, l2 bool, defect string) explore.Model {
	m := chip(cores)
	m.PassingBank, m.InstantMemory = !l2, true
	m.New = func(s coherence.System) coherence.Explorable {
		c := token.Default()
		c.Issues, c.Jitter = 1, 0
		p := token.New(s, c, single, single, 1)
		p.Scarce(tokens)
		p.Seed(defect)
		if l2 {
			return p
		}
		return bankless{p}
	}
	return m
}

func tokenExplorations(defect string) []Exploration {
	var list []Exploration
	add := func(name string, cores, tokens int, l2 bool, e Exploration, change func(*explore.Model)) {
		e.Model, e.Protocol = tokenChip(cores, tokens, l2, defect), "token"
		if change != nil {
			change(&e.Model)
		}
		e.Name = fmt.Sprintf("%d L1%s, T=%d", cores, name, tokens)
		list = append(list, e)
	}
	split := func(m *explore.Model) { m.InstantMemory = false }
	add("", 1, 2, false, Exploration{Independent: 105}, nil)
	add(" and bank", 1, 2, true, Exploration{Independent: 5243}, nil)
	add(" and bank, split reads", 1, 2, true, Exploration{Independent: 5677}, split)
	add(" and bank, split reads", 1, 3, true, Exploration{Independent: 27_501}, split)
	add(" and bank, split reads, 3 persistent in flight", 1, 2, true, Exploration{Independent: 14_243},
		func(m *explore.Model) { m.InstantMemory, m.OrderedInFlight = false, 3 })
	add(" and bank, every access, one place per queue", 1, 2, true, Exploration{},
		func(m *explore.Model) { m.InstantMemory, m.Accesses, m.Cramped = false, allKinds, true })
	twoBlocks := func(m *explore.Model) { m.Blocks = 2 }
	add(" and bank, 2 blocks", 1, 2, true, Exploration{States: 150_000}, twoBlocks)
	add("s", 2, 2, false, Exploration{Independent: 542_038}, nil)
	add("s, split reads", 2, 2, false, Exploration{Long: true, Independent: 639_344}, split)
	add("s and bank", 2, 3, true, Exploration{States: 1_000_000, SafetyOnly: true}, nil)
	add("s", 3, 3, false, Exploration{States: 1_000_000, SafetyOnly: true}, nil)
	add("s", 2, 3, false, Exploration{Long: true, Independent: 2_910_906}, nil)
	add(" and bank, all of 2 blocks", 1, 2, true, Exploration{Long: true}, twoBlocks)
	add("s, 3 persistent in flight", 2, 2, false, Exploration{Long: true, SafetyOnly: true},
		func(m *explore.Model) { m.OrderedInFlight = 3 })
	add("s and bank", 2, 2, true, Exploration{Long: true}, nil)
	add("s and bank, as far as memory goes", 2, 3, true, Exploration{Long: true, SafetyOnly: true}, nil)
	add("s, as far as memory goes", 3, 3, false, Exploration{Long: true, SafetyOnly: true}, nil)
	return list
}
