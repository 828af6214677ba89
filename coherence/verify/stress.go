package verify

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
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

// Run performs the test. The cells are those of its own protocol's tables.
func (s Stress) Run() (cohtest.Report, []coherence.Cell, error) {
	var p coherence.Protocol
	report, err := s.Stress.Run(func(system coherence.System) coherence.Protocol {
		p = s.New(system)
		return p
	})
	return report, p.Cells(), err
}
