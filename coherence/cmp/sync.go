package cmp

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// Locks and barriers are executed, not replayed. Their blocks are kept coherent like any others, so
// a faster network can change which core gets a lock first. They lie above the chip's memory, but
// for those that the trace has in memory.
//
// A lock for which cores spin is test-and-set, then test: swap, and if that fails read the block
// until it is free, and swap again. A barrier reverses its sense: swap the counter's block, and
// read the flag's block until the last core has swapped it. A core that finds a lock held or a
// barrier closed does nothing until its cache loses the block: only then can the value have
// changed. At barriers of POSIX threads, a core that goes on swaps the counter's block once more, to
// count itself out (traces.Exchanges).
//
// A lock for which cores sleep is the mutex of C libraries on Linux (U. Drepper, "Futexes Are
// Tricky", mutex 2): a core swaps held for free, and if that fails swaps in contended until it
// finds the lock free. After each failure it sleeps. A core that releases the lock by a swap and
// finds contended wakes the core that has slept longest. To fall asleep, to wake another core and
// to go on afterwards takes core.futex instructions each, whose time counts but which the results
// do not count. A core that is woken while it falls asleep goes on when it would have slept.
//
// So the releasing and the woken core go on in the same cycle, and the releasing one takes the
// lock again if it comes back before the request of the other arrives. A fast network leaves less
// time for that: fewer sections share a wake-up, and a contended lock can take longer. Executed
// programs do the same (carousel help accuracy). A core that opens a barrier for which cores
// sleep wakes all of them at once.
//
// A load that polls spins on its block until the write that it waits for is visible: phase
// polling.
//
// A lock that is only exchanged is not read: a core that finds it held swaps again when it has lost
// the block (traces.Exchanges). Several cores may hold a lock that they share. Taking it and
// releasing it are swaps; it is free when the last of them has released it. A release wakes a core,
// or all that come first and share.

// phase is the access that a core at a lock or barrier does next, or waits for.
type phase uint8

const (
	idle         phase = iota
	lockTest           // read the lock
	lockSwap           // try to take it
	lockMark           // try to take it, and mark it as contended if that fails
	freeTest           // read the lock before a release that compares
	lockFree           // release it
	barrierJoin        // count oneself in
	barrierTest        // read the flag
	barrierOpen        // the last core swaps the flag
	barrierLeave       // count oneself out
	through            // acquired, or let through
	polling            // a load polls and waits for an edge: read its block
	reread             // an attempt has failed: read what the next one depends on
)

// synchronisation is a core's state at the lock or barrier at the head of its window.
type synchronisation struct {
	phase      phase
	asked      bool // the access is pending
	spinning   bool // until the block is lost
	asleep     bool // until another core releases the lock
	block      coherence.Block
	generation uint32
	ready      noc.Cycle
}

// compares is the way of a lock that is shared, and taken or released by a comparison with what
// was read.
const compares = traces.Shared | traces.Exchanges

// objectNumbers bounds the address space of locks and barriers; larger numbers share blocks.
const objectNumbers = 1 << 20

// lockState is the value of a lock.
type lockState uint8

const (
	lockIsFree lockState = iota
	lockIsHeld
	lockIsContended // held, and a core may sleep
)

// object is a lock, a barrier or both.
type object struct {
	id         uint64
	lock       lockState
	changes    uint32          // times that the lock was taken or released
	touched    coherence.Block // by the last attempt that succeeded, plus 1
	sharers    uint16          // that hold the lock together; 0: one core alone holds it, or none does
	arrived    uint16
	generation uint32
	sleepers   []int // cores that wait for the lock, in the order in which they fell asleep
	gathered   []int // cores that sleep until the barrier opens
}

// objects are the locks and barriers that the trace has named so far, ordered by number.
type objects []object

// find returns an object, which it makes if there is none.
func (o *objects) find(id uint64) *object {
	i, known := o.search(id)
	if !known {
		*o = slices.Insert(*o, i, object{id: id})
	}
	return &(*o)[i]
}

// known returns an object, or nil if there is none.
func (o *objects) known(id uint64) *object {
	if i, known := o.search(id); known {
		return &(*o)[i]
	}
	return nil
}

func (o *objects) search(id uint64) (int, bool) {
	return slices.BinarySearchFunc(*o, id, func(o object, id uint64) int { return cmp.Compare(o.id, id) })
}

