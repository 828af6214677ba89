package riscv

// Loads whose values decide nothing. A thread that reads how many tasks are left, only to see that
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

// indifferent reports whether the hart does the same if the load at which it is finds another value:
// it soon has equal registers, and has met the same instructions and addresses and stored nothing
// until then.
func (h *hart) indifferent(address, value uint64) bool {
	found, other := *h, *h
	other.buffer = []buffered{{address, value, h.pending.size}}
	defer func() { h.m.fault = nil }() // of the other one
	for range mostAhead {
		in := h.m.memory.instruction(found.pc)
		switch {
		case in == nil || in.hooked || in.kind == store || in.kind == atomic || in.kind > fence || in.raw&maskI == fenceCode:
			return false
		case in.kind == load && found.r[in.r1&63] != other.r[in.r1&63]:
			return false
		}
		for _, o := range []*hart{&found, &other} {
			if o.next = o.pc + uint64(in.bytes); !o.special(in) {
				return false
			}
		}
		other.buffer = nil
		switch {
		case found.pc != other.pc:
			return false
		case found.r == other.r && found.flags == other.flags && found.rounding == other.rounding:
			return true
		}
	}
	return false
}
