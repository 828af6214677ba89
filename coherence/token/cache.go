package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// l1 is the L1 controller of one core. Its instruction and data arrays share MSHRs, the persistent
// slot and the coherence node; a block is in at most one of the arrays. Frames of the instruction
// array are numbered after those of the data array.
type l1 struct {
	agent
	controller.L1
	others noc.NodeSet // every other core

	miss   []miss // by slot
	unsent int    // misses whose request waits for room

	ending     ending
	endBlock   coherence.Block // of the deactivation owed or under way
	persistent int             // slot of the miss that is persistent, or none

	random random.Stream

	answers latency // of the core's transient requests
	crowded uint8   // how often the timeout is doubled
}

// ending is how far the deactivation of the last persistent request has come.
type ending uint8

const (
	ended   ending = iota
	owed           // to be sent when there is room
	leaving        // sent; its last copy is still in the interface
)

// miss is what an MSHR knows beyond its block and targets.
type miss struct {
	frame      int32
	issues     uint8
	fetch      bool
	wantWrite  bool // a read miss that a store has joined
	exhausted  bool // has used up its transient requests
	persistent bool
	unsent     bool
	gotData    bool
	answers    uint8 // messages with tokens so far; a statistic
	supplier   coherence.Role
	since      noc.Cycle // first request of the miss
	first      request   // of the current kind
	latest     request   // of the same kind
}

// request is a transient request of a miss.
type request struct {
	number uint32    // generation of the MSHR, which answers repeat
	left   noc.Cycle // it has left the interface, or was made
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{agent: p.newAgent(coherence.Cache, core, &p.starving[core]), persistent: none}
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, c.giveUp)
	c.others = noc.NewNodeSet(p.Cores)
	for n := range p.Cores {
		if n != core {
			c.others.Add(noc.NodeID(n))
		}
	}
	c.miss = make([]miss, p.MSHRs)
	c.answers = latencyOf(p.config.AdaptiveStart)
	c.random = random.Stream(p.seed ^ uint64(core+1)*random.Gamma)
	return c
}

// line returns the line in a frame.
func (c *l1) line(f int32) *line { return (*line)(&c.Lines[f]) }

// Access performs an access, starts a miss, or refuses.
func (c *l1) Access(a coherence.Access, now noc.Cycle, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	c.Now = now
	i := controller.ArrayOf(a.Kind)
	base := int32(i) * c.Split
	f := c.Arrays[i].Find(uint32(a.Block))
	if f < 0 {
		return c.accessElsewhere(a, i, out)
	}
	if l := c.line(base + f); c.p.HitTable.Hit(l.copy(), a.Kind) {
		c.Arrays[i].Touch(f)
		return coherence.Hit, l.Version
	}
	return c.accessMiss(a, base+f, out)
}

// newHitTable says what accesses need and leave behind. A prefetch changes nothing.
func newHitTable() (r coherence.HitTable) {
	for f := range flags(combinations) {
		if f&valid != 0 {
			r[f].Next[coherence.Load], r[f].Next[coherence.Fetch] = f, f
		}
		if f&all != 0 {
			next := &r[f].Next
			next[coherence.Store], next[coherence.Atomic], next[coherence.Prefetch] = f|dirty|wrote, f|dirty|wrote, f
		}
	}
	return r
}

// accessElsewhere handles an access to a block that is not in the array of its kind.
func (c *l1) accessElsewhere(a coherence.Access, i int, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	if f := c.Find(a.Block); f >= 0 {
		l := c.line(f)
		if l.slot() != none {
			return c.accessMiss(a, f, out)
		}
		hit := c.p.HitTable.Satisfies(l.State, a.Kind)
		if !hit && !c.MayMiss(out, Transient) {
			return coherence.Refused, 0
		}
		if f = c.move(f, i, a.Block, out); f == none {
			return coherence.Refused, 0
		}
		if hit {
			c.Touch(f)
			c.p.HitTable.Hit(c.line(f).copy(), a.Kind)
			return coherence.Hit, c.line(f).Version
		}
		c.start(a, f, out)
		return coherence.Pending, 0
	}
	if !c.MayMiss(out, Transient) {
		return coherence.Refused, 0
	}
	f := c.Reserve(i, a.Block, out)
	if f == none {
		return coherence.Refused, 0
	}
	c.start(a, f, out)
	return coherence.Pending, 0
}

// giveUp sends a line to its home bank, or returns false when there is no room for that.
func (c *l1) giveUp(f int32, out *coherence.Effects) bool {
	if out.Room[WriteBack] < 1 {
		c.Cramped = true
		return false
	}
	b, l := c.Block(f), c.line(f)
	c.Took(b, l.state(), onEvict)
	s := l.everything()
	s.data = true // so that the L2 works as a victim cache
	c.give(out, b, l, s, WriteBack, c.BankOf(b))
	c.Gone(f, out)
	return true
}

// move takes a block of the victim buffer, or of the other array, to an array. When that has no
// frame for it, a block of the other array stays where it is, which is as good, only less likely to
// survive; one of the victim buffer cannot be used before a frame is free, and move returns none.
func (c *l1) move(f int32, i int, b coherence.Block, out *coherence.Effects) int32 {
	refused, cramped := c.Refused, c.Cramped
	to := c.Reserve(i, b, out)
	if to == none && c.Kept(f) {
		return none
	}
	c.Refused, c.Cramped = refused, cramped
	if to == none {
		return f
	}
	c.Recall(f, to)
	return to
}

// accessMiss handles an access to a block whose line does not satisfy it, or has an open miss.
func (c *l1) accessMiss(a coherence.Access, f int32, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	l := c.line(f)
	if l.slot() == none {
		if !c.MayMiss(out, Transient) {
			return coherence.Refused, 0
		}
		c.Touch(f)
		c.start(a, f, out)
		return coherence.Pending, 0
	}
	if c.p.HitTable.Hit(l.copy(), a.Kind) {
		c.Touch(f)
		return coherence.Hit, l.Version
	}
	outcome := c.Join(a, l.slot(), l.state(), false)
	if outcome == coherence.Pending && a.Kind.IsWrite() {
		c.miss[l.slot()].wantWrite = true
	}
	return outcome, 0
}

// start opens a miss for a line without one and sends its first request.
func (c *l1) start(a coherence.Access, f int32, out *coherence.Effects) {
	l := c.line(f)
	s := l.state()
	if l.Count == 0 {
		s = stateNP
	}
	slot := c.Start(a, f, s)
	wants := readMiss
	if a.Kind.IsWrite() {
		wants = writeMiss
	}
	l.State |= wants
	c.miss[slot] = miss{frame: f, fetch: a.Kind == coherence.Fetch, since: c.Now}
	c.issue(slot, out)
}
