package msi

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

const none = controller.None

// l1 is the L1 controller of one core.
type l1 struct {
	controller.Agent
	controller.L1
	controller.Untimed
	p *Protocol
}

// NewCache returns the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := &l1{Agent: controller.NewAgent(&p.Chip, coherence.Cache, core), p: p}
	c.L1 = controller.NewL1(&p.Chip, &c.Agent, controller.Rules{Start: c.start, Send: c.request, GiveUp: c.giveUp, Joins: c.joins})
	return c
}

// state returns the state of a block and its frame, or none.
func (c *l1) state(b coherence.Block) (state uint8, frame int32) {
	if frame = c.Find(b); frame == none {
		return stateI, none
	}
	return c.Lines[frame].State, frame
}

// joins lets an access wait for a miss that will satisfy it.
func (c *l1) joins(a coherence.Access, l *coherence.CacheLine) (may, late bool) {
	return !a.Kind.IsWrite() || l.State != stateIS, false
}

// start opens a miss for the line in a frame. A store gives a readable copy up: the answer brings the
// data anew. The home still lists the core, so a writer that comes first sends an Inv, which tells
// the core.
func (c *l1) start(a coherence.Access, f int32) int {
	l := &c.Lines[f]
	slot := c.Start(a, f, l.State)
	if l.State = stateIS; a.Kind.IsWrite() {
		l.State = stateIM
	}
	return slot
}

// request sends the request of a miss.
func (c *l1) request(slot int, out *coherence.Effects) {
	l, kind := &c.Lines[c.Miss[slot].Frame], GetS
	if l.State == stateIM {
		kind = GetM
	}
	c.Send(out, message(kind, l.Block, 0, c.Self.Index), c.BankOf(l.Block))
}

// giveUp gives a line up: silently, or with its data if it may have been written. It returns false,
// having done nothing, when there is no room for the data.
func (c *l1) giveUp(f int32, out *coherence.Effects) bool {
	b, l := c.Block(f), &c.Lines[f]
	if l.State == stateM {
		if out.Room[Answer] < 1 {
			c.Cramped = true
			return false
		}
		c.Send(out, message(PutM, b, l.Version, c.Self.Index), c.BankOf(b))
	}
	c.Took(b, l.State, onEvict)
	c.Gone(f, out)
	return true
}

// Accept processes a message.
func (c *l1) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	c.Now = now
	switch m.Kind {
	case Inv:
		if out.Room[Answer] < 1 {
			return false
		}
		c.invalidate(m.Block, out)
	case DataS, DataM:
		if out.Room[Finish] < 1 {
			return false
		}
		c.fill(&m, out)
	default:
		c.Fail(m.Block, "kind %d is not for a cache", m.Kind)
	}
	return true
}

// invalidate forgets a block and answers, with the data if the home has lent the block. A home that
// waits for answers has no other request under way, so one of this core that is open has yet to be
// served and goes on.
func (c *l1) invalidate(b coherence.Block, out *coherence.Effects) {
	s, f := c.state(b)
	c.Took(b, s, onInv)
	answer := message(Ack, b, 0, c.Self.Index)
	if s == stateM {
		answer = message(AckData, b, c.Lines[f].Version, c.Self.Index)
	}
	switch {
	case s == stateIM: // it may have read the copy that it has given up
		c.Lose(b, out)
	case (s == stateS || s == stateM) && c.p.Seeded != keepCopy:
		c.Lose(b, out)
		c.Release(f)
	}
	c.Send(out, answer, c.BankOf(b))
}

// fill takes the data of a miss, performs all accesses that wait for it, and notifies the home. The
// message's Count is the role of the controller that had the data.
func (c *l1) fill(m *coherence.Message, out *coherence.Effects) {
	s, f := c.state(m.Block)
	next, e := stateS, onDataS
	if m.Kind == DataM {
		next, e = stateM, onDataM
	}
	c.Took(m.Block, s, e)
	l := &c.Lines[f]
	l.State, l.Version = next, m.Version
	slot := int(l.Miss) - 1
	c.Miss[slot].Supplier = coherence.Role(m.Count)
	c.Serve(slot, coherence.Completion{Issues: 1}, out)
	c.Close(f, out)
	c.Send(out, message(Done, m.Block, 0, c.Self.Index), c.BankOf(m.Block))
}
