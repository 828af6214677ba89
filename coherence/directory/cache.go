package directory

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// l1 is the L1 controller of one core. Its instruction and data arrays share MSHRs, write-back
// entries and the coherence node; a block is in at most one of the arrays. Frames of the
// instruction array are numbered after those of the data array.
type l1 struct {
	controller.Agent
	controller.L1
	controller.Untimed
	p *Protocol

	miss   []miss // by slot
	unsent int    // misses whose request waits for room
	backs  []writeBack
}

// line is an L1's copy of a block. It has a miss in waiting states.
type line = coherence.CacheLine

// The states in which a core may read and write.
const (
	readableStates = 1<<stateS | 1<<stateE | 1<<stateM | 1<<stateSMAD | 1<<stateSMA
	writableStates = 1<<stateE | 1<<stateM
)

// newHitTable says what accesses need and leave behind. A prefetch changes nothing.
func newHitTable() (r coherence.HitTable) {
	for s := range cacheStates {
		next := &r[s].Next
		if readableStates>>s&1 != 0 {
			next[coherence.Load], next[coherence.Fetch] = s, s
		}
		if writableStates>>s&1 != 0 {
			next[coherence.Store], next[coherence.Atomic], next[coherence.Prefetch] = stateM, stateM, s
		}
	}
	return r
}

// miss is what an MSHR knows beyond its block and targets.
type miss struct {
	frame     int32
	acks      int16 // acknowledgements counted minus those received
	counted   bool  // the count has come
	fetch     bool
	wantWrite bool // a read miss that a store has joined
	unsent    bool
	supplier  coherence.Role
	since     noc.Cycle
}

// writeBack is an evicted block until the home has acknowledged the eviction.
type writeBack struct {
	block   coherence.Block
	version coherence.Version
	state   uint8 // stateI when the entry is free
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{Agent: controller.NewAgent(&p.Chip, coherence.Cache, core), p: p, miss: make([]miss, p.MSHRs), backs: make([]writeBack, p.config.WriteBacks)}
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, c.giveUp)
	return c
}

// evicted returns the write-back entry of a block, or nil.
func (c *l1) evicted(b coherence.Block) *writeBack {
	for i := range c.backs {
		if w := &c.backs[i]; w.state != stateI && w.block == b {
			return w
		}
	}
	return nil
}

// freeBack returns an unused write-back entry, or nil.
func (c *l1) freeBack() *writeBack {
	for i := range c.backs {
		if c.backs[i].state == stateI {
			return &c.backs[i]
		}
	}
	return nil
}

// Access performs an access, starts a miss, or refuses.
func (c *l1) Access(a coherence.Access, now noc.Cycle, out *coherence.Effects) (coherence.Outcome, coherence.Version) {
	c.Now = now
	i := controller.ArrayOf(a.Kind)
	lines := c.Lines[int32(i)*c.Split:]
	if f := c.Arrays[i].Find(uint32(a.Block)); f >= 0 && c.p.HitTable.Hit(&lines[f], a.Kind) {
		c.Arrays[i].Touch(f)
		return coherence.Hit, lines[f].Version
	}
	f := c.Find(a.Block)
	if f < 0 {
		return c.accessAbsent(a, i, out), 0
	}
	l := &c.Lines[f]
	if l.Miss != 0 && !c.p.HitTable.Satisfies(l.State, a.Kind) {
		return c.join(a, l), 0
	}
	if !c.p.HitTable.Satisfies(l.State, a.Kind) && !c.MayMiss(out, Request) {
		return coherence.Refused, 0
	}
	if c.Kept(f) {
		to := c.Reserve(i, a.Block, out)
		if to == none {
			return coherence.Refused, 0
		}
		c.Recall(f, to)
		f, l = to, &c.Lines[to]
	}
	c.Touch(f)
	if c.p.HitTable.Hit(l, a.Kind) { // in the other array, or it was in the victim buffer
		return coherence.Hit, l.Version
	}
	c.start(a, f, stateSMAD, out)
	return coherence.Pending, 0
}

