package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Agents are numbered: caches by core, then banks, then memory controllers.

func (s *System) agentIndex(a coherence.Agent) int {
	switch a.Role {
	case coherence.Cache:
		return int(a.Index)
	case coherence.Bank:
		return s.config.Cores + int(a.Index)
	}
	return s.firstMemory + int(a.Index)
}

func (s *System) agentOf(i int) coherence.Agent {
	switch cores := s.config.Cores; {
	case i < cores:
		return coherence.Agent{Role: coherence.Cache, Index: uint16(i)}
	case i < s.firstMemory:
		return coherence.Agent{Role: coherence.Bank, Index: uint16(i - cores)}
	default:
		return coherence.Agent{Role: coherence.Memory, Index: uint16(i - s.firstMemory)}
	}
}

func (s *System) bankAgent(b coherence.Block) int {
	return s.config.Cores + int(s.plan.homes.Bank(b))
}

func (s *System) memoryAgent(b coherence.Block) int {
	return s.firstMemory + int(s.plan.homes.Memory(b))
}

// accept lets every agent with a message in its inbox process one: the first of the highest class that
// it takes.
func (s *System) accept() {
	if s.inbox.messages > 0 {
		for w, word := range s.inbox.busy {
			for ; word != 0; word &= word - 1 {
				s.acceptAt(64*w + bits.TrailingZeros64(word))
			}
		}
	}
	for i, n := 0, s.debtors.len(); i < n; i++ {
		agent := s.debtors.pop()
		s.owing[agent] = false
		role := s.roles[agent]
		s.prepare(int(agent), role)
		s.agents[agent].Continue(s.now, &s.effects)
		s.apply(int(agent), role)
	}
}

func (s *System) acceptAt(agent int) {
	classes := s.inbox.waiting[agent]
	if classes == 0 {
		if c := &s.inbox.single[agent]; s.take(agent, c.flight, c.place) {
			s.inbox.empty(agent)
		}
		return
	}
	for classes != 0 {
		c := noc.Class(bits.Len8(classes) - 1)
		classes &^= 1 << c
		if i, place := s.inbox.first(agent, c); s.take(agent, i, place) {
			s.inbox.pop(agent, c)
			return
		}
	}
}

// take lets an agent process a message, if it takes it.
func (s *System) take(agent int, i, place int32) bool {
	m := &s.flights.all[i].send.Message
	role := coherence.Cache
	ignored := agent < len(s.caches) && s.protocol.Ignores(agent, m)
	if !ignored {
		role = s.roles[agent]
		s.prepare(agent, role)
		if !s.agents[agent].Accept(*m, s.now, &s.effects) {
			return false
		}
	}
	s.touch(m.Block)
	if s.places.bound > 0 {
		s.acceptedFrom(place)
		s.acceptedBy(agent, i)
	}
	s.flights.accepted(i)
	if !ignored {
		s.apply(agent, role)
	}
	return true
}

// prepare states the room that an agent has. Nothing is in the effects then: whoever put something there has
// had it applied, and most calls of controllers put nothing there.
func (s *System) prepare(agent int, role coherence.Role) {
	if s.places.bound > 0 {
		s.room(agent)
	}
	if role == coherence.Memory {
		s.effects.ReadRoom = s.memory[agent-s.firstMemory].room()
	}
}

// apply does what an agent has asked for in s.effects, and notes whether it has put off something.
func (s *System) apply(agent int, role coherence.Role) {
	if !s.effects.Quiet() {
		s.carryOut(agent, role)
	}
	if role == coherence.Cache && s.places.bound == 0 {
		return // L1s put off nothing but what there is no room for
	}
	if !s.owing[agent] && s.agents[agent].HasDeferred() {
		s.owing[agent] = true
		s.debtors.push(int32(agent))
	}
}

// carryOut does what is in s.effects, and empties them.
func (s *System) carryOut(agent int, role coherence.Role) {
	e := &s.effects
	for i := range e.Sends {
		s.send(agent, role, e.Sends[i])
	}
	if role == coherence.Memory {
		d := &s.memory[agent-s.firstMemory]
		for _, b := range e.Reads {
			d.read(b)
		}
		for _, b := range e.Writes {
			d.write(b)
		}
		if len(e.Reads)+len(e.Writes) > 0 {
			d.serve(s.now)
			s.memoryDue = min(s.memoryDue, d.next(s.now))
		}
	}
	if role == coherence.Cache {
		for _, t := range e.Timers {
			s.alarms.push(alarm{t, uint16(agent)})
		}
		core := &s.cores[agent]
		// Completions come before losses: an access that completed in the same step had the block.
		for i := range e.Completions {
			core.complete(&e.Completions[i])
		}
		for _, b := range e.Lost {
			core.lose(b)
		}
		if e.Retry {
			core.retry()
		}
	}
	e.Reset()
}

// ring fires the caches' timers that are due.
func (s *System) ring() {
	for s.alarms.next() <= s.now {
		a := s.alarms.pop()
		s.prepare(int(a.core), coherence.Cache)
		s.caches[a.core].Timeout(a.Timer, s.now, &s.effects)
		s.apply(int(a.core), coherence.Cache)
	}
}

// remember fires what is due in the memories: reads whose data has come, and requests whose turn it is.
func (s *System) remember() {
	s.memoryDue = noc.Never
	for m := range s.memory {
		d := &s.memory[m]
		for b, ok := d.finished(s.now); ok; b, ok = d.finished(s.now) {
			agent := s.firstMemory + m
			s.prepare(agent, coherence.Memory)
			s.memories[m].MemoryDone(b, s.now, &s.effects)
			s.touch(b)
			s.apply(agent, coherence.Memory)
		}
		d.serve(s.now)
		s.memoryDue = min(s.memoryDue, d.next(s.now))
	}
}
