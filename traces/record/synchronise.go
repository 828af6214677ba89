package record

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
)

// Locks and barriers of a program become records, whose order a replay decides. Where threads share
// a core, or a lock was taken before the region, the lock is kept in recorded order by edges
// instead.
//
// A replay may let a core take a lock before another one that had it first in the recording. It
// must not wait there for something that can only come after the other core's turn. So a core that
// holds locks waits for nothing but other locks: before it waits for an edge or at a barrier, the
// trace releases what it holds, and the next core that takes one of these locks waits by an edge
// for its real release. The order in which locks are taken while others are held has no cycles:
// before a lock that would close one, the trace releases what the core holds, too. So a core that
// holds a lock goes on, or waits for the holder of a lock that comes later in this order; of all
// other cores, the one that is earliest in the recording does not wait.

type lock struct {
	holder *thread
	depth  int // of a holder that locks again
	// recorded: the lock has a record, so that others need no edge to come after it.
	recorded bool
	used     bool // it has been released within the region
	// sharers hold the lock together. broken: one of them has been released in the trace before its
	// real release, so that the next one that takes the lock alone comes after it by edges.
	sharers []*thread
	broken  bool
	number  uint64 // of its word
	waits   uint8  // how cores wait for it, as in traces.Record
	// compares: those who share it read it before they release it, and again if it has changed.
	compares bool
}

// place returns where the finder keeps the order that a lock makes.
func (l *lock) place() uint64 { return locks.at(l.number &^ traces.LockWord) }

// barrier is what is known of a barrier at which threads have arrived.
type barrier struct {
	arrived []*thread
	number  uint64
	waits   uint8 // how cores wait, as in traces.Record
}

// ofTeam is set in the number of threads that meet at a barrier of OpenMP, which has its words in
// a place that the recorder does not know.
const ofTeam = 1 << 31

// In the number of threads that meet, the bits from waysShift on are the way in which they wait, as
// in traces.Record. most stands for a number that is not known.
const (
	waysShift = 24
	most      = 1<<waysShift - 1
)

// synchronise takes what the program says of its locks, and that a thread goes on.
func (k *converter) synchronise(p *process, t *thread, m *message) {
	switch m.kind {
	case kindLocks:
		if l := k.lockAt(p, m); m.instructions&traces.Shared != 0 {
			l.compares = true
			k.share(t, l, 0)
		} else {
			k.acquire(t, l)
		}
	case kindUnlocks:
		if l := k.lockAt(p, m); len(l.sharers) > 0 {
			k.unshare(t, l)
		} else {
			k.release(t, l)
		}
	case kindShown:
		if t.barrier != nil { // others have arrived before the region
			for _, other := range t.barrier.arrived {
				other.barrier = nil
			}
			t.barrier = nil
		}
	}
}

// arrive takes a thread's arrival at a barrier, and writes the records when it is the last one.
func (k *converter) arrive(p *process, t *thread, m *message) {
	address := p.physical(m.value)
	b := k.barriers[address]
	if b == nil || len(b.arrived) > 0 && b.arrived[0].barrier != b {
		b = &barrier{number: traces.LockWord | address}
		if m.instructions&ofTeam != 0 {
			b.number = k.object(address)
		}
		k.barriers[address] = b
	}
	b.waits |= uint8(m.instructions>>waysShift) & (traces.Sleeps | traces.Exchanges)
	b.arrived = append(b.arrived, t)
	t.barrier = b
	if len(b.arrived) < int(m.instructions&most) {
		return
	}
	k.passed(b, address)
}

// passed writes the records of a barrier at which all have arrived.
func (k *converter) passed(b *barrier, address uint64) {
	delete(k.barriers, address)
	var cores []int
	for _, other := range b.arrived {
		other.barrier = nil
		if other.core != LeaveOut && !slices.Contains(cores, other.core) {
			cores = append(cores, other.core)
		}
	}
	k.meet(b.number, cores, b.waits)
}

// meet writes the records of a barrier at which cores have met.
func (k *converter) meet(number uint64, cores []int, waits uint8) {
	if len(cores) < 2 || len(cores) > math.MaxUint16 {
		return
	}
	k.counts.barriers++
	for core := range k.cores {
		c := &k.cores[core]
		if slices.Contains(cores, core) || c.position == 0 {
			c.met++
		}
		k.tickets.off = k.tickets.off || c.ticket > 0 && c.met < k.counts.barriers
	}
	for _, core := range cores {
		k.letGo(core)
		k.write(core, traces.Record{Kind: traces.Barrier, Address: number, Count: uint16(len(cores)), Size: waits})
	}
	k.finder.Meet(cores, k.last)
	k.follow(cores[0])
}

// follow lets threads that have done nothing yet come after the last record of a core, which is
// that of a meeting: they have come to it before the region, or begin later.
func (k *converter) follow(core int) {
	place := meets.at(k.counts.barriers)
	k.happens(core, place)
	for _, p := range k.spacesOpen {
		for _, t := range p.threads {
			if t.core != LeaveOut && k.cores[t.core].position == 0 {
				t.waits = append(t.waits, wait{object: place})
			}
		}
	}
}

// object gives an object its number, in the order in which objects appear.
func (k *converter) object(address uint64) uint64 {
	n, known := k.objects[address]
	if !known {
		n = uint64(len(k.objects))
		k.objects[address] = n
	}
	return n
}

