package controller

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// L1 is the frames of a core's two arrays and its open misses, with the accesses that wait for
// them.
type L1 struct {
	Frames
	Misses  cache.MSHRs[Target]
	Refused bool // an access was refused for lack of something that a miss or an eviction gives back
	Cramped bool // an access was refused for lack of room in a queue
	Leaving bool // a block of the victim buffer waits for room to be given up
	chip    *Chip
	agent   *Agent
	giveUp  func(f int32, out *coherence.Effects) bool
}

// Target is an access that waits for a miss.
type Target struct {
	Handle uint32
	Kind   coherence.AccessKind
	Merged bool // another access has started the miss
	Late   bool // joined after an invalidation had overtaken the data
}

// NewL1 returns the L1 of an agent. giveUp gives up the line in a frame that waits for no miss; it
// returns false, having done nothing, when that cannot be now. NewL1 panics when the chip has more
// MSHRs than a line can name.
func NewL1(c *Chip, agent *Agent, giveUp func(f int32, out *coherence.Effects) bool) L1 {
	if c.MSHRs > coherence.MaxMisses {
		panic(fmt.Sprintf("controller: %d MSHRs; at most %d are allowed", c.MSHRs, coherence.MaxMisses))
	}
	return L1{Frames: newFrames(c.L1, c.Victims, c.Presence, int(agent.Self.Index)), Misses: cache.NewMSHRs[Target](c.MSHRs), chip: c, agent: agent,
		giveUp: giveUp}
}

// HitPath returns the core's own way to the data array.
func (c *L1) HitPath() coherence.HitPath {
	return coherence.NewHitPath(&c.Arrays[0], &c.chip.HitTable, c.Lines)
}

// victim returns the frame that a block is to take in one of the arrays, or None when all wait for
// misses.
func (c *L1) victim(array int, b coherence.Block) int32 {
	first, end := c.Arrays[array].SetOf(uint32(b))
	base := int32(array) * c.Split
	var busy uint64
	for f := first; f < end; f++ {
		if c.Lines[base+f].Miss != 0 {
			busy |= 1 << (f - first)
		}
	}
	f := c.Arrays[array].Victim(uint32(b), busy)
	if f == cache.None {
		c.Refused = true
		return None
	}
	return base + f
}

// Enter fills a frame that is empty with a block, before the first cycle, and returns the frame.
func (c *L1) Enter(array int, b coherence.Block) int32 {
	f := c.victim(array, b)
	c.Fill(f, b)
	return f
}

// Reserve empties a frame for a block in one of the arrays. It returns None when that cannot be
// now: every way waits for a miss, or what is there has no way out.
func (c *L1) Reserve(array int, b coherence.Block, out *coherence.Effects) int32 {
	f := c.victim(array, b)
	if f == None || c.Holds(f) && !c.vacate(f, out) {
		return None
	}
	c.Fill(f, b)
	return f
}

// ForgetEvicted is a mistake that the L1s of every protocol can make.
var ForgetEvicted = coherence.Defect{Name: "forget-evicted",
	Breaks: "a block that a speculative load has read is given up, and the core does not notice a later write by another core"}

// vacate frees a line's frame: the line goes to the victim buffer if speculative loads have read
// it, and else it is given up. It returns false, having done nothing, when that cannot be.
func (c *L1) vacate(f int32, out *coherence.Effects) bool {
	if c.chip.Seeded != 0 && c.chip.Description.Defects[c.chip.Seeded] == ForgetEvicted {
		told := len(out.Evicted)
		given := c.giveUp(f, out)
		out.Evicted = out.Evicted[:told]
		return given
	}
	return c.keep(f, out) || c.giveUp(f, out)
}

// Evict gives a block up, if no miss holds its frame and there is room.
func (c *L1) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	c.agent.Now = now
	f := c.Find(b)
	return f != None && !c.Kept(f) && c.Lines[f].Miss == 0 && c.vacate(f, out)
}

// Gone empties the frame of a line that has been given up, and tells the core.
func (c *L1) Gone(f int32, out *coherence.Effects) {
	c.agent.Count.Evictions++
	out.Evicted = append(out.Evicted, c.Block(f))
	c.Release(f)
}

