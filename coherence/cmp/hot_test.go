package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
)

// TestHotBlocksKeepEveryCore: the table keeps what each of many cores had to do with a block, in order
// of the cores, and other blocks change nothing of it.
func TestHotBlocksKeepEveryCore(t *testing.T) {
	const cores, hot = 100, coherence.Block(7)
	h := newHotBlocks()
	for i := range cores {
		core := i * 37 % cores
		for range 100 + core {
			e := h.entry(hot)
			e.misses++
			e.of(core).Misses++
		}
		for b := hot + 1; b < hot+4000; b += 13 { // they replace each other
			e := h.entry(b)
			e.misses++
			e.of(core).Misses++
		}
	}
	c := Default()
	list := h.hottest(&c)
	if len(list) == 0 || list[0].Address != uint64(hot)*coherence.BlockBytes || len(list[0].Cores) != cores {
		t.Fatalf("%d blocks: %+v", len(list), list)
	}
	for i, own := range list[0].Cores {
		if own.Core != i || own.Misses != uint64(100+i) {
			t.Errorf("core %d: %+v", i, own)
		}
	}
}