// release frees a lock, whose releasing store has become visible, and wakes a core if one may
// sleep. It reports whether one may.
func (s *System) release(id uint64, now noc.Cycle) bool {
	o := s.objects.find(id)
	contended := o.lock == lockIsContended
	o.changes++
	if o.sharers > 0 {
		if o.sharers--; o.sharers > 0 {
			return false
		}
	}
	o.lock = lockIsFree
	for woken := 0; contended && len(o.sleepers) > 0; woken++ {
		c := &s.cores[o.sleepers[0]]
		shares := c.oldest().size&traces.Shared != 0
		if woken > 0 && !shares {
			break
		}
		o.sleepers = o.sleepers[:copy(o.sleepers, o.sleepers[1:])]
		c.awaken(now)
		if !shares {
			break
		}
	}
	return contended
}

// awaken lets a core that sleeps at a lock or barrier go on.
func (c *core) awaken(now noc.Cycle) {
	s := &c.sync
	s.asleep = false
	if s.ready <= now {
		s.ready = now + c.futexTime()
	}
	c.wakeAt(s.ready)
}

// open reports whether a core can take the lock, alone or to share it.
func (o *object) open(size uint8) bool {
	return o.lock == lockIsFree || size&traces.Shared != 0 && o.sharers > 0
}

// take gives the lock to a core that has found it open.
func (o *object) take(size uint8) {
	o.changes++
	if o.lock == lockIsFree {
		o.lock = lockIsHeld
	}
	if size&traces.Shared != 0 {
		o.sharers++
	}
}

// fallAsleep puts a core to sleep, among others.
func (c *core) fallAsleep(others []int, now noc.Cycle) []int {
	c.sync.asleep, c.sync.ready = true, now+c.futexTime()
	return append(others, c.id)
}

// futexTime returns how long a call of the operating system takes that puts a core to sleep or
// wakes one.
func (c *core) futexTime() noc.Cycle {
	return noc.Cycle((c.config.Futex + c.config.Width - 1) / c.config.Width)
}

// blockOf returns the block that an operation needs: that of its address, or of its lock or
// barrier.
func (c *Config) blockOf(o *operation) coherence.Block {
	switch {
	case o.kind.IsAccess():
		return blockAt(o.address)
	case o.address&traces.LockWord != 0:
		return blockAt(o.address &^ traces.LockWord)
	}
	return c.objectBlock(o.address, 0)
}

// objectBlock returns the block of a lock or barrier counter (part 0) or of a barrier's flag (part
// 1).
func (c *Config) objectBlock(id uint64, part coherence.Block) coherence.Block {
	return coherence.Block(c.Memory.Bytes/coherence.BlockBytes) + coherence.Block(id%objectNumbers)*2 + part
}

// synchronise advances the synchronisation at the head of the window and reports whether it is
// over.
func (c *core) synchronise(o *operation, now noc.Cycle) bool {
	if c.stores.buffered() > 0 {
		return false
	}
	switch o.kind {
	case traces.Create:
		other := &c.system.cores[o.address]
		other.uncreated = false
		other.wakeAt(now + 1)
		return true
	case traces.Join:
		if c.values[c.slot(c.first)] == traces.ByEdge {
			return true
		}
		other := &c.system.cores[o.address]
		if !other.finished {
			c.watch(int(o.address))
			c.sync.asked = true // until that core makes progress
			return false
		}
		if other.result.FinishCycle < now {
			c.sync = synchronisation{}
			return true
		}
		c.wakeAt(now + 1)
		return false
	}
	return c.sync.advance(c, o, now)
}

// advance takes the next step of a core at a lock or barrier, and reports whether the core is
// through.
func (s *synchronisation) advance(c *core, o *operation, now noc.Cycle) bool {
	switch {
	case s.phase == through:
		if s.ready > now {
			return false
		}
		*s = synchronisation{}
		return true
	case s.phase == idle && o.kind == traces.Unlock && o.size&compares == compares:
		*s = synchronisation{phase: freeTest, block: c.system.config.blockOf(o)}
	case s.phase == idle && o.kind == traces.Unlock:
		*s = synchronisation{phase: lockFree, block: c.system.config.blockOf(o)}
	case s.phase == idle && o.kind == traces.Lock && o.size&compares == compares:
		*s = synchronisation{phase: lockTest, block: c.system.config.blockOf(o)}
	case s.phase == idle && o.kind == traces.Lock:
		*s = synchronisation{phase: lockSwap, block: c.system.config.blockOf(o)}
	case s.phase == idle:
		*s = synchronisation{phase: barrierJoin, block: c.system.config.blockOf(o)}
	}
	if !s.mayAdvance(c.refused) || s.ready > now {
		return false
	}
	kind := coherence.Atomic
	if s.phase == lockTest || s.phase == freeTest || s.phase == barrierTest {
		kind = coherence.Load
	}
	s.read(c, kind, now)
	return false
}

