package msi

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/cohtest/roundtrip"
	"github.com/carousel-sim/carousel/coherence/cohtest/stories"
)

// TestStories tells the rules of the package documentation, one by one.
func TestStories(t *testing.T) {
	stories.Run(t, "testdata", func(option func(key string, fallback int) int) cohtest.Maker {
		l1 := cache.Config{Sets: 1, Ways: option("l1_ways", 1), Policy: cache.LRU}
		l2 := cache.Config{Sets: 1, Ways: option("l2_ways", 4), Policy: cache.LRU}
		return func(s coherence.System) coherence.Protocol { return New(s, l1, l2, 2) }
	})
}

var (
	paperL1 = cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU}
	paperL2 = cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU}
)

// Messages cause messages of higher classes only, so that none can wait for another in a circle.
func TestDependencies(t *testing.T) {
	if err := cohtest.Dependencies(New(roundtrip.System(), paperL1, paperL2, 4)); err != nil {
		t.Error(err)
	}
}

// New panics on arrays that cannot be.
func TestNewRefusesArrays(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an array without sets is taken")
		}
	}()
	New(roundtrip.System(), cache.Config{}, paperL2, 4)
}

// Nothing is allocated once the caches are full and blocks leave them all the time.
func TestNoAllocation(t *testing.T) {
	r := roundtrip.New(New(roundtrip.System(), paperL1, paperL2, 16), roundtrip.Access{Core: 0, Kind: coherence.Load},
		roundtrip.Access{Core: 1, Kind: coherence.Load}, roundtrip.Access{Core: 0, Kind: coherence.Store},
		roundtrip.Access{Core: 1, Kind: coherence.Store})
	r.TestNoAllocation(t)
	if c := r.Bank.Counters(); c.Evictions < 4096 {
		t.Errorf("only %d blocks have left the bank", c.Evictions)
	}
}

// A chip with more cores than a word has bits keeps track of all sharers.
func TestManyCores(t *testing.T) {
	for k, cores := range []int{64, 65, 200} {
		s := cohtest.Stress{Seed: uint64(k), Size: cohtest.Size{Cores: cores, Banks: 2, Memories: 1}, Blocks: 20, Operations: 1200,
			Outstanding: 2, Writes: 10, OpenLimit: 100_000}
		tiny := cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
		if _, err := s.Run(func(s coherence.System) coherence.Protocol { return New(s, tiny, tiny, 4) }); err != nil {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}
