package cmp

import (
	"cmp"
	"math"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// core replays one stream of a trace through an out-of-order window. Its parts are types of their
// own: window is the reorder window, with the check of speculative loads; stores has the store
// buffer and the stores in the window; synchronisation is the lock or barrier at the head; input
// reads the trace; account says where the cycles go.
//
// The stages of a cycle run from back to front, so that an instruction spends at least one cycle in
// each.
//
// The fields that nearly every cycle reads come first, in five cache lines of the host
// (TestCoreLayout): by a core's next cycle the other cores have displaced them from the host's
// first cache.
type core struct {
	// Cycles from idleFrom on retire nothing; stall is the reason. idleFrom is in the future while
	// skipped instructions without records retire.
	idleFrom noc.Cycle
	ahead    noc.Cycle // plain instructions have been accounted up to this cycle
	system   *System
	id       int
	limits
	carry    uint32 // 1 while an instruction is counted by its fetch and its access follows
	refused  bool   // the cache refused something: wait for retry
	loaded   bool   // input.record is being dispatched
	finished bool
	failed   bool // nothing more is taken from the trace
	awaited  bool // waiters is not empty
	every    bool // simulate quiet cycles too
	reported bool // an observer is told of every record that takes effect
	checked  bool // every access is observed or checked: no fast paths
	kept     bool // the cache keeps evicted blocks for speculative loads
	stall    Stall
	fetching fetchState

	window

	hits coherence.HitPath // into the cache

	stores stores
	// values has, for each slot of the window, the version of the block that an access has read or
	// made; for a load that took its value from a store, the record of that store; for a barrier,
	// how many cores meet at it. The fast paths do not set it, because nothing reads it then.
	values []uint64

	pieces uint64 // operations that belong to the instruction of the one before
	input  input

	config CoreConfig
	cache  coherence.CacheController
	others uint64    // records of the stream so far that were no accesses
	plain  uint64    // instructions without a record to dispatch before the next record
	branch uint64    // position behind the next mispredicted branch
	resume noc.Cycle // when dispatch goes on behind it; Never before the window is empty
	halted uint64    // position up to which the core has no work, unless an edge is met before
	sync   synchronisation

	attempt attempt

	live       live
	uncreated  bool // another core has yet to create it
	waitsFor   int  // core whose progress the next record waits for, or -1
	waitsUntil noc.Cycle
	waiters    []int
	announced  uint64 // committed records that waiters have been told of

	kinds   [traces.Kinds]uint64 // records that have entered the window; fetches and ends that were executed
	shared  uint64               // of the locks, those that are shared
	result  CoreResult           // its instructions and records are filled in at the end
	account *account

	_ [16]byte // no line of the host's cache is of two cores
}

// limits is the part of the configuration that every cycle reads.
type limits struct{ width, capacity, storeBuffer, loadPorts, hit int16 }

type fetchState uint8

const (
	fetchIdle fetchState = iota
	fetchPending
	fetchDone
)

// An access's handle is its window slot; accesses without a slot have these.
const (
	handleStore    = 1 << 16
	handleFetch    = 1 << 17
	handleSync     = 1 << 18
	handlePrefetch = 1 << 19
)

// pageBlocks is how many blocks a page has: prefetching stops at its end.
const pageBlocks = 4096 / coherence.BlockBytes

func newCore(s *System, id int, src traces.Source) core {
	k, places := s.config.Core, powerOfTwo(s.config.Core.Window)
	return core{id: id, system: s, config: k, cache: s.agents.caches[id], hits: s.agents.caches[id].HitPath(),
		limits: limits{int16(k.Width), int16(k.Window), int16(k.StoreBuffer), int16(k.LoadPorts), int16(s.config.Latency.Hit)}, waitsFor: -1, branch: cmp.Or(k.MispredictEvery, math.MaxUint64), resume: noc.Never,
		stores: newStores(k), window: window{ring: make([]operation, places)}, values: make([]uint64, places), input: newInput(src, id, k),
		account: &account{slots: make([]slotAccount, places)}, checked: s.audit.checking, every: s.config.EveryCycle}
}

// cycle simulates one cycle of the core and returns the next one in which it has something to do,
// unless something happens to it before. The stages run from back to front, so that an instruction
// spends at least one cycle in each. complete, which the chip calls when an access ends, is the
// stage between issue and retire.
func (c *core) cycle(now noc.Cycle) noc.Cycle {
	c.chargeStall(now)
	if c.stores.visible != c.stores.retired {
		c.drain(now)
	}
	retiring := false
	if now >= c.ahead {
		before := c.retired
		if c.first != c.end {
			c.retire(now)
			c.issue(now)
		} else {
			c.retired += min(uint64(c.width), c.dispatched-c.retired)
		}
		c.dispatch(now) // which calls fetch
		c.idleFrom = now + 1
		if c.retired == c.dispatched && c.finishedAt(now) {
			return noc.Never
		}
		if retiring = c.retired != before; !retiring {
			c.idleFrom, c.stall = now, c.cause()
		}
	}
	if c.awaited {
		c.announce(now)
	}
	if c.first != c.end && (c.stores.mayDrain() || c.mayDispatch()) {
		return now + 1 // as next says; the common case
	}
	at := c.next(now)
	if retiring && at > c.idleFrom {
		c.stall = c.cause()
	}
	return at
}

// finishedAt reports whether a core with an empty window has nothing left to do, and notes the
// cycle.
func (c *core) finishedAt(now noc.Cycle) bool {
	if c.finished {
		return true
	}
	if !c.loaded || c.input.record.Kind != traces.End || c.plain > 0 || c.stores.buffered() > 0 {
		return false
	}
	c.kinds[traces.End]++
	c.finished = true
	c.result.FinishCycle = now
	c.announce(now)
	c.system.coreFinished(c)
	return true
}

// records returns how many records the core has executed: those that have left the window, and
// those that never enter it.
func (c *core) records() uint64 {
	return uint64(c.first) + c.kinds[traces.Fetch] + c.kinds[traces.End]
}

// instructions returns how many instructions the core has retired before the present cycle. Of those that
// it skips at once, some come later. Operations of an instruction that has others in the window count as
// retired.
func (c *core) instructions() uint64 {
	later := uint64(max(c.ahead, c.system.now)-c.system.now) * uint64(c.width)
	return c.retired - min(c.retired, c.pieces+later)
}

// committed returns the position up to which all records of the core have taken effect: they have
// retired, and their stores are visible. A fetch has no slot in the window, so it takes effect
// together with the operation before it.
func (c *core) committed() uint64 {
	if c.stores.buffered() > 0 {
		return c.input.whole(c.stores.front().record)
	}
	switch {
	case !c.empty():
		return c.input.whole(c.oldest().index)
	case c.loaded && !c.finished:
		return c.input.index()
	}
	return c.input.taken
}

// announce wakes the cores that wait for this core, one cycle after it has made progress.
func (c *core) announce(now noc.Cycle) {
	if !c.awaited {
		return
	}
	if at := c.committed(); at != c.announced || c.finished {
		c.announced = at
		for _, w := range c.waiters {
			other := &c.system.cores[w]
			other.waitsUntil = now + 1
			if other.sync.phase == idle {
				other.sync.asked = false
			}
			other.wakeAt(now + 1)
		}
		c.waiters, c.awaited = c.waiters[:0], false
	}
}

func (c *core) wakeAt(at noc.Cycle) {
	if s := c.system; at < s.wakes[c.id] {
		s.wakes[c.id] = at
		s.active[c.id/64] |= 1 << (c.id % 64)
		s.coreDue = min(s.coreDue, at)
	}
}

// drain makes the oldest store of a buffer that is not empty visible, one per cycle. Fast path: a
// store to a block that the hit path finds.
func (c *core) drain(now noc.Cycle) {
	q := &c.stores
	if q.pending || q.refused || now < q.ready {
		return
	}
	st := q.front()
	block := st.block
	if !st.taken && st.kind == traces.Store && !c.checked {
		if l := c.hits.Find(block); c.hits.Hit(l, coherence.Store) { // as access and visible do
			q.visible++
			q.ready = now + 1
			if c.live.source != nil {
				c.live.source.Visible(c.id)
			}
			c.system.note(now, c.id, block, coherence.Store, l.Version)
			return
		}
	}
	c.drainOldest(now)
}

// drainOldest makes the oldest store visible, or starts its access.
func (c *core) drainOldest(now noc.Cycle) {
	switch outcome, v := c.access(coherence.Access{Block: c.stores.front().block, Handle: handleStore, Kind: coherence.Store}, now); outcome {
	case coherence.Hit:
		c.visible(now, v)
	case coherence.Pending:
		c.stores.pending = true
	case coherence.Refused:
		c.stores.refused = true
	}
}

// visible removes the oldest store, which has just made a version of its block.
func (c *core) visible(now noc.Cycle, v coherence.Version) {
	st := c.stores.pop()
	if c.live.source != nil {
		c.live.source.Visible(c.id)
	}
	if st.taken {
		c.forwardedStoreVisible(c.input.whole(st.record), v)
	}
	address := uint64(st.block)*coherence.BlockBytes + uint64(st.offset)
	if st.kind == traces.Unlock {
		address = c.stores.objects.Pop()
		c.system.release(address, now)
	}
	if c.reported {
		c.notifyObserver(traces.Record{Kind: st.kind, Address: address, Size: st.size}, st.record, uint64(v), false)
	}
	c.stores.ready = now + 1
}

// access performs an access or starts it.
func (c *core) access(a coherence.Access, now noc.Cycle) (coherence.Outcome, coherence.Version) {
	outcome, v := c.ask(a, now)
	if outcome == coherence.Hit {
		c.system.note(now, c.id, a.Block, a.Kind, v)
		if c.system.audit.checking {
			c.system.audit.checkValue(c.id, a.Block, a.Kind, v)
		}
	}
	return outcome, v
}

// ask passes an access to the cache and applies the effects.
func (c *core) ask(a coherence.Access, now noc.Cycle) (coherence.Outcome, coherence.Version) {
	s := c.system
	s.agents.prepare(c.id, coherence.Cache)
	s.paths.forget() // what the L1 sends has no other cause
	outcome, v := c.cache.Access(a, now, &s.agents.effects)
	if outcome == coherence.Refused || !s.agents.effects.Quiet() { // or nothing is deferred
		s.agents.apply(c.id, coherence.Cache)
	}
	s.audit.touch(a.Block)
	return outcome, v
}

// complete ends a pending access: the chip calls it when the cache has performed the access.
func (c *core) complete(d *coherence.Completion) {
	now := c.system.now
	var block coherence.Block
	if d.Handle&handlePrefetch != 0 {
		c.system.prefetches--
		return
	}
	c.chargeStall(now)
	c.idleFrom = max(c.idleFrom, now)
	switch {
	case d.Handle&handleStore != 0:
		block = c.stores.front().block
		c.account.missed(StallStoreBuffer, &c.system.paths, d, now)
		c.visible(now, d.Version)
	case d.Handle&handleFetch != 0:
		block = blockAt(c.input.record.Address)
		c.account.missed(StallFetch, &c.system.paths, d, now)
		c.fetching = fetchDone
	case d.Handle&handleSync != 0:
		block = c.sync.block
		c.sync.performed(c, now)
	default:
		o := &c.ring[d.Handle]
		block = blockAt(o.address)
		if int(d.Handle) == c.slot(c.first) {
			c.account.depend(c)
			c.account.missed(StallLoad, &c.system.paths, d, now)
		}
		o.state, o.ready, c.values[d.Handle] = done, now+1, uint64(d.Version)
		if o.stale {
			o.stale = false
			c.replay(c.first+c.slot(int(d.Handle)-c.first), now+c.config.ReplayDelay)
			c.replayed(1)
		}
	}
	c.system.observeCompletion(c, block, d)
	c.wakeAt(now)
}

// retry wakes the core to repeat an access that the cache refused.
func (c *core) retry() {
	if c.refused || c.stores.refused {
		c.refused, c.stores.refused = false, false
		c.wakeAt(c.system.now)
	}
}
