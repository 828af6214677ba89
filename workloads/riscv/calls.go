package riscv

import (
	"encoding/binary"
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

type systemCall struct {
	name string
	do   func(h *hart, a [6]uint64) uint64
}

// errno returns an error as system calls do.
func errno(n int64) uint64 { return uint64(-n) }

const (
	notPermitted = 1
	noEntry      = 2
	noSuchPlace  = 6
	badFile      = 9
	tryAgain     = 11
	noMemory     = 12
	noAccess     = 13
	badAddress   = 14
	exists       = 17
	noDevice     = 19
	noFolder     = 20
	isFolder     = 21
	badArgument  = 22
	tooManyFiles = 24
	noTerminal   = 25
	seekPipe     = 29
	readOnlyDisk = 30
	longName     = 36
	noCall       = 38
	tooManyLinks = 40
	notSupported = 95
	timedOut     = 110
)

// What system calls take, in instructions, without what they do in memory: about what Linux takes.
const (
	CallInstructions  = 300
	FutexInstructions = traces.FutexInstructions
)

// systemCalls are all that there are, by the numbers of RISC-V.
var systemCalls = map[uint64]systemCall{
	23: {"dup", func(h *hart, a [6]uint64) uint64 { return h.m.control(h, a[0], 0, 0) }},
	24: {"dup3", func(h *hart, a [6]uint64) uint64 { return h.m.duplicate(a[0], a[1]) }},
	25: {"fcntl", func(h *hart, a [6]uint64) uint64 { return h.m.control(h, a[0], a[1], a[2]) }},
	29: {"ioctl", func(h *hart, a [6]uint64) uint64 {
		if h.m.files[a[0]] == nil {
			return errno(badFile)
		}
		return errno(noTerminal)
	}},
	48: {"faccessat", func(h *hart, a [6]uint64) uint64 { return h.m.access(a[0], a[1], a[2]) }},
	56: {"openat", func(h *hart, a [6]uint64) uint64 { return h.m.open(h, a[0], a[1], a[2]) }},
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
	78:  {"readlinkat", func(h *hart, a [6]uint64) uint64 { return h.m.readLink(a) }},
	79:  {"newfstatat", func(h *hart, a [6]uint64) uint64 { return h.m.statPath(a) }},
	80:  {"fstat", func(h *hart, a [6]uint64) uint64 { return h.m.statFile(a[0], a[1]) }},
	93:  {"exit", func(h *hart, a [6]uint64) uint64 { return h.m.endThread(h, int(a[0]&0xff)) }},
	94:  {"exit_group", func(h *hart, a [6]uint64) uint64 { return h.m.exit(int(a[0] & 0xff)) }},
	96:  {"set_tid_address", func(h *hart, a [6]uint64) uint64 { h.cleared = a[0]; return h.thread() }},
	98:  {"futex", (*hart).futex},
	99:  {"set_robust_list", always(0)},
	101: {"nanosleep", func(h *hart, a [6]uint64) uint64 { return h.rest(a[0], false) }},
	113: {"clock_gettime", (*hart).clock},
	114: {"clock_getres", func(h *hart, a [6]uint64) uint64 {
		if !isClock(int32(a[0])) {
			return errno(badArgument)
		}
		return h.m.give(a[1], 0, 1)
	}},
	115: {"clock_nanosleep", (*hart).restByClock},
	122: {"sched_setaffinity", always(0)},
	123: {"sched_getaffinity", (*hart).affinity},
	124: {"sched_yield", always(0)},
	129: {"kill", signal(1)},
	130: {"tkill", signal(1)},
	131: {"tgkill", signal(2)},
	134: {"rt_sigaction", (*hart).action},
	135: {"rt_sigprocmask", (*hart).block},
	160: {"uname", func(h *hart, a [6]uint64) uint64 { return h.m.uname(a[0]) }},
	163: {"getrlimit", func(h *hart, a [6]uint64) uint64 { return h.m.limits(a[0], a[1]) }},
	165: {"getrusage", func(h *hart, a [6]uint64) uint64 { return h.m.put(a[1], make([]byte, 144), 0) }},
	167: {"prctl", (*hart).attribute},
	169: {"gettimeofday", func(h *hart, a [6]uint64) uint64 {
		ns := h.m.nanoseconds()
		if failed := h.m.give(a[1], 0); failed != 0 { // the zone
			return failed
		}
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
		return h.m.put(a[0], words(h.m.nanoseconds()/1e9, 0, 0, 0, 2*free, free, 0, 0, 0, 0, 1, 0, 0, 1), 0)
	}},
	214: {"brk", func(h *hart, a [6]uint64) uint64 { return h.m.breakAt(a[0]) }},
	215: {"munmap", func(h *hart, a [6]uint64) uint64 { return h.m.munmap(a[0], a[1]) }},
	216: {"mremap", func(h *hart, a [6]uint64) uint64 { return h.m.mremap(a) }},
	220: {"clone", (*hart).clone},
	222: {"mmap", func(h *hart, a [6]uint64) uint64 { return h.m.mmap(a) }},
	226: {"mprotect", func(h *hart, a [6]uint64) uint64 { return h.m.mprotect(a[0], a[1], a[2]) }},
	233: {"madvise", func(h *hart, a [6]uint64) uint64 { return h.m.madvise(a[0], a[1], a[2]) }},
	258: {"riscv_hwprobe", always(errno(noCall))},
	259: {"riscv_flush_icache", func(h *hart, a [6]uint64) uint64 { h.m.memory.forgetCode(); return 0 }},
	261: {"prlimit64", func(h *hart, a [6]uint64) uint64 { return h.m.limits(a[1], a[3]) }},
	278: {"getrandom", func(h *hart, a [6]uint64) uint64 { return h.m.getRandom(a[0], a[1], a[2]) }},
	283: {"membarrier", always(errno(noCall))},
	291: {"statx", always(errno(noCall))},
	293: {"rseq", always(errno(noCall))},
	422: {"futex_time64", (*hart).futex},
	435: {"clone3", always(errno(noCall))},
	439: {"faccessat2", func(h *hart, a [6]uint64) uint64 { return h.m.access(a[0], a[1], a[2]) }},
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
	if stopped := m.host.Stopped; stopped != nil && m.fault == nil {
		if m.fault = stopped(); m.fault != nil { // calls can take long
			return
		}
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
	if h.r[17] == 93 && h.m.memory.at(h.cleared, writable) != nil {
		return h.cleared
	}
	return 0
}

// endThread ends a thread. The hart is free for another one.
func (m *Machine) endThread(h *hart, status int) uint64 {
	h.ended = true
	if h == m.harts[0] && !m.leader.ended {
		m.leader.ended, m.leader.status = true, status
	}
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
	return m.exit(m.leader.status)
}

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
		o.flags, o.mask = h.flags, h.mask
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

// words returns numbers as 8 bytes each.
func words(values ...uint64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// give writes numbers of 8 bytes for a call, unless the program does not want them.
func (m *Machine) give(address uint64, values ...uint64) uint64 {
	if address == 0 {
		return 0
	}
	return m.put(address, words(values...), 0)
}

// put writes bytes for a call, which returns a result if the program may write there.
func (m *Machine) put(address uint64, b []byte, result uint64) uint64 {
	if m.copyIn(address, b) < uint64(len(b)) {
		return errno(badAddress)
	}
	return result
}

// copyIn writes bytes for a call, as many of them as the program may write, and returns how many.
func (m *Machine) copyIn(address uint64, b []byte) uint64 {
	if len(b) > 0 {
		m.breakReservations(nil, address, uint64(len(b)))
	}
	return uint64(m.memory.copyIn(address, b))
}

const (
	clockOfProcess = 2
	clockOfThread  = 3
	clockCoarse    = 6
	clockBoot      = 7
	clockAtomic    = 11
)

// isClock reports whether there is a clock of this number.
func isClock(number int32) bool {
	const none = 10
	return number >= 0 && number <= clockAtomic && number != none
}

// clock answers clock_gettime: all clocks are simulated time.
func (h *hart) clock(a [6]uint64) uint64 {
	if !isClock(int32(a[0])) {
		return errno(badArgument)
	}
	ns := h.m.nanoseconds()
	return h.m.put(a[1], words(ns/1e9, ns%1e9), 0)
}

// affinity answers with one processor per hart.
func (h *hart) affinity(a [6]uint64) uint64 {
	mask := make([]byte, (len(h.m.harts)+63)/64*8)
	if a[1] < uint64(len(mask)) || a[1]%8 != 0 {
		return errno(badArgument)
	}
	for i := range h.m.harts {
		mask[i/8] |= 1 << (i % 8)
	}
	return h.m.put(a[2], mask, uint64(len(mask)))
}

func (m *Machine) uname(address uint64) uint64 {
	var b [6 * 65]byte
	for i, text := range []string{"Linux", "carousel", "6.1.0", "#1", "riscv64", "(none)"} {
		copy(b[65*i:], text)
	}
	return m.put(address, b[:], 0)
}

// limits answers prlimit64: the stack and the number of open files have limits, and nothing else
// has. A C library gives each thread a stack of the limit's size, so that of a chip with many cores is
// lower: all stacks together take three quarters of the space for mappings.
func (m *Machine) limits(which, address uint64) uint64 {
	const stack, open, count, endless = 3, 7, 16, ^uint64(0)
	switch {
	case which >= count:
		return errno(badArgument)
	case which == stack:
		return m.give(address, min(stackPages<<pageBits, (mapsTop-heapLimit)/4*3/uint64(len(m.harts))&^(pageBytes-1)), endless)
	case which == open:
		return m.give(address, mostOpen, mostOpen)
	}
	return m.give(address, endless, endless)
}

// attribute answers prctl. What it sets has no effect here.
func (h *hart) attribute(a [6]uint64) uint64 {
	const deathSignal, dumpable, name, slack, nameMemory = 1, 4, 15, 29, 0x53564d41
	switch option := a[0]; option {
	case deathSignal, dumpable, name, slack:
		return 0
	case nameMemory: // kernels without names for memory do not know it
		return errno(badArgument)
	default:
		h.m.fail(h, "leave it out", "prctl with option %d is not supported", option)
		return 0
	}
}

// getRandom gives numbers that look random and are the same in each run.
func (m *Machine) getRandom(address, n, flags uint64) uint64 {
	const known, most = 7, 1<<25 - 1
	if flags > known {
		return errno(badArgument)
	}
	n = min(n, most)
	b := make([]byte, 0, n+8)
	for uint64(len(b)) < n {
		b = binary.LittleEndian.AppendUint64(b, m.random.Uint64())
	}
	return m.put(address, b[:n], n)
}
