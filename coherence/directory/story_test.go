package directory

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/cohtest/stories"
)

// storyBuilder reads the protocol's options of a story.
func storyBuilder(option func(key string, fallback int) int) cohtest.Maker {
	c := Default()
	c.SilentS = option("silent", 0) == 1
	c.Transactions = option("transactions", c.Transactions)
	c.StallQueue = option("stall_queue", c.StallQueue)
	c.WriteBacks = option("write_backs", c.WriteBacks)
	l1 := cache.Config{Sets: option("l1_sets", 1), Ways: option("l1_ways", 1), Policy: cache.LRU}
	l2 := cache.Config{Sets: option("l2_sets", 1), Ways: option("l2_ways", 4), Policy: cache.LRU}
	mshrs := option("mshrs", 2)
	return func(s coherence.System) coherence.Protocol { return New(s, c, l1, l2, mshrs) }
}

func TestStories(t *testing.T) { stories.Run(t, "testdata", storyBuilder) }
