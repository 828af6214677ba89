package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// dispatch applies rules 4 and 5 of the plain core: it brings instructions into the window in
// order, as fetch makes them ready, up to the core's width and as long as there is room.
func (c *core) dispatch(now noc.Cycle) {
	n := min(uint64(c.width), uint64(c.capacity)-(c.dispatched-c.retired))
	if n > c.branch-c.dispatched {
		n = c.beforeBranch(n, now)
	}
	for n > 0 && (c.loaded || c.readRecord()) {
		plain := min(n, c.plain) // instructions before the record
		c.dispatched += plain
		c.plain -= plain
		if n -= plain; n == 0 || !c.fetch(now) {
			return
		}
		if c.loaded {
			c.enter(c.input.record)
			n--
		}
	}
}

// beforeBranch returns how many of n instructions may enter the window as far as the next mispredicted branch is
// concerned: none behind it before it has left the window and refill is over.
func (c *core) beforeBranch(n uint64, now noc.Cycle) uint64 {
	switch left := c.branch - c.dispatched; {
	case left > 0:
		return left
	case c.retired < c.dispatched || now < c.resume && c.resume < noc.Never:
		return 0
	case c.resume == noc.Never:
		c.resume = now + c.config.Refill
		return 0
	}
	c.branch, c.resume = c.branch+c.config.MispredictEvery, noc.Never
	return min(n, c.config.MispredictEvery)
}

// enter puts the latest record into the window.
func (c *core) enter(r *traces.Record) {
	o := c.op(c.end)
	o.set(r, c.input.index(), c.dispatched)
	c.values[c.slot(c.end)] = uint64(r.Count)
	switch {
	case r.Kind == traces.Load:
		c.stores.guard(o)
		if r.Count == traces.Tries {
			c.attempt.loads = append(c.attempt.loads, o.index)
		}
		if c.config.SequentialConsistency {
			o.state = waiting
		}
		if o.producer > 0 {
			c.resolveProducer(o, c.end)
		}
	case r.Kind == traces.Store || r.Kind == traces.Unlock && r.Size&(traces.Sleeps|traces.Shared) == 0:
		o.state = passive
		c.stores.enter(o, c.system.config.blockOf(o))
	default:
		o.state = waiting
		if r.Kind == traces.Lock && r.Size&traces.Shared != 0 {
			c.shared++
		}
	}
	if !r.Kind.IsAccess() {
		c.others++
		if r.Kind == traces.Fence && r.Count == traces.Halts {
			c.halted = c.input.taken + traces.HaltRecords
		}
	}
	c.kinds[r.Kind]++
	c.end++
	c.dispatched++
	c.loaded = false
}

// resolveProducer finds the access that gives a load its address, the Dependence-th before it, and
// makes the load, which is to be the last-th operation, wait for it. A producer that has retired, a
// fetch or a store is not waited for. Accesses are numbered by their position in the stream without
// the records that are no accesses.
func (c *core) resolveProducer(o *operation, last int) {
	others := c.others
	number, distance := c.input.whole(o.index)-others, uint64(o.producer)
	o.producer = 0
	if distance > number {
		return
	}
	number -= distance
	for i := last - 1; i >= c.first; i-- {
		p := c.op(i)
		if !p.kind.IsAccess() {
			others--
			continue
		}
		if n := c.input.whole(p.index) - others; n <= number {
			if n == number && p.kind != traces.Store {
				o.producer, o.state = uint16(last-i), waiting
				s := &c.account.slots[c.slot(last)]
				s.waits, s.asked, s.waited = o.index, c.system.now, 0
			}
			return
		}
	}
}

// fetch makes the record that was read ready to enter the window: the writes that it must see are
// visible, and its instruction block is there. A record of a fetch is done with then. It returns
// false while that is to come, and at the end of the stream.
func (c *core) fetch(now noc.Cycle) bool {
	r := c.input.record
	if r.Kind == traces.End || (c.waitsFor >= 0 || c.input.edgeDue()) && !c.edgesMet(now) {
		return false
	}
	return r.Kind != traces.Fetch || c.fetchBlock(now)
}

// readRecord takes the next record of the stream and counts the plain instructions before it.
func (c *core) readRecord() bool {
	if c.failed || c.live.hold != unheld && c.released() > c.system.now {
		return false
	}
	slept := c.live.hold == sleeping
	c.live.hold, c.live.alarm = unheld, noc.Never
	if err := c.input.next(); err != nil {
		if !c.held(err) {
			c.fail(err)
		}
		return false
	}
	r := c.input.record
	c.live.slept = slept && r.Kind == traces.End
	if address, uses := r.Memory(); uses && address >= c.system.config.Memory.Bytes {
		c.fail(&AddressError{Core: c.id, Record: c.input.index(), Address: address, Bytes: c.system.config.Memory.Bytes})
		return false
	}
	total := uint64(r.Instructions) + uint64(c.carry)
	c.carry = 0
	switch {
	case r.Kind == traces.End:
		c.plain = total
	case r.Kind == traces.Fetch:
		// The fetched instruction itself comes with the next record.
		if total > 0 {
			c.plain, c.carry = total-1, 1
		}
	case total > 0:
		c.plain = total - 1
	default:
		c.pieces++
	}
	c.loaded = true
	return true
}

// fail ends the run because of an error in the core's trace.
func (c *core) fail(err error) {
	c.failed = true
	c.system.fail(err)
}

