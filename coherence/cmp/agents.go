package cmp

import (
	"cmp"
	"math/bits"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
)

// agents are the coherence controllers of the chip. They are numbered: caches by core, then banks,
// then memory controllers.
type agents struct {
	chip     *System
	caches   []coherence.CacheController
	banks    []coherence.Controller
	memories []coherence.MemoryController
	all      []coherence.Controller // in order of agent number
	names    []coherence.Agent      // per agent

	effects    coherence.Effects // of the controller that is being called; empty in between
	timers     timerHeap         // of the caches
	deferred   queue.FIFO[int32] // agents with deferred work
	isDeferred []bool            // per agent: it is among them
}

// newAgents numbers the controllers of a chip.
func newAgents(s *System, parts *coherence.Audit) agents {
	a := agents{chip: s, caches: parts.Caches, banks: parts.Banks, memories: parts.Memories, names: parts.Agents()}
	for _, at := range a.names {
		a.all = append(a.all, parts.Controller(at))
	}
	a.isDeferred = make([]bool, len(a.all))
	a.effects.Reset()
	return a
}

// accept lets every agent with a message in its inbox process one: the first of the highest class
// that it takes.
func (a *agents) accept() {
	if in := &a.chip.nic.inbox; in.messages > 0 {
		for w, word := range in.busy {
			for ; word != 0; word &= word - 1 {
				a.acceptAt(64*w + bits.TrailingZeros64(word))
			}
		}
	}
	for i, n := 0, a.deferred.Len(); i < n; i++ {
		agent := a.deferred.Pop()
		a.isDeferred[agent] = false
		role := a.names[agent].Role
		a.prepare(int(agent), role)
		a.chip.paths.forget()
		a.all[agent].Continue(a.chip.now, &a.effects)
		a.apply(int(agent), role)
	}
}

func (a *agents) acceptAt(agent int) {
	in := &a.chip.nic.inbox
	for classes := in.waiting[agent]; classes != 0; {
		c := noc.Class(bits.Len8(classes) - 1)
		classes &^= 1 << c
		if i, slot := in.first(agent, c); a.take(agent, i, slot) {
			in.pop(agent, c)
			return
		}
	}
}

// take passes a message to an agent and reports whether the agent has accepted it.
func (a *agents) take(agent int, i, slot int32) bool {
	m := &a.chip.nic.flights.all[i].send.Message
	role := coherence.Cache
	ignored := agent < len(a.caches) && a.chip.protocol.Ignores(agent, m)
	if !ignored {
		role = a.names[agent].Role
		a.prepare(agent, role)
		a.chip.paths.accept(i, &a.chip.nic.flights.all[i], a.chip.plan.routers[agent], role, a.chip.now)
		if !a.all[agent].Accept(*m, a.chip.now, &a.effects) {
			return false
		}
	}
	a.chip.audit.touch(m.Block)
	a.chip.nic.acceptedFrom(slot)
	if a.chip.nic.credits.bound > 0 {
		a.chip.nic.acceptedBy(agent, i)
	}
	a.chip.nic.flights.accepted(i)
	if !ignored {
		a.apply(agent, role)
	}
	return true
}

// prepare sets the room that an agent has before it is called. The effects are empty then: apply
// has emptied them after the last call.
func (a *agents) prepare(agent int, role coherence.Role) {
	if a.chip.nic.credits.bound > 0 {
		a.chip.nic.setRoom(agent)
	}
	switch role {
	case coherence.Cache:
		a.effects.Reader = &a.chip.cores[agent]
	case coherence.Memory:
		a.effects.ReadRoom = a.chip.memory.drams[agent-a.chip.plan.firstMemory].room()
	}
}

// apply carries out what an agent has put into a.effects, and notes whether it has deferred work.
func (a *agents) apply(agent int, role coherence.Role) {
	if !a.effects.Quiet() {
		a.carryOut(agent, role)
	}
	if role == coherence.Cache && a.chip.nic.credits.bound == 0 {
		return // L1s put off nothing but what there is no room for
	}
	if !a.isDeferred[agent] && a.all[agent].HasDeferred() {
		a.isDeferred[agent] = true
		a.deferred.Push(int32(agent))
	}
}

// carryOut carries out a.effects and empties them.
func (a *agents) carryOut(agent int, role coherence.Role) {
	e := &a.effects
	for i := range e.Sends {
		a.chip.nic.send(agent, role, e.Sends[i])
	}
	if role == coherence.Memory {
		a.chip.paths.read(agent-a.chip.plan.firstMemory, e.Reads, a.chip.now)
		a.chip.memory.request(agent-a.chip.plan.firstMemory, e.Reads, e.Writes, a.chip.now)
	}
	if role == coherence.Cache {
		for _, t := range e.Timers {
			a.timers.push(coreTimer{t, uint16(agent)})
		}
		core := &a.chip.cores[agent]
		// Completions come before losses: an access that completed in the same step had the block.
		for i := range e.Completions {
			core.complete(&e.Completions[i])
		}
		for _, b := range e.Lost {
			core.onInvalidate(b)
		}
		for _, b := range e.Evicted {
			a.chip.audit.touch(b)
			a.chip.evictedReplays += uint64(core.onInvalidate(b))
		}
		core.kept = core.kept || e.Kept
		if e.Retry {
			core.retry()
		}
	}
	e.Reset()
}

// fireTimers fires the caches' timers that are due.
func (a *agents) fireTimers() {
	for a.timers.next() <= a.chip.now {
		t := a.timers.pop()
		a.prepare(int(t.core), coherence.Cache)
		a.chip.paths.forget()
		a.caches[t.core].Timeout(t.Timer, a.chip.now, &a.effects)
		a.apply(int(t.core), coherence.Cache)
	}
}

// readDone hands a block that DRAM has read to its memory controller.
func (a *agents) readDone(controller int, b coherence.Block) {
	agent := a.chip.plan.firstMemory + controller
	a.prepare(agent, coherence.Memory)
	a.chip.paths.readDone(controller, b, a.chip.now)
	a.memories[controller].MemoryDone(b, a.chip.now, &a.effects)
	for i := range a.effects.Sends {
		if m := &a.effects.Sends[i].Message; m.Block == b && m.Has(coherence.HasData) {
			a.chip.milestones.reads[m.Requestor]++
			break
		}
	}
	a.chip.audit.touch(b)
	a.apply(agent, coherence.Memory)
}

// coreTimer is a timer of one core's cache.
type coreTimer struct {
	coherence.Timer
	core uint16
}

// before orders timerHeap by time, then core, then slot, so that firing order never depends on the
// order in which they were set.
func (a coreTimer) before(b coreTimer) bool {
	return a.At < b.At || a.At == b.At && cmp.Or(cmp.Compare(a.core, b.core), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Generation, b.Generation)) < 0
}

// timerHeap is a binary heap of timers. Controllers never cancel a timer; they recognise a stale
// one.
type timerHeap []coreTimer

func (h *timerHeap) push(a coreTimer) {
	*h = append(*h, a)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *timerHeap) pop() coreTimer {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(s) {
			return top
		}
		if down+1 < len(s) && s[down+1].before(s[down]) {
			down++
		}
		if !s[down].before(s[i]) {
			return top
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
}

func (h timerHeap) next() noc.Cycle {
	if len(h) == 0 {
		return noc.Never
	}
	return h[0].At
}