func (k *converter) last(core int) uint64 { return k.cores[core].position - 1 }

func (k *converter) lockAt(p *process, m *message) *lock {
	address := p.physical(m.value)
	l := k.locks[address]
	if l == nil {
		l = &lock{number: traces.LockWord | address}
		k.locks[address] = l
	}
	l.waits = uint8(m.instructions & traces.Sleeps)
	return l
}

func (k *converter) acquire(t *thread, l *lock) {
	if l.holder == t {
		l.depth++
		return
	}
	c := &k.cores[t.core]
	overtakes := (l.recorded || !l.used) && !l.broken
	l.holder, l.depth, l.recorded, l.broken = t, 1, c.alive == 1, false
	if !l.recorded {
		t.waits = append(t.waits, wait{object: l.place()})
		return
	}
	k.waitFor(t)
	for _, writer := range k.finder.Read(t.core, c.position, l.place(), order.Bytes) {
		if !overtakes {
			k.edge(t.core, writer)
		}
	}
	k.counts.locks++
	k.writeLock(t.core, l, l.waits)
}

// share takes a lock for a thread that shares it. It comes after those who held the lock alone, and
// in no order with others that share it.
func (k *converter) share(t *thread, l *lock, exchanges uint8) {
	c := &k.cores[t.core]
	if slices.Contains(l.sharers, t) || c.alive != 1 {
		l.recorded, l.used = false, true
		t.waits = append(t.waits, wait{object: l.place()})
		return
	}
	overtakes := l.recorded || !l.used
	l.recorded = overtakes
	l.sharers = append(l.sharers, t)
	k.waitFor(t)
	for _, writer := range k.finder.Add(t.core, c.position, l.place(), order.Bytes) {
		if !overtakes {
			k.edge(t.core, writer)
		}
	}
	k.counts.locks++
	k.writeLock(t.core, l, l.waits&traces.Sleeps|traces.Shared|exchanges)
}

func (k *converter) unshare(t *thread, l *lock) {
	i := slices.Index(l.sharers, t)
	if i < 0 {
		k.happens(t.core, l.place())
		return
	}
	l.sharers = slices.Delete(l.sharers, i, i+1)
	l.used = true
	c := &k.cores[t.core]
	if slices.Contains(c.held, l) {
		k.unlock(t.core, l)
	}
	if c.position > 0 {
		k.finder.Add(t.core, c.position-1, l.place(), order.Bytes)
	}
}

// writeLock writes the record of a lock that has been taken. A core that holds others must be able
// to wait for it.
func (k *converter) writeLock(core int, l *lock, waits uint8) {
	c := &k.cores[core]
	if slices.ContainsFunc(c.held, func(outer *lock) bool { return !k.nesting.add(outer, l) }) {
		k.letGo(core)
	}
	k.write(core, traces.Record{Kind: traces.Lock, Address: l.number, Size: waits})
	c.held = append(c.held, l)
}

// release lets others take a lock.
func (k *converter) release(t *thread, l *lock) {
	if l.holder == t {
		if l.depth--; l.depth > 0 {
			return
		}
	}
	if l.recorded = l.recorded && l.holder != nil; l.recorded {
		k.unlock(l.holder.core, l) // the thread that releases it
	}
	l.holder, l.used = nil, true
	k.happens(t.core, l.place())
}

func (k *converter) unlock(core int, l *lock) {
	k.writeUnlock(core, l)
	c := &k.cores[core]
	c.held = slices.DeleteFunc(c.held, func(other *lock) bool { return other == l })
}

func (k *converter) writeUnlock(core int, l *lock) {
	r := traces.Record{Kind: traces.Unlock, Address: l.number, Size: l.waits}
	if l.holder == nil || l.holder.core != core {
		r.Size = r.Size&traces.Sleeps | traces.Shared | flag(l.compares, uint8(traces.Exchanges))
	}
	k.write(core, r)
}

// letGo releases in the trace what a core holds, before it waits for something else. The next core
// that takes one of these locks waits for its real release.
func (k *converter) letGo(core int) {
	c := &k.cores[core]
	for _, l := range c.held {
		k.writeUnlock(core, l)
		if l.holder == nil {
			l.broken = true
		} else {
			l.recorded = false
		}
	}
	c.held = c.held[:0]
}

// edge lets the next record of a core wait for another core's.
func (k *converter) edge(core int, after order.Writer) {
	k.letGo(core)
	_ = k.out.WriteEdges(core, []traces.Edge{{At: k.cores[core].position, Position: after.Position, Producer: after.Thread}})
}

// nesting has, for each lock, those that have been taken while it was held. It has no cycles.
type nesting map[*lock][]*lock

// add notes that a lock is taken while another one is held, and reports whether that leaves the
// locks without cycles.
func (n nesting) add(outer, inner *lock) bool {
	if slices.Contains(n[outer], inner) {
		return true
	}
	if n.leads(inner, outer, map[*lock]bool{}) {
		return false
	}
	n[outer] = append(n[outer], inner)
	return true
}

// leads reports whether one lock is another, or has been held while that was taken, directly or by
// way of others.
func (n nesting) leads(from, to *lock, seen map[*lock]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(n[from], func(next *lock) bool { return n.leads(next, to, seen) })
}
