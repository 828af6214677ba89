// Package timestampstest is a functional simulation of caches, for tests of what a memory timestamp
// record gives.
package timestampstest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// Simulation is caches of one shape, one access after the other, as plainly as can be: a set is its
// blocks, the latest touched first.
type Simulation struct {
	Shape timestamps.Shape
	L1    [][][]uint32 // by cache and set
	L2    [][]uint32
}

// Simulate returns empty caches.
func Simulate(cores int, s timestamps.Shape) *Simulation {
	m := &Simulation{Shape: s, L1: make([][][]uint32, 2*cores), L2: make([][]uint32, s.L2Sets)}
	for i := range m.L1 {
		m.L1[i] = make([][]uint32, s.L1Sets)
	}
	return m
}

// toFront puts a block first in a set of so many ways.
func toFront(set []uint32, block uint32, ways int) []uint32 {
	set = slices.DeleteFunc(set, func(b uint32) bool { return b == block })
	set = slices.Insert(set, 0, block)
	return set[:min(len(set), ways)]
}

// Access follows an access of a core to a byte address.
func (m *Simulation) Access(core int, kind traces.Kind, address uint64) {
	block := uint32(address / traces.LineBytes)
	cache := 2 * core
	if kind == traces.Fetch {
		cache++
	}
	for other := range m.L1 {
		if set := &m.L1[other][int(block)%m.Shape.L1Sets]; other == cache {
			*set = toFront(*set, block, m.Shape.L1Ways)
		} else if other == cache^1 || kind == traces.Store || kind == traces.Atomic {
			*set = slices.DeleteFunc(*set, func(b uint32) bool { return b == block })
		}
	}
	set := &m.L2[m.Shape.Set(block)]
	*set = toFront(*set, block, m.Shape.L2Ways)
}

// Compare reports how contents differ from the simulation's.
func (m *Simulation) Compare(c *timestamps.Contents) error {
	l1 := make([][][]uint32, len(m.L1))
	for i := range l1 {
		l1[i] = make([][]uint32, m.Shape.L1Sets)
	}
	for _, e := range c.L1 {
		set := &l1[e.Cache][int(e.Block)%m.Shape.L1Sets]
		*set = slices.Insert(*set, 0, e.Block)
	}
	for cache := range l1 {
		for set := range l1[cache] {
			if !slices.Equal(l1[cache][set], m.L1[cache][set]) {
				return fmt.Errorf("L1 %d, set %d holds %v, want %v", cache, set, l1[cache][set], m.L1[cache][set])
			}
		}
	}
	l2 := make([][]uint32, m.Shape.L2Sets)
	for _, b := range c.L2 {
		set := &l2[m.Shape.Set(b)]
		*set = slices.Insert(*set, 0, b)
	}
	for set := range l2 {
		if !slices.Equal(l2[set], m.L2[set]) {
			return fmt.Errorf("L2, set %d holds %v, want %v", set, l2[set], m.L2[set])
		}
	}
	return nil
}

// RandomAccess draws accesses of which many are to few blocks, so that cores take them from each
// other.
func RandomAccess(r *rand.Rand, cores int) (core int, kind traces.Kind, address uint64) {
	core = r.IntN(cores)
	block := r.IntN(12)
	switch r.IntN(4) {
	case 0:
		block = 16*core + 64 + r.IntN(16)
	case 1:
		block = 512 + r.IntN(256)
	}
	kind = []traces.Kind{traces.Load, traces.Load, traces.Load, traces.Store, traces.Atomic, traces.Fetch}[r.IntN(6)]
	return core, kind, uint64(block)*traces.LineBytes + uint64(r.IntN(64))
}
