package verify

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
)

// bankless is a token protocol of a chip without L2.
type bankless struct{ *token.Protocol }

// NewBank returns what takes the bank's place.
func (p bankless) NewBank(index int) coherence.Controller { return p.NewPassage(index) }

// tokenChip makes a chip of the token protocol. After one transient request a miss may turn
// persistent, so that either can end it.
func tokenChip(cores, tokens int, l2 bool, defect string) explore.Model {
	m := chip(cores)
	m.PassingBank, m.InstantMemory = !l2, true
	m.New = func(s coherence.System) coherence.Explorable {
		c := token.Default()
		c.Adaptive, c.Issues, c.Jitter = false, 1, 0
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
	speculative := func(m *explore.Model) { m.Victims = 1 }
	add(" and bank, speculative loads, one place per queue", 1, 2, true, Exploration{},
		func(m *explore.Model) { m.Victims, m.Cramped, m.InstantMemory = 1, true, false })
	add("s, speculative loads", 2, 2, false, Exploration{States: 300_000, SafetyOnly: true}, speculative)
	add("s, all with speculative loads", 2, 2, false, Exploration{Long: true}, speculative)
	add("s, split reads", 2, 2, false, Exploration{Long: true, Independent: 639_344}, split)
	add("s and bank", 2, 3, true, Exploration{States: 300_000, SafetyOnly: true}, nil)
	add("s", 3, 3, false, Exploration{States: 300_000, SafetyOnly: true}, nil)
	add("s", 2, 3, false, Exploration{Long: true, Independent: 2_910_906}, nil)
	add(" and bank, all of 2 blocks", 1, 2, true, Exploration{Long: true}, twoBlocks)
	add("s, 3 persistent in flight", 2, 2, false, Exploration{Long: true, SafetyOnly: true},
		func(m *explore.Model) { m.OrderedInFlight = 3 })
	add("s and bank", 2, 2, true, Exploration{Long: true}, nil)
	add("s and bank, as far as memory goes", 2, 3, true, Exploration{Long: true, SafetyOnly: true}, nil)
	add("s, as far as memory goes", 3, 3, false, Exploration{Long: true, SafetyOnly: true}, nil)
	return list
}

func tokenStress(k int, defect string) cohtest.Stress {
	c := token.Default()
	c.Timeout = []noc.Cycle{20, 60, 512}[k%3]
	c.Issues = []int{0, 1, 4}[k/3%3]
	if k%4 == 1 {
		c.EvictShared = "tokens"
	}
	if k%5 == 1 {
		c.BankGives = "one"
	}
	if k%7 == 1 {
		c.Hold = 10
	}
	c.AdaptiveStart, c.AdaptiveHigh = c.Timeout, 1000
	if c.Adaptive = k%6 == 2; c.Adaptive {
		c.Timeout = token.Default().Timeout
	}
	if k%8 == 3 {
		c.AtomicMigrates = false
	}
	s := cohtest.Stress{
		Seed: uint64(k), Size: cohtest.Size{Cores: []int{2, 3, 4, 8}[k%4], Banks: 1 << (k % 3), Memories: 1 + k%2, Victims: k % 3},
		Blocks: []int{2, 5, 16, 64, 1}[k%5], Operations: 4000, Outstanding: 1 + k%6,
		Writes: 20 + 10*(k%4), Fetches: 10, Prefetches: 5, Cramped: []int{0, 30, 80}[k/2%3], OpenLimit: 20_000,
	}
	c.Tokens = []int{0, s.Cores + 1, 64}[k/5%3]
	s.New = func(system coherence.System) coherence.Protocol {
		p := token.New(system, c, tinyL1, tinyL2, 4)
		p.Seed(defect)
		return p
	}
	return s
}