// edgesMet reports whether the writes that the next record must see are visible; if not, the
// writer will wake the core. Progress shows one cycle late, so that results do not depend on the
// order in which cores are visited. A core that can do nothing but poll for the value of a load
// holds its block meanwhile, and asks for it again when it has lost it.
func (c *core) edgesMet(now noc.Cycle) bool {
	if c.waitsFor >= 0 && now < c.waitsUntil {
		c.poll(now)
		return false
	}
	met, joins := false, c.input.record.Kind == traces.Join
	for c.input.edgeDue() {
		if c.config.Order == Ignore && !joins {
			c.input.edgeMet()
			continue
		}
		e := &c.input.edge
		p := &c.system.cores[e.Producer]
		if p.committed() <= e.Position {
			c.waitsFor, c.waitsUntil = int(e.Producer), noc.Never
			c.watch(c.waitsFor)
			c.poll(now)
			return false
		}
		if c.sync.phase == polling && c.sync.asked {
			return false // the value is on its way
		}
		if !joins {
			c.result.Ordered++
		}
		if c.input.record.Kind == traces.Fence { // a thread goes on behind the call in which it slept
			c.result.Woken++
		}
		met = true
		c.input.edgeMet()
	}
	if met {
		c.halted = 0
	}
	if c.sync.phase == polling {
		c.sync = synchronisation{}
	}
	c.waitsFor = -1
	return true
}

// poll reads the block of a load that polls and waits for an edge, unless the core holds it.
func (c *core) poll(now noc.Cycle) {
	s, r := &c.sync, c.input.record
	if s.phase == idle && r.Kind == traces.Load && r.Count == traces.Polls && c.empty() && c.stores.buffered() == 0 {
		*s = synchronisation{phase: polling, block: blockAt(r.Address)}
	}
	if s.phase == polling && s.mayAdvance(c.refused) && s.ready <= now {
		s.read(c, coherence.Load, now)
	}
}

// watch asks another core to wake this one when it has made progress.
func (c *core) watch(other int) {
	p := &c.system.cores[other]
	for _, w := range p.waiters {
		if w == c.id {
			return
		}
	}
	if len(p.waiters) == 0 {
		p.announced = p.committed()
	}
	p.waiters, p.awaited = append(p.waiters, c.id), true
}

// fetchBlock performs an instruction fetch; a miss stops dispatch.
func (c *core) fetchBlock(now noc.Cycle) bool {
	switch c.fetching {
	case fetchPending:
		return false
	case fetchIdle:
		if c.refused {
			return false
		}
		block := blockAt(c.input.record.Address)
		outcome, _ := c.access(coherence.Access{Block: block, Handle: handleFetch, Kind: coherence.Fetch}, now)
		if outcome == coherence.Refused {
			c.refused = true
			return false
		}
		if outcome == coherence.Pending {
			c.fetching = fetchPending
			return false
		}
	}
	c.fetching = fetchIdle
	c.kinds[traces.Fetch]++
	c.loaded = false
	return true
}

// retire applies rule 2 of the plain core: it removes finished instructions in order, up to the
// core's width.
func (c *core) retire(now noc.Cycle) {
	for n := min(uint64(c.width), c.dispatched-c.retired); n > 0; {
		ahead := n // without a record
		if !c.empty() {
			ahead = min(n, c.plainAhead())
		}
		if ahead == 0 {
			if !c.mayRetire(c.oldest(), now) {
				return
			}
			c.first++
			ahead = 1
		}
		c.retired += ahead
		n -= ahead
	}
}

// mayRetire reports whether the oldest operation may retire, and does what it does then.
func (c *core) mayRetire(o *operation, now noc.Cycle) bool {
	switch o.kind {
	case traces.Store:
		return c.buffer(now)
	case traces.Unlock:
		if o.state == passive {
			return c.buffer(now)
		}
		return c.synchronise(o, now) // which has told the observer
	case traces.Load:
		if o.state != done || o.ready > now {
			return false
		}
		c.attempt.pass(c, o)
	case traces.Fence:
		if c.stores.buffered() > 0 {
			return false
		}
	case traces.Atomic:
		if !c.atomic(o, now) {
			return false
		}
	default:
		if !c.synchronise(o, now) {
			return false
		}
	}
	if c.reported {
		c.notifyObserver(traces.Record{Kind: o.kind, Address: o.address, Size: o.size}, o.index, c.values[c.slot(c.first)], o.forward)
	}
	return true
}

// buffer moves a retiring store into the store buffer, if there is room, and asks early for its
// block, so that the misses of neighbouring stores overlap while they become visible in order.
func (c *core) buffer(now noc.Cycle) bool {
	if n := c.stores.buffered(); n > 0 {
		if n >= int(c.storeBuffer) {
			return false
		}
		block := c.stores.at(c.stores.retired).block
		if l := c.hits.Find(block); !c.hits.Hit(l, coherence.Prefetch) {
			c.ask(coherence.Access{Block: block, Kind: coherence.Prefetch}, now)
		} else if c.system.audit.checking {
			c.system.audit.touch(block)
		}
	}
	c.stores.retire()
	if c.attempt.word != 0 {
		c.attempt.touched = c.stores.at(c.stores.retired-1).block + 1
	}
	return true
}

// atomic performs a read-modify-write at the head of the window once all older stores are visible.
func (c *core) atomic(o *operation, now noc.Cycle) bool {
	switch {
	case o.state == done:
		return o.ready <= now && c.attempt.succeeds(c, o, now)
	case o.state == pending || c.stores.buffered() > 0 || c.refused || o.ready > now:
		return false
	}
	if c.sync.phase == reread {
		if c.sync.mayAdvance(c.refused) {
			c.sync.read(c, coherence.Load, now)
		}
		return false
	}
	c.start(c.first, coherence.Atomic, now)
	return false
}
