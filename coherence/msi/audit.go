package msi

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
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
		Owner: s == stateM, Dirty: s == stateM, Busy: c.Misses.Find(uint32(b)) != cache.None}
}

// VisitLines calls f for every block in the L1.
func (c *l1) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	c.Visit(func(_ int32, b coherence.Block) { f(b, c.Line(b)) })
}

// Explain says what the L1 waits for.
func (c *l1) Explain() string {
	var s strings.Builder
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m := &c.miss[slot]
		fmt.Fprintf(&s, "block %#x is in %s since cycle %d; ", c.Misses.Block(slot), c.p.StateName(coherence.Cache, c.Lines[m.frame].State), m.since)
	}
	return strings.TrimSuffix(s.String(), "; ")
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
	var s strings.Builder
	k.array.Visit(func(f int32, b uint32) {
		if h := &k.homes[f]; h.state > homeM {
			fmt.Fprintf(&s, "block %#x is in %s, %d answers to come; ", b, k.p.StateName(coherence.Bank, h.state), h.acks)
		}
	})
	if k.waiting {
		fmt.Fprintf(&s, "%s of block %#x from core %d waits", k.p.KindName(k.request.Kind), uint32(k.request.Block), k.request.Requestor)
	}
	return strings.TrimSuffix(s.String(), "; ")
}

// CheckBlock verifies the laws of a block: one writer or many readers, readers with equal data, and
// a home that knows them all while the block is not busy. With final, nothing may be in flight or
// busy.
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("block %#x: %s", uint32(b), fmt.Sprintf(format, args...))
	}
	if final && len(inFlight) > 0 {
		return fail("%d messages are in flight at the end", len(inFlight))
	}
	returning := false // an owner's data is on its way home
	for _, m := range inFlight {
		if m.Class != p.ClassOf[m.Kind] || m.Has(coherence.HasData) != p.CarriesData[m.Kind] {
			return fail("%s travels in class %d with flags %b", p.KindName(m.Kind), m.Class, m.Flags)
		}
		returning = returning || m.Kind == PutM
	}
	var home, memory coherence.Line
	for i := range lines {
		switch a := &lines[i]; a.Agent.Role {
		case coherence.Bank:
			home = a.Line
		case coherence.Memory:
			memory = a.Line
		}
		if final && lines[i].Line.Busy {
			return fail("%s %d is busy at the end", lines[i].Agent.Role, lines[i].Agent.Index)
		}
	}
	readers, writers := 0, 0
	var version coherence.Version // of the readers
	for i := range lines {
		a, l := lines[i].Agent, &lines[i].Line
		if a.Role != coherence.Cache || !l.Readable {
			continue
		}
		if readers > 0 && l.Version != version {
			return fail("cache %d reads version %d, another one version %d", a.Index, l.Version, version)
		}
		readers, version = readers+1, l.Version
		if l.Writable {
			writers++
		}
		if home.Busy {
			continue
		}
		if !home.Sharers.Has(noc.NodeID(a.Index)) || l.Writable != (home.State == homeM) {
			return fail("cache %d is in %s; the home, in %s, lists it: %t", a.Index, p.StateName(coherence.Cache, l.State),
				p.StateName(coherence.Bank, home.State), home.Sharers.Has(noc.NodeID(a.Index)))
		}
	}
	switch {
	case writers > 1 || writers == 1 && readers > 1:
		return fail("%d caches may write while %d may read", writers, readers)
	case home.State == homeM && writers == 0 && !returning:
		return fail("the home has lent the block, and nobody has it")
	case home.State == homeS && readers > 0 && version != home.Version:
		return fail("caches read version %d; the home has version %d", version, home.Version)
	case home.Valid && !home.Dirty && home.Version != memory.Version:
		return fail("the home has clean version %d; memory has version %d", home.Version, memory.Version)
	}
	return nil
}
