package record

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// Locks and barriers of a program become records, whose order a replay decides. Where threads share
// a core, or a lock was tried while another was held, or was taken before the region, the lock is
// kept in recorded order by edges instead.
//
// A replay may let a core take a lock before another one that had it first in the recording. It
// must not stop there for something that can only come after the other core's turn. So what a core
// waits for while it holds a lock, as far as it had happened when the core took the lock, the core
// waits for before it takes the lock; and for whatever the one it waits for had to wait for itself.

// lock is what is known of a lock.
type lock struct {
	holder *thread
	depth  int // of a holder that locks again
	// recorded: the lock has a record, so that others need no edge to come after it.
	recorded bool
	used     bool // it has been released within the region
	number   uint64
}

// barrier is what is known of a barrier at which threads have arrived.
type barrier struct {
	arrived []*thread
	number  uint64
}

// section is what a core does while it holds a lock.
type section struct {
	lock *lock
	at   uint64   // position of the lock's record
	seen []uint64 // by core: its records when the lock was taken
	owed []uint64 // by core: of those, the ones that edges let the lock come after
}

// objectLine is where the finder keeps the order that an object makes.
const objectLine = 1 << 60

// synchronise takes what the program says of its locks, and that a thread goes on.
func (k *converter) synchronise(p *process, t *thread, m *message) {
	switch m.kind {
	case kindLocks:
		k.acquire(p, t, m)
	case kindUnlocks:
		k.release(p, t, m)
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
func (k *converter) arrive(p *process, t *thread, m *message) error {
	address := p.physical(m.value)
	b := k.barriers[address]
	if b == nil || len(b.arrived) > 0 && b.arrived[0].barrier != b {
		number := k.object(address)
		b = &barrier{number: number}
		k.barriers[address] = b
	}
	b.arrived = append(b.arrived, t)
	t.barrier = b
	if len(b.arrived) < int(m.instructions) {
		return nil
	}
	delete(k.barriers, address)
	var cores []int
	for _, other := range b.arrived {
		other.barrier = nil
		if other.core != LeaveOut && !slices.Contains(cores, other.core) {
			cores = append(cores, other.core)
		}
	}
	if len(cores) < 2 || len(cores) > math.MaxUint16 || !k.recording() {
		return nil
	}
	k.counts.barriers++
	for _, core := range cores {
		k.write(core, traces.Record{Kind: traces.Barrier, Address: b.number, Count: uint16(len(cores))}, nil)
	}
	k.finder.Meet(cores, k.last)
	for _, core := range cores {
		if len(k.cores[core].buffer) >= bufferRecords-4 {
			if err := k.flush(core); err != nil {
				return err
			}
		}
	}
	return nil
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

// last returns the position of a core's last record.
func (k *converter) last(core int) uint64 { return k.cores[core].position - 1 }

// acquire takes a lock for a thread.
func (k *converter) acquire(p *process, t *thread, m *message) {
	address := p.physical(m.value)
	l := k.locks[address]
	if l == nil {
		l = &lock{number: k.object(address)}
		k.locks[address] = l
	}
	if l.holder == t {
		l.depth++
		return
	}
	c := &k.cores[t.core]
	tried := m.instructions == 1
	told := l.recorded || !l.used
	l.holder, l.depth = t, 1
	l.recorded = c.alive == 1 && !(tried && len(c.sections) > 0)
	line := objectLine | l.number
	if !l.recorded {
		t.waits = append(t.waits, wait{line: line})
		return
	}
	k.waitFor(t)
	if producer, position, ok := k.finder.Read(t.core, c.position, line); ok && !told {
		k.edge(t.core, producer, position)
	}
	k.counts.locks++
	k.writeLock(l)
}

// writeLock writes the record of a lock that has been taken.
func (k *converter) writeLock(l *lock) {
	c := &k.cores[l.holder.core]
	now := section{lock: l, at: c.position, seen: make([]uint64, len(k.cores)), owed: make([]uint64, len(k.cores))}
	for u := range k.cores {
		now.seen[u] = k.cores[u].position
	}
	c.sections = append(c.sections, now)
	k.write(l.holder.core, traces.Record{Kind: traces.Lock, Address: l.number}, nil)
}

// release lets others take a lock.
func (k *converter) release(p *process, t *thread, m *message) {
	address := p.physical(m.value)
	l := k.locks[address]
	if l == nil { // taken before the region
		l = &lock{number: k.object(address)}
		k.locks[address] = l
	}
	if l.holder == t {
		if l.depth--; l.depth > 0 {
			return
		}
	}
	if l.recorded = l.recorded && l.holder != nil; l.recorded {
		k.unlock(l.holder.core, l) // whoever releases it
	}
	l.holder, l.used = nil, true
	k.happens(t.core, objectLine|l.number)
}

func (k *converter) unlock(core int, l *lock) {
	k.write(core, traces.Record{Kind: traces.Unlock, Address: l.number}, nil)
	c := &k.cores[core]
	c.sections = slices.DeleteFunc(c.sections, func(s section) bool { return s.lock == l })
}

// edge lets the next record of a core wait for another core's. Within a locked section the lock
// waits, too.
func (k *converter) edge(core int, producer uint16, position uint64) {
	c := &k.cores[core]
	waits := true
	for i := range c.sections {
		s := &c.sections[i]
		for u := range k.cores {
			// What came before by locks alone need not come before in a replay, so it is waited
			// for, too.
			if need := min(k.finder.Known(core, u), s.seen[u]); u != core && need > s.owed[u] {
				s.owed[u] = need
				c.edges = append(c.edges, traces.Edge{At: s.at, Position: need - 1, Producer: uint16(u)})
			}
		}
		waits = waits && position >= s.seen[producer] // else the lock waits for it
	}
	if waits {
		c.edges = append(c.edges, traces.Edge{At: c.position, Position: position, Producer: producer})
	}
}

// takeEdges returns the edges of a core that are complete, in the order of the records that wait: a
// lock that is held may yet have to wait for more.
func (c *core) takeEdges() []traces.Edge {
	slices.SortStableFunc(c.edges, func(a, b traces.Edge) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	ready := len(c.edges)
	if len(c.sections) > 0 {
		ready, _ = slices.BinarySearchFunc(c.edges, c.sections[0].at, func(e traces.Edge, at uint64) int {
			if e.At < at {
				return -1
			}
			return 1
		})
	}
	return c.edges[:ready]
}
