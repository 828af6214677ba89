package riscv

import (
	"encoding/binary"
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

// systemCall is one call of the Linux kernel.
type systemCall struct {
	name string
	do   func(h *hart, a [6]uint64) uint64
}

// errno returns an error as system calls do.
func errno(n int64) uint64 { return uint64(-n) }

// Errors of Linux.
const (
	noEntry      = 2
	badFile      = 9
	tryAgain     = 11
	noMemory     = 12
	badAddress   = 14
	badArgument  = 22
	noTerminal   = 25
	seekPipe     = 29
	readOnlyDisk = 30
	noCall       = 38
	timedOut     = 110
)

// What system calls take, in instructions, without what they do in memory: about what Linux takes.
const (
	CallInstructions  = 300
	FutexInstructions = traces.FutexInstructions
)

// systemCalls are all that there are, by the numbers of RISC-V.
var systemCalls = map[uint64]systemCall{
	23: {"dup", always(errno(badFile))}, // perror then writes to standard error itself
	25: {"fcntl", always(0)},
	29: {"ioctl", always(errno(noTerminal))},
	48: {"faccessat", func(h *hart, a [6]uint64) uint64 { return h.m.look(a[1]) }},
	56: {"openat", func(h *hart, a [6]uint64) uint64 { return h.m.open(a[1], a[2]) }},
	57: {"close", func(h *hart, a [6]uint64) uint64 { return h.m.close(a[0]) }},
	62: {"lseek", func(h *hart, a [6]uint64) uint64 { return h.m.seek(a[0], int64(a[1]), a[2]) }},
	63: {"read", func(h *hart, a [6]uint64) uint64 { return h.m.readFile(a[0], a[1], a[2], nil) }},
	64: {"write", func(h *hart, a [6]uint64) uint64 { return h.m.writeFile(a[0], a[1], a[2]) }},
	65: {"readv", func(h *hart, a [6]uint64) uint64 {
		return h.m.vector(a, func(at, n uint64) uint64 { return h.m.readFile(a[0], at, n, nil) })
	}},
	66: {"writev", func(h *hart, a [6]uint64) uint64 {
		return h.m.vector(a, func(at, n uint64) uint64 { return h.m.writeFile(a[0], at, n) })
	}},
	67:  {"pread64", func(h *hart, a [6]uint64) uint64 { return h.m.readFile(a[0], a[1], a[2], &a[3]) }},
	78:  {"readlinkat", always(errno(noEntry))},
	79:  {"newfstatat", func(h *hart, a [6]uint64) uint64 { return h.m.statPath(a[0], a[1], a[2]) }},
	80:  {"fstat", func(h *hart, a [6]uint64) uint64 { return h.m.stat(a[0], a[1]) }},
	93:  {"exit", func(h *hart, a [6]uint64) uint64 { return h.m.endThread(h, int(int32(a[0]))) }},
	94:  {"exit_group", func(h *hart, a [6]uint64) uint64 { return h.m.exit(int(int32(a[0]))) }},
	96:  {"set_tid_address", func(h *hart, a [6]uint64) uint64 { h.cleared = a[0]; return h.thread() }},
	98:  {"futex", (*hart).futex},
	99:  {"set_robust_list", always(0)},
	101: {"nanosleep", func(h *hart, a [6]uint64) uint64 { return h.rest(a[0], false) }},
	113: {"clock_gettime", (*hart).clock},
	114: {"clock_getres", func(h *hart, a [6]uint64) uint64 { return h.m.give(a[1], 0, 1) }},
	115: {"clock_nanosleep", func(h *hart, a [6]uint64) uint64 { return h.rest(a[2], a[1]&1 != 0) }},
	122: {"sched_setaffinity", always(0)},
	123: {"sched_getaffinity", (*hart).affinity},
	124: {"sched_yield", always(0)},
	129: {"kill", signal(1)},
	130: {"tkill", signal(1)},
	131: {"tgkill", signal(2)},
	134: {"rt_sigaction", always(0)}, // no signal comes
	135: {"rt_sigprocmask", always(0)},
	160: {"uname", func(h *hart, a [6]uint64) uint64 { return h.m.uname(a[0]) }},
	163: {"getrlimit", always(errno(noCall))},
	165: {"getrusage", func(h *hart, a [6]uint64) uint64 { return h.m.give(a[1], make([]uint64, 18)...) }},
	167: {"prctl", always(0)},
	169: {"gettimeofday", func(h *hart, a [6]uint64) uint64 {
		ns := h.m.nanoseconds()
		return h.m.give(a[0], ns/1e9, ns%1e9/1000)
	}},
	172: {"getpid", always(firstThread)},
	173: {"getppid", always(1)},
	174: {"getuid", always(1000)},
	175: {"geteuid", always(1000)},
	176: {"getgid", always(1000)},
	177: {"getegid", always(1000)},
	178: {"gettid", func(h *hart, a [6]uint64) uint64 { return h.thread() }},
	179: {"sysinfo", func(h *hart, a [6]uint64) uint64 {
		const free = 1 << (spaceBits - 1)
		return h.m.give(a[0], h.m.nanoseconds()/1e9, 0, 0, 0, 2*free, free, 0, 0, 0, 0, 1, 0, 0, 1)
	}},
	214: {"brk", func(h *hart, a [6]uint64) uint64 { return h.m.breakAt(a[0]) }},
	215: {"munmap", func(h *hart, a [6]uint64) uint64 { return h.m.protect(a[0], a[1], unmapped) }},
	216: {"mremap", always(errno(noMemory))},
	220: {"clone", (*hart).clone},
	222: {"mmap", func(h *hart, a [6]uint64) uint64 { return h.m.mmap(a) }},
	226: {"mprotect", func(h *hart, a [6]uint64) uint64 { return h.m.protect(a[0], a[1], protection(a[2])) }},
	233: {"madvise", always(0)},
	258: {"riscv_hwprobe", always(errno(noCall))},
	259: {"riscv_flush_icache", func(h *hart, a [6]uint64) uint64 { h.m.memory.forgetCode(); return 0 }},
	261: {"prlimit64", func(h *hart, a [6]uint64) uint64 { return h.m.limits(a[1], a[3]) }},
	278: {"getrandom", func(h *hart, a [6]uint64) uint64 { return h.m.getRandom(a[0], a[1]) }},
	283: {"membarrier", always(errno(noCall))},
	291: {"statx", always(errno(noCall))},
	293: {"rseq", always(errno(noCall))},
	422: {"futex_time64", (*hart).futex},
	435: {"clone3", always(errno(noCall))},
	439: {"faccessat2", func(h *hart, a [6]uint64) uint64 { return h.m.look(a[1]) }},
}

// always answers a call that needs no work.
func always(v uint64) func(*hart, [6]uint64) uint64 {
	return func(*hart, [6]uint64) uint64 { return v }
}

// call executes a system call. The registers are those of the calling convention.
func (m *Machine) call(h *hart) {
	number := h.r[17]
	c, ok := systemCalls[number]
	if !ok {
		m.fail(h, "programs may use threads, memory, clocks, read-only files and output; carousel help live lists the calls",
			"system call %d is not supported", number)
		return
	}
	m.unreserve(h, 0)
	h.count += CallInstructions
	h.taint[10] = 0
	h.r[10] = c.do(h, [6]uint64(h.r[10:16]))
}

// firstThread is the number of the process and of its first thread.
const firstThread = 1000

func (h *hart) thread() uint64 { return firstThread + uint64(h.id) }

// ends returns the word that the system call that a hart is at clears, or 0.
func (h *hart) ends() uint64 {
	if h.r[17] == 93 && h.m.memory.at(h.cleared) != nil {
		return h.cleared
	}
	return 0
}

// endThread ends a thread. The hart is free for another one.
func (m *Machine) endThread(h *hart, status int) uint64 {
	h.ended = true
	if h.cleared != 0 {
		m.store(nil, h.cleared, 2, 0)
		m.wakeFutex(h.cleared, 1, anyBit)
		h.cleared = 0
	}
	for _, o := range m.harts {
		if o.started && !o.ended {
			m.checkAwake()
			return 0
		}
	}
	return m.exit(status)
}

// exit ends the program.
func (m *Machine) exit(status int) uint64 {
	m.exited, m.status = true, status
	m.end()
	return 0
}

// Flags of clone.
const (
	cloneMemory   = 0x100
	cloneThread   = 0x10000
	cloneTLS      = 0x80000
	cloneParent   = 0x100000
	cloneClearing = 0x200000
	cloneChild    = 0x1000000
)

// clone starts a thread on a hart that has none.
func (h *hart) clone(a [6]uint64) uint64 {
	m := h.m
	if a[0]&cloneMemory == 0 || a[0]&cloneThread == 0 {
		m.fail(h, "only threads are supported", "it starts a process (clone with flags %#x)", a[0])
		return 0
	}
	for _, o := range m.harts {
		if o.started && !o.ended {
			continue
		}
		o.started, o.ended, o.r, o.taint, o.rounding, o.cleared = true, false, h.r, [64]uint64{}, h.rounding, 0
		o.pc, o.r[10] = h.next, 0
		if a[1] != 0 {
			o.r[2] = a[1]
		}
		if a[0]&cloneTLS != 0 {
			o.r[4] = a[3]
		}
		number := o.thread()
		if a[0]&cloneParent != 0 {
			m.store(nil, a[2], 2, number)
		}
		if a[0]&cloneChild != 0 {
			m.store(nil, a[4], 2, number)
		}
		if a[0]&cloneClearing != 0 {
			o.cleared = a[4]
		}
		m.stir(o)
		return number
	}
	m.fail(h, fmt.Sprintf("give it fewer threads, or the chip more cores: --threads %d", len(m.harts)+1),
		"it starts thread %d, and there are %d cores, one for each thread", len(m.harts)+1, len(m.harts))
	return 0
}

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
		name := names[n]
		if name == "" {
			name = fmt.Sprintf("signal %d", n)
		}
		h.m.fail(h, "signals are not supported; what the program wrote tells why it ends, or leave signals out", "it sends %s", name)
		return 0
	}
}

