package cmp

import (
	"github.com/carousel-sim/carousel/cache/blocktable"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// rememberedVersions bounds how many of a block's latest versions are kept with the cycle in which
// they were made.
const rememberedVersions = 1024

// history is what checks know of one block.
type history struct {
	touched bool // listed in histories.touched
	latest  coherence.Version
	// made holds when version v was made, at index (v-1)%rememberedVersions.
	made []noc.Cycle
}

// write notes that the next version has been made.
func (h *history) write(now noc.Cycle) {
	if at := int(h.latest % rememberedVersions); at < len(h.made) {
		h.made[at] = now
	} else {
		h.made = append(h.made, now)
	}
	h.latest++
}

// replaced returns when version v ceased to be the latest, which is when the next one was made;
// Never while it is. Of older versions than those kept it returns the latest time at
// which that can have been.
func (h *history) replaced(v coherence.Version) noc.Cycle {
	if v >= h.latest {
		return noc.Never
	}
	if h.latest > rememberedVersions {
		v = max(v, h.latest-rememberedVersions)
	}
	return h.made[v%rememberedVersions]
}

// histories are those of every block that a checked run has used.
type histories struct {
	blocktable.Table[coherence.Block, history]
	touched []coherence.Block // whose state may have changed since the last check
}

func newHistories() histories {
	return histories{Table: blocktable.New[coherence.Block](history{})}
}

// touch lists a block for the next check.
func (t *histories) touch(b coherence.Block) {
	if h := t.Get(b); !h.touched {
		h.touched = true
		t.touched = append(t.touched, b)
	}
}
