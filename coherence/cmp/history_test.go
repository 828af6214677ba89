package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// A history gives the cycle in which each version ceased to be the latest; of versions too old for
// that, a cycle that is not too early.
func TestHistoryRemembersWhenVersionsWereReplaced(t *testing.T) {
	var h history
	const writes = rememberedVersions + 100
	at := func(v coherence.Version) noc.Cycle { return 10 * noc.Cycle(v) } // when version v is made
	for v := coherence.Version(1); v <= writes; v++ {
		h.write(at(v))
		if h.latest != v || h.replaced(v) != noc.Never || h.replaced(v-1) != at(v) {
			t.Fatalf("after version %d, version %d was replaced in cycle %d and %d in %d", v, v-1, h.replaced(v-1), v, h.replaced(v))
		}
	}
	for v := range coherence.Version(writes) {
		want := max(at(v+1), at(writes-rememberedVersions+1))
		if got := h.replaced(v); got != want {
			t.Fatalf("version %d was replaced in cycle %d, want %d", v, got, want)
		}
	}
}

// A touched block is listed once.
func TestHistoriesListTouchedBlocksOnce(t *testing.T) {
	h := newHistories()
	for i := range coherence.Block(1000) {
		h.touch(i * 4096)
		h.touch(i * 4096)
	}
	if len(h.touched) != 1000 {
		t.Fatalf("%d blocks are listed, want 1000", len(h.touched))
	}
}
