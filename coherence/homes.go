package coherence

// Homes maps blocks to their home bank and memory controller. Consecutive blocks go to consecutive
// banks (static NUCA by low-order bits); every bank belongs to one memory controller.
type Homes struct {
	// Banks is the number of L2 banks, a power of two.
	Banks int
	// Hash exchanges the bank number for its exclusive-or with the next higher address bits, to
	// break power-of-two strides.
	Hash bool
	// MemoryOfBank is the memory controller of each bank.
	MemoryOfBank []uint16
}

// Bank returns the home bank of a block.
func (h *Homes) Bank(b Block) uint16 {
	if h.Hash {
		b ^= b / Block(h.Banks)
	}
	return uint16(int(b) & (h.Banks - 1))
}

// Memory returns the memory controller of a block.
func (h *Homes) Memory(b Block) uint16 { return h.MemoryOfBank[h.Bank(b)] }
