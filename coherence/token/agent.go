package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// agent is what the three kinds of controllers have in common.
type agent struct {
	controller.Agent
	p     *Protocol
	table activations
}

// newAgent returns what an agent has in common with others; starving is where its table counts.
func (p *Protocol) newAgent(r coherence.Role, index int, starving *int32) agent {
	return agent{Agent: controller.NewAgent(&p.Chip, r, index), p: p, table: newActivations(p.Cores, starving)}
}

// give takes tokens from a line and sends them. The line's owner releases the frame when nothing is
// left.
func (a *agent) give(out *coherence.Effects, b coherence.Block, l *line, s share, class noc.Class, to coherence.Agent) {
	if s.tokens < 1 || s.tokens > l.Count || s.owner && !l.has(owner) || s.data && !l.has(valid) ||
		l.has(owner) && !s.owner && s.tokens == l.Count {
		a.Fail(b, "%+v cannot be given from %+v", s, *l)
	}
	m := coherence.Message{Block: b, Version: l.Version, Kind: Tokens, Class: class, Count: s.tokens, Sequence: s.answers}
	if to.Role == coherence.Cache {
		m.Requestor = to.Index
	}
	if s.data {
		m.Flags |= coherence.HasData
	}
	if s.owner {
		m.Flags |= isOwner
		if l.has(dirty) {
			m.Flags |= isDirty
		}
		l.State &^= owner | dirty
	}
	l.Count -= s.tokens
	l.State &^= wrote | all
	if l.Count == 0 && a.p.Seeded != keepValid {
		l.State &^= valid
	}
	if a.p.Seeded == extraToken && class == Response {
		m.Count++
	}
	a.Send(out, m, to)
}
