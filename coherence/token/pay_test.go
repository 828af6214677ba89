package token

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
)

// tiny are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

func makerOf(c Config, l1, l2 cache.Config, mshrs int, seeded uint8) cohtest.Maker {
	return func(s coherence.System) coherence.Protocol {
		p := New(s, c, l1, l2, mshrs)
		p.Seeded = seeded
		return p
	}
}

// TestPayFirst is the one defect that breaks no law at once: it only lets a satisfied access go
// unserved.
func TestPayFirst(t *testing.T) {
	for _, d := range []uint8{noDefect, payFirst} {
		c := Default()
		c.Issues = 0
		chip := cohtest.NewChip(cohtest.Size{Cores: 2, Banks: 1, Memories: 1}, 1, makerOf(c, tinyL1, tinyL2, 4, d))
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
