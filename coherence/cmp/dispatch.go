package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// dispatch brings instructions into the window in order, up to the core's width and the window's room.
func (c *core) dispatch(now noc.Cycle) {
	n := min(uint64(c.config.Width), uint64(c.config.Window)-(c.dispatched-c.retired))
	for n > 0 {
		if !c.loaded { // then no plain instructions are left either
			if n = c.enterRun(n); n == 0 || !c.loadRecord() {
				return
			}
		}
		if c.plain > 0 {
			k := min(n, c.plain)
			c.dispatched += k
			c.plain -= k
			n -= k
			continue
		}
		r := c.input.record
		if r.Kind == traces.End || (c.waitsFor >= 0 || c.input.edgeDue()) && !c.edgesMet(now) {
			return
		}
		if r.Kind == traces.Fetch {
			if !c.fetchBlock(now) {
				return
			}
			continue
		}
		c.enter(r)
		n--
	}
}

// enterRun puts loads and stores directly into the window, each behind the plain instructions before it, as long as
// they fit into n and no edge leads to them. Most records enter so. It returns what is left of n.
func (c *core) enterRun(n uint64) uint64 {
	in := &c.input
	if in.at >= in.free {
		return n
	}
	records, at, end := in.records, in.at, in.free
	window, last := c.window, c.first+c.count
	bytes, room := c.system.config.Memory.Bytes, 1-c.carry
	for ; n > 0 && at < end; at++ {
		r := &records[at]
		if r.Kind > traces.Store || r.Address >= bytes {
			break
		}
		if r.Instructions != room {
			if r.Instructions < room {
				c.pieces++
			} else if plain := uint64(r.Instructions - room); plain < n {
				n -= plain
				c.dispatched += plain
			} else {
				break
			}
		}
		room = 1
		o := &window[last&(len(window)-1)]
		o.hold(r, in.taken+uint64(at-in.at), uint32(c.dispatched), c.stores.entered)
		if r.Dependence > 0 {
			o.producer = c.producer(last, o.index-c.others, uint64(r.Dependence))
		}
		if r.Kind == traces.Store {
			c.kinds[traces.Store]++
			c.kinds[traces.Load]-- // all are counted as loads below
			c.stores.enter(r, o.index, coherence.Block(r.Address/coherence.BlockBytes))
		}
		last++
		c.dispatched++
		n--
	}
	if entered := at - in.at; entered > 0 {
		in.at = at
		in.taken += uint64(entered)
		c.carry = 0
		c.count += entered
		c.kinds[traces.Load] += uint64(entered)
	}
	return n
}

