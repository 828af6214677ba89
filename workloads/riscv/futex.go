package riscv

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// sleep is a hart that waits for a word of memory, or for a time.
type sleep struct {
	h        *hart
	address  uint64 // of the word; 0 waits for a time alone
	bits     uint32 // which calls wake it
	deadline uint64 // nanoseconds since the program's start
}

const (
	never  = math.MaxUint64
	anyBit = 0xffffffff
)

// Operations of futex.
const (
	futexWait       = 0
	futexWake       = 1
	futexRequeue    = 3
	futexCompare    = 4
	futexWaitBits   = 9
	futexWakeBits   = 10
	futexOperations = 0x7f
)

// futex sleeps on a word or wakes those who do.
func (h *hart) futex(a [6]uint64) uint64 {
	m := h.m
	h.count += FutexInstructions - CallInstructions
	operation, bits := a[1]&futexOperations, uint32(anyBit)
	if operation == futexWaitBits || operation == futexWakeBits {
		bits = uint32(a[5])
	}
	word, ok := m.memory.read(a[0], 2)
	if !ok || a[0]%4 != 0 {
		return errno(badAddress)
	}
	switch operation {
	case futexWait, futexWaitBits:
		if uint32(word) != uint32(a[2]) {
			return errno(tryAgain)
		}
		deadline, ok := h.deadline(a[3], operation == futexWaitBits)
		if !ok {
			return errno(badAddress)
		}
		h.fallAsleep(sleep{h: h, address: a[0], bits: bits, deadline: deadline})
		return 0
	case futexWake, futexWakeBits:
		return m.wakeFutex(a[0], a[2], bits)
	case futexCompare, futexRequeue:
		if operation == futexCompare && uint32(word) != uint32(a[5]) {
			return errno(tryAgain)
		}
		n := m.wakeFutex(a[0], a[2], anyBit)
		for _, s := range m.sleepers {
			if s.address == a[0] && a[3] > 0 {
				s.address = a[4]
				a[3]--
				n++
			}
		}
		return n
	}
	names := map[uint64]string{5: "FUTEX_WAKE_OP", 6: "FUTEX_LOCK_PI", 7: "FUTEX_UNLOCK_PI", 8: "FUTEX_TRYLOCK_PI"}
	m.fail(h, "use locks without priority inheritance", "futex operation %d %s is not supported", operation, names[operation])
	return 0
}

// deadline reads a time that a hart waits until, or how long it waits.
func (h *hart) deadline(address uint64, absolute bool) (uint64, bool) {
	if address == 0 {
		return never, true
	}
	seconds, ok1 := h.m.memory.read(address, 3)
	ns, ok2 := h.m.memory.read(address+8, 3)
	if !ok1 || !ok2 || seconds > 1<<32 || ns >= 1e9 {
		return 0, false
	}
	at := seconds*1e9 + ns
	if !absolute {
		at += h.m.nanoseconds()
	}
	return at, true
}

// rest sleeps for a time.
func (h *hart) rest(address uint64, absolute bool) uint64 {
	deadline, ok := h.deadline(address, absolute)
	if !ok || address == 0 {
		return errno(badAddress)
	}
	h.fallAsleep(sleep{h: h, deadline: deadline})
	return 0
}

// fallAsleep puts a hart to sleep.
func (h *hart) fallAsleep(s sleep) {
	m := h.m
	h.sleep = &s
	m.sleepers = append(m.sleepers, &s)
	m.checkAwake()
}

// cycleOf returns the first cycle of the host in which a time has come.
func (m *Machine) cycleOf(ns uint64) uint64 {
	at := uint64(math.Ceil(float64(ns) * m.host.Gigahertz))
	return max(at, m.before+m.host.Now()+1) - m.before
}

// wakeFutex wakes up to so many harts that sleep on a word, in the order in which they fell asleep.
func (m *Machine) wakeFutex(address, most uint64, bits uint32) (woken uint64) {
	most = min(most, math.MaxInt32)
	m.sleepers = slices.DeleteFunc(m.sleepers, func(s *sleep) bool {
		if s.address != address || address == 0 || s.bits&bits == 0 || woken >= most {
			return false
		}
		woken++
		m.rouse(s, 0)
		return true
	})
	return woken
}

// wakeOverdue wakes the harts whose time has come.
func (m *Machine) wakeOverdue() {
	if len(m.sleepers) == 0 {
		return
	}
	now := m.nanoseconds()
	m.sleepers = slices.DeleteFunc(m.sleepers, func(s *sleep) bool {
		if s.deadline > now {
			return false
		}
		result := uint64(0)
		if s.address != 0 {
			result = errno(timedOut)
		}
		m.rouse(s, result)
		return true
	})
}

// rouse wakes a hart; its system call returns a result.
func (m *Machine) rouse(s *sleep, result uint64) {
	s.h.sleep = nil
	s.h.r[10] = result
	if s.h.deep {
		s.h.count += FutexInstructions
	}
	m.stir(s.h)
}

// stir tells the host that a hart has something to do.
func (m *Machine) stir(h *hart) {
	if m.bound {
		m.host.Wake(h.id, m.host.Now()+1)
	}
}

// checkAwake ends the program when all threads sleep and none is left to wake them.
func (m *Machine) checkAwake() {
	for _, h := range m.harts {
		if h.awake() || h.sleep != nil && h.sleep.deadline != never {
			return
		}
	}
	if m.over {
		return
	}
	var list []string
	for _, h := range m.harts {
		if h.sleep == nil {
			continue
		}
		list = append(list, fmt.Sprintf("thread %d at %s on word %#x", h.id, m.program.place(h.pc), h.sleep.address))
	}
	m.fail(nil, "look for a lock that is not released, or a condition that is not signalled",
		"deadlock: all threads sleep in futex, and none is left to wake them: %s", strings.Join(list, ", "))
}

// skip lets time pass until the first hart wakes, where all of them sleep and no host counts time.
func (m *Machine) skip() {
	first := uint64(never)
	for _, s := range m.sleepers {
		first = min(first, s.deadline)
	}
	if now := m.nanoseconds(); first != never && first > now {
		m.before += first - now
	}
}
