package riscv

import (
	"cmp"
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

// Operations of futex, without the bits for a word of this process and for the clock.
const (
	futexWait     = 0
	futexWake     = 1
	futexRequeue  = 3
	futexCompare  = 4
	futexWaitBits = 9
	futexWakeBits = 10
	futexPrivate  = 0x80
	futexRealTime = 0x100
)

// futex sleeps on a word or wakes those who do.
func (h *hart) futex(a [6]uint64) uint64 {
	m := h.m
	h.count += cmp.Or(m.host.Futex, FutexInstructions) - CallInstructions
	operation, bits := futexOperation(a[1]), uint32(anyBit)
	if operation == futexWaitBits || operation == futexWakeBits {
		bits = uint32(a[5])
	}
	waits := operation == futexWait || operation == futexWaitBits
	deadline, failed := uint64(never), int64(0)
	if waits && a[3] != 0 {
		deadline, failed = h.deadline(a[3], operation == futexWaitBits)
	}
	word, mapped := m.memory.read(a[0], 2)
	switch {
	case failed != 0:
		return errno(failed)
	case operation != futexWaitBits && a[1]&futexRealTime != 0:
		return errno(noCall)
	case a[0]%4 != 0 || bits == 0:
		return errno(badArgument)
	case !mapped && (waits || operation == futexCompare || a[1]&futexPrivate == 0):
		return errno(badAddress)
	case waits && uint32(word) != uint32(a[2]) || operation == futexCompare && uint32(word) != uint32(a[5]):
		return errno(tryAgain)
	}
	switch operation {
	case futexWait, futexWaitBits:
		h.fallAsleep(sleep{h: h, address: a[0], bits: bits, deadline: deadline})
		return 0
	case futexWake, futexWakeBits:
		woken := m.wakeFutex(a[0], max(1, int32(a[2])), bits) // Linux wakes one before it counts
		if int(int32(a[2])) >= len(m.harts) {
			m.wakesAll(a[0], woken)
		}
		return woken
	case futexCompare, futexRequeue:
		return m.requeue(a)
	}
	names := map[uint32]string{5: " FUTEX_WAKE_OP", 6: " FUTEX_LOCK_PI", 7: " FUTEX_UNLOCK_PI", 8: " FUTEX_TRYLOCK_PI"}
	m.fail(h, "use locks without priority inheritance", "futex operation %d%s is not supported", operation, names[operation])
	return 0
}

// futexOperation returns what a call of futex does, without the bits that say how.
func futexOperation(bits uint64) uint32 { return uint32(bits) &^ (futexPrivate | futexRealTime) }

// requeue wakes some of those who sleep on a word, and lets others sleep on another word.
func (m *Machine) requeue(a [6]uint64) uint64 {
	wakes, moves := int32(a[2]), int32(a[3])
	if wakes < 0 || moves < 0 || a[4]%4 != 0 {
		return errno(badArgument)
	}
	n := m.wakeFutex(a[0], wakes, anyBit)
	for _, s := range m.sleepers {
		if s.address == a[0] && moves > 0 {
			s.address = a[4]
			moves--
			n++
		}
	}
	return n
}

// deadline reads a time that a hart waits until, or how long it waits. It returns an error of
// Linux if that is no time. One that Linux cannot count in nanoseconds never comes.
func (h *hart) deadline(address uint64, absolute bool) (at uint64, failed int64) {
	seconds, ok1 := h.m.memory.read(address, 3)
	ns, ok2 := h.m.memory.read(address+8, 3)
	switch {
	case !ok1 || !ok2:
		return 0, badAddress
	case int64(seconds) < 0 || ns >= 1e9:
		return 0, badArgument
	case seconds >= math.MaxInt64/1_000_000_000:
		return never, 0
	}
	at = seconds*1e9 + ns
	if !absolute {
		at += h.m.nanoseconds()
	}
	return at, 0
}

// rest sleeps for a time, or until one.
func (h *hart) rest(address uint64, absolute bool) uint64 {
	deadline, failed := h.deadline(address, absolute)
	if failed != 0 {
		return errno(failed)
	}
	h.fallAsleep(sleep{h: h, deadline: deadline})
	return 0
}

// restByClock answers clock_nanosleep. Not all clocks can wake a thread.
func (h *hart) restByClock(a [6]uint64) uint64 {
	switch clock := int32(a[0]); {
	case !isClock(clock):
		return errno(badArgument)
	case clock >= clockOfThread && clock <= clockCoarse:
		return errno(notSupported)
	case clock == clockOfProcess || clock > clockBoot && clock != clockAtomic:
		h.m.fail(h, "sleep by CLOCK_MONOTONIC", "it sleeps by clock %d, which is not supported", clock)
		return 0
	}
	return h.rest(a[2], a[1]&1 != 0)
}

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
func (m *Machine) wakeFutex(address uint64, most int32, bits uint32) (woken uint64) {
	m.sleepers = slices.DeleteFunc(m.sleepers, func(s *sleep) bool {
		if s.address != address || address == 0 || s.bits&bits == 0 || int64(woken) >= int64(most) {
			return false
		}
		woken++
		m.rouse(s, 0)
		return true
	})
	return woken
}

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
		s.h.count += cmp.Or(m.host.Futex, FutexInstructions)
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
		place := fmt.Sprintf("thread %d at %s", h.id, m.program.place(h.pc))
		if h.sleep.address != 0 {
			place += fmt.Sprintf(" on word %#x", h.sleep.address)
		}
		list = append(list, place)
	}
	m.fail(nil, "look for a lock that is not released, or a condition that is not signalled",
		"deadlock: all threads sleep, and none is left to wake them: %s", strings.Join(list, ", "))
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
