package timestamps_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
	"github.com/carousel-sim/carousel/traces/timestamps/timestampstest"
)

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

// TestContentsEqualSimulation: whatever the shape up to the limit, the record gives what a
// simulation of every access holds, block by block and in the same order of touches. So does that of
// a tracker that has started from the record of another one.
func TestContentsEqualSimulation(t *testing.T) {
	limit := traces.CacheLimit{L1Sets: 8, L1Ways: 3, L2Sets: 32, L2Ways: 4}
	exceptions := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		cores := 1 + r.IntN(5)
		tracker := must.Get(timestamps.NewTracker(cores, limit))
		var plain []*timestampstest.Simulation
		for _, s := range shapes(limit) {
			plain = append(plain, timestampstest.Simulate(cores, s))
		}
		for range 1 + r.IntN(1500) {
			if seed%2 == 1 && r.IntN(100) == 0 {
				tracker = continued(t, tracker, limit, cores)
			}
			core, kind, address := timestampstest.RandomAccess(r, cores)
			tracker.Access(core, kind, address)
			for _, m := range plain {
				m.Access(core, kind, address)
			}
		}
		record := tracker.Record()
		exceptions += len(record.Depths)
		for _, m := range plain {
			c, err := timestamps.Select(record, limit, cores, m.Shape)
			if err == nil {
				err = m.Compare(c)
			}
			if err != nil {
				t.Fatalf("seed %d, %d cores, shape %+v: %v", seed, cores, m.Shape, err)
			}
		}
	}
	if exceptions == 0 {
		t.Error("no record has an exception: the accesses leave no holes")
	}
}

// continued returns a tracker that starts with what another one records.
func continued(t *testing.T, from *timestamps.Tracker, limit traces.CacheLimit, cores int) *timestamps.Tracker {
	tracker := must.Get(timestamps.NewTracker(cores, limit))
	tracker.Start(from.Record(), limit)
	return tracker
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
	tracker := must.Get(timestamps.NewTracker(2, limit))
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
