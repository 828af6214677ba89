package cmp

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/traces"
)

// HotBlock is a block for which caches of other cores answered many misses.
type HotBlock struct {
	Address uint64 // of a block in memory
	// Object tells that the block is that of lock or barrier Number, and not in memory; Flag, that it is
	// that of the barrier's flag, at which cores wait.
	Object, Flag bool
	Number       uint64
	Misses       uint64 // that another core's cache answered
	Cores        []HotCore
}

// HotCore is what one core had to do with a hot block.
type HotCore struct {
	Core          int
	Misses        uint64
	Read, Written uint64 // a bit for each byte that the instructions around its misses access
}

// FalseSharing reports whether some core writes the block, and no core uses bytes that another one
// writes.
func (h *HotBlock) FalseSharing() bool {
	written := uint64(0)
	for i := range h.Cores {
		c := &h.Cores[i]
		written |= c.Written
		for j := range h.Cores {
			if o := &h.Cores[j]; i != j && o.Written&(c.Read|c.Written) != 0 {
				return false
			}
		}
	}
	return written != 0 && len(h.Cores) > 1
}

// Used has a bit for each byte that some core reads or writes.
func (h *HotBlock) Used() (bytes uint64) {
	for i := range h.Cores {
		bytes |= h.Cores[i].Read | h.Cores[i].Written
	}
	return bytes
}

// hotResults is how many hot blocks a run reports.
const hotResults = 10

// The table of blocks is bounded: a block that is new in its set replaces the one with fewest
// misses, so a block with many stays.
const (
	hotSets  = 256
	hotWays  = 4
	hotCores = 8 // for which each block has room from the start
)

// hotBlocks counts misses that other cores' caches answered, by block. It changes at misses alone.
type hotBlocks struct {
	blocks []hotEntry
}

type hotEntry struct {
	block  coherence.Block
	misses uint64
	cores  []HotCore // that have missed it, in order of their numbers
}

func newHotBlocks() hotBlocks {
	h := hotBlocks{blocks: make([]hotEntry, hotSets*hotWays)}
	room := make([]HotCore, len(h.blocks)*hotCores)
	for i := range h.blocks {
		h.blocks[i].cores = room[i*hotCores : i*hotCores : (i+1)*hotCores]
	}
	return h
}

// entry returns what is known of a block, which takes the place of another one if need be.
func (h *hotBlocks) entry(b coherence.Block) *hotEntry {
	set := int(uint64(b)*0x9e3779b97f4a7c15>>56) % hotSets * hotWays
	least := set
	for i := set; i < set+hotWays; i++ {
		switch {
		case h.blocks[i].misses > 0 && h.blocks[i].block == b:
			return &h.blocks[i]
		case h.blocks[i].misses < h.blocks[least].misses:
			least = i
		}
	}
	e := &h.blocks[least]
	*e = hotEntry{block: b, cores: e.cores[:0]}
	return e
}

// of returns what is known of a core and a block.
func (e *hotEntry) of(core int) *HotCore {
	at, known := slices.BinarySearchFunc(e.cores, core, func(c HotCore, core int) int { return c.Core - core })
	if !known {
		e.cores = slices.Insert(e.cores, at, HotCore{Core: core})
	}
	return &e.cores[at]
}

// note counts a miss of a core, and notes which bytes of the block the core's window and its stores
// that are not visible yet access.
func (h *hotBlocks) note(c *core, b coherence.Block) {
	e := h.entry(b)
	e.misses++
	own := e.of(c.id)
	own.Misses++
	for i := c.first; i < c.end; i++ {
		o := c.op(i)
		if o.kind > traces.Atomic || coherence.Block(o.address/coherence.BlockBytes) != b {
			continue
		}
		mask := bytesOf(uint8(o.address%coherence.BlockBytes), o.size)
		if o.kind != traces.Store {
			own.Read |= mask
		}
		if o.kind != traces.Load {
			own.Written |= mask
		}
	}
	for n := c.stores.visible; n < c.stores.retired; n++ { // the others are in the window
		if s := c.stores.at(n); s.block == b && s.kind == traces.Store {
			own.Written |= bytesOf(s.offset, s.size)
		}
	}
}

// bytesOf returns a bit for each byte of a block from an offset on, 2^size of them.
func bytesOf(offset, size uint8) uint64 {
	return (1<<(1<<min(size, 6)) - 1) << offset
}

// hottest lists the blocks with most misses, of those that several cores have missed.
func (h *hotBlocks) hottest(c *Config) (list []HotBlock) {
	objects := coherence.Block(c.Memory.Bytes / coherence.BlockBytes)
	for i := range h.blocks {
		e := &h.blocks[i]
		b := HotBlock{Address: uint64(e.block) * coherence.BlockBytes, Misses: e.misses}
		if b.Object = e.block >= objects; b.Object {
			b.Number, b.Flag = uint64(e.block-objects)/2, (e.block-objects)%2 == 1
		}
		if len(e.cores) > 1 {
			b.Cores = slices.Clone(e.cores)
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b HotBlock) int {
		return cmp.Or(cmp.Compare(b.Misses, a.Misses), cmp.Compare(a.Address, b.Address))
	})
	return list[:min(len(list), hotResults)]
}
