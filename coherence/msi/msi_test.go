package msi

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
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

// New panics on arrays that cannot be.
func TestNewRefusesArrays(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an array without sets is taken")
		}
	}()
	New(coherence.System{Cores: 2}, cache.Config{}, cache.Config{Sets: 1, Ways: 4}, 4)
}
