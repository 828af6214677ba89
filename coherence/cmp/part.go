package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// part is what a run measures of its trace. A trace may have records before that part, which bring caches,
// protocol, timeouts and network into the state of the program, and records after it, with which cores
// go on that are faster than the trace expects.
//
// The time of the part is that in which all cores together execute as many records as the part has. It
// starts when they have executed those before it. Parts that follow each
// other in one run therefore add up to the time of the run, and no core waits at the end of a part for
// another one that is slower. Everything that a run counts is counted between these two moments.
type part struct {
	from, to uint64    // records of all cores after which it starts and ends; to is 0 if everything is measured
	start    noc.Cycle // the first cycle of the part
	started  bool
	over     bool
	base     base
}

// base is what had been counted when the part started.
type base struct {
	cores    []coreBase
	agents   []coherence.Counters
	hits     [coherence.AccessKinds]uint64
	totals   noc.Totals
	activity []noc.Activity
	links    []noc.Link
}

// coreBase is what a core had counted.
type coreBase struct {
	Result CoreResult
	Kinds  [traces.Kinds]uint64
	Shared uint64
}

// choosePart takes which part of the source is measured.
func (s *System) choosePart(src traces.Source) {
	if p, ok := src.(traces.Partial); ok {
		if lead, records := p.Measured(); records > 0 {
			s.part.from, s.part.to, s.part.started = lead, lead+records, lead == 0
		}
	}
}

// come starts the part, or reports that it is over, and says when to ask again. No core retires more records
// in a cycle than its width, and as many fetches.
func (p *part) come(s *System) bool {
	done := s.progress().Records
	if !p.started && done >= p.from {
		s.measure()
	}
	target := p.from
	if p.started {
		target = p.to
	}
	if p.over = done >= target; !p.over {
		s.mayReach = min(s.mayReach, s.now+1+noc.Cycle((target-done-1)/uint64(2*s.config.Core.Width*len(s.cores))))
	}
	return p.over
}

// measure starts the part at the start of the present cycle.
func (s *System) measure() {
	p := &s.part
	p.started, p.start = true, s.now
	p.base = base{hits: s.protocol.Hits(), totals: s.network.Totals(), activity: s.network.Activity(nil), links: s.network.Links(nil)}
	for i := range s.cores {
		c := &s.cores[i]
		p.base.cores = append(p.base.cores, coreBase{c.sofar(), c.kinds, c.shared})
	}
	for _, c := range s.agents.all {
		p.base.agents = append(p.base.agents, c.Counters())
	}
	old := s.observation
	s.observation = newObservation(s.about, s.network, len(s.cores))
	s.digest, s.nextAudit, s.retired, s.lastProgress = old.digest, old.nextAudit, old.retired, old.lastProgress
	s.epochStart = Epoch{Injected: p.base.totals.Offered, Delivered: p.base.totals.Delivered}
	s.nextEpoch = s.now + s.config.EpochCycles
	s.routerEpochs.from(s.now, p.base.activity)
	s.milestones.from(s.now, s.cores)
	s.nic.peak, s.nic.peakHeld = 0, len(s.nic.held)
	s.nextLook = s.now
}

// sofar is what a core has counted up to the start of the present cycle. It charges stalls that last.
func (c *core) sofar() CoreResult {
	now := c.system.now
	if !c.finished && c.idleFrom < now {
		c.chargeStall(now)
		c.idleFrom = now
	}
	c.account.conclude()
	r := c.result
	r.Records, r.Instructions, r.ComponentCycles = c.records(), c.instructions(), c.account.cycles
	if !c.finished {
		r.FinishCycle = now
	}
	return r
}

// edgeComponent is where the time goes in which the core waits for an edge.
func (c *core) edgeComponent() Component {
	if c.input.taken <= c.halted {
		return ComponentIdle
	}
	return ComponentOrder
}

// await charges a core that has come to the end of its part of a window with what it waits for after it,
// as long as the core that it waits for has records, or waits itself. What it would have done in the rest of the
// run is not known.
func (s *System) await(core int, r *CoreResult) {
	c := &s.cores[core]
	if !c.finished || c.input.record.Count == 0 {
		return
	}
	from, until := max(c.result.FinishCycle, s.part.start), s.busyUntil(core, len(s.cores))
	if until <= from {
		return
	}
	n := until - from
	stall, component := StallDependence, ComponentOrder
	switch c.input.record.Count {
	case traces.AwaitsThreads:
		stall, component = StallSync, ComponentSync
	case traces.AwaitsWork:
		component = ComponentIdle
	}
	r.FinishCycle += n
	r.StallCycles[stall] += uint64(n)
	r.ComponentCycles[component] += uint64(n)
}

// busyUntil returns the cycle up to which a core has records or is known to wait. A wait for others
// ends with the last one that has records. No chain of cores that wait for each other is longer than most.
func (s *System) busyUntil(core, most int) noc.Cycle {
	c := &s.cores[core]
	if !c.finished {
		return s.finish
	}
	until, end := c.result.FinishCycle, c.input.record
	switch {
	case end.Count == 0 || most == 0:
	case int(end.Address) != core:
		until = max(until, s.busyUntil(int(end.Address), most-1))
	default:
		for i := range s.cores {
			until = max(until, s.busyUntil(i, 0))
		}
	}
	return until
}
