package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// dispatch brings instructions into the window in order, up to the core's width and the window's room.
func (c *core) dispatch(now noc.Cycle) {
	for n := uint64(c.config.Width); n > 0; {
		room := uint64(c.config.Window) - (c.dispatched - c.retired)
		if room == 0 {
			return
		}
		if c.plain > 0 {
			k := min(n, room, c.plain)
			c.dispatched += k
			c.plain -= k
			n -= k
			continue
		}
		if !c.loaded {
			if !c.loadRecord() {
				return
			}
			continue
		}
		r := &c.input.record
		if r.Kind == traces.End || !c.edgesMet(now) {
			return
		}
		if r.Kind == traces.Fetch {
			if !c.fetchBlock(now) {
				return
			}
			continue
		}
		c.enter(now)
		n--
	}
}

// loadRecord takes the next record of the stream and counts the plain instructions before it.
func (c *core) loadRecord() bool {
	if c.failed != nil {
		return false
	}
	if err := c.input.next(); err != nil {
		c.failed = err
		c.system.fail(err)
		return false
	}
	r := &c.input.record
	if r.Kind.IsAccess() && r.Address >= c.system.config.Memory.Bytes {
		c.failed = &AddressError{Core: c.id, Record: c.input.index, Address: r.Address, Bytes: c.system.config.Memory.Bytes}
		c.system.fail(c.failed)
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
	}
	c.loaded = true
	return true
}

// edgesMet tells whether the writes that the next record must see are visible, and if not, asks to be
// woken when the writer has made progress. Progress shows one cycle late, so that the order in which cores
// are visited does not matter.
func (c *core) edgesMet(now noc.Cycle) bool {
	if c.waitsFor >= 0 && now < c.waitsUntil {
		return false
	}
	for c.input.edgeFor(c.input.index) {
		e := &c.input.edge
		p := &c.system.cores[e.Producer]
		if p.committed() <= e.Position {
			c.wait(int(e.Producer))
			return false
		}
		c.input.edgeMet()
	}
	c.waitsFor = -1
	return true
}

// wait registers the core with another one whose progress it waits for.
func (c *core) wait(producer int) {
	c.waitsFor, c.waitsUntil = producer, noc.Never
	c.watch(producer)
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
	p.waiters = append(p.waiters, c.id)
}

// fetchBlock performs an instruction fetch; a miss stops dispatch.
func (c *core) fetchBlock(now noc.Cycle) bool {
	switch c.fetch {
	case fetchPending:
		return false
	case fetchIdle:
		if c.refused {
			return false
		}
		block := c.system.block(c.input.record.Address)
		outcome, v := c.access(coherence.Access{Block: block, Handle: handleFetch, Kind: coherence.Fetch}, now)
		if outcome == coherence.Refused {
			c.refused = true
			return false
		}
		if outcome == coherence.Pending {
			c.fetch = fetchPending
			return false
		}
		c.system.observeHit(c.id, block, coherence.Fetch, v)
	}
	c.fetch = fetchIdle
	c.countRecord(c.input.record)
	if c.count == 0 {
		c.retiredRecords = c.input.index + 1
	}
	c.accesses++
	c.loaded = false
	return true
}

// enter puts the record into the window.
func (c *core) enter(now noc.Cycle) {
	r := c.input.record
	o := &c.window[c.slot(c.count)]
	*o = operation{Record: r, position: c.dispatched, index: c.input.index, ready: now + 1}
	switch {
	case r.Kind.IsAccess():
		o.block = c.system.block(r.Address)
		o.access = c.accesses
		if d := uint64(r.Dependence); d > 0 && d <= c.accesses {
			o.producer = c.accesses - d + 1
		}
		c.accesses++
	default:
		o.block = c.system.objectBlock(r.Address, 0)
	}
	o.store = c.lastStore
	c.count++
	if r.Kind == traces.Store {
		c.countStore(r.Address, r.Size, 1)
		c.lastStore = c.left + uint64(c.count)
	}
	c.dispatched++
	c.loaded = false
}

// next is the first cycle after now in which the core can do something by itself.
func (c *core) next(now noc.Cycle) noc.Cycle {
	if c.system.config.EveryCycle {
		return now + 1
	}
	at := noc.Never
	if c.stores.len() > 0 && !c.stores.front().pending && !c.drainRefused {
		at = max(c.drainReady, now+1)
	}
	if now < c.ahead {
		return min(at, c.ahead)
	}
	if at == now+1 || c.canDispatch() || c.canRetire(now) {
		return c.skipPlain(now)
	}
	if c.count > 0 {
		if o := &c.window[c.first]; o.state == done {
			at = min(at, max(o.ready, now+1))
		}
	}
	return min(at, c.nextIssue(now))
}

