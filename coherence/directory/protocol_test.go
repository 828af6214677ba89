package directory

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/cohtest/roundtrip"
)

func TestDependencies(t *testing.T) {
	if err := cohtest.Dependencies(New(roundtrip.System(), Default(), tinyL1, tinyL2, 4)); err != nil {
		t.Error(err)
	}
}

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
		p := New(roundtrip.System(), c, tinyL1, tinyL2, 4)
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

// TestManyCores runs a short stress on large chips, whose sets of sharers take several words.
func TestManyCores(t *testing.T) {
	for k, cores := range []int{64, 65, 200, 1024} {
		c := Default()
		c.SilentS = k%2 == 1
		s := cohtest.Stress{Seed: 1, Size: cohtest.Size{Cores: cores, Banks: 2, Memories: 1}, Blocks: 20, Operations: 1200,
			Outstanding: 2, Writes: 10, OpenLimit: 100_000}
		if _, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect)); err != nil {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// paperL1 and paperL2 are the paper's arrays.
var (
	paperL1 = cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU}
	paperL2 = cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU}
)

// newRoundTrips lets core 0 read each block, core 1 read it and both write it. Blocks leave both
// kinds of caches all the time.
func newRoundTrips() *roundtrip.Chip {
	return roundtrip.New(New(roundtrip.System(), Default(), paperL1, paperL2, 16), roundtrip.Access{Core: 0, Kind: coherence.Load},
		roundtrip.Access{Core: 1, Kind: coherence.Load}, roundtrip.Access{Core: 0, Kind: coherence.Store},
		roundtrip.Access{Core: 1, Kind: coherence.Store})
}

func TestNoAllocation(t *testing.T) {
	r := newRoundTrips()
	r.TestNoAllocation(t)
	if c := r.Bank.Counters(); c.Evictions < 4096 {
		t.Errorf("only %d blocks have left the bank", c.Evictions)
	}
}

func BenchmarkHit(b *testing.B) { newRoundTrips().BenchmarkHit(b) }

// BenchmarkMiss is a miss with everything that follows from it: one in four from memory, with a
// recall, one read from the other cache, an upgrade, and a write from the other cache.
func BenchmarkMiss(b *testing.B) { newRoundTrips().BenchmarkMiss(b) }
