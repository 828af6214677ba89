package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/buckets"
	"github.com/carousel-sim/carousel/noc/leaf/counts"
	"github.com/carousel-sim/carousel/traces"
)

// observation is what a run measures as it goes.
type observation struct {
	digest  uint64
	classes []ClassCounts
	latency []histogram // per class and cast
	epochs  []Epoch
	routerEpochs
	epochStart Epoch
	nextEpoch  noc.Cycle
	nextAudit  noc.Cycle
	missSum    uint64
	idleSum    uint64 // cycles that the deliveries would have taken in the idle network
	misses     uint64
	replays    uint64
	// Of replays, those of blocks that the core's own cache gave up, as its victim buffer was full.
	evictedReplays uint64
	cacheTransfers uint64
	retired        uint64 // records and instructions, at the last look
	lastProgress   noc.Cycle
	nextLook       noc.Cycle // observe has nothing to do before
	milestones     milestones
	hot            hotBlocks
	longestMiss    noc.Cycle
}

// histogram counts latencies: single cycles below 16, and eighths of powers of two above. The last
// bucket takes all from 2^32 cycles on.
type histogram [(32 - buckets.Latency + 1) << buckets.Latency]struct{ count, sum uint64 }

func (h *histogram) add(v uint64) {
	b := &h[min(buckets.Of(v, buckets.Latency), len(h)-1)]
	b.count++
	b.sum += v
}

func newObservation(p *coherence.Description, n noc.Network, cores int) observation {
	o := observation{digest: 14695981039346656037, classes: make([]ClassCounts, len(p.Classes)),
		latency: make([]histogram, len(p.Classes)*int(Casts)), epochs: make([]Epoch, 0, 1024), routerEpochs: newRouterEpochs(n), milestones: newMilestones(cores), hot: newHotBlocks()}
	for i := range o.classes {
		o.classes[i].Name = p.Classes[i]
	}
	return o
}

// mix folds values into the digest.
func (o *observation) mix(a, b uint64) {
	h := (o.digest ^ a) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ b) * 0xbf58476d1ce4e5b9
	o.digest = h ^ h>>32
}

// note folds a performed access into the digest.
func (o *observation) note(now noc.Cycle, core int, b coherence.Block, k coherence.AccessKind, v coherence.Version) {
	o.mix(stamp(now, core), noted(b, k, v))
}

// stamp is the digest's word for a core and a cycle, noted its word for an access.
func stamp(now noc.Cycle, core int) uint64 { return uint64(now)<<16 | uint64(core) }

func noted(b coherence.Block, k coherence.AccessKind, v coherence.Version) uint64 {
	return uint64(v)<<40 | uint64(b)<<8 | uint64(k)
}

// observeDelivery notes that the network has delivered one copy.
func (s *System) observeDelivery(f *flight, d *noc.Delivery) {
	took := uint64(d.Arrived - f.created)
	if s.paths.idle != nil {
		s.idleSum += min(took, uint64(s.paths.idle.of(f, d)))
	}
	s.latency[int(f.send.Class)*int(Casts)+int(f.cast)].add(took)
	s.mix(uint64(d.Arrived)<<16|uint64(d.At), uint64(f.send.Block)<<8|uint64(f.send.Kind))
}

// observeCompletion notes that a pending access has been performed.
func (s *System) observeCompletion(c *core, b coherence.Block, d *coherence.Completion) {
	core := c.id
	if s.audit.checking && d.Overtaken {
		s.audit.checkPast(core, b, d)
	} else if s.audit.checking {
		s.audit.checkValue(core, b, d.Kind, d.Version)
	}
	if !d.Merged {
		s.missSum += uint64(s.now - d.Since)
		s.misses++
		s.observeMiss(d, s.now-d.Since)
		if d.Supplier == coherence.Cache {
			s.cacheTransfers++
			s.hot.note(c, b)
		}
	}
	s.note(s.now, core, b, d.Kind, d.Version)
}