// give writes numbers of 8 bytes for a call.
func (m *Machine) give(address uint64, values ...uint64) uint64 {
	if address == 0 {
		return 0
	}
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return m.put(address, b, 0)
}

// put writes bytes for a call, which returns a result if the program may write there.
func (m *Machine) put(address uint64, b []byte, result uint64) uint64 {
	m.breakReservations(nil, address, uint64(len(b)))
	if !m.memory.copyIn(address, b) {
		return errno(badAddress)
	}
	return result
}

// clock answers clock_gettime: all clocks are simulated time.
func (h *hart) clock(a [6]uint64) uint64 {
	ns := h.m.nanoseconds()
	return h.m.give(a[1], ns/1e9, ns%1e9)
}

// affinity answers with one processor per hart.
func (h *hart) affinity(a [6]uint64) uint64 {
	mask := make([]byte, (len(h.m.harts)+63)/64*8)
	if a[1] < uint64(len(mask)) {
		return errno(badArgument)
	}
	for i := range h.m.harts {
		mask[i/8] |= 1 << (i % 8)
	}
	return h.m.put(a[2], mask, uint64(len(mask)))
}

// uname names a system.
func (m *Machine) uname(address uint64) uint64 {
	var b [6 * 65]byte
	for i, text := range []string{"Linux", "carousel", "6.1.0", "#1", "riscv64", "(none)"} {
		copy(b[65*i:], text)
	}
	return m.put(address, b[:], 0)
}

// limits answers prlimit64: the stack has its size, and everything else has no limit.
func (m *Machine) limits(which, address uint64) uint64 {
	const stack, endless = 3, ^uint64(0)
	if which == stack {
		return m.give(address, stackPages<<pageBits, endless)
	}
	return m.give(address, endless, endless)
}

// getRandom gives numbers that look random and are the same in each run.
func (m *Machine) getRandom(address, n uint64) uint64 {
	n = min(n, 256)
	b := make([]byte, 0, n+8)
	for uint64(len(b)) < n {
		b = binary.LittleEndian.AppendUint64(b, m.random.Uint64())
	}
	return m.put(address, b[:n], n)
}
