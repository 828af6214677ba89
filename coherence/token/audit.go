package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Line returns the L1's copy of a block.
func (c *l1) Line(b coherence.Block) coherence.Line {
	f := c.Find(b)
	if f < 0 {
		return coherence.Line{State: stateNP}
	}
	return c.line(f).audit(c.line(f).state())
}

// VisitLines calls f for every block that has a frame.
func (c *l1) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	c.Visit(func(frame int32, b coherence.Block) {
		l := c.line(frame)
		f(b, l.audit(l.state()))
	})
}

// CheckBlock verifies the laws of a block: every token and the owner token exist once, the owner
// has data, all copies are equal, those with a clean owner token equal memory's, no core can read a
// block that another one may write. With final, nothing may be in flight or busy.
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	var c census
	for i := range lines {
		l := &lines[i]
		if l.Agent.Role == coherence.Memory {
			c.memory = l.Line.Version
		}
		if err := c.line(&l.Line, final); err != nil {
			return fmt.Errorf("block %#x: %s %d: %w", uint32(b), l.Agent.Role, l.Agent.Index, err)
		}
	}
	for i := range inFlight {
		m := &inFlight[i]
		if err := c.message(m); err != nil {
			return fmt.Errorf("block %#x: %s message from %s %d: %w", uint32(b), classNames[m.Class], m.From.Role, m.From.Index, err)
		}
	}
	switch {
	case c.tokens != int(p.tokens):
		return fmt.Errorf("block %#x: there are %d tokens; a block has %d", uint32(b), c.tokens, p.tokens)
	case c.owners != 1:
		return fmt.Errorf("block %#x: there are %d owner tokens", uint32(b), c.owners)
	case c.clean && c.version != c.memory:
		return fmt.Errorf("block %#x: the clean owner token has version %d; memory has version %d", uint32(b), c.version, c.memory)
	case c.writers > 1 || c.writers == 1 && c.readers > 1:
		return fmt.Errorf("block %#x: %d agents may write while %d may read", uint32(b), c.writers, c.readers)
	case final && len(inFlight) > 0:
		return fmt.Errorf("block %#x: %d messages are in flight at the end", uint32(b), len(inFlight))
	}
	return nil
}

// census counts what exists of a block.
type census struct {
	tokens, owners   int
	writers, readers int
	known, clean     bool // whether any data is valid, and the owner token's equals memory's
	version, memory  coherence.Version
}

func (c *census) copyOf(v coherence.Version) error {
	if c.known && c.version != v {
		return fmt.Errorf("version %d is valid here, version %d elsewhere", v, c.version)
	}
	c.known, c.version = true, v
	return nil
}

func (c *census) line(l *coherence.Line, final bool) error {
	c.tokens += int(l.Count)
	if l.Owner {
		c.owners++
		c.clean = !l.Dirty
	}
	if l.Writable {
		c.writers++
	}
	if l.Readable {
		c.readers++
	}
	switch {
	case l.Count < 0:
		return fmt.Errorf("%d tokens", l.Count)
	case l.Count == 0 && (l.Valid || l.Owner):
		return fmt.Errorf("valid %t and owner %t without a token", l.Valid, l.Owner)
	case l.Owner && !l.Valid:
		return fmt.Errorf("the owner token without data")
	case l.Dirty && !l.Owner:
		return fmt.Errorf("dirty without the owner token")
	case final && l.Busy:
		return fmt.Errorf("busy at the end")
	case l.Valid:
		return c.copyOf(l.Version)
	}
	return nil
}

func (c *census) message(m *coherence.Message) error {
	if m.Kind != Tokens {
		if m.Count != 0 || m.Flags&^isRetry != 0 {
			return fmt.Errorf("%s carries %d tokens with flags %b", kindNames[m.Kind], m.Count, m.Flags)
		}
		return nil
	}
	c.tokens += int(m.Count)
	data, owner, dirty := m.Has(coherence.HasData), m.Has(isOwner), m.Has(isDirty)
	if owner {
		c.owners++
		c.clean = data && !dirty
	}
	switch {
	case m.Count < 1:
		return fmt.Errorf("%d tokens", m.Count)
	case dirty && !owner:
		return fmt.Errorf("dirty without the owner token")
	case owner && !data && (m.Class != Home || dirty):
		return fmt.Errorf("the owner token travels without data")
	case data:
		return c.copyOf(m.Version)
	}
	return nil
}

// Explain says what the L1 waits for.
func (c *l1) Explain() string {
	var why controller.Reasons
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m, l := &c.miss[slot], c.line(c.Miss[slot].Frame)
		want, more := "data", ""
		if l.has(writeMiss) {
			want = fmt.Sprintf("%d more tokens", c.p.tokens-l.Count)
		}
		switch {
		case m.persistent:
			more = ", persistent"
		case c.Miss[slot].Unsent:
			more = ", the next one waits for room"
		case m.exhausted:
			more = ", may not turn persistent yet"
		}
		why.Add("miss %d of block %#x waits for %s since cycle %d, requests %d%s", slot, c.Misses.Block(slot), want, c.Miss[slot].Since, m.issues, more)
	}
	switch c.deactivation {
	case deactivationOwed:
		why.Add("the end of a persistent request for block %#x waits for room", uint32(c.deactivated))
	case deactivationLeaving:
		why.Add("the end of a persistent request for block %#x is leaving", uint32(c.deactivated))
	}
	c.table.explain(&why)
	return why.String()
}

// Explain says what the memory controller waits for.
func (d *memory) Explain() string {
	var why controller.Reasons
	d.records.Visit(func(b coherence.Block, r *record) {
		switch {
		case r.ready:
			why.Add("data of block %#x waits for room", uint32(b))
		case r.reading:
			why.Add("block %#x is read from DRAM for core %d", uint32(b), r.dest)
		}
	})
	d.table.explain(&why)
	return why.String()
}

// Explain says what a controller that only keeps the table, such as a bank, waits for.
func (a *agent) Explain() string {
	var why controller.Reasons
	a.table.explain(&why)
	return why.String()
}

func (t *activations) explain(why *controller.Reasons) {
	for core, ok := t.active.Next(0); ok; core, ok = t.active.Next(core + 1) {
		e := &t.entries[core]
		use, more := "read", ""
		if e.write {
			use = "write"
		}
		if t.owed.Has(core) {
			more = ", payment waits for room"
		}
		if e.marked {
			more += ", to be served first"
		}
		why.Add("core %d has a persistent %s request for block %#x%s", core, use, uint32(e.block), more)
	}
}
