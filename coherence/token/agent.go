package token

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// agent is what the three kinds of controllers have in common.
type agent struct {
	p        *Protocol
	cells    *cellTable // of the agent's role
	self     coherence.Agent
	table    activations
	counters coherence.Counters
	now      noc.Cycle // of the call being processed
}

func (p *Protocol) newAgent(r coherence.Role, index int) agent {
	return agent{p: p, cells: &p.cells[r], self: coherence.Agent{Role: r, Index: uint16(index)}, table: newActivations(p.cores)}
}

// Counters are the controller's statistics so far.
func (a *agent) Counters() coherence.Counters { return a.counters }

// fail reports a broken law.
func (a *agent) fail(b coherence.Block, format string, args ...any) {
	panic(fmt.Sprintf("token: cycle %d, %s %d, block %#x: %s", a.now, a.self.Role, a.self.Index, uint32(b),
		fmt.Sprintf(format, args...)))
}

// took counts a transition and makes sure that it is in the table.
func (a *agent) took(b coherence.Block, s, e uint8) {
	c := a.cells.at(e, s)
	if !c.legal {
		a.illegal(b, s, e)
	}
	c.count++
}

func (a *agent) illegal(b coherence.Block, s, e uint8) {
	a.fail(b, "event %q cannot happen in state %s", events[a.self.Role][e], states[a.self.Role][s])
}

// emit appends a message and takes its room.
func (a *agent) emit(out *coherence.Effects, s coherence.Send) {
	s.From = a.self
	s.Phits = coherence.CommandPhits
	if s.Has(coherence.HasData) {
		s.Phits = coherence.DataPhits
	}
	out.Room[s.Class]--
	out.Sends = append(out.Sends, s)
}

// give takes tokens from a line and sends them. The line's owner releases the frame when nothing is left.
func (a *agent) give(out *coherence.Effects, b coherence.Block, l *line, s share, class noc.Class, to coherence.Agent) {
	if s.tokens < 1 || s.tokens > l.tokens || s.owner && !l.has(owner) || s.data && !l.has(valid) ||
		l.has(owner) && !s.owner && s.tokens == l.tokens {
		a.fail(b, "%+v cannot be given from %+v", s, *l)
	}
	m := coherence.Message{Block: b, Version: l.version, Kind: Tokens, Class: class, Count: s.tokens}
	if to.Role == coherence.Cache {
		m.Requestor = to.Index
	}
	if s.data {
		m.Flags |= coherence.HasData
	}
	if s.owner {
		m.Flags |= coherence.IsOwner
		if l.has(dirty) {
			m.Flags |= coherence.IsDirty
		}
		l.flags &^= owner | dirty
	}
	l.tokens -= s.tokens
	l.flags &^= wrote | all
	if l.tokens == 0 && a.p.defect != keepValid {
		l.flags &^= valid
	}
	if a.p.defect == extraToken && class == Response {
		m.Count++
	}
	a.emit(out, coherence.Send{Message: m, One: to})
}

func cacheAgent(core uint16) coherence.Agent {
	return coherence.Agent{Role: coherence.Cache, Index: core}
}

func (a *agent) bankOf(b coherence.Block) coherence.Agent {
	return coherence.Agent{Role: coherence.Bank, Index: a.p.homes.Bank(b)}
}

func (a *agent) memoryOf(b coherence.Block) coherence.Agent {
	return coherence.Agent{Role: coherence.Memory, Index: a.p.homes.Memory(b)}
}
