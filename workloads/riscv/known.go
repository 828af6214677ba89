package riscv

// Loads and additions whose values decide nothing. A thread that reads how many tasks are left, only to see that
// there are some, does the same whatever number it finds: in a replay it need not wait for those
// who have counted down. A recorder tells this by executing the next instructions twice, with the
// value that the load finds and with the one that the hart knew.

// known is a value in memory that a hart has stored, or that an ordered load has found.
type known struct {
	address, value uint64
	size           uint8
}

// knownBits is log2 of how many values of a hart are kept, and mostAhead how many instructions it may
// take until a value makes no difference any more.
const (
	knownBits = 12
	mostAhead = 24
)

// known returns where a value is kept.
func (c *stream) known(address uint64) *known {
	return &c.values[address>>3*0x9e3779b97f4a7c15>>(64-knownBits)]
}

// knows reports whether a hart does the same if the load at which it is finds what the hart knew.
// What such a load finds is not known afterwards: no order has been kept to it.
func (c *stream) knows(h *hart, address uint64) bool {
	k, size := c.known(address), h.pending.size
	value, _ := h.m.memory.read(address, size)
	if k.address == address && k.size == size && (k.value == value || h.indifferent(address, k.value)) {
		return true
	}
	*k = known{address, value, size}
	return false
}

// tries reports whether the load at which a hart is begins an attempt to change the word by a
// compare-and-swap. With what the hart knew it goes the same way up to there, and if it found
// another value there, it would come there again. So the value decides nothing but whether the hart
// has to try again, which a replay decides.
func (c *stream) tries(h *hart, address uint64) bool {
	k, size := c.known(address), h.pending.size
	value, _ := h.m.memory.read(address, size)
	if k.address != address || k.size != size || k.value == value && !c.trying[h.pc] {
		return false
	}
	found, other := h.with(address, k.value)
	defer func() { h.m.fault = nil }() // of a copy
	if walk(&found, &other, address) == parts || !found.reaches(address) {
		return false
	}
	if in := h.m.memory.instruction(found.pc); k.value != value {
		if found.r[in.rd&63], found.pc = k.value, found.pc+uint64(in.bytes); in.size == 2 {
			found.r[in.rd&63] = word(k.value)
		}
		if !found.reaches(address) {
			return false
		}
	}
	if c.trying == nil {
		c.trying = map[uint64]bool{}
	}
	c.attempt, c.trying[h.pc] = address, true
	return true
}

// decides reports whether a hart that has performed a fetch-and-add takes another branch if it has
// fetched another value.
func (h *hart) decides(in *inst, value uint64) bool {
	found, other := *h, *h
	if other.r[in.rd&63] = value; in.size == 2 {
		other.r[in.rd&63] = word(value)
	}
	defer func() { h.m.fault = nil }() // of a copy
	return in.rd != 0 && walk(&found, &other, 0) == parts
}

// indifferent reports whether the hart does the same if the load at which it is finds another value:
// it soon has equal registers, and has met the same instructions and addresses and stored nothing
// until then.
func (h *hart) indifferent(address, value uint64) bool {
	found, other := h.with(address, value)
	defer func() { h.m.fault = nil }() // of a copy
	return walk(&found, &other, 0) == meets
}

// with returns two copies of a hart, of which the second one finds another value at an address.
func (h *hart) with(address, value uint64) (found, other hart) {
	found, other = *h, *h
	other.buffer = []buffered{{address, value, h.pending.size}}
	return found, other
}

// course tells how two copies of a hart go on that have found different values.
type course uint8

const (
	unknown course = iota // they use different addresses, or store something, or it takes longer
	meets                 // they do the same, and have equal registers in the end
	parts                 // they take different branches
)

// walk lets two copies of a hart go on side by side, up to the LR of a word if that is not 0.
func walk(found, other *hart, attempt uint64) course {
	differ := false // they use different addresses, or store something
	for range mostAhead {
		in := found.ahead()
		if in == nil || found.at(in, attempt) {
			return unknown
		}
		differ = differ || in.kind == store || in.kind == load && found.r[in.r1&63] != other.r[in.r1&63]
		if !found.pass(in) || !other.pass(in) {
			return unknown
		}
		switch {
		case found.pc != other.pc:
			return parts
		case !differ && found.r == other.r && found.flags == other.flags && found.rounding == other.rounding:
			return meets
		}
	}
	return unknown
}

// reaches lets a copy of a hart go on, and reports whether it soon comes to an LR of a word.
func (h *hart) reaches(address uint64) bool {
	for range mostAhead {
		in := h.ahead()
		if in != nil && h.at(in, address) {
			return true
		}
		if in == nil || !h.pass(in) {
			return false
		}
	}
	return false
}

// at reports whether an instruction is an LR of a word.
func (h *hart) at(in *inst, address uint64) bool {
	return in.kind == atomic && in.raw>>27 == reserve && h.r[in.r1&63] == address
}

// ahead returns the next instruction of a copy of a hart, or nil if the copy must not execute it.
func (h *hart) ahead() *inst {
	in := h.m.memory.instruction(h.pc)
	if in == nil || in.hooked || in.kind > fence || in.raw&maskI == fenceCode || in.kind == atomic && in.raw>>27 != reserve {
		return nil
	}
	return in
}

// pass lets a copy of a hart execute an instruction, but stores nothing. Only its first instruction
// finds another value than memory has.
func (h *hart) pass(in *inst) bool {
	h.next = h.pc + uint64(in.bytes)
	if in.kind == store {
		h.pc = h.next
		return true
	}
	goes := in.kind != atomic && h.special(in)
	h.buffer = nil
	return goes
}
