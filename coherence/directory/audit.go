package directory

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Line returns the L1's copy of a block, or its write-back entry.
func (c *l1) Line(b coherence.Block) coherence.Line {
	if f := c.Find(b); f >= 0 {
		return c.audit(&c.Lines[f])
	}
	if w := c.evicted(b); w != nil {
		return w.audit()
	}
	return coherence.Line{State: stateI}
}

func (c *l1) audit(l *line) coherence.Line {
	hits := &c.p.HitTable
	readable, writable := hits.Satisfies(l.State, coherence.Load), hits.Satisfies(l.State, coherence.Store)
	return coherence.Line{State: l.State, Version: l.Version, Valid: readable, Readable: readable,
		Writable: writable, Owner: writable, Dirty: l.State == stateM,
		Busy: l.Miss != 0}
}

func (w *writeBack) audit() coherence.Line {
	return coherence.Line{State: w.state, Version: w.version, Valid: w.state != stateIIA,
		Owner: w.state == stateMIA || w.state == stateEIA, Dirty: w.state == stateMIA, Busy: true}
}

// VisitLines calls f for every block that has a frame or a write-back entry.
func (c *l1) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	c.Visit(func(frame int32, b coherence.Block) { f(b, c.audit(&c.Lines[frame])) })
	for i := range c.backs {
		if w := &c.backs[i]; w.state != stateI {
			f(w.block, w.audit())
		}
	}
}

// Line returns the bank's copy of a block. Cores do not read at a bank, but idle valid data must be
// current.
func (k *bank) Line(b coherence.Block) coherence.Line {
	f := k.array.Find(uint32(b))
	if f < 0 {
		return coherence.Line{State: homeNP}
	}
	l := &k.lines[f]
	a := coherence.Line{State: l.state, Version: l.version, Valid: l.state == homeV || l.state == homeS, Dirty: l.dirty,
		Busy: l.busy != none}
	switch l.state {
	case homeS:
		a.Sharers = k.sharers(f)
	case homeX:
		a.Sharers = noc.One(noc.NodeID(l.owner))
	}
	return a
}

// VisitLines calls f for every block in the bank.
func (k *bank) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	k.array.Visit(func(_ int32, b uint32) { f(coherence.Block(b), k.Line(coherence.Block(b))) })
}

// CheckBlock verifies the laws of a block: those of a census, that the home knows all cores that
// have the block while it is idle, and a waiting state exactly where a transaction, miss or
// eviction is open.
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	of, err := p.Census(b, lines, inFlight, final)
	if err != nil {
		return err
	}
	c := census{Census: of, p: p, inFlight: inFlight}
	for i := range lines {
		if err := c.line(&lines[i]); err != nil {
			return fmt.Errorf("block %#x: %s %d in state %s: %w", uint32(b), lines[i].Agent.Role, lines[i].Agent.Index,
				states[lines[i].Agent.Role][lines[i].Line.State], err)
		}
	}
	if err := c.listed(lines); err != nil {
		return fmt.Errorf("block %#x: home in state %s: %w", uint32(b), states[coherence.Bank][c.Home.State], err)
	}
	return nil
}

// census is what there is of a block.
type census struct {
	controller.Census
	p        *Protocol
	inFlight []coherence.Message
}

func (c *census) idle() bool { return c.Home.State <= homeX }