// accessAbsent handles an access to a block without a frame. While the block is still being evicted
// the core must wait, so that the home can tell the old copy from the new one.
func (c *l1) accessAbsent(a coherence.Access, i int, out *coherence.Effects) coherence.Outcome {
	if w := c.evicted(a.Block); w != nil && c.p.Seeded != askAgain {
		c.TookAccess(a, w.state)
		c.Refused = true
		return coherence.Refused
	}
	if !c.MayMiss(out, Request) {
		return coherence.Refused
	}
	f := c.Reserve(i, a.Block, out)
	if f == none {
		return coherence.Refused
	}
	if a.Kind.IsWrite() {
		c.start(a, f, stateIMAD, out)
	} else {
		c.start(a, f, stateISD, out)
	}
	return coherence.Pending
}

// giveUp tells the home that a line is given up, and keeps it in a write-back entry until the home
// knows. It returns false when there is no room or no entry is free. The request that needs the
// frame may have to wait for more room.
func (c *l1) giveUp(f int32, out *coherence.Effects) bool {
	b, l := c.Block(f), &c.Lines[f]
	if l.State != stateS || !c.p.config.SilentS {
		if out.Room[Request] < 1 {
			c.Cramped = true
			return false
		}
		w := c.freeBack()
		if w == nil {
			c.Refused = true
			return false
		}
		kind := [...]uint8{stateS: PutS, stateE: PutE, stateM: PutM}[l.State]
		*w = writeBack{b, l.Version, [...]uint8{stateS: stateSIA, stateE: stateEIA, stateM: stateMIA}[l.State]}
		c.Send(out, message(kind, b, l.Version, c.Self.Index), c.BankOf(b))
	}
	c.Took(b, l.State, onEvict)
	c.Gone(f, out)
	return true
}

// join adds an access to those that wait for an open miss.
func (c *l1) join(a coherence.Access, l *line) coherence.Outcome {
	slot := int(l.Miss) - 1
	outcome := c.Join(a, slot, l.State, l.State == stateISDI && c.p.Seeded != serveLate)
	if outcome == coherence.Pending && a.Kind.IsWrite() {
		c.miss[slot].wantWrite = true
	}
	return outcome
}

// start opens a miss for a line without one and sends its request.
func (c *l1) start(a coherence.Access, f int32, to uint8, out *coherence.Effects) {
	slot := c.Start(a, f, c.Lines[f].State)
	c.miss[slot] = miss{frame: f, fetch: a.Kind == coherence.Fetch, since: c.Now}
	c.ask(slot, to, out)
}

// ask puts a miss into a waiting state and sends the request for it, or remembers to send it later.
func (c *l1) ask(slot int, to uint8, out *coherence.Effects) {
	m := &c.miss[slot]
	c.Lines[m.frame].State = to
	m.acks, m.counted = 0, false
	if m.unsent = out.Room[Request] < 1; m.unsent {
		c.unsent++
		return
	}
	c.request(slot, out)
}

// request sends the request that a miss's state asks for.
func (c *l1) request(slot int, out *coherence.Effects) {
	b := coherence.Block(c.Misses.Block(slot))
	m := &c.miss[slot]
	kind := GetS
	switch s := c.Lines[m.frame].State; {
	case s == stateSMAD:
		kind = Upg
	case s == stateIMAD:
		kind = GetM
	case m.fetch:
		kind = GetI
	}
	c.Send(out, message(kind, b, 0, c.Self.Index), c.BankOf(b))
}

// HasDeferred reports whether requests, or a core, wait for room.
func (c *l1) HasDeferred() bool { return c.unsent != 0 || c.Cramped || c.Leaving }

// Continue sends requests that waited for room.
func (c *l1) Continue(now noc.Cycle, out *coherence.Effects) {
	c.Now = now
	for slot := c.Misses.Next(0); slot != cache.None && c.unsent > 0 && out.Room[Request] > 0; slot = c.Misses.Next(slot + 1) {
		if c.miss[slot].unsent {
			c.miss[slot].unsent = false
			c.unsent--
			c.request(slot, out)
		}
	}
	if c.Leaving {
		c.Settle(now, out)
	}
	if c.Cramped && c.unsent == 0 {
		c.Cramped = false
		out.Retry = true
	}
}
