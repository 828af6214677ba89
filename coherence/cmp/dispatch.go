package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// windowRoom returns how many instructions may enter the window in a cycle: the core's width, if
// there is room.
func (c *core) windowRoom() uint64 {
	return min(uint64(c.width), uint64(c.capacity)-(c.dispatched-c.retired))
}

// dispatch brings up to n instructions into the window in order, as fetch makes them ready. Fast
// path: dispatchFast.
func (c *core) dispatch(now noc.Cycle, n uint64) {
	for n > 0 {
		if !c.loaded {
			if n = c.dispatchFast(n); n == 0 {
				return
			}
			if !c.readRecord() {
				return
			}
		}
		if n = c.dispatchPlain(n); n == 0 || !c.fetch(now) {
			return
		}
		if c.loaded {
			c.enter(c.input.record)
			n--
		}
	}
}

// dispatchPlain brings up to n of the plain instructions before the next record into the window,
// and returns what is left of n.
func (c *core) dispatchPlain(n uint64) uint64 {
	k := min(n, c.plain)
	c.dispatched += k
	c.plain -= k
	return n - k
}

// dispatchFast puts loads and stores from the batch that was read into the window, each behind the
// plain instructions before it, as long as they fit into n and no edge leads to them; of the plain
// instructions before the next record it takes as many as fit. It returns what is left of n. The
// loop makes no calls and counts only records, so that most of the rest stays in registers.
func (c *core) dispatchFast(n uint64) uint64 {
	in, q := &c.input, &c.stores
	from, free := uint64(in.at), uint64(in.free)
	if from >= free || c.carry > 0 {
		return n
	}
	ring, records, bytes := c.ring, in.records, c.bytes
	mask := uint64(len(ring) - 1)
	if mask >= uint64(len(ring)) || free > uint64(len(records)) {
		return n // never: every index is in range
	}
	room := from + n // records before this one fit
	stop := min(room, free)
	// Of a record, less its index in records.
	slot, index, position := uint64(c.end)-from, in.taken-from, c.dispatched-from
	at := from
	for ; at < stop; at++ {
		r := &records[at]
		if r.Kind > traces.Store || r.Address >= bytes {
			break
		}
		if r.Instructions != 1 {
			if r.Instructions == 0 {
				c.pieces++
			} else if plain := uint64(r.Instructions - 1); plain < room-at {
				room -= plain
				position += plain
				stop = min(stop, room)
			} else {
				if part := room - at; plain < part+c.long() && !c.reported { // the record keeps the rest
					r.Instructions -= uint32(part)
					position += part
					room = at
				}
				break
			}
		}
		o := &ring[(at+slot)&mask] // not in the window before c.end has moved
		o.set(r, at+index, at+position)
		if o.kind == traces.Store {
			o.state = passive
			q.append(o, coherence.Block(o.address/coherence.BlockBytes))
		} else {
			q.guard(o)
			if o.producer > 0 {
				c.unresolved = true
			}
		}
	}
	if at+position > c.dispatched {
		if c.unresolved {
			c.resolveDependences(int(at + slot))
		}
		in.at, in.taken = int(at), at+index
		c.end, c.dispatched = int(at+slot), at+position
	}
	return room - at
}

// enter puts the latest record into the window.
func (c *core) enter(r *traces.Record) {
	o := c.op(c.end)
	o.set(r, c.input.index(), c.dispatched)
	c.values[c.slot(c.end)] = uint64(r.Count)
	switch {
	case r.Kind == traces.Load:
		c.stores.guard(o)
		if c.unresolved || r.Dependence > 0 {
			c.resolveDependences(c.end + 1)
		}
	case r.Kind == traces.Store || r.Kind == traces.Unlock && r.Size == traces.Spins:
		o.state = passive
		c.stores.enter(o, c.system.config.blockOf(o))
		if r.Kind == traces.Unlock {
			c.unlocks++
		}
	default:
		o.state = waiting
	}
	if !r.Kind.IsAccess() {
		c.others++
	}
	c.kinds[r.Kind]++
	c.end++
	c.dispatched++
	c.loaded = false
}

// resolveDependences marks the loads that must wait for a producer, or under sequential consistency
// for what is older, among the operations from c.end up to another end.
func (c *core) resolveDependences(end int) {
	for i := c.end; i < end; i++ {
		o := c.op(i)
		if o.kind != traces.Load {
			continue
		}
		if c.config.SequentialConsistency {
			o.state = waiting
		}
		if o.producer > 0 {
			c.resolveProducer(o, i)
		}
	}
	c.unresolved = c.config.SequentialConsistency
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
	c.input.free = 0
	c.system.fail(err)
}

// edgesMet reports whether the writes that the next record must see are visible; if not, the writer
// will wake the core. Progress shows one cycle late, so that results do not depend on the order in
// which cores are visited.
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

// wait suspends the core until another one has made progress.
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
