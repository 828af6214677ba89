package token

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/cohtest/stories"
	"github.com/carousel-sim/carousel/noc"
)

// storyBuilder reads the protocol's options of a story.
func storyBuilder(option func(key string, fallback int) int) cohtest.Maker {
	c := Default()
	c.Adaptive, c.Jitter = false, 0
	c.Tokens = option("tokens", 32)
	c.Issues = option("issues", c.Issues)
	c.Timeout = noc.Cycle(option("timeout", int(c.Timeout)))
	c.Hold = noc.Cycle(option("hold", 0))
	c.AtomicMigrates = option("atomic_migrates", 1) == 1
	if option("evict_tokens", 0) == 1 {
		c.EvictShared = "tokens"
	}
	if option("bank_gives_one", 0) == 1 {
		c.BankGives = "one"
	}
	l1 := cache.Config{Sets: option("l1_sets", 1), Ways: option("l1_ways", 1), Policy: cache.LRU}
	l2 := cache.Config{Sets: option("l2_sets", 1), Ways: option("l2_ways", 2), Policy: cache.LRU}
	return makerOf(c, l1, l2, option("mshrs", 2), noDefect)
}

func TestStories(t *testing.T) { stories.Run(t, "testdata", storyBuilder) }
