package riscv

import (
	"cmp"
	"fmt"
)

// Signals never come. What a program says of them is kept, so that it can ask.

// signal refuses a signal, whose number is in an argument. Signal 0 only asks whether a thread
// exists.
func signal(argument int) func(*hart, [6]uint64) uint64 {
	names := map[uint64]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT, by which abort and assert end programs", 9: "SIGKILL",
		10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 14: "SIGALRM", 15: "SIGTERM", 32: "SIGCANCEL, by which pthread_cancel works", 33: "SIGSETXID"}
	return func(h *hart, a [6]uint64) uint64 {
		n := a[argument]
		if n == 0 {
			return 0
		}
		name := cmp.Or(names[n], fmt.Sprintf("signal %d", n))
		h.m.fail(h, "signals are not supported; what the program wrote tells why it ends, or leave signals out", "it sends %s", name)
		return 0
	}
}

// Numbers of signals that nothing can be said of.
const (
	signalKill  = 9
	signalStop  = 19
	lastSignal  = 64
	maskBytes   = 8
	actionBytes = 24
)

// action answers rt_sigaction.
func (h *hart) action(a [6]uint64) uint64 {
	m, number := h.m, a[0]
	if number == 0 || number > lastSignal || a[3] != maskBytes || a[1] != 0 && (number == signalKill || number == signalStop) {
		return errno(badArgument)
	}
	old := append(m.actions[number], make([]byte, actionBytes)...)[:actionBytes]
	if a[1] != 0 {
		b := make([]byte, actionBytes)
		if m.memory.copyOut(a[1], b) < actionBytes {
			return errno(badAddress)
		}
		m.actions[number] = b
	}
	if a[2] == 0 {
		return 0
	}
	return m.put(a[2], old, 0)
}

// block answers rt_sigprocmask.
func (h *hart) block(a [6]uint64) uint64 {
	const add, remove, replace = 0, 1, 2
	const always = 1<<(signalKill-1) | 1<<(signalStop-1) // these are never blocked
	old := h.mask
	if a[3] != maskBytes {
		return errno(badArgument)
	}
	if a[1] != 0 {
		v, ok := h.m.memory.read(a[1], 3)
		switch {
		case !ok:
			return errno(badAddress)
		case a[0] == add:
			h.mask |= v
		case a[0] == remove:
			h.mask &^= v
		case a[0] == replace:
			h.mask = v
		default:
			return errno(badArgument)
		}
		h.mask &^= always
	}
	return h.m.give(a[2], old)
}
