package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Ignores reports whether a message is a transient request for a block that is surely not in a
// core's L1, while that L1 knows of no open persistent request for it. If so, it counts the message.
// Because of broadcasts, nearly all messages to a cache are of this kind. The data that it reads are
// kept for all L1s together.
func (p *Protocol) Ignores(core int, m *coherence.Message) bool {
	if m.Kind > GetWrite || p.starving[core] > 0 && *p.tables[core].waiting(m.Block) > 0 || p.Presence.MayHold(core, uint32(m.Block)) {
		return false
	}
	e := onGetRead
	if m.Kind == GetWrite {
		e = onGetWrite
	}
	p.Took(coherence.Cache, e, stateNP)
	return true
}

// Accept processes a message.
func (c *l1) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	c.Now = now
	switch m.Kind {
	case GetRead, GetFetch, GetWrite:
		return c.request(&m, out)
	case ActivateRead, ActivateWrite, Deactivate:
		c.record(m)
		c.tookPersistent(m)
		if m.Kind != Deactivate || c.p.Seeded != forgetPayment {
			c.settle(m.Block, out)
		}
		if m.Kind == Deactivate {
			c.persistOldest(out)
		}
		return true
	case Tokens:
		return c.takeTokens(m, out)
	}
	c.Fail(m.Block, "kind %d is not for a cache", m.Kind)
	return false
}

func (c *l1) tookPersistent(m coherence.Message) {
	s := stateNP
	if f := c.Find(m.Block); f >= 0 {
		s = c.line(f).state()
	}
	e := onDeactivate
	if m.Kind != Deactivate {
		e = onActivateBelow
		if top, _ := c.table.top(m.Block); top == int(m.Requestor) {
			e = onActivateTop
		}
	}
	c.Took(m.Block, s, e)
}

// lockedByOther reports whether another core comes first for a block.
func (c *l1) lockedByOther(b coherence.Block) bool {
	top, locked := c.table.top(b)
	return locked && top != int(c.Self.Index)
}

// request answers a transient request, or ignores it. It may always be ignored.
func (c *l1) request(m *coherence.Message, out *coherence.Effects) bool {
	s := stateNP
	f := c.Find(m.Block)
	if f >= 0 {
		s = c.line(f).state()
	}
	if c.lockedByOther(m.Block) {
		c.Took(m.Block, s, onGetLocked)
		return true
	}
	if f >= 0 && c.Until != nil && c.Until[f] > c.Now {
		c.Took(m.Block, s, onGetHeld)
		return true
	}
	var answer share
	if m.Kind == GetWrite {
		if f >= 0 && (s != stateOW || c.p.Seeded == yieldOwner) {
			answer = c.line(f).everything()
		}
	} else if f >= 0 {
		answer = c.readAnswer(s, f)
	}
	if answer.tokens > 0 && out.Room[Response] < 1 {
		return false
	}
	if m.Kind == GetWrite {
		c.Took(m.Block, s, onGetWrite)
	} else {
		c.Took(m.Block, s, onGetRead)
	}
	if answer.tokens > 0 {
		if s == stateMw && m.Kind != GetWrite {
			c.Count.Own[migrations]++
		}
		answer.answers = m.Sequence
		c.part(f, m.Block, answer, controller.CacheOf(m.Requestor), out)
	}
	return true
}

// readAnswer returns what a line answers a transient read request with. Only the owner answers, and
// not while it collects tokens itself. A block written here is expected to be written by the reader
// too: it migrates as a whole.
func (c *l1) readAnswer(s uint8, f int32) share {
	switch s {
	case stateO, stateE, stateM:
		return c.line(f).readShare()
	case stateMw:
		return c.line(f).everything()
	}
	return share{}
}

// part gives tokens to another L1 and cleans up behind them.
func (c *l1) part(f int32, b coherence.Block, s share, to coherence.Agent, out *coherence.Effects) {
	l := c.line(f)
	readable := l.has(valid)
	c.give(out, b, l, s, Response, to)
	if readable && !l.has(valid) {
		c.Lose(b, out)
	}
	if l.Count == 0 && l.slot() == none {
		c.Release(f)
	}
}

