package cache

import "math/bits"

// MaxTargets is the number of accesses that can wait for one miss, the one that started it
// included.
const MaxTargets = 8

// MSHRs are the miss status holding registers of one cache: the open misses by block, each with the
// accesses (targets) that wait for it and a generation number that tells its current timer from
// stale ones.
type MSHRs[Target any] struct {
	open    []uint64
	entries []register[Target]
	used    int
}

type register[Target any] struct {
	block      uint32
	generation uint32
	count      uint8
	targets    [MaxTargets]Target
}

// NewMSHRs returns a file of the given number of registers.
func NewMSHRs[Target any](n int) MSHRs[Target] {
	return MSHRs[Target]{open: make([]uint64, (n+63)/64), entries: make([]register[Target], n)}
}

// Used returns the number of open misses.
func (f *MSHRs[Target]) Used() int { return f.used }

// Full reports whether no register is free.
func (f *MSHRs[Target]) Full() bool { return f.used == len(f.entries) }

// Allocate opens a miss in the lowest free register and returns its slot, or None when all are
// taken.
func (f *MSHRs[Target]) Allocate(block uint32) int {
	for i, w := range f.open {
		slot := 64*i + bits.TrailingZeros64(^w)
		if w == ^uint64(0) || slot >= len(f.entries) {
			continue
		}
		f.open[i] |= 1 << (slot % 64)
		f.used++
		e := &f.entries[slot]
		e.block, e.count = block, 0
		e.generation++
		return slot
	}
	return None
}

// Release closes a miss; its timers become stale.
func (f *MSHRs[Target]) Release(slot int) {
	f.open[slot/64] &^= 1 << (slot % 64)
	f.entries[slot].generation++
	f.used--
}

// Next returns the first slot from the given one on with an open miss, or None. It walks the file:
//
//	for slot := f.Next(0); slot != cache.None; slot = f.Next(slot + 1) { ... }
func (f *MSHRs[Target]) Next(slot int) int {
	for i := slot / 64; i < len(f.open); i++ {
		w := f.open[i]
		if i == slot/64 {
			w = w >> (slot % 64) << (slot % 64)
		}
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return None
}

// Block returns the block of a slot.
func (f *MSHRs[Target]) Block(slot int) uint32 { return f.entries[slot].block }

// Renew makes the timers of a slot stale and returns the generation for the next one.
func (f *MSHRs[Target]) Renew(slot int) uint32 {
	f.entries[slot].generation++
	return f.entries[slot].generation
}

// Current reports whether a timer with the given generation is still meant.
func (f *MSHRs[Target]) Current(slot int, generation uint32) bool {
	return f.open[slot/64]>>(slot%64)&1 != 0 && f.entries[slot].generation == generation
}

// Add lets an access wait for a miss; false when the list is full.
func (f *MSHRs[Target]) Add(slot int, t Target) bool {
	e := &f.entries[slot]
	if e.count == MaxTargets {
		return false
	}
	e.targets[e.count] = t
	e.count++
	return true
}

// Targets returns the waiting accesses in order of arrival. The slice is valid until the next call
// of Add, Keep or Release for the slot.
func (f *MSHRs[Target]) Targets(slot int) []Target {
	e := &f.entries[slot]
	return e.targets[:e.count]
}

// Keep shortens the list of waiting accesses to its first n.
func (f *MSHRs[Target]) Keep(slot, n int) { f.entries[slot].count = uint8(n) }

// Clear closes every miss.
func (f *MSHRs[Target]) Clear() {
	for slot := f.Next(0); slot != None; slot = f.Next(slot + 1) {
		f.Release(slot)
	}
}

// Generation returns what a timer of a slot must have to be current.
func (f *MSHRs[Target]) Generation(slot int) uint32 { return f.entries[slot].generation }
