package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// TestMilestones: two cores, of which the second ends at half of the time, with runs of any length
// whose reads all fall into one part of each core's records, or are spread evenly.
func TestMilestones(t *testing.T) {
	for _, cycles := range []noc.Cycle{70_000, 3_000_000} {
		for _, c := range []struct {
			from, to, first, last float64 // parts of the records, and of the reads in their first and last third
		}{{0, 1, 1. / 3, 1. / 3}, {0, 0.25, 1, 0}, {0.75, 1, 0, 1}, {0.4, 0.6, 0, 0}, {1. / 6, 2. / 3, 1. / 3, 0}} {
			const reads, records = 10_000, 900_000
			cores := make([]core, 2)
			m := newMilestones(len(cores))
			at := func(now noc.Cycle) {
				for i := range cores {
					done := min(1, float64(i+1)*float64(now)/float64(cycles))
					cores[i].kinds[traces.Fetch] = uint64(done * records)
					if i == 0 { // three times as many misses in the second half of all records
						all := done + min(1, 2*done)
						m.sofar[reissued] = uint64(1000*all + 2000*max(0, all-1))
					}
					m.reads[i] = uint64(min(max(done-c.from, 0), c.to-c.from) / (c.to - c.from) * reads)
				}
			}
			for now := noc.Cycle(0); now < cycles; now += 7 {
				if now >= m.next {
					at(now)
					m.add(now, cores)
				}
			}
			at(cycles)
			var r Result
			m.fill(&r, cycles, cores)
			// Between milestones counts are interpolated, and there are at least half of the most.
			near := func(got uint64, want float64) bool {
				part := float64(got) / (2 * reads)
				return max(part-want, want-part) <= 0.08
			}
			if !near(r.FirstThird.Reads, c.first) || !near(r.LastThird.Reads, c.last) {
				t.Errorf("%d cycles, reads from %g to %g: %d in the first third, %d in the last", cycles, c.from, c.to,
					r.FirstThird.Reads, r.LastThird.Reads)
			}
			if first, last := r.FirstThird.Misses[reissued], r.LastThird.Misses[reissued]; first < 650 || first > 680 || last < 1970 || last > 2030 {
				t.Errorf("%d cycles: %d repeated misses in the first third and %d in the last, want 667 and 2000", cycles, first, last)
			}
			// An eighth of all records is executed after a twelfth of the time, seven eighths after
			// three quarters of it.
			if middle := float64(r.MiddleCycles) / float64(cycles); middle < 0.75-1./12-0.01 || middle > 0.75-1./12+0.01 {
				t.Errorf("%d cycles: the middle takes %.4f of them", cycles, middle)
			}
			if len(m.cycles) > mostMilestones {
				t.Errorf("%d milestones", len(m.cycles))
			}
		}
	}
	var r Result
	cores := make([]core, 1)
	m := newMilestones(len(cores))
	if m.fill(&r, 0, cores); r.FirstThird.Reads != 0 || r.LastThird.Reads != 0 || r.MiddleCycles != 0 {
		t.Errorf("nothing executed: %+v", r)
	}
	if n := must.Allocations(200, func() { m.add(m.next, cores) }); n > 0 {
		t.Errorf("a milestone allocates %g times", n)
	}
}

// counters is a network of two routers that only counts.
type counters struct {
	noc.Network
	links, ejected uint64
}

func (c *counters) Activity(into []noc.Activity) []noc.Activity {
	return append(into, noc.Activity{LinkPhits: c.links}, noc.Activity{EjectPhits: c.ejected})
}

// TestRouterEpochs: whatever the length of a run, epochs are few, in order, of one length but for
// the last, and nothing is lost or counted twice. Sampling allocates nothing.
func TestRouterEpochs(t *testing.T) {
	for cycles := noc.Cycle(1); cycles < 20_000; cycles += 37 {
		c := &counters{}
		e := newRouterEpochs(c)
		for now := noc.Cycle(1); now <= cycles; now++ {
			c.links, c.ejected = c.links+uint64(now), c.ejected+1
			if now >= e.next || now == cycles {
				e.sample(c, now, now == cycles)
			}
		}
		if n := len(e.list); n > mostRouterEpochs || n < mostRouterEpochs/2 && cycles > firstRouterEpoch*mostRouterEpochs/2 {
			t.Fatalf("%d cycles give %d epochs", cycles, n)
		}
		var links, ejected uint64
		for i, epoch := range e.list {
			links, ejected = links+epoch.Phits[0], ejected+epoch.Phits[1]
			if want := e.length * noc.Cycle(i+1); i < len(e.list)-1 && epoch.Cycle != want {
				t.Fatalf("%d cycles: epoch %d of %d ends at %d; want %d", cycles, i, len(e.list), epoch.Cycle, want)
			}
		}
		if links != c.links || ejected != c.ejected {
			t.Fatalf("%d cycles: %d and %d phits of %d and %d", cycles, links, ejected, c.links, c.ejected)
		}
	}
	c := &counters{}
	e := newRouterEpochs(c)
	if n := must.Allocations(100, func() { e.sample(c, 1, false) }); n > 0 {
		t.Errorf("a sample allocates %g times", n)
	}
}
