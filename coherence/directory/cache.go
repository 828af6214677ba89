package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// l1 is the L1 controller of one core. Its instruction and data arrays share MSHRs, write-back
// entries and the coherence node; a block is in at most one of the arrays. Frames of the
// instruction array are numbered after those of the data array.
type l1 struct {
	controller.Agent
	controller.L1
	controller.Untimed
	p *Protocol

	counts []acknowledgements // by MSHR
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

// acknowledgements are those that a write miss waits for.
type acknowledgements struct {
	left    int16 // counted minus received
	counted bool  // the count has come
}

// writeBack is an evicted block until the home has acknowledged the eviction.
type writeBack struct {
	block   coherence.Block
	version coherence.Version
	state   uint8 // stateI when the entry is free
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{Agent: controller.NewAgent(&p.Chip, coherence.Cache, core), p: p, counts: make([]acknowledgements, p.MSHRs), backs: make([]writeBack, p.config.WriteBacks)}
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, controller.Rules{Start: c.start, Send: c.request, GiveUp: c.giveUp, Joins: c.joins, Barred: c.barred})
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

// barred reports whether a block is still being evicted. The core must wait, so that the home can
// tell the old copy from the new one.
func (c *l1) barred(a coherence.Access) bool {
	w := c.evicted(a.Block)
	if w == nil || c.p.Seeded == askAgain {
		return false
	}
	c.TookAccess(a, w.state)
	return true
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

// joins lets every access wait for a miss. One that comes after an invalidation is late.
func (c *l1) joins(_ coherence.Access, l *line) (may, late bool) {
	return true, l.State == stateISDI && c.p.Seeded != serveLate
}

// start opens a miss for a line without one.
func (c *l1) start(a coherence.Access, f int32) int {
	c.Touch(f)
	to := stateSMAD
	if s := c.Lines[f].State; s == stateI && a.Kind.IsWrite() {
		to = stateIMAD
	} else if s == stateI {
		to = stateISD
	}
	slot := c.Start(a, f, c.Lines[f].State)
	c.wait(slot, to)
	return slot
}

// wait puts a miss into a waiting state, in which no acknowledgement has come.
func (c *l1) wait(slot int, in uint8) {
	c.Lines[c.Miss[slot].Frame].State = in
	c.counts[slot] = acknowledgements{}
}

// again asks for a block once more, for accesses that the data has not served.
func (c *l1) again(slot int, in uint8, out *coherence.Effects) {
	c.wait(slot, in)
	c.Ask(slot, out)
}

// request sends the request that a miss's state asks for.
func (c *l1) request(slot int, out *coherence.Effects) {
	b := coherence.Block(c.Misses.Block(slot))
	m := &c.Miss[slot]
	kind := GetS
	switch s := c.Lines[m.Frame].State; {
	case s == stateSMAD:
		kind = Upg
	case s == stateIMAD:
		kind = GetM
	case m.Fetch:
		kind = GetI
	}
	c.Send(out, message(kind, b, 0, c.Self.Index), c.BankOf(b))
}

// Preload puts a block into the L1.
func (c *l1) Preload(r *coherence.Resident, array int) {
	f := c.Enter(array, r.Block)
	switch {
	case r.Holders.Count() > 1:
		c.Lines[f].State = stateS
	case r.Modified && r.OwnerWrote:
		c.Lines[f].State = stateM
	default:
		c.Lines[f].State = stateE
	}
}

// Preload puts a block into the bank, with its part of the directory.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	l := &k.lines[f]
	l.dirty = r.Modified
	switch r.Holders.Count() {
	case 0:
		l.state = homeV
	case 1:
		l.state, l.owner = homeX, uint16(r.Owner)
	default:
		l.state = homeS
		s := k.sharers(f)
		s.Assign(r.Holders)
		k.setSharers(f, s)
	}
}

// CopyFrom fills the bank like another one.
func (k *bank) CopyFrom(filled coherence.Controller) {
	from := filled.(*bank)
	k.array.CopyFrom(&from.array)
	copy(k.lines, from.lines)
	copy(k.more, from.more)
}