// loadRecord takes the next record of the stream and counts the plain instructions before it.
func (c *core) loadRecord() bool {
	if c.failed != nil {
		return false
	}
	if err := c.input.next(); err != nil {
		c.fail(err)
		return false
	}
	r := c.input.record
	if r.Kind.IsAccess() && r.Address >= c.system.config.Memory.Bytes {
		c.fail(&AddressError{Core: c.id, Record: c.input.index(), Address: r.Address, Bytes: c.system.config.Memory.Bytes})
		return false
	}
	if p := c.system.payload; p != nil {
		p.loaded(c.id, r, c.input.value())
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

// fail ends the run because of the core's trace, of which nothing more is taken.
func (c *core) fail(err error) {
	c.failed = err
	c.input.free = 0
	c.system.fail(err)
}

// edgesMet tells whether the writes that the next record must see are visible, and if not, asks to be
// woken when the writer has made progress. Progress shows one cycle late, so that the order in which cores
// are visited does not matter.
func (c *core) edgesMet(now noc.Cycle) bool {
	if c.waitsFor >= 0 && now < c.waitsUntil {
		return false
	}
	for c.input.edgeDue() {
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
		outcome, _ := c.access(coherence.Access{Block: block, Handle: handleFetch, Kind: coherence.Fetch}, now)
		if outcome == coherence.Refused {
			c.refused = true
			return false
		}
		if outcome == coherence.Pending {
			c.fetch = fetchPending
			return false
		}
	}
	c.fetch = fetchIdle
	c.kinds[traces.Fetch]++
	c.loaded = false
	return true
}

// enter puts the latest record into the window.
func (c *core) enter(r *traces.Record) {
	o := c.op(c.count)
	o.hold(r, c.input.index(), uint32(c.dispatched), c.stores.entered)
	o.value = 0
	if r.Dependence > 0 {
		o.producer = c.producer(c.first+c.count, o.index-c.others, uint64(r.Dependence))
	}
	if !r.Kind.IsAccess() {
		c.others++
	}
	if r.Kind == traces.Store || r.Kind == traces.Unlock {
		c.stores.enter(r, o.index, c.blockOf(o))
	}
	c.kinds[r.Kind]++
	c.count++
	c.dispatched++
	c.loaded = false
}

// producer finds the access that came d accesses before one with a number, which is to be operation last, and says
// how many operations ahead that is; 0 when nobody need wait for it, because it has retired, or is a fetch or a
// store. An access's number is its position in the stream without the records before it that are no accesses.
func (c *core) producer(last int, number, d uint64) uint16 {
	if d > number {
		return 0
	}
	number -= d
	others := c.others
	for k := 1; k <= last-c.first; k++ {
		o := &c.window[(last-k)&(len(c.window)-1)]
		if !o.Kind.IsAccess() {
			others--
			continue
		}
		if n := o.index - others; n <= number {
			if n < number || o.Kind == traces.Store {
				return 0
			}
			return uint16(k)
		}
	}
	return 0
}

// next is the first cycle after now in which the core can do something by itself.
func (c *core) next(now noc.Cycle) noc.Cycle {
	if c.every {
		return now + 1
	}
	at := noc.Never
	if c.mayDrain() {
		at = max(c.drainReady, now+1)
	}
	if now < c.ahead {
		return min(at, c.ahead)
	}
	if at == now+1 || c.canDispatch() || c.canRetire(now) {
		if c.count > 0 {
			return now + 1
		}
		return c.skipPlain(now)
	}
	if c.count > 0 {
		if o := c.op(0); o.state == done {
			at = min(at, max(o.ready, now+1))
		}
	}
	return min(at, c.nextIssue(now))
}

// mayDispatch tells whether there is something to dispatch and room for it: a record that is not known yet counts.
func (c *core) mayDispatch() bool {
	return (c.plain > 0 || !c.loaded) && c.dispatched-c.retired < uint64(c.config.Window) && c.failed == nil
}

// canDispatch tells whether dispatch would make progress in the next cycle as things stand.
func (c *core) canDispatch() bool {
	if c.dispatched-c.retired >= uint64(c.config.Window) {
		return false
	}
	if c.plain > 0 || !c.loaded {
		return c.mayDispatch()
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
		return c.loaded && c.input.record.Kind == traces.End && c.plain == 0 && c.stores.buffered() == 0
	}
	if c.count == 0 || c.plainAhead() > 0 {
		return true
	}
	o := c.op(0)
	switch o.Kind {
	case traces.Load:
		return o.state == done && o.ready <= now+1
	case traces.Store, traces.Unlock:
		return c.stores.buffered() < c.config.StoreBuffer
	case traces.Fence:
		return c.stores.buffered() == 0
	case traces.Atomic:
		return o.state == done && o.ready <= now+1 || o.state == waiting && c.stores.buffered() == 0 && !c.refused
	}
	return c.canSynchronise()
}

// nextIssue is the first cycle in which a waiting load may issue.
func (c *core) nextIssue(now noc.Cycle) noc.Cycle {
	at := noc.Never
	if c.refused {
		return at
	}
	for i := max(c.scan-c.first, 0); i < c.count; i++ {
		o := c.op(i)
		if o.Kind != traces.Load && o.Kind != traces.Store && o.Kind != traces.Unlock {
			break
		}
		if o.Kind == traces.Load && o.state == waiting {
			at = min(at, max(o.ready, c.producerReady(o, i, now), now+1))
			if at == now+1 {
				return at
			}
		}
	}
	return at
}

// skipPlain accounts a long run of plain instructions at once: when there is nothing else in the window, each cycle
// dispatches and retires a full width of them.
func (c *core) skipPlain(now noc.Cycle) noc.Cycle {
	width := uint64(c.config.Width)
	if c.plain < 4*width || c.dispatched-c.retired != width {
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
	if c.stores.buffered() > 0 && !c.stores.pending && !c.drainRefused {
		return max(c.drainReady, now+1)
	}
	return c.ahead
}

// cause names what keeps the oldest instruction from retiring.
func (c *core) cause() Stall {
	if c.count > 0 && c.plainAhead() == 0 {
		switch c.op(0).Kind {
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
	if c.loaded && c.input.record.Kind == traces.End && c.stores.buffered() > 0 {
		return StallStoreBuffer
	}
	return StallFetch
}
