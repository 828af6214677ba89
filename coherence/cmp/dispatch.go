package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// room is how many instructions may enter the window in a cycle: the core's width, if there is room.
func (c *core) room() uint64 {
	return min(uint64(c.width), uint64(c.capacity)-(c.dispatched-c.retired))
}

// dispatch brings up to n instructions into the window in order, after enterRun: other records, and what has edges or
// too many instructions before it to enter in one cycle.
func (c *core) dispatch(now noc.Cycle, n uint64) {
	for n > 0 {
		if !c.loaded && !c.loadRecord() {
			return
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
		} else {
			c.enter(r)
			n--
		}
		if n > 0 {
			n = c.enterRun(n)
		}
	}
}

// enterRun puts loads and stores directly into the window, each behind the plain instructions before it, as long as
// they fit into n and no edge leads to them; of the instructions before the next one it takes as many as fit. Most records enter so. It returns what is left of n. Its loop makes no calls
// and counts only records, so that most of the rest stays in registers.
func (c *core) enterRun(n uint64) uint64 {
	in, q := &c.input, &c.stores
	from, free := uint64(in.at), uint64(in.free)
	if from >= free || c.carry > 0 {
		return n
	}
	window, records := c.window, in.records
	mask := uint64(len(window) - 1)
	if mask >= uint64(len(window)) || free > uint64(len(records)) {
		return n // never; it shows that there is a place for everything
	}
	room := from + n // records before this one fit
	stop := min(room, free)
	bytes := c.bytes
	slot, index, position := uint64(c.end)-from, in.taken-from, c.dispatched-from // of a record, less its place in records
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
				if part := room - at; plain < part+c.long() && !c.watched { // the record keeps what enters in the next cycles
					r.Instructions -= uint32(part)
					position += part
					room = at
				}
				break
			}
		}
		o := &window[(at+slot)&mask] // not in the window before c.end has moved
		o.hold(r, at+index, at+position)
		if o.kind == traces.Store {
			o.state = passive
			s := q.hold(o, coherence.Block(o.address/coherence.BlockBytes))
			first, last := words(o.address, o.size)
			q.touch(s, first, last)
		} else {
			q.guard(o)
			if o.producer > 0 {
				c.hindered = true
			}
		}
	}
	if at+position > c.dispatched {
		if c.hindered {
			c.hinder(int(at + slot))
		}
		in.at, in.taken = int(at), at+index
		c.end, c.dispatched = int(at+slot), at+position
	}
	return room - at
}

// loadRecord takes the next record of the stream and counts the plain instructions before it.
func (c *core) loadRecord() bool {
	if c.failed {
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
	c.failed = true
	c.input.free = 0
	c.system.fail(err)
}

// edgesMet reports whether the writes that the next record must see are visible, and if not, asks to be
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
	p.waiters, p.awaited = append(p.waiters, c.id), true
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
	o := c.op(c.end)
	o.hold(r, c.input.index(), c.dispatched)
	c.values[c.slot(c.end)] = uint64(r.Count)
	switch {
	case r.Kind == traces.Load:
		c.stores.guard(o)
		if c.hindered || r.Dependence > 0 {
			c.hinder(c.end + 1)
		}
	case r.Kind == traces.Store || r.Kind == traces.Unlock:
		o.state = passive
		c.stores.enter(o, c.blockOf(o))
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

// hinder lets those loads wait that must, of the operations from c.end up to another end.
func (c *core) hinder(end int) {
	for i := c.end; i < end; i++ {
		o := c.op(i)
		if o.kind != traces.Load {
			continue
		}
		if c.config.SequentialConsistency {
			o.state = waiting
		}
		if o.producer > 0 {
			c.depend(o, i)
		}
	}
	c.hindered = c.config.SequentialConsistency
}

// depend finds the access that gives a load its address, the Dependence-th before it, and lets the load, which is to be
// the last-th operation, wait for it. Nobody need wait for one that has retired, or is a fetch or a store. An access's
// number is its position in the stream without the records before it that are no accesses.
func (c *core) depend(o *operation, last int) {
	others := c.others
	number, distance := c.whole(o.index)-others, uint64(o.producer)
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
		if n := c.whole(p.index) - others; n <= number {
			if n == number && p.kind != traces.Store {
				o.producer, o.state = uint16(last-i), waiting
			}
			return
		}
	}
}
