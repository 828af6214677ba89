package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Accept processes a message.
func (c *l1) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	c.now = now
	switch {
	case m.Class == Forward:
		if out.Room[Response] < 1 || out.Room[Done] < 1 {
			return false
		}
		c.forward(m, out)
	case m.Kind == PutAck:
		c.acknowledged(m, out)
	case m.Class == Response:
		if out.Room[Done] < 1 {
			return false
		}
		c.respond(m, out)
	default:
		c.fail(m.Block, "kind %d is not for a cache", m.Kind)
	}
	return true
}

// forward obeys the home: give the block to another core, or back, or forget it. A block that is being
// evicted still answers from its write-back entry.
func (c *l1) forward(m coherence.Message, out *coherence.Effects) {
	f := c.find(m.Block)
	w := (*writeBack)(nil)
	s, v := stateI, coherence.Version(0)
	if f >= 0 {
		s, v = c.lines[f].state, c.lines[f].version
	} else if w = c.evicted(m.Block); w != nil {
		s, v = w.state, w.version
	}
	switch m.Kind {
	case Inv, InvRecall:
		c.took(m.Block, s, onInv)
		c.invalidate(m, s, f, w, out)
		return
	case FwdS:
		c.took(m.Block, s, onFwdS)
		c.send(out, message(DataS, m.Block, v, m.Requestor), cacheAgent(m.Requestor))
	case FwdM:
		c.took(m.Block, s, onFwdM)
		c.send(out, message(DataM, m.Block, v, m.Requestor), cacheAgent(m.Requestor))
	default:
		c.took(m.Block, s, onRecall)
	}
	if m.Kind != FwdM {
		kind := CleanAck
		if s == stateM || s == stateMIA {
			kind = WBData
		}
		c.send(out, message(kind, m.Block, v, c.self.Index), c.bankOf(m.Block))
	}
	switch {
	case w != nil && m.Kind == FwdS:
		w.state = stateSIA
	case w != nil:
		if c.p.defect != forwardEvicted {
			w.state = stateIIA
		}
	case m.Kind == FwdS:
		c.lines[f].state = stateS
	default:
		c.release(f)
		out.Lost = append(out.Lost, m.Block)
	}
}

// invalidate forgets a shared block, or the one whose data the message has overtaken, and acknowledges.
// The core is told in either case: what it has read before older loads may now be out of order.
func (c *l1) invalidate(m coherence.Message, s uint8, f int32, w *writeBack, out *coherence.Effects) {
	switch s {
	case stateS:
		c.release(f)
		out.Lost = append(out.Lost, m.Block)
	case stateSMAD:
		c.lines[f].state = stateIMAD
		out.Lost = append(out.Lost, m.Block)
	case stateISD:
		if c.p.defect != keepOvertaken {
			c.lines[f].state = stateISDI
		}
		out.Lost = append(out.Lost, m.Block)
	case stateSIA:
		w.state = stateIIA
		if c.p.defect == dropAck {
			return
		}
	}
	if m.Kind == InvRecall {
		c.send(out, message(HomeInvAck, m.Block, 0, c.self.Index), c.bankOf(m.Block))
	} else {
		c.send(out, message(InvAck, m.Block, 0, m.Requestor), cacheAgent(m.Requestor))
	}
}

// acknowledged ends an eviction.
func (c *l1) acknowledged(m coherence.Message, out *coherence.Effects) {
	w := c.evicted(m.Block)
	if w == nil {
		c.illegal(m.Block, c.state(m.Block), onPutAck)
	}
	c.took(m.Block, w.state, onPutAck)
	*w = writeBack{}
	c.again(out)
}

func (c *l1) state(b coherence.Block) uint8 {
	if f := c.find(b); f >= 0 {
		return c.lines[f].state
	}
	if w := c.evicted(b); w != nil {
		return w.state
	}
	return stateI
}

