package token

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
)

// Hits of all cores are counted apart from other transitions and not checked against the table:
// every state must take loads and stores, and the table and the counters must show what was
// counted.
func TestHitsAreInTableAndCounters(t *testing.T) {
	for _, e := range []uint8{onLoad, onStore} {
		if strings.Contains(legal[coherence.Cache][e], ".") {
			t.Errorf("%s is not legal in every state", events[coherence.Cache][e])
		}
	}
	p := New(twoCores(), Default(), tinyL1, tinyL2, 2)
	for core := range 2 {
		reach := p.NewCache(core).HitPath()
		for k := range coherence.AccessKinds {
			hits(reach, k, valid|owner|dirty|wrote|all, 1<<(2*uint(k)+uint(core)))
			if !k.IsWrite() {
				hits(reach, k, valid, 1<<(2*uint(k)+10))
			}
		}
	}
	for k, n := range p.Hits() {
		want := uint64(1+2) << (2 * k)
		if !coherence.AccessKind(k).IsWrite() {
			want += 2 << (2*k + 10)
		}
		if n != want {
			t.Errorf("%d hits of kind %d, want %d", n, k, want)
		}
	}
	kinds := func(n uint64, list ...coherence.AccessKind) (sum uint64) {
		for _, k := range list {
			sum += n << (2 * k)
		}
		return sum
	}
	for _, cell := range p.Cells() {
		n := map[string]uint64{"Mw": 1 + 2, "S": 2 << 10}[cell.State]
		want := uint64(0)
		switch {
		case cell.Role != coherence.Cache:
		case cell.Event == "load":
			want = kinds(n, coherence.Load, coherence.Fetch)
		case cell.Event == "store" && cell.State == "Mw":
			want = kinds(n, coherence.Store, coherence.Atomic, coherence.Prefetch)
		}
		if cell.Count != want {
			t.Errorf("%s in %s at %s: %d, want %d", cell.Event, cell.State, cell.Role, cell.Count, want)
		}
	}
}

// hits makes hits of a line with the given flags.
func hits(reach coherence.HitPath, k coherence.AccessKind, f flags, n int) {
	for range n {
		l := coherence.CacheLine{State: f}
		if !reach.Hit(&l, k) {
			panic("no hit")
		}
	}
}
