package workloads

import (
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
	"github.com/carousel-sim/carousel/traces/timestamps/timestampstest"
)

// TestWarmStateOfRecording: at several moments of a real program, the memory timestamp record of
// everything before gives what a simulation of every access holds, in caches of several sizes.
func TestWarmStateOfRecording(t *testing.T) {
	o, err := Open("nas-is-s", Default())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	limit, cores := traces.DefaultCacheLimit(), o.Cores()
	tracker, err := timestamps.NewTracker(cores, limit)
	if err != nil {
		t.Fatal(err)
	}
	var plain []*timestampstest.Simulation
	for _, s := range [][4]int{{256, 2, 16384, 16}, {64, 4, 512, 4}, {limit.L1Sets, limit.L1Ways, limit.L2Sets, limit.L2Ways}} {
		plain = append(plain, timestampstest.Simulate(cores, timestamps.Shape{L1Sets: s[0], L1Ways: s[1], L2Sets: s[2], L2Ways: s[3],
			Set: func(b uint32) int { return int(b) % s[2] }}))
	}
	batch := make([]traces.Record, 300)
	for round := range 60 { // the cores in turn
		for core := range cores {
			n, err := o.ReadRecords(core, batch)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range batch[:n] {
				if !r.Kind.IsAccess() {
					continue
				}
				tracker.Access(core, r.Kind, r.Address)
				for _, m := range plain {
					m.Access(core, r.Kind, r.Address)
				}
			}
		}
		if round%20 != 19 {
			continue
		}
		record := tracker.Record()
		for _, m := range plain {
			c, err := timestamps.Select(record, limit, cores, m.Shape)
			if err == nil {
				err = m.Compare(c)
			}
			if err != nil {
				t.Fatalf("after %d turns, shape %+v: %v", round+1, m.Shape, err)
			}
		}
	}
}