// takeTokens accepts tokens. Without a frame they are an orphan (the answer to a request that
// something else has satisfied) and go home.
func (c *l1) takeTokens(m coherence.Message, out *coherence.Effects) bool {
	f := c.Find(m.Block)
	if f < 0 {
		if out.Room[Home] < 1 {
			return false
		}
		e := onTokensFew
		if m.Count == c.p.tokens {
			e = onTokensEnough
		}
		c.Took(m.Block, stateNP, e)
		c.Count.Own[orphans]++
		if c.p.Seeded != dropOrphan {
			var passing line
			c.merge(&passing, m)
			s := passing.everything()
			s.data = passing.has(dirty)
			c.give(out, m.Block, &passing, s, Home, c.MemoryOf(m.Block))
		}
		return true
	}
	l := c.line(f)
	s := l.state()
	c.merge(l, m)
	enough := l.has(all) || l.has(readMiss) && l.has(valid)
	if enough {
		c.Took(m.Block, s, onTokensEnough)
	} else {
		c.Took(m.Block, s, onTokensFew)
	}
	if c.p.Seeded == payFirst {
		c.settle(m.Block, out)
	}
	if l.slot() != none {
		x := &c.miss[l.slot()]
		if data := m.Has(coherence.HasData); data || !x.gotData {
			c.Miss[l.slot()].Supplier, x.gotData = m.From.Role, data
		}
		c.completeMiss(l.slot(), m.Sequence, out)
	}
	c.settle(m.Block, out)
	return true
}

// completeMiss performs what an open miss now allows: everything with all tokens, reads with data.
// answered is the number of the transient request to which the last tokens are an answer; 0 is none.
func (c *l1) completeMiss(slot int, answered uint32, out *coherence.Effects) {
	m := &c.miss[slot]
	l := c.line(c.Miss[slot].Frame)
	if !l.has(valid) {
		return
	}
	c.Serve(slot, coherence.Completion{Issues: m.issues, Persistent: m.persistent, Waited: m.waited(answered)}, out)
	switch {
	case l.has(all) || l.has(readMiss) && !c.Miss[slot].WantWrite:
		c.observe(m, answered)
		c.closeMiss(slot, out)
	case l.has(readMiss): // read done, and a store waits: ask for the rest
		c.observe(m, answered)
		c.endPersistent(slot, out)
		l.State = l.State&^readMiss | writeMiss
		m.issues, m.exhausted = 0, false
		c.issue(slot, out)
	}
}

// closeMiss closes a miss.
func (c *l1) closeMiss(slot int, out *coherence.Effects) {
	frame := c.Miss[slot].Frame
	c.line(frame).State &^= readMiss | writeMiss
	if c.Until != nil {
		c.Until[frame] = c.Now + c.p.config.Hold
	}
	c.Postpone(slot, false)
	c.endPersistent(slot, out)
	c.Close(frame, out)
}

// settle pays the persistent request that is served first for a block, if it is of another core.
func (c *l1) settle(b coherence.Block, out *coherence.Effects) {
	top, locked := c.table.top(b)
	if !locked || top == int(c.Self.Index) {
		return
	}
	f := c.Find(b)
	if f < 0 {
		return
	}
	s := c.line(f).payment(c.table.entries[top].write)
	if s.tokens == 0 || c.p.Seeded == refuseRead && c.line(f).has(owner) && !c.table.entries[top].write {
		return
	}
	if out.Room[Response] < 1 {
		c.table.deferPayment(top)
		return
	}
	c.part(f, b, s, controller.CacheOf(uint16(top)), out)
}

// HasDeferred reports whether work has been deferred for lack of room.
func (c *l1) HasDeferred() bool {
	return c.table.deferred != 0 || c.deactivation == deactivationOwed || c.L1.HasDeferred()
}

// Continue does deferred work.
func (c *l1) Continue(now noc.Cycle, out *coherence.Effects) {
	c.Now = now
	for core := c.table.nextDeferred(0); core != none; core = c.table.nextDeferred(core + 1) {
		c.settle(c.table.entries[core].block, out)
	}
	if c.deactivation == deactivationOwed {
		c.deactivate(out)
	}
	c.persistOldest(out)
	c.L1.Continue(now, out)
}
