package timestamps_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// simulation is caches of one shape, one access after the other, as plainly as can be: a set is its
// blocks, the latest touched first.
type simulation struct {
	shape timestamps.Shape
	l1    [][][]uint32 // by cache and set
	l2    [][]uint32
	touch map[uint32]map[int]int // time by block and cache
	time  int
}

func simulate(cores int, s timestamps.Shape) *simulation {
	m := &simulation{shape: s, l1: make([][][]uint32, 2*cores), l2: make([][]uint32, s.L2Sets), touch: map[uint32]map[int]int{}}
	for i := range m.l1 {
		m.l1[i] = make([][]uint32, s.L1Sets)
	}
	return m
}

// toFront puts a block first in a set of so many ways.
func toFront(set []uint32, block uint32, ways int) []uint32 {
	set = slices.DeleteFunc(set, func(b uint32) bool { return b == block })
	set = slices.Insert(set, 0, block)
	return set[:min(len(set), ways)]
}

func (m *simulation) access(core int, kind traces.Kind, address uint64) {
	block := uint32(address / traces.LineBytes)
	cache := 2 * core
	if kind == traces.Fetch {
		cache++
	}
	m.time++
	for other := range m.l1 {
		if set := &m.l1[other][int(block)%m.shape.L1Sets]; other == cache {
			*set = toFront(*set, block, m.shape.L1Ways)
		} else if other == cache^1 || kind == traces.Store || kind == traces.Atomic {
			*set = slices.DeleteFunc(*set, func(b uint32) bool { return b == block })
		}
	}
	set := &m.l2[m.shape.Set(block)]
	*set = toFront(*set, block, m.shape.L2Ways)
	if m.touch[block] == nil {
		m.touch[block] = map[int]int{}
	}
	m.touch[block][cache] = m.time
}

// compare reports how contents differ from the simulation's.
func (m *simulation) compare(c *timestamps.Contents) error {
	l1 := make([][][]uint32, len(m.l1))
	for i := range l1 {
		l1[i] = make([][]uint32, m.shape.L1Sets)
	}
	for _, e := range c.L1 {
		set := &l1[e.Cache][int(e.Block)%m.shape.L1Sets]
		*set = slices.Insert(*set, 0, e.Block)
	}
	for cache := range l1 {
		for set := range l1[cache] {
			if !slices.Equal(l1[cache][set], m.l1[cache][set]) {
				return fmt.Errorf("L1 %d, set %d holds %v, want %v", cache, set, l1[cache][set], m.l1[cache][set])
			}
		}
	}
	l2 := make([][]uint32, m.shape.L2Sets)
	for _, b := range c.L2 {
		set := &l2[m.shape.Set(b)]
		*set = slices.Insert(*set, 0, b)
	}
	for set := range l2 {
		if !slices.Equal(l2[set], m.l2[set]) {
			return fmt.Errorf("L2, set %d holds %v, want %v", set, l2[set], m.l2[set])
		}
	}
	return nil
}

// shapes lists every shape up to a limit.
func shapes(limit traces.CacheLimit) (list []timestamps.Shape) {
	for sets := 1; sets <= limit.L1Sets; sets *= 2 {
		for ways := 1; ways <= limit.L1Ways; ways++ {
			list = append(list, shape(sets, ways, limit.L2Sets, limit.L2Ways))
		}
	}
	for sets := 1; sets <= limit.L2Sets; sets *= 2 {
		for ways := 1; ways <= limit.L2Ways; ways++ {
			list = append(list, shape(limit.L1Sets, limit.L1Ways, sets, ways))
		}
	}
	return list
}

func shape(l1sets, l1ways, l2sets, l2ways int) timestamps.Shape {
	return timestamps.Shape{L1Sets: l1sets, L1Ways: l1ways, L2Sets: l2sets, L2Ways: l2ways,
		Set: func(b uint32) int { return int(b) % l2sets }}
}

// randomAccess draws accesses of which many are to few blocks, so that cores take them from each
// other.
func randomAccess(r *rand.Rand, cores int) (core int, kind traces.Kind, address uint64) {
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

// TestContentsEqualSimulation: whatever the shape up to the limit, the record gives what a
// simulation of every access holds, block by block and in the same order of touches.
func TestContentsEqualSimulation(t *testing.T) {
	limit := traces.CacheLimit{L1Sets: 8, L1Ways: 3, L2Sets: 32, L2Ways: 4}
	exceptions := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		cores := 1 + r.IntN(5)
		tracker, err := timestamps.NewTracker(cores, limit)
		if err != nil {
			t.Fatal(err)
		}
		var plain []*simulation
		for _, s := range shapes(limit) {
			plain = append(plain, simulate(cores, s))
		}
		for range 1 + r.IntN(1500) {
			core, kind, address := randomAccess(r, cores)
			tracker.Access(core, kind, address)
			for _, m := range plain {
				m.access(core, kind, address)
			}
		}
		record := tracker.Record()
		exceptions += len(record.Depths)
		for _, m := range plain {
			c, err := timestamps.Select(record, limit, cores, m.shape)
			if err == nil {
				err = m.compare(c)
			}
			if err != nil {
				t.Fatalf("seed %d, %d cores, shape %+v: %v", seed, cores, m.shape, err)
			}
		}
	}
	if exceptions == 0 {
		t.Error("no record has an exception: the accesses leave no holes")
	}
}

// TestSelectRefuses: caches beyond the limit are refused.
func TestSelectRefuses(t *testing.T) {
	limit := traces.CacheLimit{L1Sets: 8, L1Ways: 3, L2Sets: 32, L2Ways: 4}
	for _, s := range []timestamps.Shape{shape(16, 1, 1, 1), shape(1, 4, 1, 1), shape(1, 1, 64, 1), shape(1, 1, 1, 5)} {
		if _, err := timestamps.Select(new(traces.Timestamps), limit, 2, s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// TestModified: a block is modified from its first write until the largest L2 has lost it, and its
// last writer is known while that has it.
func TestModified(t *testing.T) {
	limit := traces.CacheLimit{L1Sets: 1, L1Ways: 1, L2Sets: 1, L2Ways: 2}
	tracker, err := timestamps.NewTracker(2, limit)
	if err != nil {
		t.Fatal(err)
	}
	check := func(step string, modified bool, wrote []bool) {
		t.Helper()
		var flags []bool
		was := false
		for _, e := range tracker.Record().Entries {
			if e.Block == 1 {
				flags = append(flags, e.Flags&traces.Wrote != 0)
				was = was || e.Flags&traces.Written != 0
			}
		}
		if was != modified || !slices.Equal(flags, wrote) {
			t.Errorf("%s: modified %t, writers %v", step, was, flags)
		}
	}
	tracker.Access(0, traces.Load, 64)
	check("loaded", false, []bool{false})
	tracker.Access(0, traces.Store, 64)
	check("stored", true, []bool{true})
	tracker.Access(1, traces.Load, 64)
	check("shared", true, []bool{true, false})
	tracker.Access(1, traces.Load, 640)
	tracker.Access(1, traces.Load, 1280)
	tracker.Access(1, traces.Load, 64)
	check("fetched again", false, []bool{true, false})
}
