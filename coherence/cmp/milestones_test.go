package cmp

import "testing"

// TestMilestones: runs of any length whose reads all fall into one part of them, or are spread evenly. Records are
// executed evenly for the first nine tenths of the time, and half as fast then.
func TestMilestones(t *testing.T) {
	for _, cycles := range []uint64{70_000, 3_000_000} {
		for _, c := range []struct {
			from, to, first, last float64 // parts of the records, and of the reads in their first and last quarter
		}{{0, 1, 0.25, 0.25}, {0, 0.25, 1, 0}, {0.75, 1, 0, 1}, {0.25, 0.75, 0, 0}, {0.125, 0.625, 0.25, 0}} {
			const reads, records = 10_000, 950_000
			at := func(now uint64) milestone {
				done := float64(now) / float64(cycles)
				done = min(done, 0.9+(done-0.9)/2) / 0.95
				part := min(max(done-c.from, 0), c.to-c.from) / (c.to - c.from)
				return milestone{now, uint64(done * records), uint64(part * reads)}
			}
			m := newMilestones()
			for now := uint64(0); now < cycles; now += 7 {
				if now >= uint64(m.next) {
					m.add(at(now))
				}
			}
			var r Result
			m.fill(&r, at(cycles))
			// Between milestones counts are interpolated, and there are at least half of the most.
			near := func(got, want float64) bool { return max(got-want, want-got) <= 0.08 }
			if !near(float64(r.FirstQuarterReads)/reads, c.first) || !near(float64(r.LastQuarterReads)/reads, c.last) {
				t.Errorf("%d cycles, reads from %g to %g: %d in the first quarter, %d in the last", cycles, c.from, c.to, r.FirstQuarterReads, r.LastQuarterReads)
			}
			if middle := float64(r.MiddleCycles) / float64(cycles); middle < 0.75*0.95-0.005 || middle > 0.75*0.95+0.005 {
				t.Errorf("%d cycles: the middle takes %.4f of them", cycles, middle)
			}
			if len(m.list) >= mostMilestones {
				t.Errorf("%d milestones", len(m.list))
			}
		}
	}
	var r Result
	m := newMilestones()
	if m.fill(&r, milestone{}); r.FirstQuarterReads != 0 || r.LastQuarterReads != 0 || r.MiddleCycles != 0 {
		t.Errorf("nothing executed: %+v", r)
	}
	if n := testing.AllocsPerRun(200, func() { m.add(milestone{}) }); n > 0 {
		t.Errorf("a milestone allocates %g times", n)
	}
}
