package cmp

import (
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// accept lets every agent with a message in its inbox process one: the first of the highest class
// that it takes.
func (s *System) accept() {
	if s.nic.inbox.messages > 0 {
		for w, word := range s.nic.inbox.busy {
			for ; word != 0; word &= word - 1 {
				s.acceptAt(64*w + bits.TrailingZeros64(word))
			}
		}
	}
	for i, n := 0, s.deferred.len(); i < n; i++ {
		agent := s.deferred.pop()
		s.isDeferred[agent] = false
		role := s.roles[agent]
		s.prepare(int(agent), role)
		s.agents[agent].Continue(s.now, &s.effects)
		s.apply(int(agent), role)
	}
}

func (s *System) acceptAt(agent int) {
	classes := s.nic.inbox.waiting[agent]
	if classes == 0 {
		if c := &s.nic.inbox.single[agent]; s.take(agent, c.flight, c.place) {
			s.nic.inbox.empty(agent)
		}
		return
	}
	for classes != 0 {
		c := noc.Class(bits.Len8(classes) - 1)
		classes &^= 1 << c
		if i, place := s.nic.inbox.first(agent, c); s.take(agent, i, place) {
			s.nic.inbox.pop(agent, c)
			return
		}
	}
}

// take passes a message to an agent and reports whether the agent has accepted it.
func (s *System) take(agent int, i, place int32) bool {
	m := &s.nic.flights.all[i].send.Message
	role := coherence.Cache
	ignored := agent < len(s.caches) && s.protocol.Ignores(agent, m)
	if !ignored {
		role = s.roles[agent]
		s.prepare(agent, role)
		if !s.agents[agent].Accept(*m, s.now, &s.effects) {
			return false
		}
	}
	s.audit.touch(m.Block)
	if s.nic.credits.bound > 0 {
		s.nic.acceptedFrom(place)
		s.nic.acceptedBy(agent, i)
	}
	s.nic.flights.accepted(i)
	if !ignored {
		s.apply(agent, role)
	}
	return true
}

// prepare sets the room that an agent has before it is called. The effects are empty then: apply
// has emptied them after the last call.
func (s *System) prepare(agent int, role coherence.Role) {
	if s.nic.credits.bound > 0 {
		s.nic.setRoom(agent)
	}
	if role == coherence.Memory {
		s.effects.ReadRoom = s.memory.drams[agent-s.plan.firstMemory].room()
	}
}

// apply carries out what an agent has put into s.effects, and notes whether it has deferred work.
func (s *System) apply(agent int, role coherence.Role) {
	if !s.effects.Quiet() {
		s.carryOut(agent, role)
	}
	if role == coherence.Cache && s.nic.credits.bound == 0 {
		return // L1s put off nothing but what there is no room for
	}
	if !s.isDeferred[agent] && s.agents[agent].HasDeferred() {
		s.isDeferred[agent] = true
		s.deferred.push(int32(agent))
	}
}

// carryOut carries out s.effects and empties them.
func (s *System) carryOut(agent int, role coherence.Role) {
	e := &s.effects
	for i := range e.Sends {
		s.nic.send(agent, role, e.Sends[i])
	}
	if role == coherence.Memory {
		s.memory.request(agent-s.plan.firstMemory, e.Reads, e.Writes, s.now)
	}
	if role == coherence.Cache {
		for _, t := range e.Timers {
			s.timers.push(coreTimer{t, uint16(agent)})
		}
		core := &s.cores[agent]
		// Completions come before losses: an access that completed in the same step had the block.
		for i := range e.Completions {
			core.complete(&e.Completions[i])
		}
		for _, b := range e.Lost {
			core.onInvalidate(b)
		}
		if e.Retry {
			core.retry()
		}
	}
	e.Reset()
}

// fireTimers fires the caches' timers that are due.
func (s *System) fireTimers() {
	for s.timers.next() <= s.now {
		a := s.timers.pop()
		s.prepare(int(a.core), coherence.Cache)
		s.caches[a.core].Timeout(a.Timer, s.now, &s.effects)
		s.apply(int(a.core), coherence.Cache)
	}
}

// readDone hands a block that DRAM has read to its memory controller.
func (s *System) readDone(controller int, b coherence.Block) {
	agent := s.plan.firstMemory + controller
	s.prepare(agent, coherence.Memory)
	s.memories[controller].MemoryDone(b, s.now, &s.effects)
	s.audit.touch(b)
	s.apply(agent, coherence.Memory)
}
