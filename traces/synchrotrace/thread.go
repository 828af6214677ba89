package synchrotrace

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// The calls.
const (
	callLock       = 1
	callUnlock     = 2
	callCreate     = 3
	callJoin       = 4
	callBarrier    = 5
	callWait       = 6
	callSpinLock   = 9
	callSpinUnlock = 10
)

// names is what sigil.pthread.out says.
type names struct {
	threads  map[uint64]int    // core by address
	barriers map[uint64]uint16 // cores that meet
}

// section is a critical section of a thread, by events.
type section struct{ first, last uint64 }

// lock is a lock that a thread holds.
type lock struct{ object, position, event uint64 }

// sink takes what a thread's events become. A record's address is virtual.
type sink struct {
	record func(traces.Record)
	// edge says that the record at a position waits for the bytes of a span.
	edge func(at uint64, s *span)
}

// thread turns events into records; it does so twice, first to count.
type thread struct {
	names    *names
	out      sink
	first    uint64 // number of the first event
	events   uint64
	position uint64
	pending  uint64 // instructions for the next record
	held     []lock
	sections map[uint64][]section // by lock
	created  map[int]bool
	skipped  uint64 // calls left out
	counts   [4]uint64
}

// step takes one event.
func (t *thread) step(e *event) {
	t.counts[e.kind]++
	if e.kind == marker {
		return
	}
	switch e.kind {
	case compute:
		t.compute(e)
	case communication:
		t.spread(e.operations, e.spans, true)
	case call:
		t.pending++
		t.called(e)
	}
	t.events++
}

// compute puts reads and writes in turns.
func (t *thread) compute(e *event) {
	var turns []span
	reads, writes := 0, 0
	next := func(from *int, written bool) {
		for ; *from < len(e.spans); *from++ {
			if s := e.spans[*from]; s.written == written {
				turns = append(turns, s)
				*from++
				return
			}
		}
	}
	for reads < len(e.spans) || writes < len(e.spans) {
		next(&reads, false)
		next(&writes, true)
	}
	t.spread(e.operations, turns, false)
}

// spread makes the accesses of an event, and gives each its share of the instructions.
func (t *thread) spread(operations uint64, spans []span, edges bool) {
	pieces := uint64(0)
	for i := range spans {
		eachPiece(&spans[i], func(uint64, uint8) { pieces++ })
	}
	given, n := uint64(0), uint64(0)
	for i := range spans {
		s := &spans[i]
		if edges {
			t.out.edge(t.position, s)
		}
		kind := traces.Load
		if s.written {
			kind = traces.Store
		}
		eachPiece(s, func(address uint64, size uint8) {
			n++
			share := operations*n/pieces - given
			given += share
			t.pending += share
			t.put(traces.Record{Kind: kind, Address: address, Size: size})
		})
	}
	t.pending += operations - given
}

// eachPiece cuts a range into accesses of 1, 2, 4 and 8 bytes that do not cross 8 bytes.
func eachPiece(s *span, visit func(address uint64, size uint8)) {
	for at := s.first; at <= s.last; {
		size := uint8(bits.Len64(min(s.last-at+1, 8-at%8)) - 1)
		visit(at, size)
		at += 1 << size
	}
}

func (t *thread) put(r traces.Record) {
	r.Instructions = uint32(min(t.pending, 1<<32-1))
	t.pending = 0
	t.out.record(r)
	t.position++
}

// called makes the record of a call.
func (t *thread) called(e *event) {
	object := e.objects[0]
	switch e.call {
	case callLock, callSpinLock:
		t.lock(object)
	case callUnlock, callSpinUnlock:
		t.unlock(object)
	case callWait:
		if t.unlock(e.objects[1]) {
			t.lock(e.objects[1])
		}
	case callCreate, callJoin:
		core, known := t.names.threads[object]
		kind := traces.Join
		if e.call == callCreate {
			kind = traces.Create
			known = known && !t.created[core]
		}
		if !known {
			t.skipped++
			return
		}
		if kind == traces.Create {
			t.created[core] = true
		}
		t.put(traces.Record{Kind: kind, Address: uint64(core)})
	case callBarrier:
		if count := t.names.barriers[object]; count > 0 {
			t.put(traces.Record{Kind: traces.Barrier, Address: object, Count: count})
		} else {
			t.skipped++
		}
	default:
		t.skipped++
	}
}

func (t *thread) lock(object uint64) {
	if slices.ContainsFunc(t.held, func(l lock) bool { return l.object == object }) {
		t.skipped++
		return
	}
	t.held = append(t.held, lock{object, t.position, t.events})
	t.put(traces.Record{Kind: traces.Lock, Address: object})
}

// unlock releases a lock, and reports whether it was held.
func (t *thread) unlock(object uint64) bool {
	i := slices.IndexFunc(t.held, func(l lock) bool { return l.object == object })
	if i < 0 {
		t.skipped++
		return false
	}
	if t.sections == nil {
		t.sections = map[uint64][]section{}
	}
	t.sections[object] = append(t.sections[object], section{t.held[i].event, t.events})
	t.put(traces.Record{Kind: traces.Unlock, Address: object})
	t.held = slices.Delete(t.held, i, i+1)
	return true
}

// end releases what is still held.
func (t *thread) end() {
	for len(t.held) > 0 {
		t.unlock(t.held[len(t.held)-1].object)
	}
}
