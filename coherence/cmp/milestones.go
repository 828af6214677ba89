package cmp

import "github.com/carousel-sim/carousel/noc"

// milestones tell how time, misses and reads of memory are spread over a run. Time is divided by
// the records of all cores, as cores may end one after the other. Reads are divided by the records
// of the core that they are for: by those of all cores they would seem to come late, because what
// comes late is what the cores that wait for memory do. Where caches do not begin with what they
// would hold, more is read at the start.
type milestones struct {
	cycles []noc.Cycle
	cores  []progress // for each of the cycles, of each core
	misses []attempts // for each of the cycles, of all cores
	sofar  attempts
	reads  []uint64  // of each core so far
	start  noc.Cycle // of the measured part
	before []uint64  // records of each core by then
	every  noc.Cycle // between two
	next   noc.Cycle
}

// from starts at a cycle in which cores have executed records already.
func (m *milestones) from(now noc.Cycle, cores []core) {
	m.start, m.next = now, now+m.every
	for i := range cores {
		m.before[i] = cores[i].records()
	}
}

// progress is what a core had executed by some cycle, and how many blocks had been read from
// memory for it.
type progress struct {
	records, reads uint64
}

// attempts are misses that have ended, by how hard they were to complete.
type attempts [efforts]uint64

// mostMilestones is how many are kept. Every other one goes where there would be more.
const (
	mostMilestones  = 256
	firstMilestones = 256 // cycles between two at the start of a run
)

func newMilestones(cores int) milestones {
	return milestones{cycles: make([]noc.Cycle, 0, mostMilestones), misses: make([]attempts, 0, mostMilestones+1), cores: make([]progress, 0, (mostMilestones+1)*cores),
		reads: make([]uint64, cores), before: make([]uint64, cores), every: firstMilestones, next: firstMilestones}
}

// add keeps the progress of all cores at a cycle, and says when the next milestone is due.
func (m *milestones) add(now noc.Cycle, cores []core) {
	m.append(now, cores)
	if len(m.cycles) == mostMilestones {
		n := len(cores)
		for i := range mostMilestones / 2 {
			m.cycles[i], m.misses[i] = m.cycles[2*i+1], m.misses[2*i+1]
			copy(m.cores[i*n:(i+1)*n], m.cores[(2*i+1)*n:])
		}
		m.cycles, m.cores, m.every = m.cycles[:mostMilestones/2], m.cores[:mostMilestones/2*n], 2*m.every
		m.misses = m.misses[:mostMilestones/2]
	}
	m.next = now + m.every
}

func (m *milestones) append(now noc.Cycle, cores []core) {
	m.cycles, m.misses = append(m.cycles, now-m.start), append(m.misses, m.sofar)
	for i := range cores {
		m.cores = append(m.cores, progress{cores[i].records() - m.before[i], m.reads[i]})
	}
}

// fill writes what they tell of a run that ends now.
func (m *milestones) fill(r *Result, now noc.Cycle, cores []core) {
	m.append(now, cores)
	done := make([]uint64, len(m.cycles)) // by all cores
	var first, last uint64
	for i := range cores {
		for k := range done {
			done[k] += m.of(k, i).records
		}
		end := m.of(len(m.cycles)-1, i)
		first += m.readsBy(i, end.records/3)
		last += end.reads*readParts - m.readsBy(i, end.records-end.records/3)
	}
	r.FirstThird.Reads, r.LastThird.Reads = (first+readParts/2)/readParts, (last+readParts/2)/readParts
	end := done[len(done)-1]
	at := func(records uint64, value func(milestone int) uint64) uint64 {
		from, before := uint64(0), uint64(0)
		for i, n := range done {
			if n >= records && n > before {
				return from + (value(i)-from)*(records-before)/(n-before)
			}
			from, before = value(i), n
		}
		return from
	}
	cycles := func(i int) uint64 { return uint64(m.cycles[i]) }
	r.MiddleCycles = noc.Cycle(at(end-end/8, cycles) - at(end/8, cycles))
	for e, all := range m.sofar {
		misses := func(i int) uint64 { return m.misses[i][e] }
		r.FirstThird.Misses[e], r.LastThird.Misses[e] = at(end/3, misses), all-at(end-end/3, misses)
	}
}

// of returns the progress of a core at a milestone.
func (m *milestones) of(milestone, core int) progress {
	return m.cores[milestone*len(m.reads)+core]
}

// readParts is how finely reads are interpolated between milestones.
const readParts = 1 << 16

// readsBy returns the blocks read for a core, in parts of one, while it executed its first records:
// on the line through its neighbours among the milestones.
func (m *milestones) readsBy(core int, records uint64) uint64 {
	var from progress
	for i := range m.cycles {
		to := m.of(i, core)
		if to.records >= records && to.records > from.records {
			return from.reads*readParts + (to.reads-from.reads)*readParts*(records-from.records)/(to.records-from.records)
		}
		from = to
	}
	return from.reads * readParts
}

// RouterEpoch is what each router has moved since the epoch before, in phits: those that it sent on
// links and those that it handed to its node.
type RouterEpoch struct {
	Cycle noc.Cycle // when the epoch ended
	Phits []uint64  // by router
}

// mostRouterEpochs is how many a run has at most. Where it would have more, pairs of neighbours
// become one, and epochs are twice as long from then on. So a run of any length has at least half as
// many, unless it is shorter than that many of the first ones.
const (
	mostRouterEpochs = 64
	firstRouterEpoch = 32 // cycles
)

// routerEpochs samples the routers of a run.
type routerEpochs struct {
	list     []RouterEpoch
	next     noc.Cycle // end of the present one
	start    noc.Cycle // of the first one
	length   noc.Cycle
	before   []uint64
	activity []noc.Activity
}

func newRouterEpochs(n noc.Network) routerEpochs {
	e := routerEpochs{next: firstRouterEpoch, length: firstRouterEpoch, activity: n.Activity(nil), list: make([]RouterEpoch, 0, mostRouterEpochs)}
	e.before = make([]uint64, len(e.activity))
	for i := range mostRouterEpochs {
		e.list = append(e.list[:i], RouterEpoch{Phits: make([]uint64, len(e.activity))})
	}
	e.list = e.list[:0]
	return e
}

// from starts at a cycle in which routers have moved phits already.
func (e *routerEpochs) from(now noc.Cycle, moved []noc.Activity) {
	e.start, e.next = now, now+e.length
	for i := range moved {
		e.before[i] = moved[i].LinkPhits + moved[i].EjectPhits
	}
}

// sample ends an epoch, which may be the last.
func (e *routerEpochs) sample(n noc.Network, now noc.Cycle, last bool) {
	e.activity = n.Activity(e.activity[:0])
	e.list = e.list[:len(e.list)+1]
	epoch := &e.list[len(e.list)-1]
	epoch.Cycle = now - e.start
	for i := range e.activity {
		moved := e.activity[i].LinkPhits + e.activity[i].EjectPhits
		epoch.Phits[i], e.before[i] = moved-e.before[i], moved
	}
	if len(e.list) == mostRouterEpochs && !last {
		e.halve()
	}
	e.next = e.start + ((now-e.start)/e.length+1)*e.length
}

// halve joins neighbours.
func (e *routerEpochs) halve() {
	for i := range mostRouterEpochs / 2 {
		into, a, b := &e.list[i], &e.list[2*i], &e.list[2*i+1]
		cycle := b.Cycle
		for r := range into.Phits {
			into.Phits[r] = a.Phits[r] + b.Phits[r]
		}
		into.Cycle = cycle
	}
	e.list, e.length = e.list[:mostRouterEpochs/2], 2*e.length
}