// Join lets an access wait for the miss of a line in a state, or refuses it when no more can.
func (c *L1) Join(a coherence.Access, slot int, state uint8, late bool) coherence.Outcome {
	if a.Kind != coherence.Prefetch && !c.Misses.Add(slot, Target{a.Handle, a.Kind, true, late}) {
		c.Refused = true
		return coherence.Refused
	}
	c.agent.TookAccess(a, state)
	c.agent.Count.Merges++
	return coherence.Pending
}

// Start opens a miss of an access for the line in a frame, which is in a state, and returns its
// slot.
func (c *L1) Start(a coherence.Access, f int32, state uint8) int {
	c.agent.TookAccess(a, state)
	c.agent.Count.Misses[a.Kind]++
	slot := c.Allocate(f)
	if a.Kind != coherence.Prefetch {
		c.Misses.Add(slot, Target{Handle: a.Handle, Kind: a.Kind})
	}
	return slot
}

// Serve performs the accesses that wait for a miss and that the line satisfies, in order, and keeps
// the others. common is what their completions have in common. Where that is Momentary, the data
// serves the reads that are not late.
func (c *L1) Serve(slot int, l *coherence.CacheLine, common coherence.Completion, out *coherence.Effects) {
	waiting := c.Misses.Targets(slot)
	kept := 0
	for _, t := range waiting {
		if common.Momentary && (t.Late || t.Kind.IsWrite()) || !common.Momentary && !c.chip.HitTable.Perform(l, t.Kind) {
			waiting[kept] = t
			kept++
			continue
		}
		common.Handle, common.Kind, common.Version, common.Merged = t.Handle, t.Kind, l.Version, t.Merged
		out.Completions = append(out.Completions, common)
	}
	if kept < len(waiting) {
		c.Misses.Keep(slot, kept)
		c.Again(out)
	}
}

// Allocate opens a miss for the line in a frame and returns its slot.
func (c *L1) Allocate(f int32) int {
	slot := c.Misses.Allocate(uint32(c.Lines[f].Block))
	c.Lines[f].Miss = uint8(slot + 1)
	return slot
}

// Close ends the miss of the line in a frame.
func (c *L1) Close(f int32, out *coherence.Effects) {
	c.Misses.Release(int(c.Lines[f].Miss) - 1)
	c.Lines[f].Miss = 0
	c.Again(out)
}

// Open returns the number of open misses.
func (c *L1) Open() int { return c.Misses.Used() }

// MayMiss reports whether a miss can be opened, whose request is of a class, and remembers when
// not.
func (c *L1) MayMiss(out *coherence.Effects, request noc.Class) bool {
	if c.Misses.Full() {
		c.Refused = true
		return false
	}
	if out.Room[request] < 1 {
		c.Cramped = true
		return false
	}
	return true
}

// Again makes the core repeat a refused access.
func (c *L1) Again(out *coherence.Effects) {
	if c.Refused {
		c.Refused = false
		out.Retry = true
	}
}

// Settle gives up the blocks of the victim buffer that no speculative load has read any more. It
// stops when there is no room, and reports whether the buffer still holds any.
func (c *L1) Settle(now noc.Cycle, out *coherence.Effects) bool {
	c.agent.Now = now
	c.Leaving = false
	for f := 2 * c.Split; c.kept > 0 && int(f) < len(c.Lines); f++ {
		if !c.Holds(f) || out.Speculative(c.Block(f)) {
			continue
		}
		if !c.giveUp(f, out) {
			c.Leaving = true
			break
		}
	}
	return c.kept > 0
}

// Untimed is embedded by L1s whose protocol sets no timers and asks for no receipts.
type Untimed struct{}

// Timeout panics: no timer was asked for.
func (Untimed) Timeout(t coherence.Timer, now noc.Cycle, _ *coherence.Effects) {
	panic(fmt.Sprintf("cycle %d: a timer %+v, which was not asked for", now, t))
}

// Sent panics: no receipt was asked for.
func (Untimed) Sent(m coherence.Message, now noc.Cycle, _ *coherence.Effects) {
	panic(fmt.Sprintf("cycle %d: a receipt for %+v, which was not asked for", now, m))
}

// Running returns the list as it is: no timer runs.
func (Untimed) Running(list []coherence.Timer) []coherence.Timer { return list }
