package token

import (
	"fmt"
	"os"
	"strings"
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

// TestStress runs random accesses over chips with every option. CAROUSEL_STRESS_RUNS asks for more of
// them. Together they must take every cell of the transition tables that random order can reach; cells
// that are not in the tables panic.
func TestStress(t *testing.T) {
	n := 48
	if v := os.Getenv("CAROUSEL_STRESS_RUNS"); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			t.Fatalf("CAROUSEL_STRESS_RUNS is %q; a number is allowed", v)
		}
	}
	type key struct {
		role         coherence.Role
		state, event string
	}
	taken := map[key]uint64{}
	var total cohtest.Report
	for k := range n {
		s, c := stressCase(k)
		var p *Protocol
		report, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect, &p))
		if err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		total.Operations += report.Operations
		total.Messages += report.Messages
		total.Counters.Add(report.Counters)
		for _, x := range p.Cells() {
			taken[key{x.Role, x.State, x.Event}] += x.Count
		}
	}
	for k, count := range taken {
		if count == 0 {
			t.Errorf("%s: event %q in state %s never happened", k.role, k.event, k.state)
		}
	}
	t.Logf("%d runs, %d cells, %d operations, %d message copies: %+v", n, len(taken), total.Operations, total.Messages, total.Counters)
}

// TestDefects seeds one mistake at a time: the random test must find it within a few runs.
func TestDefects(t *testing.T) {
	for d, want := range map[defect]string{
		extraToken:    "tokens",
		dropOrphan:    "tokens",
		keepValid:     "without a token",
		trustTokens:   "version",
		unordered:     "must come first",
		forgetEnd:     "whose entry is",
		promiseTwice:  "tokens",
		trustMemory:   "without data",
		forgetPayment: "waited",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			for k := range 40 {
				s, c := stressCase(k)
				s.Unordered = d == unordered
				s.Patience = 5000
				_, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, d, nil))
				if err == nil {
					continue
				}
				if !strings.Contains(err.Error(), want) {
					t.Logf("defect %d: found as %v", d, err)
				}
				return
			}
			t.Errorf("defect %d was not found", d)
		})
	}
}

// TestPayFirst is the one defect that breaks no law at once: it only lets a satisfied access go unserved.
func TestPayFirst(t *testing.T) {
	for _, d := range []defect{noDefect, payFirst} {
		c := Default()
		c.Issues = 0
		chip := cohtest.NewChip(cohtest.Size{Cores: 2, Banks: 1, Memories: 1}, 1, makerOf(c, tinyL1, tinyL2, 4, d, nil))
		chip.Access(1, coherence.Store, 0)
		deliver(t, chip, ActivateWrite, coherence.Memory)
		chip.FinishRead(0)
		chip.Access(0, coherence.Store, 0)
		deliver(t, chip, ActivateWrite, coherence.Cache) // C1's, which changes nothing
		deliver(t, chip, ActivateWrite, coherence.Cache) // C0's: C1 is not first any more
		deliver(t, chip, Tokens, coherence.Cache)
		served := len(chip.Open) == 1
		if served != (d == noDefect) {
			t.Errorf("defect %d: the access that the tokens satisfied was served: %t", d, served)
		}
	}
}

func deliver(t *testing.T, c *cohtest.Chip, kind uint8, to coherence.Role) {
	t.Helper()
	for i := range c.Bag {
		if c.Bag[i].Kind == kind && c.Bag[i].To.Role == to {
			c.Deliver(i)
			return
		}
	}
	t.Fatalf("no %s for a %s", kindNames[kind], to)
}
