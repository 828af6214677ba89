package directory

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

const none = -1

// agent is what the three kinds of controllers have in common.
type agent struct {
	p        *Protocol
	cells    *cellTable // of the agent's role
	self     coherence.Agent
	counters coherence.Counters
	now      noc.Cycle // of the call being processed
}

func (p *Protocol) newAgent(r coherence.Role, index int) agent {
	return agent{p: p, cells: &p.cells[r], self: coherence.Agent{Role: r, Index: uint16(index)}}
}

// Counters are the controller's statistics so far.
func (a *agent) Counters() coherence.Counters { return a.counters }

// fail reports a broken law.
func (a *agent) fail(b coherence.Block, format string, args ...any) {
	panic(fmt.Sprintf("directory: cycle %d, %s %d, block %#x: %s", a.now, a.self.Role, a.self.Index, uint32(b),
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

// message makes a message of a kind, with the data if the kind carries any.
func message(kind uint8, b coherence.Block, v coherence.Version, core uint16) coherence.Message {
	m := coherence.Message{Block: b, Kind: kind, Class: classOf[kind], Requestor: core}
	if carriesData[kind] {
		m.Flags, m.Version = coherence.HasData, v
	}
	return m
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

// send is emit to one agent.
func (a *agent) send(out *coherence.Effects, m coherence.Message, to coherence.Agent) {
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
