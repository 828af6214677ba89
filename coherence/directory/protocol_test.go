package directory

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// TestCellsAreThoseOfTheModel compares the sizes of the tables with those that exhaustive search of
// a model of one block has found to be reachable: 29 pairs of state and message at an L1, 33 when
// read-only blocks are dropped silently, and 33 at a home.
func TestCellsAreThoseOfTheModel(t *testing.T) {
	for _, x := range []struct {
		silent      bool
		cache, home int
	}{{false, 29, 33}, {true, 33, 29}} {
		c := Default()
		c.SilentS = x.silent
		p := New(twoCores(), c, tinyL1, tinyL2, 4)
		n := [coherence.Roles]int{}
		for _, cell := range p.Cells() {
			switch cell.Event {
			case "load", "store", "evict", "stall", "victim":
			default:
				n[cell.Role]++
			}
		}
		// Without PutS a home lacks four pairs.
		if n[coherence.Cache] != x.cache || n[coherence.Bank] != x.home {
			t.Errorf("silent %t: %d pairs at an L1 and %d at a home, want %d and %d", x.silent, n[coherence.Cache], n[coherence.Bank], x.cache, x.home)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"directory.transactions": func(c *Config) { c.Transactions = 0 },
		"directory.stall_queue":  func(c *Config) { c.StallQueue = MaxStalled + 1 },
		"directory.write_backs":  func(c *Config) { c.WriteBacks = -1 },
	} {
		c := Default()
		if err := c.Validate(); err != nil {
			t.Fatalf("the default: %v", err)
		}
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// tinyL1 and tinyL2 are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

func twoCores() coherence.System {
	return coherence.System{Cores: 2, Homes: &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}}
}

// Hits are counted apart from other transitions and not checked against the table: every state must
// take loads and stores.
func TestHitsAreLegal(t *testing.T) {
	for _, e := range []uint8{onLoad, onStore} {
		if strings.Contains(legal[coherence.Cache][e], ".") {
			t.Errorf("%s is not legal in every state", events[coherence.Cache][e])
		}
	}
}