// observe samples epochs and checks for a deadlock, at the start of the cycle just reached.
func (s *System) observe() {
	if s.now >= s.nextEpoch {
		s.sample()
	}
	if s.now >= s.routerEpochs.next {
		s.routerEpochs.sample(s.network, s.now, false)
	}
	if s.now >= s.milestones.next {
		s.milestones.add(s.now, s.cores)
	}
	if s.now > s.lastProgress+s.config.WatchdogCycles { // lastProgress is ahead if all cores sleep until then
		retired := s.progress().Records
		for i := range s.cores { // there may be many instructions between records
			retired += s.cores[i].instructions()
		}
		// Once all cores have finished only the network and the memories drain: that is progress.
		if retired == s.retired && (s.running > 0 || s.network.InFlight() == 0) {
			s.fail(newDeadlockReport(s))
		}
		s.retired, s.lastProgress = retired, s.now
	}
	if every := s.config.AuditEvery; every > 0 && s.now >= s.nextAudit {
		s.nextAudit = (s.now/every + 1) * every
		if err := s.audit.checkNow(); err != nil {
			s.fail(err)
		}
	}
	if s.audit.checking {
		s.audit.check()
	}
	s.nextLook = s.lookAgain()
}

// lookAgain returns the next cycle in which observe must run.
func (s *System) lookAgain() noc.Cycle {
	at := min(s.nextEpoch, s.routerEpochs.next, s.milestones.next, s.lastProgress+s.config.WatchdogCycles+1)
	if s.config.AuditEvery > 0 {
		at = min(at, s.nextAudit)
	}
	if s.audit.checking {
		at = min(at, s.audit.nextCheck)
	}
	return at
}

// sample ends an epoch.
func (s *System) sample() {
	t := s.network.Totals()
	e := Epoch{Cycle: s.now, Injected: t.Offered, Delivered: t.Delivered, Misses: s.misses}
	since := s.now - s.part.start
	if since > 0 {
		s.epochs = append(s.epochs, Epoch{Cycle: since, Injected: e.Injected - s.epochStart.Injected,
			Delivered: e.Delivered - s.epochStart.Delivered, Misses: e.Misses - s.epochStart.Misses,
			InFlight: s.network.InFlight(), BufferedPhits: t.Buffered})
	}
	s.epochStart = e
	s.nextEpoch = s.part.start + (since/s.config.EpochCycles+1)*s.config.EpochCycles
}

func (s *System) progress() Progress {
	p := Progress{Cycle: s.now, CoresDone: len(s.cores) - s.running}
	for i := range s.cores {
		p.Records += s.cores[i].records()
	}
	return p
}

// result gathers everything measured, in the part or in the whole run.
func (s *System) result() Result {
	s.routerEpochs.sample(s.network, s.now, true)
	r := Result{Start: s.part.start, Cycles: s.finish - s.part.start, DrainCycles: s.now - s.finish, Stopped: s.running > 0 && !s.part.over, Replays: s.replays, EvictedReplays: s.evictedReplays,
		PacketIdleSum: s.idleSum, MissLatencySum: s.missSum, MissCount: s.misses, LongestMiss: s.longestMiss, CacheTransfers: s.cacheTransfers,
		PeakReorder: s.nic.peakHeld, PeakInterface: s.nic.peak,
		Classes: s.classes, Epochs: s.epochs, RouterEpochs: s.routerEpochs.list, HotBlocks: s.hot.hottest(&s.config), Network: s.network.Totals(), Digest: s.digest}
	b := &s.part.base
	for i := range s.cores {
		c := &s.cores[i]
		own := coreBase{c.sofar(), c.kinds, c.shared}
		if b.cores != nil {
			counts.Since(&own, &b.cores[i])
		}
		if !s.config.Core.Plain || s.part.to > 0 { // else it has counted them
			own.Result.RetiringCycles = uint64(own.Result.FinishCycle)
			for _, n := range own.Result.StallCycles {
				own.Result.RetiringCycles -= n
			}
		}
		s.await(i, &own.Result)
		r.Cores = append(r.Cores, own.Result)
		r.Instructions += own.Result.Instructions
		r.Loads += own.Kinds[traces.Load]
		r.Stores += own.Kinds[traces.Store]
		r.Atomics += own.Kinds[traces.Atomic]
		r.Fetches += own.Kinds[traces.Fetch]
		r.Locks += own.Kinds[traces.Lock] - own.Shared
		r.SharedLocks += own.Shared
		r.Barriers += own.Kinds[traces.Barrier]
		r.Ordered += own.Result.Ordered
		r.Woken += own.Result.Woken
		r.Attempts += own.Result.Attempts
	}
	s.countControllers(&r)
	s.milestones.fill(&r, s.finish, s.cores)
	for i := range s.latency {
		for k := range s.latency[i] {
			if one := &s.latency[i][k]; one.count > 0 {
				low, high := buckets.Edges(k, buckets.Latency)
				r.PacketDeliveries += one.count
				r.PacketLatencySum += one.sum
				r.Latency = append(r.Latency, Bucket{Class: noc.Class(i / int(Casts)), Cast: Cast(i % int(Casts)),
					Low: low, High: high, Count: one.count, Sum: one.sum})
			}
		}
	}
	r.Routers = s.network.Activity(nil)
	r.Links = s.network.Links(nil)
	if b.cores != nil {
		now := r.Network.Buffered // no count
		counts.Since(&r.Network, &b.totals)
		r.Network.Buffered = now
		for i := range r.Routers {
			counts.Since(&r.Routers[i], &b.activity[i])
		}
		for i := range r.Links {
			r.Links[i].Phits -= b.links[i].Phits
		}
	}
	return r
}

