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
	Miss    []Miss // by MSHR
	Unsent  int    // misses whose request waits for room
	Refused bool   // an access was refused for lack of something that a miss or an eviction gives back
	Cramped bool   // an access was refused for lack of room in a queue
	Leaving bool   // a block of the victim buffer waits for room to be given up
	chip    *Chip
	agent   *Agent
	rules   Rules
}

// Request is the class of the requests of L1s in every protocol: no message causes them.
const Request noc.Class = 0

// Rules are what the L1s of a protocol do in their own ways.
type Rules struct {
	// Start opens a miss for the line in a frame, which has none, by L1.Start. It returns the slot.
	Start func(a coherence.Access, f int32) int
	// Send sends the request of a miss. There is room for it.
	Send func(slot int, out *coherence.Effects)
	// GiveUp gives up the line in a frame that waits for no miss; it returns false, having done
	// nothing, when that cannot be now.
	GiveUp func(f int32, out *coherence.Effects) bool
	// Joins reports whether an access may wait for the miss of a line, and whether an invalidation
	// has overtaken the data, so that the access is late. If nil, every access may, and none is late.
	Joins func(a coherence.Access, l *coherence.CacheLine) (may, late bool)
	// Barred reports whether a block without a frame may not be asked for yet; nil if it always may.
	Barred func(a coherence.Access) bool
	// Gathers tells that an access brings a block from the other array to the array of its kind.
	Gathers bool
}

// Miss is what an MSHR of every protocol knows beyond its block and the accesses that wait for it.
type Miss struct {
	Frame     int32
	Fetch     bool // the access that started it is an instruction fetch
	WantWrite bool // a read miss that a store has joined
	Unsent    bool // its request waits for room
	Supplier  coherence.Role
	Since     noc.Cycle
}

// Target is an access that waits for a miss.
type Target struct {
	Handle uint32
	Kind   coherence.AccessKind
	Merged bool // another access has started the miss
	Late   bool // joined after an invalidation had overtaken the data
}

// NewL1 returns the L1 of an agent. It panics when the chip has more MSHRs than a line can name.
func NewL1(c *Chip, agent *Agent, rules Rules) L1 {
	if c.MSHRs > coherence.MaxMisses {
		panic(fmt.Sprintf("controller: %d MSHRs; at most %d are allowed", c.MSHRs, coherence.MaxMisses))
	}
	return L1{Frames: newFrames(c.L1, c.Victims, c.Presence, int(agent.Self.Index)), Misses: cache.NewMSHRs[Target](c.MSHRs),
		Miss: make([]Miss, c.MSHRs), chip: c, agent: agent, rules: rules}
}

// HitPath returns the core's own way to the data array.
func (c *L1) HitPath() coherence.HitPath {
	return coherence.NewHitPath(&c.Arrays[0], &c.chip.HitTable, c.Lines)
}

// Access performs an access, starts a miss, or refuses.
func (c *L1) Access(a coherence.Access, now noc.Cycle, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	c.agent.Now = now
	i, hits := ArrayOf(a.Kind), &c.chip.HitTable
	lines := c.Lines[int32(i)*c.Split:]
	if f := c.Arrays[i].Find(uint32(a.Block)); f >= 0 && hits.Hit(&lines[f], a.Kind) {
		c.Arrays[i].Touch(f)
		return coherence.Hit, lines[f].Version
	}
	f := c.Find(a.Block)
	satisfied := f != None && hits.Satisfies(c.Lines[f].State, a.Kind)
	switch {
	case f == None && c.rules.Barred != nil && c.rules.Barred(a):
		c.Refused = true
		return coherence.Refused, 0
	case f != None && c.Lines[f].Miss != 0 && !satisfied:
		return c.join(a, f), 0
	case !satisfied && !c.MayMiss(out):
		return coherence.Refused, 0
	case f == None:
		f = c.Reserve(i, a.Block, out)
	case c.Lines[f].Miss == 0:
		f = c.move(f, i, out)
	}
	if f == None {
		return coherence.Refused, 0
	}
	if satisfied { // in the other array, or it was in the victim buffer
		c.Touch(f)
		hits.Hit(&c.Lines[f], a.Kind)
		return coherence.Hit, c.Lines[f].Version
	}
	c.Ask(c.rules.Start(a, f), out)
	return coherence.Pending, 0
}

// move takes a block of the victim buffer, or of the other array where the protocol gathers, to an
// array, and returns its frame. When the array has no frame for it, a block of the other array stays
// where it is, which is as good, only less likely to survive; one of the victim buffer cannot be used
// before a frame is free, and move returns None.
func (c *L1) move(f int32, array int, out *coherence.Effects) int32 {
	kept := c.Kept(f)
	if from, _ := c.Place(f); !kept && (!c.rules.Gathers || from == &c.Arrays[array]) {
		return f
	}
	refused, cramped := c.Refused, c.Cramped
	to := c.Reserve(array, c.Block(f), out)
	if to == None && kept {
		return None
	}
	c.Refused, c.Cramped = refused, cramped
	if to == None {
		return f
	}
	c.Recall(f, to)
	return to
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
		given := c.rules.GiveUp(f, out)
		out.Evicted = out.Evicted[:told]
		return given
	}
	return c.keep(f, out) || c.rules.GiveUp(f, out)
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

