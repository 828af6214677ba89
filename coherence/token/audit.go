package token

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
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
// has data, all copies are equal, no core can read a block that another one may write. With final,
// nothing may be in flight or busy.
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	var c census
	for i := range lines {
		l := &lines[i]
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
	known            bool
	version          coherence.Version
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
	var s strings.Builder
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m := &c.miss[slot]
		l := c.line(c.Miss[slot].Frame)
		want := "data"
		if l.has(writeMiss) {
			want = fmt.Sprintf("%d more tokens", c.p.tokens-l.Count)
		}
		fmt.Fprintf(&s, "miss %d of block %#x waits for %s since cycle %d, requests %d", slot, c.Misses.Block(slot), want, c.Miss[slot].Since, m.issues)
		switch {
		case m.persistent:
			s.WriteString(", persistent")
		case c.Miss[slot].Unsent:
			s.WriteString(", the next one waits for room")
		case m.exhausted:
			s.WriteString(", may not turn persistent yet")
		}
		s.WriteString("; ")
	}
	switch c.ending {
	case owed:
		fmt.Fprintf(&s, "the end of a persistent request for block %#x waits for room; ", uint32(c.endBlock))
	case leaving:
		fmt.Fprintf(&s, "the end of a persistent request for block %#x is leaving; ", uint32(c.endBlock))
	}
	c.table.explain(&s)
	return strings.TrimSuffix(s.String(), "; ")
}

// Explain says what the bank waits for.
func (k *bank) Explain() string {
	var s strings.Builder
	k.table.explain(&s)
	return strings.TrimSuffix(s.String(), "; ")
}

// Explain says what the memory controller waits for.
func (d *memory) Explain() string {
	var s strings.Builder
	d.records.Visit(func(b coherence.Block, r *record) {
		switch {
		case r.ready:
			fmt.Fprintf(&s, "data of block %#x waits for room; ", uint32(b))
		case r.reading:
			fmt.Fprintf(&s, "block %#x is read from DRAM for core %d; ", uint32(b), r.dest)
		}
	})
	d.table.explain(&s)
	return strings.TrimSuffix(s.String(), "; ")
}

func (t *activations) explain(s *strings.Builder) {
	for core := range t.entries {
		if !t.isActive(core) {
			continue
		}
		e := &t.entries[core]
		use := "read"
		if e.write {
			use = "write"
		}
		fmt.Fprintf(s, "core %d has a persistent %s request for block %#x", core, use, uint32(e.block))
		if t.owed.Has(noc.NodeID(core)) {
			s.WriteString(", payment waits for room")
		}
		if e.marked {
			s.WriteString(", to be served first")
		}
		s.WriteString("; ")
	}
}
