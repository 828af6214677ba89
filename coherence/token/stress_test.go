package token

import (
	"fmt"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/noc"
)

// tiny are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

// stressCase is the k-th of an endless row of different random tests.
func stressCase(k int) (cohtest.Stress, Config) {
	c := Default()
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
	return s, c
}

func makerOf(c Config, l1, l2 cache.Config, mshrs int, d defect, made **Protocol) cohtest.Maker {
	return func(s coherence.System) coherence.Protocol {
		p := New(s, c, l1, l2, mshrs)
		p.defect = d
		if made != nil {
			*made = p
		}
		return p
	}
}

func TestStress(t *testing.T) {
	n := 30
	fmt.Sscan(os.Getenv("CAROUSEL_STRESS_RUNS"), &n)
	for k := range n {
		s, c := stressCase(k)
		if _, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect, nil)); err != nil {
			t.Errorf("case %d: %v", k, err)
		}
	}
}
