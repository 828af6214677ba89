package msi

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Line returns the L1's copy of a block as audits see it.
func (c *l1) Line(b coherence.Block) coherence.Line {
	s, f := c.state(b)
	if f == none {
		return coherence.Line{}
	}
	readable := s == stateS || s == stateM
	return coherence.Line{State: s, Version: c.Lines[f].Version, Valid: readable, Readable: readable, Writable: s == stateM,
		Owner: s == stateM, Dirty: s == stateM, Busy: c.Lines[f].Miss != 0}
}

// VisitLines calls f for every block in the L1.
func (c *l1) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	c.Visit(func(_ int32, b coherence.Block) { f(b, c.Line(b)) })
}

// Explain says what the L1 waits for.
func (c *l1) Explain() string {
	var why controller.Reasons
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m := &c.Miss[slot]
		why.Add("block %#x is in %s since cycle %d", c.Misses.Block(slot), c.p.States[coherence.Cache][c.Lines[m.Frame].State], m.Since)
	}
	return why.String()
}

// Line returns the home's copy of a block as audits see it.
func (k *bank) Line(b coherence.Block) coherence.Line {
	f, s := k.at(b)
	if f == none {
		return coherence.Line{}
	}
	h := &k.homes[f]
	l := coherence.Line{State: s, Version: h.version, Valid: s == homeV || s == homeS, Dirty: h.dirty, Busy: s > homeM}
	if s == homeS || s == homeM {
		l.Sharers = h.sharers
	}
	return l
}

// VisitLines calls f for every block in the bank.
func (k *bank) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	k.array.Visit(func(_ int32, b uint32) { f(coherence.Block(b), k.Line(coherence.Block(b))) })
}

// Explain says what the bank waits for.
func (k *bank) Explain() string {
	var why controller.Reasons
	k.array.Visit(func(f int32, b uint32) {
		if h := &k.homes[f]; h.state > homeM {
			why.Add("block %#x is in %s, %d answers to come", b, k.p.States[coherence.Bank][h.state], h.acks)
		}
	})
	if k.waiting {
		why.Add("%s of block %#x from core %d waits", k.p.Kinds[k.request.Kind], uint32(k.request.Block), k.request.Requestor)
	}
	return why.String()
}

// CheckBlock verifies the laws of a block: those of a census, and that a home knows all readers
// while the block is not busy.
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	c, err := p.Census(b, lines, inFlight, final)
	if err != nil || c.Home.Busy {
		return err
	}
	home := p.States[coherence.Bank][c.Home.State]
	for i := range lines {
		a, l := lines[i].Agent, &lines[i].Line
		listed := c.Home.Sharers.Has(noc.NodeID(a.Index))
		if a.Role == coherence.Cache && l.Readable && (!listed || l.Writable != (c.Home.State == homeM)) {
			return fmt.Errorf("block %#x: cache %d is in %s; the home, in %s, lists it: %t", uint32(b), a.Index,
				p.States[coherence.Cache][l.State], home, listed)
		}
	}
	returning := slices.ContainsFunc(inFlight, func(m coherence.Message) bool { return m.Kind == PutM })
	switch {
	case c.Home.State == homeM && c.Writers == 0 && !returning:
		return fmt.Errorf("block %#x: the home lists an owner, but no cache has the block", uint32(b))
	case c.Home.State == homeS && c.Readers > 0 && c.Version != c.Home.Version:
		return fmt.Errorf("block %#x: caches read version %d; the home has version %d", uint32(b), c.Version, c.Home.Version)
	}
	return nil
}
