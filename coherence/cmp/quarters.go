package cmp

import "github.com/carousel-sim/carousel/noc"

// quarters tell how the reads of memory are spread over a run: a run whose caches do not begin with what they would hold
// reads more at its begin. A run is divided by records, as cores may end one after the other.
type quarters struct {
	samples []quarterSample
	every   noc.Cycle // between samples
	next    noc.Cycle
}

// quarterSample is what all cores had executed at one time, and how many blocks had been read from memory.
type quarterSample struct{ records, reads uint64 }

// mostQuarterSamples is how many are kept. Every other one goes where there would be more.
const (
	mostQuarterSamples = 64
	firstQuarterCycles = 256
)

func newQuarters() quarters {
	return quarters{samples: make([]quarterSample, 0, mostQuarterSamples), every: firstQuarterCycles, next: firstQuarterCycles}
}

// add keeps a sample, and says when the next one is due.
func (q *quarters) add(sample quarterSample, now noc.Cycle) {
	q.samples = append(q.samples, sample)
	if len(q.samples) == mostQuarterSamples {
		for i := range mostQuarterSamples / 2 {
			q.samples[i] = q.samples[2*i+1]
		}
		q.samples, q.every = q.samples[:mostQuarterSamples/2], 2*q.every
	}
	q.next = now + q.every
}

// quarterSample looks at the chip.
func (s *System) quarterSample() (now quarterSample) {
	for i := range s.cores {
		now.records += s.cores[i].records()
	}
	for _, m := range s.agents.memories {
		now.reads += m.Counters().MemoryReads
	}
	return now
}

// readsBy returns how many blocks had been read when a part of all records had been executed, between two samples by
// the line through them.
func (q *quarters) readsBy(records uint64, end quarterSample) uint64 {
	var from quarterSample
	for _, to := range append(q.samples, end) {
		if to.records >= records && to.records > from.records {
			return from.reads + (to.reads-from.reads)*(records-from.records)/(to.records-from.records)
		}
		from = to
	}
	return end.reads
}

// ends returns the blocks read in the first and in the last quarter of a run.
func (q *quarters) ends(end quarterSample) (first, last uint64) {
	return q.readsBy(end.records/4, end), end.reads - q.readsBy(end.records-end.records/4, end)
}
