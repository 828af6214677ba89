package cmp

import "github.com/carousel-sim/carousel/noc"

// milestones tell how the time and the reads of memory are spread over a run. A run is divided by records, as cores may
// end one after the other. Where caches do not begin with what they would hold, more is read at the begin.
type milestones struct {
	list  []milestone
	every noc.Cycle // between two
	next  noc.Cycle
}

// milestone is what all cores had executed by some cycle, and how many blocks had been read from memory.
type milestone struct {
	cycle, records, reads uint64
}

// mostMilestones is how many are kept. Every other one goes where there would be more.
const (
	mostMilestones  = 64
	firstMilestones = 256 // cycles between two at the begin of a run
)

func newMilestones() milestones {
	return milestones{list: make([]milestone, 0, mostMilestones), every: firstMilestones, next: firstMilestones}
}

// add keeps a milestone, and says when the next one is due.
func (m *milestones) add(now milestone) {
	m.list = append(m.list, now)
	if len(m.list) == mostMilestones {
		for i := range mostMilestones / 2 {
			m.list[i] = m.list[2*i+1]
		}
		m.list, m.every = m.list[:mostMilestones/2], 2*m.every
	}
	m.next = noc.Cycle(now.cycle) + m.every
}

// milestone looks at the chip at a cycle, the present one or the last one of the program.
func (s *System) milestone(cycle noc.Cycle) milestone {
	now := milestone{cycle: uint64(cycle)}
	for i := range s.cores {
		now.records += s.cores[i].records()
	}
	for _, m := range s.agents.memories {
		now.reads += m.Counters().MemoryReads
	}
	return now
}

// at returns the milestone at which so many records had been executed, on the line through its neighbours.
func (m *milestones) at(records uint64, end milestone) milestone {
	var from milestone
	for _, to := range append(m.list, end) {
		if to.records >= records && to.records > from.records {
			between := func(a, b uint64) uint64 { return a + (b-a)*(records-from.records)/(to.records-from.records) }
			return milestone{between(from.cycle, to.cycle), records, between(from.reads, to.reads)}
		}
		from = to
	}
	return end
}

// fill writes what they tell of a run with this end.
func (m *milestones) fill(r *Result, end milestone) {
	r.FirstQuarterReads = m.at(end.records/4, end).reads
	r.LastQuarterReads = end.reads - m.at(end.records-end.records/4, end).reads
	r.MiddleCycles = noc.Cycle(m.at(end.records-end.records/8, end).cycle - m.at(end.records/8, end).cycle)
}