// read performs the access of the current phase, or starts it.
func (s *synchronisation) read(c *core, kind coherence.AccessKind, now noc.Cycle) {
	switch outcome, _ := c.access(coherence.Access{Block: s.block, Handle: handleSync, Kind: kind}, now); outcome {
	case coherence.Hit:
		s.performed(c, now)
		s.ready += c.system.config.Latency.Hit - 1
	case coherence.Pending:
		s.asked = true
	case coherence.Refused:
		c.refused = true
	}
}

// performed acts on the value that the access of the current phase has read or swapped.
func (s *synchronisation) performed(c *core, now noc.Cycle) {
	s.asked, s.ready = false, now+1
	switch s.phase {
	case polling:
		s.spinning = true
		return
	case reread:
		*s = synchronisation{}
		c.oldest().ready = now + c.attempt.takes
		return
	}
	r := c.oldest()
	o := c.system.objects.find(r.address)
	switch s.phase {
	case lockTest:
		s.generation = o.changes
		if s.spinning = !o.open(r.size); !s.spinning {
			s.phase = lockSwap
		}
	case lockSwap:
		switch {
		case r.size&compares == compares && o.changes != s.generation:
			s.phase = lockTest
		case o.open(r.size):
			o.take(r.size)
			s.phase = through
		case r.size&traces.Sleeps != 0:
			s.phase = lockMark
		case r.size&compares == traces.Exchanges:
			s.spinning = true
		default:
			s.phase, s.spinning = lockTest, true
		}
	case lockMark:
		if o.open(r.size) {
			o.take(r.size)
			s.phase = through
		} else {
			o.sleepers = c.fallAsleep(o.sleepers, now)
		}
		o.lock = lockIsContended
	case freeTest:
		s.generation, s.phase = o.changes, lockFree
	case lockFree:
		if r.size&compares == compares && o.changes != s.generation {
			s.phase = freeTest
			return
		}
		if c.reported {
			c.notifyObserver(traces.Record{Kind: r.kind, Address: r.address, Size: r.size}, r.index, 0, false)
		}
		if c.system.release(r.address, now) {
			s.ready = now + c.futexTime()
		}
		s.phase = through
	case barrierJoin:
		s.generation = o.generation
		if r.address&traces.LockWord == 0 {
			s.block = c.system.config.objectBlock(r.address, 1)
		}
		if o.arrived++; uint64(o.arrived) >= c.values[c.slot(c.first)] {
			o.arrived = 0
			s.phase = barrierOpen
		} else {
			s.phase = barrierTest
		}
	case barrierOpen:
		o.generation++
		s.phase = leaves(r)
		if len(o.gathered) > 0 {
			s.ready = now + c.futexTime()
		}
		for _, other := range o.gathered {
			c.system.cores[other].awaken(now)
		}
		o.gathered = o.gathered[:0]
	case barrierTest:
		switch {
		case o.generation != s.generation:
			s.phase = leaves(r)
		case r.size&traces.Sleeps != 0:
			o.gathered = c.fallAsleep(o.gathered, now)
		default:
			s.spinning = true
		}
	case barrierLeave:
		s.phase = through
	}
}

// leaves returns the phase of a core after it has found a barrier open.
func leaves(r *operation) phase {
	if r.size&traces.Exchanges != 0 {
		return barrierLeave
	}
	return through
}

// lost ends the spinning on a block that the core's cache has lost, and reports whether the core
// did spin on it.
func (s *synchronisation) lost(b coherence.Block, now noc.Cycle) bool {
	if !s.spinning || s.block != b {
		return false
	}
	s.spinning = false
	s.ready = max(s.ready, now)
	return true
}

// mayAdvance reports whether the next step can be taken without an event from outside; refused says
// that the cache refuses accesses.
func (s *synchronisation) mayAdvance(refused bool) bool {
	return s.phase == through || !s.asked && !s.spinning && !s.asleep && !refused
}
