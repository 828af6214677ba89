package token

import "github.com/carousel-sim/carousel/coherence"

// record is a memory controller's share of a block, and what memory holds.
type record struct {
	block coherence.Block
	line  line // its version is what DRAM holds, also when the line is not valid
	dest  uint16
	// reading is set while a DRAM read is open. The owner token stays here until the data leaves, so
	// that nobody else can be promised the same tokens.
	reading bool
	ready   bool // the data is here and waits for room
}

// records is a hash table of the blocks that have left their default state at some time: all tokens here
// and version 0. It grows with the footprint and never shrinks.
type records struct {
	all   []record
	index []int32 // open addressing; 0 is empty, n stands for all[n-1]
	shift uint    // 32 minus the log of len(index)
}

func newRecords() records { return records{index: make([]int32, 64), shift: 32 - 6} }

func (r *records) slot(b coherence.Block) uint32 {
	i := uint32(b) * 0x9e3779b1 >> r.shift
	for r.index[i] != 0 && r.all[r.index[i]-1].block != b {
		i = (i + 1) & uint32(len(r.index)-1)
	}
	return i
}

// find is the record of a block, or nil when it is in the default state. The pointer is valid until the
// next call of get.
func (r *records) find(b coherence.Block) *record {
	if n := r.index[r.slot(b)]; n != 0 {
		return &r.all[n-1]
	}
	return nil
}

// get is the record of a block, made if needed.
func (r *records) get(b coherence.Block, tokens int16) *record {
	i := r.slot(b)
	if n := r.index[i]; n != 0 {
		return &r.all[n-1]
	}
	if 2*(len(r.all)+1) > len(r.index) {
		r.index = make([]int32, 2*len(r.index))
		r.shift--
		for n := range r.all {
			r.index[r.slot(r.all[n].block)] = int32(n + 1)
		}
		i = r.slot(b)
	}
	r.all = append(r.all, record{block: b, line: defaultLine(tokens)})
	r.index[i] = int32(len(r.all))
	return &r.all[len(r.all)-1]
}

func defaultLine(tokens int16) line {
	return line{tokens: tokens, slot: none, flags: valid | owner | all}
}

func (r *record) state() uint8 {
	switch {
	case r.reading:
		return memoryReading
	case r.line.has(owner):
		return memoryOwner
	case r.line.tokens > 0:
		return memoryTokens
	}
	return memoryNone
}
