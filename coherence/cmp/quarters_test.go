package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestQuarters: runs of any length whose reads all fall into one part of them, or are spread evenly.
func TestQuarters(t *testing.T) {
	for _, cycles := range []noc.Cycle{70_000, 3_000_000} {
		for _, c := range []struct {
			from, to, first, last float64 // parts of the run, and of the reads in its first and last quarter
		}{{0, 1, 0.25, 0.25}, {0, 0.25, 1, 0}, {0.75, 1, 0, 1}, {0.25, 0.75, 0, 0}, {0.125, 0.625, 0.25, 0}} {
			const reads = 10_000
			at := func(now noc.Cycle) quarterSample {
				part := min(max(float64(now)/float64(cycles)-c.from, 0), c.to-c.from) / (c.to - c.from)
				return quarterSample{records: 3 * uint64(now), reads: uint64(part * reads)}
			}
			q := newQuarters()
			for now := noc.Cycle(0); now < cycles; now += 7 {
				if now >= q.next {
					q.add(at(now), now)
				}
			}
			// Between samples counts are interpolated, and there are at least half of the most.
			first, last := q.ends(at(cycles))
			near := func(got uint64, want float64) bool {
				return max(float64(got)-want*reads, want*reads-float64(got)) <= 0.08*reads
			}
			if !near(first, c.first) || !near(last, c.last) {
				t.Errorf("%d cycles, reads from %g to %g: %d in the first quarter, %d in the last", cycles, c.from, c.to, first, last)
			}
			if len(q.samples) >= mostQuarterSamples {
				t.Errorf("%d samples", len(q.samples))
			}
		}
	}
	q := newQuarters()
	if first, last := q.ends(quarterSample{}); first != 0 || last != 0 {
		t.Errorf("nothing executed: %d and %d", first, last)
	}
	if n := testing.AllocsPerRun(200, func() { q.add(quarterSample{}, 1) }); n > 0 {
		t.Errorf("a sample allocates %g times", n)
	}
}