// line verifies one controller's line against the home's.
func (c *census) line(a *coherence.AgentLine) error {
	l := &a.Line
	switch a.Agent.Role {
	case coherence.Memory:
		return nil
	case coherence.Bank:
		if l.Busy != (l.State > homeX) {
			return fmt.Errorf("a transaction is open: %t", l.Busy)
		}
		return nil
	}
	if l.Busy != (l.State >= stateISD) {
		return fmt.Errorf("a miss or eviction is open: %t", l.Busy)
	}
	if !c.idle() {
		return nil
	}
	listed := c.Home.Sharers.Has(noc.NodeID(a.Agent.Index))
	switch {
	case l.Owner != (c.Home.State == homeX && listed) && !c.acknowledged(a, listed):
		return fmt.Errorf("owns the block: %t; the home, in state %s, lists it: %t", l.Owner, states[coherence.Bank][c.Home.State], listed)
	case l.Readable && !listed:
		return fmt.Errorf("may read; the home, in state %s, does not list it", states[coherence.Bank][c.Home.State])
	case l.Readable && c.Home.State == homeS && l.Version != c.Home.Version:
		return fmt.Errorf("version %d is readable; the home has version %d", l.Version, c.Home.Version)
	}
	return nil
}

// acknowledged reports whether the home has accepted the eviction of an owner and the
// acknowledgement is in flight.
func (c *census) acknowledged(a *coherence.AgentLine, listed bool) bool {
	for _, m := range c.inFlight {
		if m.Kind == PutAck && m.Requestor == a.Agent.Index {
			return !listed && a.Line.Busy
		}
	}
	return false
}

// listed verifies that every core that an idle home lists has the block, or its data is on the way.
func (c *census) listed(lines []coherence.AgentLine) error {
	if !c.idle() {
		return nil
	}
	if c.Home.State == homeS && c.Home.Sharers.Empty() || c.Home.State == homeX && c.Home.Sharers.Count() != 1 {
		return fmt.Errorf("%d caches are listed", c.Home.Sharers.Count())
	}
	if c.p.config.SilentS && c.Home.State == homeS {
		return nil
	}
	listed := 0
	for i := range lines {
		a := &lines[i]
		if a.Agent.Role != coherence.Cache || !c.Home.Sharers.Has(noc.NodeID(a.Agent.Index)) {
			continue
		}
		switch a.Line.State {
		case stateI, stateIMAD, stateIMA, stateIIA, stateISDI:
			return fmt.Errorf("lists cache %d, which is in state %s", a.Agent.Index, states[coherence.Cache][a.Line.State])
		}
		listed++
	}
	if n := c.Home.Sharers.Count(); n != listed {
		return fmt.Errorf("lists %d caches; %d have the block", n, listed)
	}
	return nil
}

// Explain says what the L1 waits for.
func (c *l1) Explain() string {
	var why controller.Reasons
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m := &c.Miss[slot]
		more := ""
		switch x := c.counts[slot]; {
		case m.Unsent:
			more = ", the request waits for room"
		case x.counted:
			more = fmt.Sprintf(", %d acknowledgements to come", x.left)
		}
		why.Add("miss %d of block %#x is in %s since cycle %d%s", slot, c.Misses.Block(slot), states[coherence.Cache][c.Lines[m.Frame].State], m.Since, more)
	}
	for i := range c.backs {
		if w := &c.backs[i]; w.state != stateI {
			why.Add("eviction of block %#x is in %s", uint32(w.block), states[coherence.Cache][w.state])
		}
	}
	return why.String()
}

// Explain says what the bank waits for.
func (k *bank) Explain() string {
	var why controller.Reasons
	for i := range k.transactions {
		t := &k.transactions[i]
		if t.frame == none {
			continue
		}
		state, more := k.lines[t.frame].state, ""
		if state < homeRecall {
			more = fmt.Sprintf(" for core %d", t.core)
		}
		switch {
		case t.unsent:
			more += ", the write waits for room"
		case t.acks > 0:
			more += fmt.Sprintf(", %d acknowledgements to come", t.acks)
		}
		why.Add("block %#x is in %s%s", uint32(t.block), states[coherence.Bank][state], more)
	}
	for i := range k.stalled {
		w, more := &k.stalled[i], ""
		if w.starved {
			more = " for a transaction or a frame"
		}
		why.Add("%s of block %#x from core %d waits%s", kindNames[w.Kind], uint32(w.Block), w.Requestor, more)
	}
	return why.String()
}
