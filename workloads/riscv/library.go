package riscv

import (
	"github.com/carousel-sim/carousel/traces/record"
)

// Functions of the C library that synchronise threads are found by the symbols of the executable. In a
// recording, records stand for what they do: nothing that a hart does between its call and its return
// is in the trace.

var libraryCalls = map[string]record.Call{
	"pthread_rwlock_rdlock": record.Shares, "pthread_rwlock_tryrdlock": record.Shares,
	"pthread_rwlock_timedrdlock": record.Shares, "pthread_rwlock_clockrdlock": record.Shares,
	"pthread_rwlock_wrlock": record.Locks, "pthread_rwlock_trywrlock": record.Locks,
	"pthread_rwlock_timedwrlock": record.Locks, "pthread_rwlock_clockwrlock": record.Locks,
	"pthread_rwlock_unlock": record.Unlocks,
	"pthread_barrier_wait":  record.Meets,
}

// within is a call in which a hart is.
type within struct {
	call            record.Call
	object          uint64 // physical address
	returnTo, stack uint64
}

// Registers of the calling convention.
const (
	returnAddress = 1
	stackPointer  = 2
	firstArgument = 10
)

// hook makes harts tell when they come to an address.
func (m *Machine) hook(pc uint64) {
	m.memory.hooks[pc] = true
	if in := m.memory.instruction(pc); in != nil {
		in.hooked = true
	}
}

// watch makes the harts of a machine tell of calls and returns.
func (r *recorder) watch() {
	r.calls, r.m.memory.hooks, r.m.hooked = map[uint64]record.Call{}, map[uint64]bool{}, r.come
	for i := range r.m.program.symbols {
		if s := &r.m.program.symbols[i]; libraryCalls[s.Name] != 0 {
			r.calls[s.Value] = libraryCalls[s.Name]
			r.m.hook(s.Value)
		}
	}
}

// come takes that a hart has come to an instruction that may begin a function, or follow its call.
func (r *recorder) come(h *hart) {
	c := &r.cores[h.id]
	switch w := c.within; {
	case w == nil && r.calls[h.pc] != 0:
		_ = r.reserve(h.id, nil) // the next step returns the error
		c.forget()
		c.within = &within{r.calls[h.pc], physical(h.r[firstArgument]), h.r[returnAddress], h.r[stackPointer]}
		r.m.hook(c.within.returnTo)
		r.to.Enters(h.id, c.within.call, c.within.object, c.left+uint32(max(0, h.count)))
		c.left, h.count = 0, 0
	case w != nil && h.pc == w.returnTo && h.r[stackPointer] == w.stack:
		c.within, h.count = nil, 0
		r.to.Returns(h.id, w.call, w.object, uint32(h.r[firstArgument]) != 0)
	}
}
