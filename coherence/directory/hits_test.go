package directory

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// tinyL1 and tinyL2 are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

func twoCores() coherence.System {
	return coherence.System{Cores: 2, Homes: &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}}
}

// Hits are counted apart from other transitions and not checked against the table: every state must
// take loads and stores, and the table and the counters must show what was counted.
func TestHitsAreInTableAndCounters(t *testing.T) {
	for _, e := range []uint8{onLoad, onStore} {
		if strings.Contains(legal[coherence.Cache][e], ".") {
			t.Errorf("%s is not legal in every state", events[coherence.Cache][e])
		}
	}
	p := New(twoCores(), Default(), tinyL1, tinyL2, 2)
	// Each kind of access hits a number of times that no sum of others makes.
	hits := map[string]uint64{}
	var total [coherence.AccessKinds]uint64
	next := uint64(1)
	for core := range 2 {
		reach := p.NewCache(core).HitPath()
		for s := range cacheStates {
			for k := range coherence.AccessKinds {
				if !reach.Satisfies(s, k) {
					continue
				}
				for range next {
					reach.Hit(&coherence.CacheLine{State: s}, k)
				}
				event := events[coherence.Cache][onLoad]
				if k.IsWrite() {
					event = events[coherence.Cache][onStore]
				}
				hits[states[coherence.Cache][s]+event] += next
				total[k] += next
				next = next*3/2 + 1
			}
		}
		next = 2
	}
	if counted := p.Hits(); counted != total {
		t.Errorf("%d hits by kind, want %d", counted, total)
	}
	for _, cell := range p.Cells() {
		want := hits[cell.State+cell.Event]
		if cell.Role != coherence.Cache {
			want = 0
		}
		if cell.Count != want {
			t.Errorf("%s in %s at %s: %d, want %d", cell.Event, cell.State, cell.Role, cell.Count, want)
		}
	}
}
