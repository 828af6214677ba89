package verify

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
)

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

// StressCase is the k-th of an endless row of different random tests of a protocol, with a defect seeded
// unless its name is "".
func StressCase(protocol string, k int, defect string) Stress {
	if protocol == "directory" {
		return directoryStress(k, defect)
	}
	return tokenStress(k, defect)
}

// Run performs the test. The cells are those of its own protocol's tables.
func (s Stress) Run() (cohtest.Report, []coherence.Cell, error) {
	var p coherence.Protocol
	report, err := s.Stress.Run(func(system coherence.System) coherence.Protocol {
		p = s.New(system)
		return p
	})
	return report, p.Cells(), err
}

func tokenStress(k int, defect string) Stress {
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
	if k%6 == 2 {
		c.Adaptive, c.AdaptiveLow = true, 20
	}
	if k%8 == 3 {
		c.AtomicMigrates = false
	}
	s := cohtest.Stress{
		Seed: uint64(k), Size: cohtest.Size{Cores: []int{2, 3, 4, 8}[k%4], Banks: 1 << (k % 3), Memories: 1 + k%2},
		Blocks: []int{2, 5, 16, 64, 1}[k%5], Operations: 4000, Outstanding: 1 + k%6,
		Writes: 20 + 10*(k%4), Fetches: 10, Prefetches: 5, Cramped: []int{0, 30, 80}[k/2%3], Patience: 20_000,
	}
	c.Tokens = []int{0, s.Cores + 1, 64}[k/5%3]
	return Stress{s, func(system coherence.System) coherence.Protocol {
		p := token.New(system, c, tinyL1, tinyL2, 4)
		p.Seed(defect)
		return p
	}}
}

func directoryStress(k int, defect string) Stress {
	c := directory.Config{
		SilentS: k%2 == 1, Transactions: []int{16, 1, 2, 4}[k/2%4], StallQueue: []int{32, 1, 4}[k/3%3], WriteBacks: []int{16, 1, 2}[k/4%3],
	}
	l1, l2 := tinyL1, tinyL2
	if k%4 > 1 { // evictions all the time
		l1 = single
	}
	if k%3 == 2 { // recalls all the time
		l2 = cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	}
	s := cohtest.Stress{
		Seed: uint64(k), Size: cohtest.Size{Cores: []int{2, 3, 4, 8}[k/4%4], Banks: 1 << (k % 3), Memories: 1 + k/2%2},
		Blocks: []int{2, 5, 16, 64, 1}[k%5], Operations: 4000, Outstanding: 1 + k%6,
		Writes: 20 + 10*(k/2%4), Fetches: 10, Prefetches: 5, Cramped: []int{0, 30, 80}[k/2%3], Patience: 20_000,
	}
	if k%4 == 3 { // invalidations that meet requests of former sharers
		s.Blocks, s.Cores, s.Outstanding, s.Cramped = 2+k/4%3, 4+k/4%5, 2, 30
	}
	return Stress{s, func(system coherence.System) coherence.Protocol {
		p := directory.New(system, c, l1, l2, 4)
		p.Seed(defect)
		return p
	}}
}
