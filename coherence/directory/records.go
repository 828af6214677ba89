package directory

import "github.com/carousel-sim/carousel/coherence"

// record is what memory holds of a block.
type record struct {
	version coherence.Version
	block   coherence.Block
	reading bool // until its data has been sent
}

func (r *record) state() uint8 {
	if r.reading {
		return memoryReading
	}
	return memoryIdle
}

func (r *record) audit() coherence.Line {
	return coherence.Line{State: r.state(), Version: r.version, Busy: r.reading}
}

// records is a hash table of the blocks that have been read or written at some time; all others have
// version 0. It grows with the footprint and never shrinks.
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

// find is the record of a block, or nil. The pointer is valid until the next call of get.
func (r *records) find(b coherence.Block) *record {
	if n := r.index[r.slot(b)]; n != 0 {
		return &r.all[n-1]
	}
	return nil
}

// get is the record of a block, made if needed.
func (r *records) get(b coherence.Block) *record {
	if known := r.find(b); known != nil {
		return known
	}
	r.all = append(r.all, record{block: b})
	if 2*len(r.all) > len(r.index) {
		r.index = make([]int32, 2*len(r.index))
		r.shift--
		for n := range r.all[:len(r.all)-1] {
			r.index[r.slot(r.all[n].block)] = int32(n + 1)
		}
	}
	r.index[r.slot(b)] = int32(len(r.all))
	return &r.all[len(r.all)-1]
}