// canDispatch tells whether dispatch would make progress in the next cycle as things stand.
func (c *core) canDispatch() bool {
	if c.dispatched-c.retired >= uint64(c.config.Window) {
		return false
	}
	if c.plain > 0 || !c.loaded {
		return c.failed == nil
	}
	if c.waitsFor >= 0 && c.waitsUntil == noc.Never {
		return false
	}
	switch c.input.record.Kind {
	case traces.End:
		return false
	case traces.Fetch:
		return c.fetch != fetchPending && (c.fetch == fetchDone || !c.refused)
	}
	return true
}

// canRetire tells whether retirement would make progress in the next cycle as things stand.
func (c *core) canRetire(now noc.Cycle) bool {
	if c.retired == c.dispatched {
		return c.loaded && c.input.record.Kind == traces.End && c.plain == 0 && c.stores.len() == 0
	}
	if c.count == 0 || c.window[c.first].position > c.retired {
		return true
	}
	o := &c.window[c.first]
	switch o.Kind {
	case traces.Load:
		return o.state == done && o.ready <= now+1
	case traces.Store, traces.Unlock:
		return c.stores.len() < c.config.StoreBuffer
	case traces.Fence:
		return c.stores.len() == 0
	case traces.Atomic:
		return o.state == done && o.ready <= now+1 || o.state == waiting && c.stores.len() == 0 && !c.refused
	}
	return c.canSynchronise()
}

// nextIssue is the first cycle in which a waiting load may issue.
func (c *core) nextIssue(now noc.Cycle) noc.Cycle {
	at := noc.Never
	if c.refused {
		return at
	}
	for i := c.scan; i < c.count; i++ {
		o := &c.window[c.slot(i)]
		if o.Kind != traces.Load && o.Kind != traces.Store && o.Kind != traces.Unlock {
			break
		}
		if o.Kind == traces.Load && o.state == waiting {
			if o.producer == 0 || o.ready > now {
				at = min(at, max(o.ready, now+1))
			} else {
				at = min(at, c.producerReady(o, i, now))
			}
			if at == now+1 {
				return at
			}
		}
	}
	return at
}

// producerReady is when the access that gives a load its address has its result; Never while it is
// pending, whose completion wakes the core.
func (c *core) producerReady(o *operation, i int, now noc.Cycle) noc.Cycle {
	for k := i - 1; k >= 0; k-- {
		if p := &c.window[c.slot(k)]; p.Kind.IsAccess() && p.access+1 == o.producer {
			if p.Kind == traces.Store || p.state == done {
				return max(p.ready, now+1)
			}
			return noc.Never
		}
	}
	return now + 1
}

// skipPlain accounts a long run of plain instructions at once: with nothing else in the window, each cycle
// dispatches and retires a full width of them.
func (c *core) skipPlain(now noc.Cycle) noc.Cycle {
	width := uint64(c.config.Width)
	if c.count > 0 || c.plain < 4*width || c.dispatched-c.retired != width {
		return now + 1
	}
	cycles := c.plain/width - 1
	c.dispatched += cycles * width
	c.retired += cycles * width
	c.plain -= cycles * width
	c.ahead = now + noc.Cycle(cycles) + 1
	if c.idleFrom == now {
		c.result.StallCycles[c.stall]++
	}
	c.idleFrom = c.ahead
	if c.stores.len() > 0 && !c.stores.front().pending && !c.drainRefused {
		return max(c.drainReady, now+1)
	}
	return c.ahead
}

// cause names what keeps the oldest instruction from retiring.
func (c *core) cause() Stall {
	if c.count > 0 && c.window[c.first].position == c.retired {
		switch c.window[c.first].Kind {
		case traces.Store, traces.Unlock, traces.Fence:
			return StallStoreBuffer
		case traces.Load, traces.Atomic:
			return StallLoad
		}
		return StallSync
	}
	if c.waitsFor >= 0 {
		return StallDependence
	}
	if c.loaded && c.input.record.Kind == traces.End && c.stores.len() > 0 {
		return StallStoreBuffer
	}
	return StallFetch
}
