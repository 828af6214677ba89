package cmp

import (
	"cmp"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// coreTimer is a timer of one core's cache.
type coreTimer struct {
	coherence.Timer
	core uint16
}

// before orders timerHeap by time, then core, then slot, so that firing order never depends on the
// order in which they were set.
func (a coreTimer) before(b coreTimer) bool {
	return a.At < b.At || a.At == b.At && cmp.Or(cmp.Compare(a.core, b.core), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Generation, b.Generation)) < 0
}

// timerHeap is a binary heap of timers. Controllers never cancel a timer; they recognise a stale
// one.
type timerHeap []coreTimer

func (h *timerHeap) push(a coreTimer) {
	*h = append(*h, a)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *timerHeap) pop() coreTimer {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(s) {
			return top
		}
		if down+1 < len(s) && s[down+1].before(s[down]) {
			down++
		}
		if !s[down].before(s[i]) {
			return top
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
}

func (h timerHeap) next() noc.Cycle {
	if len(h) == 0 {
		return noc.Never
	}
	return h[0].At
}
