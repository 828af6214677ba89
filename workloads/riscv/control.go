package riscv

import (
	"fmt"
	"slices"
)

// The markers of the region: instructions without effect from the space that the architecture
// leaves for such use (SLTI with x0).
const (
	RegionBegin = 0x7c102013 // slti x0, x0, 0x7c1
	RegionEnd   = 0x7c202013 // slti x0, x0, 0x7c2
)

// controlRows are fences, system instructions, and Zicsr as user programs need it.
var controlRows = []row{
	{"fence", maskI, 0x000f, "", fence, 0, nothing},
	{"fence.i", maskI, fenceCode, "", fence, 0, func(h *hart, in *inst) { h.m.memory.forgetCode() }},
	{"ecall", maskAll, 0x00000073, "", call, 0, nothing},
	{"ebreak", maskAll, 0x00100073, "", stops, 0, nothing},
	{"csrrw", maskI, 0x1073, "d1z", plain, 0, control(func(old, v uint64) uint64 { return v }, false)},
	{"csrrs", maskI, 0x2073, "d1z", plain, 0, control(or, false)},
	{"csrrc", maskI, 0x3073, "d1z", plain, 0, control(func(old, v uint64) uint64 { return old &^ v }, false)},
	{"csrrwi", maskI, 0x5073, "dz", plain, 0, control(func(old, v uint64) uint64 { return v }, true)},
	{"csrrsi", maskI, 0x6073, "dz", plain, 0, control(or, true)},
	{"csrrci", maskI, 0x7073, "dz", plain, 0, control(func(old, v uint64) uint64 { return old &^ v }, true)},
}

func nothing(*hart, *inst) {}

// Control registers that user programs have.
const (
	csrFlags   = 0x001
	csrMode    = 0x002
	csrFloat   = 0x003
	csrCycle   = 0xc00
	csrTime    = 0xc01
	csrInstret = 0xc02
)

// control makes an access of a control register: what it becomes of its value and a source, a
// register or a number. A source of zero that sets or clears leaves the register alone.
func control(change func(old, v uint64) uint64, number bool) func(*hart, *inst) {
	return func(h *hart, in *inst) {
		register, source := in.imm&0xfff, uint64(in.imm>>12&31)
		writes := source != 0 || in.raw>>12&3 == 1
		if !number {
			source = h.r[in.r1&63]
		}
		old, ok := h.control(register)
		if writes {
			ok = ok && h.setControl(register, change(old, source))
		}
		if !ok {
			h.m.fail(h, "user programs have fflags, frm, fcsr, cycle, time and instret", "control register %#x, which this front end does not have", register)
			return
		}
		h.r[in.rd&63] = old
	}
}

// control returns a control register, and whether there is one of this number.
func (h *hart) control(register int64) (uint64, bool) {
	switch register {
	case csrFlags:
		return uint64(h.flags), true
	case csrMode:
		return uint64(h.rounding), true
	case csrFloat:
		return uint64(h.rounding)<<5 | uint64(h.flags), true
	case csrCycle:
		return h.m.cycles(), true
	case csrTime:
		return h.m.nanoseconds() / 100, true // a clock of 10 MHz, as QEMU has
	case csrInstret:
		return h.executed, true
	}
	return 0, false
}

// setControl writes a control register, and reports whether that is allowed.
func (h *hart) setControl(register int64, v uint64) bool {
	switch register {
	case csrFlags:
		h.flags = exceptions(v & 31)
	case csrMode:
		h.rounding = uint8(v & 7)
	case csrFloat:
		h.flags, h.rounding = exceptions(v&31), uint8(v>>5&7)
	default:
		return false
	}
	return true
}

// atomicRows are the A extension.
var atomicRows = slices.Concat(atomics(2, "w"), atomics(3, "d"))

// atomics returns the rows for words or doublewords. Bits for acquire and release need no room of
// their own: an atomic takes effect with an empty store buffer, and nothing passes it.
func atomics(size uint8, suffix string) []row {
	match := uint32(0x2f) | uint32(size)<<12
	list := []row{
		{"lr." + suffix, maskLR, match | 0x10000000, "d1", atomic, size, func(h *hart, in *inst) {
			if v, ok := h.aligned(in); ok {
				h.m.reserve(h, h.r[in.r1&63])
				h.r[in.rd&63] = v
			}
		}},
		{"sc." + suffix, maskAtomic, match | 0x18000000, "d12", atomic, size, func(h *hart, in *inst) {
			address := h.r[in.r1&63]
			if _, ok := h.aligned(in); !ok {
				return
			}
			kept := h.m.unreserve(h, address)
			if kept {
				h.write(address, in.size, h.r[in.r2&63])
			}
			h.r[in.rd&63] = truth(!kept)
		}},
	}
	for _, a := range []struct {
		name     string
		function uint32
		change   func(old, v uint64) uint64
	}{
		{"amoswap.", 1, func(old, v uint64) uint64 { return v }},
		{"amoadd.", 0, add},
		{"amoxor.", 4, xor},
		{"amoand.", 12, and},
		{"amoor.", 8, or},
		{"amomin.", 16, func(old, v uint64) uint64 { return uint64(min(int64(old), int64(v))) }},
		{"amomax.", 20, func(old, v uint64) uint64 { return uint64(max(int64(old), int64(v))) }},
		{"amominu.", 24, func(old, v uint64) uint64 { return min(old, v) }},
		{"amomaxu.", 28, func(old, v uint64) uint64 { return max(old, v) }},
	} {
		list = append(list, row{a.name + suffix, maskAtomic, match | a.function<<27, "d12", atomic, size, func(h *hart, in *inst) {
			old, ok := h.aligned(in)
			if !ok {
				return
			}
			v := h.r[in.r2&63]
			if in.size == 2 {
				v = word(v) // which keeps the order of unsigned numbers, too
			}
			h.write(h.r[in.r1&63], in.size, a.change(old, v))
			h.r[in.rd&63] = old
		}})
	}
	return list
}

// aligned reads what an atomic works on.
func (h *hart) aligned(in *inst) (uint64, bool) {
	address := h.r[in.r1&63]
	if address&(1<<in.size-1) != 0 {
		h.m.fail(h, "align the variable", "atomic access to address %#x, which is no multiple of %d", address, 1<<in.size)
		return 0, false
	}
	v, ok := h.read(address, in.size)
	if in.size == 2 {
		v = word(v)
	}
	return v, ok
}

// Fault is what ends a program that cannot go on: what it did, where, and what to do about it.
type Fault struct {
	Program string
	Thread  int    // of the program, from 0; -1 where it is not one thread's
	Place   string // address, and function where the executable has symbols
	What    string
	Hint    string
	Wrote   string // what the program wrote last, if it was not shown
}

// Error names the place and the fix.
func (f *Fault) Error() string {
	text := f.Program + ": "
	if f.Thread >= 0 {
		text += fmt.Sprintf("thread %d at %s: ", f.Thread, f.Place)
	}
	return text + f.What + "; " + f.Hint + f.Wrote
}

// fail ends the program because of what a hart has done, or because of the whole program if h is
// nil. The hint says what to do about it. The first fault counts.
func (m *Machine) fail(h *hart, hint, what string, values ...any) {
	if m.fault != nil {
		return
	}
	f := &Fault{Program: m.program.Name, Thread: -1, What: fmt.Sprintf(what, values...), Hint: hint, Wrote: m.wrote()}
	if h != nil {
		f.Thread, f.Place = h.id, m.program.place(h.pc)
	}
	m.fault = f
}
