package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// remembered bounds how many of a block's latest versions are remembered with the cycle in which they were
// made.
const remembered = 1024

// history is what checks know of one block.
type history struct {
	block   coherence.Block
	touched bool // listed in histories.touched
	latest  coherence.Version
	// made holds when version v was made, at place (v-1)%remembered.
	made []noc.Cycle
}

// write notes that the next version has been made.
func (h *history) write(now noc.Cycle) {
	if at := int(h.latest % remembered); at < len(h.made) {
		h.made[at] = now
	} else {
		h.made = append(h.made, now)
	}
	h.latest++
}

// replaced is when version v ceased to be the latest, which is when the next one was made; Never while it
// is. Of versions too old to be remembered it gives the latest time at which that can have been.
func (h *history) replaced(v coherence.Version) noc.Cycle {
	if v >= h.latest {
		return noc.Never
	}
	if h.latest > remembered {
		v = max(v, h.latest-remembered)
	}
	return h.made[v%remembered]
}

// histories is a hash table of every block that a checked run has used.
type histories struct {
	all     []history
	index   []int32 // open addressing; 0 is empty, n stands for all[n-1]
	shift   uint    // 32 minus the log of len(index)
	touched []int32 // blocks whose state may have changed since the last check, as places in all
}

func newHistories() histories { return histories{index: make([]int32, 64), shift: 32 - 6} }

func (t *histories) slot(b coherence.Block) uint32 {
	i := uint32(b) * 0x9e3779b1 >> t.shift
	for t.index[i] != 0 && t.all[t.index[i]-1].block != b {
		i = (i + 1) & uint32(len(t.index)-1)
	}
	return i
}

// get is the place of a block in all, which is made when the block is new.
func (t *histories) get(b coherence.Block) int32 {
	i := t.slot(b)
	if n := t.index[i]; n != 0 {
		return n - 1
	}
	if 2*(len(t.all)+1) > len(t.index) {
		t.index = make([]int32, 2*len(t.index))
		t.shift--
		for n := range t.all {
			t.index[t.slot(t.all[n].block)] = int32(n + 1)
		}
		i = t.slot(b)
	}
	t.all = append(t.all, history{block: b})
	t.index[i] = int32(len(t.all))
	return int32(len(t.all) - 1)
}

// touch lists a block for the next check.
func (t *histories) touch(b coherence.Block) {
	i := t.get(b)
	if h := &t.all[i]; !h.touched {
		h.touched = true
		t.touched = append(t.touched, i)
	}
}