// respond takes what a miss has waited for.
func (c *l1) respond(m coherence.Message, out *coherence.Effects) {
	event := [kinds]uint8{DataS: onDataS, DataE: onDataE, DataM: onDataM, AckCnt: onAckCnt, InvAck: onInvAck}[m.Kind]
	s := c.state(m.Block)
	c.took(m.Block, s, event)
	f := c.find(m.Block)
	l := &c.lines[f]
	slot := int(l.slot)
	x := &c.miss[slot]
	if m.Kind != InvAck {
		x.supplier = m.From.Role
		if m.Has(coherence.FromMemory) {
			x.supplier = coherence.Memory
		}
	}
	if m.Has(coherence.HasData) {
		l.version = m.Version
	}
	switch m.Kind {
	case DataS, DataE:
		if m.Kind == DataE || m.From.Role == coherence.Cache {
			c.unblock(m.Block, out)
		}
		switch {
		case m.Kind == DataE:
			l.state = stateE
			c.complete(slot, out)
		case s == stateISDI && c.p.defect != keepOnce:
			c.useOnce(slot, out)
		default:
			l.state = stateS
			c.complete(slot, out)
		}
		return
	case InvAck:
		x.acks--
		if c.p.defect == countTwice && !x.counted {
			x.acks--
		}
	default:
		x.acks += m.Count
		x.counted = true
		if l.state = stateIMA; s == stateSMAD {
			l.state = stateSMA
		}
		if c.p.defect == writeEarly {
			x.acks = 0
		}
	}
	c.completeWrite(slot, m.Kind, out)
}

// completeWrite ends a write miss when the count and all acknowledgements have come, in any order.
func (c *l1) completeWrite(slot int, kind uint8, out *coherence.Effects) {
	x := &c.miss[slot]
	early := c.p.defect == unblockEarly
	b := coherence.Block(c.misses.Block(slot))
	if early && (kind == DataM || kind == AckCnt) {
		c.unblock(b, out)
	}
	if !x.counted || x.acks != 0 {
		return
	}
	if !early {
		c.unblock(b, out)
	}
	c.lines[x.frame].state = stateM
	c.complete(slot, out)
}

func (c *l1) unblock(b coherence.Block, out *coherence.Effects) {
	c.send(out, message(Unblock, b, 0, c.self.Index), c.bankOf(b))
}

// complete performs the accesses that a stable state permits. A store that has joined a read miss asks for
// the rest.
func (c *l1) complete(slot int, out *coherence.Effects) {
	x := &c.miss[slot]
	l := &c.lines[x.frame]
	c.performTargets(slot, false, out)
	if l.state == stateS && x.wantWrite {
		c.ask(slot, stateSMAD, out)
		return
	}
	c.finish(slot, out)
}

// useOnce serves the loads that were waiting when an invalidation overtook the data: the data was current
// then. Accesses that came later need the block anew.
func (c *l1) useOnce(slot int, out *coherence.Effects) {
	x := &c.miss[slot]
	c.performTargets(slot, true, out)
	out.Lost = append(out.Lost, coherence.Block(c.misses.Block(slot)))
	late := c.misses.Targets(slot)
	for i := range late {
		late[i].late = false
	}
	switch {
	case x.wantWrite:
		c.ask(slot, stateIMAD, out)
	case len(late) > 0:
		c.ask(slot, stateISD, out)
	default:
		f := x.frame
		c.finish(slot, out)
		c.release(f)
	}
}

// performTargets performs the waiting accesses that the data serves, in order, and keeps the others. Once
// means that only reads from before the invalidation are served.
func (c *l1) performTargets(slot int, once bool, out *coherence.Effects) {
	x := &c.miss[slot]
	l := &c.lines[x.frame]
	waiting := c.misses.Targets(slot)
	kept := 0
	for _, t := range waiting {
		if once && (t.late || t.kind.IsWrite()) || !once && !l.satisfies(t.kind) {
			waiting[kept] = t
			kept++
			continue
		}
		out.Completions = append(out.Completions, coherence.Completion{
			Handle: t.handle, Kind: t.kind, Version: l.perform(t.kind), Supplier: x.supplier,
			Issues: 1, Merged: t.merged, Since: x.since, Momentary: once,
		})
	}
	if kept < len(waiting) {
		c.misses.Keep(slot, kept)
		c.again(out)
	}
}

// finish closes a miss.
func (c *l1) finish(slot int, out *coherence.Effects) {
	c.lines[c.miss[slot].frame].slot = none
	c.misses.Release(slot)
	c.again(out)
}

// again lets the core repeat what was refused.
func (c *l1) again(out *coherence.Effects) {
	if c.refused {
		c.refused = false
		out.Retry = true
	}
}