// Lose counts a copy of a block that another controller takes, and tells the core.
func (c *L1) Lose(b coherence.Block, out *coherence.Effects) {
	c.agent.Count.Invalidations++
	out.Lost = append(out.Lost, b)
}

// join lets an access wait for the miss of the line in a frame, or refuses it.
func (c *L1) join(a coherence.Access, f int32) coherence.Outcome {
	l := &c.Lines[f]
	slot, may, late := int(l.Miss)-1, true, false
	if c.rules.Joins != nil {
		may, late = c.rules.Joins(a, l)
	}
	if !may || a.Kind != coherence.Prefetch && !c.Misses.Add(slot, Target{a.Handle, a.Kind, true, late}) {
		c.Refused = true
		return coherence.Refused
	}
	c.agent.TookAccess(a, c.chip.column(l.State))
	c.agent.Count.Merges++
	c.Miss[slot].WantWrite = c.Miss[slot].WantWrite || a.Kind.IsWrite()
	return coherence.Pending
}

// Start opens a miss of an access for the line in a frame, which is in a state, and returns its
// slot.
func (c *L1) Start(a coherence.Access, f int32, state uint8) int {
	c.agent.TookAccess(a, state)
	c.agent.Count.Misses[a.Kind]++
	if a.Kind.IsWrite() && c.chip.HitTable.Satisfies(c.Lines[f].State, coherence.Load) {
		c.agent.Count.Upgrades++
	}
	slot := c.Allocate(f)
	c.Miss[slot] = Miss{Frame: f, Fetch: a.Kind == coherence.Fetch, Since: c.agent.Now}
	if a.Kind != coherence.Prefetch {
		c.Misses.Add(slot, Target{Handle: a.Handle, Kind: a.Kind})
	}
	return slot
}

// Serve performs the accesses that wait for a miss and that the line satisfies, in order, and keeps
// the others. common is what their completions have in common, beside supplier and start. If it is
// Overtaken, the data serves the reads that are not late.
func (c *L1) Serve(slot int, common coherence.Completion, out *coherence.Effects) {
	m := &c.Miss[slot]
	l := &c.Lines[m.Frame]
	common.Supplier, common.Since = m.Supplier, m.Since
	waiting := c.Misses.Targets(slot)
	kept := 0
	for _, t := range waiting {
		if common.Overtaken && (t.Late || t.Kind.IsWrite()) || !common.Overtaken && !c.chip.HitTable.Perform(l, t.Kind) {
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

// MayMiss reports whether a miss can be opened, and remembers when not.
func (c *L1) MayMiss(out *coherence.Effects) bool {
	if c.Misses.Full() {
		c.Refused = true
		return false
	}
	if out.Room[Request] < 1 {
		c.Cramped = true
		return false
	}
	return true
}

// Ask sends the request of a miss, or lets it wait for room.
func (c *L1) Ask(slot int, out *coherence.Effects) {
	if c.Postpone(slot, out.Room[Request] < 1); !c.Miss[slot].Unsent {
		c.rules.Send(slot, out)
	}
}

// Again makes the core repeat a refused access.
func (c *L1) Again(out *coherence.Effects) {
	if c.Refused {
		c.Refused = false
		out.Retry = true
	}
}

// Postpone lets the request of a miss wait for room, or takes that back.
func (c *L1) Postpone(slot int, unsent bool) {
	if m := &c.Miss[slot]; m.Unsent != unsent {
		if m.Unsent = unsent; unsent {
			c.Unsent++
		} else {
			c.Unsent--
		}
	}
}

// HasDeferred reports whether requests, evictions or a core wait for room.
func (c *L1) HasDeferred() bool { return c.Unsent != 0 || c.Cramped || c.Leaving }

// Continue sends requests and gives up blocks that waited for room, and lets the core repeat what was
// refused for lack of it.
func (c *L1) Continue(now noc.Cycle, out *coherence.Effects) {
	c.agent.Now = now
	for slot := c.Misses.Next(0); slot != cache.None && c.Unsent > 0 && out.Room[Request] > 0; slot = c.Misses.Next(slot + 1) {
		if c.Miss[slot].Unsent {
			c.Ask(slot, out)
		}
	}
	if c.Leaving {
		c.Settle(now, out)
	}
	if c.Cramped {
		c.Cramped = false
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
		if !c.rules.GiveUp(f, out) {
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
