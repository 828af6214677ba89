package controller

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Frames are those of an L1's two arrays and of its victim buffer, with their lines. Frames of the
// instruction array are numbered after those of the data array, and those of the victim buffer
// last. A block is in at most one of the three.
type Frames struct {
	Arrays [3]cache.Array // data, instructions, victim buffer
	Lines  []coherence.CacheLine
	Split  int32 // first frame of the instruction array
	// Until is a time of the protocol's for each frame, which moves with its line; nil where there is
	// none.
	Until    []noc.Cycle
	kept     int32 // blocks in the victim buffer
	presence *cache.PresenceFilter
	core     int
}

// victims is the victim buffer among the arrays.
const victims = 2

func newFrames(shape cache.Config, buffer int, presence *cache.PresenceFilter, core int) Frames {
	x := Frames{Arrays: [3]cache.Array{cache.NewArray(shape, 0), cache.NewArray(shape, 0)}, presence: presence, core: core}
	if buffer > 0 {
		x.Arrays[victims] = cache.NewArray(cache.Config{Sets: 1, Ways: buffer, Policy: cache.LRU}, 0)
	}
	x.Split = int32(x.Arrays[0].Frames())
	x.Lines = make([]coherence.CacheLine, int(2*x.Split)+buffer)
	return x
}

// Kept reports whether a frame belongs to the victim buffer.
func (x *Frames) Kept(f int32) bool { return f >= 2*x.Split }

// ArrayOf returns the number of the array that an access puts its block into.
func ArrayOf(k coherence.AccessKind) int {
	if k == coherence.Fetch {
		return 1
	}
	return 0
}

// Find returns the frame of a block, or None.
func (x *Frames) Find(b coherence.Block) int32 {
	if !x.presence.MayHold(x.core, uint32(b)) { // true of most blocks that other cores ask for
		return None
	}
	if f := x.Arrays[0].Find(uint32(b)); f >= 0 {
		return f
	}
	if f := x.Arrays[1].Find(uint32(b)); f >= 0 {
		return f + x.Split
	}
	if x.kept > 0 {
		if f := x.Arrays[victims].Find(uint32(b)); f >= 0 {
			return f + 2*x.Split
		}
	}
	return None
}

// Place returns the array of a frame and its number there.
func (x *Frames) Place(f int32) (*cache.Array, int32) {
	i := x.arrayOf(f)
	return &x.Arrays[i], f - int32(i)*x.Split
}

// arrayOf returns the number of the array that a frame belongs to.
func (x *Frames) arrayOf(f int32) int {
	switch {
	case f < x.Split:
		return 0
	case f < 2*x.Split:
		return 1
	}
	return victims
}

// Block returns the block in a frame.
func (x *Frames) Block(f int32) coherence.Block {
	a, local := x.Place(f)
	return coherence.Block(a.Block(local))
}

// Holds reports whether a frame holds a block.
func (x *Frames) Holds(f int32) bool {
	a, local := x.Place(f)
	return a.Holds(local)
}

// Touch notes that a frame has been used.
func (x *Frames) Touch(f int32) {
	a, local := x.Place(f)
	a.Touch(local)
}

// Recall moves the line of a frame to another one, which has been filled with the same block.
func (x *Frames) Recall(from, to int32) {
	x.Lines[to] = x.Lines[from]
	if x.Until != nil {
		x.Until[to] = x.Until[from]
	}
	x.Release(from)
}

// keep moves a block that the array gives up into the victim buffer, and returns false where no
// speculative load has read the block or the buffer is full.
func (x *Frames) keep(f int32, out *coherence.Effects) bool {
	b, buffer := x.Block(f), &x.Arrays[victims]
	if buffer.Frames() == 0 || !out.Speculative(b) {
		return false
	}
	to := buffer.Victim(uint32(b), 0)
	if buffer.Holds(to) {
		return false
	}
	to += 2 * x.Split
	x.Fill(to, b)
	x.Recall(f, to)
	out.Kept = true
	return true
}