// countControllers sums the controllers' statistics. An L1 hit is an access performed at once; an
// L1 miss is an access, or a store buffer's early request for its block, that opened a miss.
// Accesses that joined an open miss, and loads that took their value from an older store, are
// neither.
func (s *System) countControllers(r *Result) {
	var of [coherence.Roles]coherence.Counters
	for i := range s.agents.all {
		c := s.counted(i)
		counts.Add(&of[s.agents.names[i].Role], &c)
	}
	caches, banks, memories := &of[coherence.Cache], &of[coherence.Bank], &of[coherence.Memory]
	for k, n := range s.protocol.Hits() {
		n -= s.part.base.hits[k]
		if coherence.AccessKind(k) != coherence.Prefetch {
			r.L1Hits += n
		}
		r.L1Misses += caches.Misses[k]
		r.L2Hits += banks.Hits[k]
		r.L2Misses += banks.Misses[k]
	}
	r.Invalidations, r.Upgrades = caches.Invalidations, caches.Upgrades
	r.MemoryReads, r.MemoryWrites = memories.MemoryReads, memories.MemoryWrites
	own := *caches
	counts.Add(&own, banks)
	counts.Add(&own, memories)
	for i, name := range s.about.Counters {
		r.Counters = append(r.Counters, Counter{name, own.Own[i]})
	}
}

// counted is what an agent has counted in the measured part.
func (s *System) counted(agent int) coherence.Counters {
	c := s.agents.all[agent].Counters()
	if b := s.part.base.agents; b != nil {
		counts.Since(&c, &b[agent])
	}
	return c
}

// Performed is one record of a trace that has taken effect for good: a store or unlock when it
// becomes visible, everything else when it retires. Instruction fetches and ends of streams are not
// told.
//
// Versions stand for data, so this is all that a program needs to know the values it would have
// computed: a load reads what the latest store to its bytes up to Version wrote, and an atomic what
// came before the version that it made.
type Performed struct {
	Core   int
	Record uint64        // position in the core's stream, from 0
	Access traces.Record // kind, address and size
	// Version is that of the block when the load read it, or that the store or atomic made; 0 for
	// what accesses no memory, and for locks and barriers.
	Version uint64
	// Forwarded loads took their value from the store at position From of their own core, before it
	// became visible; they have no version.
	Forwarded bool
	From      uint64
	Cycle     noc.Cycle
}

// Watch calls f for every record as it takes effect; records of one core and kind come in program
// order. Call it before Run. A run that is watched gives the same results, more slowly.
func (s *System) Watch(f func(Performed)) {
	s.observer = f
	for i := range s.cores {
		c := &s.cores[i]
		c.reported, c.checked = f != nil, f != nil || s.audit.checking
	}
}

// notifyObserver reports one record to the observer.
func (c *core) notifyObserver(r traces.Record, index uint32, value uint64, forwarded bool) {
	p := Performed{Core: c.id, Record: c.input.whole(index), Access: r, Version: value, Forwarded: forwarded, Cycle: c.system.now}
	if forwarded {
		p.Version, p.From = 0, value
	}
	c.system.observer(p)
}
