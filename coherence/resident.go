package coherence

import "github.com/carousel-sim/carousel/noc"

// HomeOwner is the Owner of a resident for which its home bank answers.
const HomeOwner = -1

// Resident is a block that caches hold before the first cycle, in a state in which nothing moves or
// waits. All copies have version 0, as memory has.
type Resident struct {
	Block   Block
	Holders noc.NodeSet // cores whose L1s hold it
	// Owner is the core that answers for the block, or HomeOwner. The only holder is the owner.
	Owner int
	// Modified tells that memory is to be written before the block may be forgotten, OwnerWrote
	// that the owner has written it last.
	Modified, OwnerWrote bool
}

// Preloader is implemented by controllers that can be filled before the first cycle. The caller
// fills each L1 and bank in the order in which its blocks were used, at most up to its size, with
// the same residents; banks only with blocks that they are to hold, and memory controllers with
// all blocks that any cache holds.
type Preloader interface {
	// Preload puts a block into a cache, or notes at a memory controller that it is in one. array
	// is that of an L1: 0 for data, 1 for instructions.
	Preload(r *Resident, array int)
}
