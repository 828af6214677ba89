package directory

import (
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
