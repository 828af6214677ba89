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

	miss []miss // by MSHR

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
	issues     uint8
	exhausted  bool // has used up its transient requests
	persistent bool
	gotData    bool
	answers    uint8   // messages with tokens so far; a statistic
	first      request // of the current kind
	latest     request // of the same kind
}

// request is a transient request of a miss.
type request struct {
	number uint32    // generation of the MSHR, which answers repeat
	left   noc.Cycle // it has left the interface, or was made
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{agent: p.newAgent(coherence.Cache, core, &p.starving[core]), persistent: none}
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, controller.Rules{Request: Transient, Start: c.start, Join: c.join, Send: c.issue, GiveUp: c.giveUp, Gathers: true})
	if p.config.Hold > 0 {
		c.Until = make([]noc.Cycle, len(c.Lines))
	}
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

// newHitTable says what accesses need and leave behind. A prefetch changes nothing.
func newHitTable(c Config) (r coherence.HitTable) {
	atomic := dirty
	if c.AtomicMigrates {
		atomic |= wrote
	}
	for f := range flags(combinations) {
		if f&valid != 0 {
			r[f].Next[coherence.Load], r[f].Next[coherence.Fetch] = f, f
		}
		if f&all != 0 {
			next := &r[f].Next
			next[coherence.Store], next[coherence.Atomic], next[coherence.Prefetch] = f|dirty|wrote, f|atomic, f
		}
	}
	return r
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
	s.data = s.owner || c.p.evictData
	c.give(out, b, l, s, WriteBack, c.BankOf(b))
	c.Gone(f, out)
	return true
}

// join lets an access wait for the miss of a line.
func (c *l1) join(a coherence.Access, f int32) coherence.Outcome {
	return c.Join(a, c.line(f).slot(), c.line(f).state(), false)
}

// start opens a miss for a line without one and sends its first request.
func (c *l1) start(a coherence.Access, f int32, out *coherence.Effects) {
	l := c.line(f)
	s := l.state()
	if l.Count == 0 {
		s = stateNP
	}
	if array, local := c.Place(f); array == &c.Arrays[controller.ArrayOf(a.Kind)] {
		array.Touch(local)
	}
	slot := c.Start(a, f, s)
	wants := readMiss
	if a.Kind.IsWrite() {
		wants = writeMiss
	}
	l.State |= wants
	c.miss[slot] = miss{}
	c.issue(slot, out)
}
