package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Accept processes a message.
func (c *l1) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	c.Now = now
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
		c.Fail(m.Block, "kind %d is not for a cache", m.Kind)
	}
	return true
}

// forward obeys the home: give the block to another core, or back, or forget it. A block that is
// being evicted still answers from its write-back entry.
func (c *l1) forward(m coherence.Message, out *coherence.Effects) {
	f, w, s, v := c.at(m.Block)
	switch m.Kind {
	case Inv, InvRecall:
		c.Took(m.Block, s, onInv)
		c.invalidate(m, s, f, w, out)
		return
	case FwdS:
		c.Took(m.Block, s, onFwdS)
		c.Send(out, message(DataS, m.Block, v, m.Requestor), controller.CacheOf(m.Requestor))
	case FwdM:
		c.Took(m.Block, s, onFwdM)
		c.Send(out, message(DataM, m.Block, v, m.Requestor), controller.CacheOf(m.Requestor))
	default:
		c.Took(m.Block, s, onRecall)
	}
	if m.Kind != FwdM {
		kind := CleanAck
		if s == stateM || s == stateMIA {
			kind = WBData
		}
		c.Send(out, message(kind, m.Block, v, c.Self.Index), c.BankOf(m.Block))
	}
	switch {
	case w != nil && m.Kind == FwdS:
		w.state = stateSIA
	case w != nil:
		if c.p.Seeded != forwardEvicted {
			w.state = stateIIA
		}
	case m.Kind == FwdS:
		c.Lines[f].State = stateS
	default:
		c.Release(f)
		c.Lose(m.Block, out)
	}
}

// invalidate forgets a shared block, or the one whose data the message has overtaken, and
// acknowledges. The core is told in either case: what it has read before older loads may now be out
// of order.
func (c *l1) invalidate(m coherence.Message, s uint8, f int32, w *writeBack, out *coherence.Effects) {
	switch s {
	case stateS:
		c.Release(f)
		c.Lose(m.Block, out)
	case stateSMAD:
		c.Lines[f].State = stateIMAD
		c.Lose(m.Block, out)
	case stateISD:
		if c.p.Seeded != keepOvertaken {
			c.Lines[f].State = stateISDI
		}
		c.Lose(m.Block, out)
	case stateSIA:
		w.state = stateIIA
		if c.p.Seeded == dropAck {
			return
		}
	}
	if m.Kind == InvRecall {
		c.Send(out, message(HomeInvAck, m.Block, 0, c.Self.Index), c.BankOf(m.Block))
	} else {
		c.Send(out, message(InvAck, m.Block, 0, m.Requestor), controller.CacheOf(m.Requestor))
	}
}

// acknowledged ends an eviction.
func (c *l1) acknowledged(m coherence.Message, out *coherence.Effects) {
	_, w, s, _ := c.at(m.Block)
	c.Took(m.Block, s, onPutAck) // which is legal in a write-back entry alone
	*w = writeBack{}
	if c.Leaving { // perhaps for want of an entry
		c.Settle(c.Now, out)
	}
	c.Again(out)
}

// at returns where a block is, in a frame or else in a write-back entry, its state and its version.
func (c *l1) at(b coherence.Block) (f int32, w *writeBack, state uint8, v coherence.Version) {
	if f = c.Find(b); f >= 0 {
		return f, nil, c.Lines[f].State, c.Lines[f].Version
	}
	if w = c.evicted(b); w != nil {
		return f, w, w.state, w.version
	}
	return f, nil, stateI, 0
}

// respond takes what a miss has waited for.
func (c *l1) respond(m coherence.Message, out *coherence.Effects) {
	event := [kinds]uint8{DataS: onDataS, DataE: onDataE, DataM: onDataM, AckCnt: onAckCnt, InvAck: onInvAck}[m.Kind]
	f, _, s, _ := c.at(m.Block)
	c.Took(m.Block, s, event)
	l := &c.Lines[f]
	slot := int(l.Miss) - 1
	x := &c.counts[slot]
	if m.Kind != InvAck {
		supplier := &c.Miss[slot].Supplier
		if *supplier = m.From.Role; m.Has(fromMemory) {
			*supplier = coherence.Memory
		}
	}
	if m.Has(coherence.HasData) {
		l.Version = m.Version
	}
	switch m.Kind {
	case DataS, DataE:
		if m.Kind == DataE || m.From.Role == coherence.Cache {
			c.unblock(m.Block, out)
		}
		switch {
		case m.Kind == DataE:
			l.State = stateE
			c.completeMiss(slot, out)
		case s == stateISDI && c.p.Seeded != keepOnce:
			c.useOnce(slot, out)
		default:
			l.State = stateS
			c.completeMiss(slot, out)
		}
		return
	case InvAck:
		x.left--
		if c.p.Seeded == countTwice && !x.counted {
			x.left--
		}
	default:
		x.left += m.Count
		x.counted = true
		if l.State = stateIMA; s == stateSMAD {
			l.State = stateSMA
		}
		if c.p.Seeded == writeEarly {
			x.left = 0
		}
	}
	c.completeWrite(slot, m.Kind, out)
}

// completeWrite ends a write miss when the count and all acknowledgements have come, in any order.
func (c *l1) completeWrite(slot int, kind uint8, out *coherence.Effects) {
	x := &c.counts[slot]
	early := c.p.Seeded == unblockEarly
	b := coherence.Block(c.Misses.Block(slot))
	if early && (kind == DataM || kind == AckCnt) {
		c.unblock(b, out)
	}
	if !x.counted || x.left != 0 {
		return
	}
	if !early {
		c.unblock(b, out)
	}
	c.Lines[c.Miss[slot].Frame].State = stateM
	c.completeMiss(slot, out)
}

func (c *l1) unblock(b coherence.Block, out *coherence.Effects) {
	c.Send(out, message(Unblock, b, 0, c.Self.Index), c.BankOf(b))
}

// completeMiss performs the accesses that a stable state permits. A store that has joined a read miss
// asks for the rest.
func (c *l1) completeMiss(slot int, out *coherence.Effects) {
	x := &c.Miss[slot]
	l := &c.Lines[x.Frame]
	c.serve(slot, false, out)
	if l.State == stateS && x.WantWrite {
		c.again(slot, stateSMAD, out)
		return
	}
	c.Close(x.Frame, out)
}

// useOnce serves the loads that were waiting when an invalidation overtook the data: the data was
// current then. Accesses that came later need the block anew.
func (c *l1) useOnce(slot int, out *coherence.Effects) {
	x := &c.Miss[slot]
	c.serve(slot, true, out)
	out.Lost = append(out.Lost, coherence.Block(c.Misses.Block(slot)))
	late := c.Misses.Targets(slot)
	for i := range late {
		late[i].Late = false
	}
	switch {
	case x.WantWrite:
		c.again(slot, stateIMAD, out)
	case len(late) > 0:
		c.again(slot, stateISD, out)
	default:
		f := x.Frame
		c.Close(f, out)
		c.Release(f)
	}
}

// serve performs the waiting accesses that the data serves. Once means that only reads from before
// the invalidation are served.
func (c *l1) serve(slot int, once bool, out *coherence.Effects) {
	c.Serve(slot, coherence.Completion{Issues: 1, Overtaken: once}, out)
}