// Fill puts a block into an empty frame.
func (x *Frames) Fill(f int32, b coherence.Block) {
	a, local := x.Place(f)
	a.Fill(local, uint32(b))
	x.Lines[f].Block = b
	if x.Until != nil {
		x.Until[f] = 0
	}
	if x.Kept(f) {
		x.kept++
		x.refilter()
		return
	}
	x.presence.Filled(x.core, x.arrayOf(f), uint32(b))
}

// Release empties a frame.
func (x *Frames) Release(f int32) {
	a, local := x.Place(f)
	b := a.Block(local)
	a.Release(local)
	x.Lines[f] = coherence.CacheLine{}
	if x.Kept(f) {
		x.kept--
		x.refilter()
		return
	}
	x.presence.Changed(x.core, x.arrayOf(f), a, b)
}

// refilter tells the presence filter which blocks are in the victim buffer.
func (x *Frames) refilter() {
	x.presence.Clear(x.core)
	x.Arrays[victims].Visit(func(_ int32, b uint32) { x.presence.Add(x.core, b) })
}

// Visit calls f for every frame that holds a block.
func (x *Frames) Visit(f func(frame int32, b coherence.Block)) {
	for i := range x.Arrays {
		x.Arrays[i].Visit(func(frame int32, b uint32) { f(int32(i)*x.Split+frame, coherence.Block(b)) })
	}
}

// ReserveHome returns an empty frame of a bank for a block, or begins to empty one and returns None.
// One block of a set leaves at a time, so that a waiting request does not clear the whole set. state
// tells of a frame with a block whether the block is busy, and whether it is leaving. evict gives a
// block up, or returns false when L1s or memory must be told first.
func ReserveHome(a *cache.Array, b coherence.Block, state func(f int32) (busy, leaving bool), evict func(f int32) bool) int32 {
	f := a.Victim(uint32(b), 0)
	if a.Holds(f) { // no frame of the set is empty
		first, end := a.SetOf(uint32(b))
		var taken uint64
		wait := false
		for f := first; f < end; f++ {
			if busy, leaving := state(f); busy {
				taken |= 1 << (f - first)
				wait = wait || leaving
			}
		}
		if f = a.Victim(uint32(b), taken); f == None || wait || !evict(f) {
			return None
		}
	}
	a.Fill(f, uint32(b))
	return f
}

// SnapshotFrames passes which blocks are in which frames, and what line passes of each line.
func (x *Frames) SnapshotFrames(s *coherence.Snapshot, line func(b coherence.Block, l *coherence.CacheLine)) {
	if s.Reading {
		clear(x.Lines)
	}
	for i := range x.Arrays {
		frames := int32(x.Arrays[i].Frames())
		if frames == 0 {
			continue
		}
		SnapshotArray(&x.Arrays[i], s)
		for f := range frames {
			if x.Arrays[i].Holds(f) {
				l := &x.Lines[int32(i)*x.Split+f]
				l.Block = coherence.Block(x.Arrays[i].Block(f))
				line(l.Block, l)
			}
		}
	}
	if s.Reading {
		for i := range victims {
			for set := range x.Arrays[i].Sets() {
				x.presence.Changed(x.core, i, &x.Arrays[i], uint32(set))
			}
		}
		x.kept = 0
		x.Arrays[victims].Visit(func(int32, uint32) { x.kept++ })
		x.refilter()
	}
}

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
// slot beyond its frame.
func (c *L1) SnapshotMisses(s *coherence.Snapshot, miss func(slot int, m *Miss)) {
	if s.Reading {
		c.Misses.Clear()
		c.Refused, c.Cramped, c.Unsent = false, false, 0
	}
	if c.Arrays[victims].Frames() > 0 {
		s.Bool(&c.Leaving)
	}
	n := c.Misses.Used()
	coherence.Byte(s, &n)
	for slot := -1; n > 0; n-- {
		frame := int32(0)
		if !s.Reading {
			slot = c.Misses.Next(slot + 1)
			frame = c.Miss[slot].Frame
		}
		coherence.Byte(s, &frame)
		if s.Reading {
			slot = c.Allocate(frame)
			c.Miss[slot] = Miss{Frame: frame}
		}
		m := &c.Miss[slot]
		miss(slot, m)
		if s.Reading && m.Unsent {
			c.Unsent++
		}
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
