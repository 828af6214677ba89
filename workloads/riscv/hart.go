package riscv

import "github.com/carousel-sim/carousel/traces"

// hart is a hardware thread with what it has not made visible yet.
type hart struct {
	r        [64]uint64 // integer registers, then floating-point registers
	pc, next uint64
	flags    exceptions
	rounding uint8
	started  bool // it has a thread
	ended    bool // its thread has ended
	m        *Machine
	id       int
	executed uint64 // instructions

	// Records.
	taint    [64]uint64 // per register, the number of the access that it was loaded by; 0 none
	accesses uint64     // records of accesses so far
	count    int        // instructions since the latest record; -1: the next one has been counted
	line     uint64     // fetched last, and one more
	pending  *inst      // its record has been read, and it has yet to be executed
	waits    bool       // pending has to be performed by the host first
	left     bool       // the end of its stream has been read

	buffer []buffered
	recent [recentStores]recentStore

	sleep   *sleep // nil while it is awake
	deep    bool   // the host knows that it sleeps, or does not know yet that it was woken
	reserve uint64 // line of its reservation, and one more
	mask    uint64 // of signals
	cleared uint64 // address of the word that the kernel clears when the thread ends
}

// recentStore is what a hart stored last, of the words with one hash: where its data came from.
type recentStore struct{ word, taint uint64 }

const recentStores = 256

// buffered is a store that the host has not made visible.
type buffered struct {
	address, value uint64
	size           uint8
}

// drain writes the oldest store of the buffer to memory.
func (h *hart) drain() {
	s := h.buffer[0]
	h.buffer = h.buffer[:copy(h.buffer, h.buffer[1:])]
	h.commit(s.address, s.size, s.value)
}

// forwarded puts the bytes of the stores in the buffer over those of memory.
func (h *hart) forwarded(address uint64, size uint8, v uint64) uint64 {
	for _, s := range h.buffer {
		if s.address >= address+1<<size || address >= s.address+1<<s.size {
			continue
		}
		for i := range uint64(1) << s.size {
			if at := s.address + i - address; at < 1<<size {
				v = v&^(0xff<<(8*at)) | s.value>>(8*i)&0xff<<(8*at)
			}
		}
	}
	return v
}

// programError is the hint where the program is wrong.
const programError = "this is an error of the program, as under Linux"

// read reads what the hart sees. It returns false, with the fault noted, where nothing is mapped.
func (h *hart) read(address uint64, size uint8) (uint64, bool) {
	v, ok := h.m.memory.read(address, size)
	if !ok {
		h.m.fail(h, programError, "it reads address %#x, which is not readable", address)
		return 0, false
	}
	return h.forwarded(address, size, v), true
}

// write makes a store of the hart: into its buffer, if the host makes stores visible and this is no
// part of an atomic.
func (h *hart) write(address uint64, size uint8, v uint64) {
	if h.m.bound && h.pending.kind == store {
		if h.m.memory.at(address, writable) == nil || h.m.memory.at(address+1<<size-1, writable) == nil {
			h.badWrite(address)
			return
		}
		h.buffer = append(h.buffer, buffered{address, v, size})
		return
	}
	h.commit(address, size, v)
}

// commit makes a store that all harts see.
func (h *hart) commit(address uint64, size uint8, v uint64) {
	if !h.m.store(h, address, size, v) {
		h.badWrite(address)
	}
}

func (h *hart) badWrite(address uint64) {
	h.m.fail(h, programError, "it writes address %#x, which is not writable", address)
}

// awake reports whether the hart has something to execute.
func (h *hart) awake() bool { return h.started && !h.ended && h.sleep == nil }

// forward executes up to so many instructions without records. It stops early when the hart cannot
// go on, and at a marker. Fast path: page and code of the latest instruction are kept.
func (h *hart) forward(n int) {
	m := h.m
	var code []inst
	base := ^uint64(0)
	for left := n; left > 0; left-- {
		var in *inst
		pc := h.pc
		if pc&^(pageBytes-2) == base {
			in = &code[pc&(pageBytes-1)>>1]
		}
		if in == nil || in.bytes == 0 {
			if in = m.memory.instruction(pc); in == nil {
				h.badFetch()
				return
			}
			code, base = m.memory.at(pc, executable).code, pc&^(pageBytes-1)
		}
		h.executed++
		h.next = pc + uint64(in.bytes)
		if in.kind == plain {
			in.exec(h, in)
			h.r[0] = 0
			h.pc = h.next
			if m.fault != nil {
				return
			}
			continue
		}
		if m.tracker != nil {
			h.track(in)
		}
		if !h.special(in) {
			return
		}
		if in.kind >= fence {
			base = ^uint64(0) // code may have been forgotten
		}
	}
}

// special executes an instruction that is not plain, and reports whether the hart can go on.
func (h *hart) special(in *inst) bool {
	switch in.kind {
	case call:
		h.m.call(h)
		h.pc = h.next
		return h.awake() && h.m.fault == nil && !h.m.over && !h.m.borders.met
	case mark:
		h.pc = h.next
		h.m.mark(in)
		return false
	case stops:
		h.badInstruction(in)
		return false
	}
	in.exec(h, in)
	h.r[0] = 0
	h.pc = h.next
	return h.m.fault == nil
}

// track shows an access, and the line of its instruction, to the tracker of caches.
func (h *hart) track(in *inst) {
	t := h.m.tracker
	if line := h.pc>>6 + 1; line != h.line && h.m.program.Config.Fetches {
		h.line = line
		t.Access(h.id, traces.Fetch, physical(h.pc))
	}
	if in.kind >= load && in.kind <= atomic {
		t.Access(h.id, recordKinds[in.kind], physical(h.r[in.r1&63]+uint64(in.imm)))
	}
}

func (h *hart) badFetch() {
	h.m.fail(h, programError, "it executes address %#x, which is not executable", h.pc)
}

func (h *hart) badInstruction(in *inst) {
	if in.raw == 0x00100073 || in.bytes == 2 && in.raw == 0x9002 {
		h.m.fail(h, programError, "it executes ebreak")
		return
	}
	h.m.fail(h, "compile for RV64GC (RV64IMAFDC): -march=rv64gc, without vectors and bit manipulation", "instruction %#0*x is not supported", 2*int(in.bytes), in.raw)
}
