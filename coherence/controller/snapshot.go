package controller

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
)

// SnapshotArray passes which blocks are in which frames, and which is given up next.
func SnapshotArray(a *cache.Array, s *coherence.Snapshot) {
	if s.Reading {
		s.Data = a.SetState(s.Data)
	} else {
		s.Data = a.AppendState(s.Data)
	}
}

// SnapshotBlocks passes a list of blocks.
func SnapshotBlocks(list *[]coherence.Block, s *coherence.Snapshot) {
	n := len(*list)
	coherence.Byte(s, &n)
	if s.Reading {
		*list = append((*list)[:0], make([]coherence.Block, n)...)
	}
	for i := range *list {
		coherence.Byte(s, &(*list)[i])
	}
}

// SnapshotMisses passes the open misses with the accesses that wait for them, in order of their
// slots. The slots themselves are not state. miss passes what the protocol knows of the miss in a
// slot or, when reading, allocates a slot for it and returns that.
func (c *L1) SnapshotMisses(s *coherence.Snapshot, miss func(slot int) int) {
	if s.Reading {
		c.Misses.Clear()
		c.Refused, c.Cramped = false, false
	}
	if c.Arrays[victims].Frames() > 0 {
		s.Bool(&c.Leaving)
	}
	n := c.Misses.Used()
	coherence.Byte(s, &n)
	for slot := -1; n > 0; n-- {
		if !s.Reading {
			slot = c.Misses.Next(slot + 1)
		}
		slot = miss(slot)
		waiting := len(c.Misses.Targets(slot))
		coherence.Byte(s, &waiting)
		for i := range waiting {
			var t Target
			if !s.Reading {
				t = c.Misses.Targets(slot)[i]
			}
			coherence.Byte(s, &t.Handle)
			coherence.Byte(s, &t.Kind)
			s.Bool(&t.Late)
			if s.Reading {
				c.Misses.Add(slot, t)
			}
		}
	}
}
