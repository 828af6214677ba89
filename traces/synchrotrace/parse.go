package synchrotrace

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
)

type eventKind uint8

const (
	compute eventKind = iota
	communication
	call
	marker
)

// span is a range of bytes, both ends included.
type span struct {
	first, last uint64
	written     bool
	// thread and event wrote the bytes (communication).
	thread, event uint64
}

type event struct {
	kind       eventKind
	operations uint64 // instructions
	spans      []span
	call       uint64
	objects    [2]uint64
	// named says that the line has the number of its event and of its thread.
	named      bool
	at, thread uint64
	start      int64 // of the line
}

// parse reads a line and tells what is wrong with it.
func (e *event) parse(line []byte) string {
	fields := bytes.Fields(line)
	*e = event{spans: e.spans[:0]}
	if len(fields) == 0 {
		return "the line is empty"
	}
	switch first := fields[0]; {
	case string(first) == "!", string(first) == "IOP_cnt:", string(first) == "FLOP_cnt:":
		e.kind = marker
		return ""
	case first[0] >= '0' && first[0] <= '9':
		return e.first(bytes.Split(first, []byte(",")), fields)
	case string(first) == "@" && len(fields) > 1:
		return e.compute(bytes.Split(fields[1], []byte(",")), fields[2:])
	case string(first) == "#":
		return e.communicate(fields)
	case string(first) == "^" && len(fields) == 2:
		return e.called(fields[1])
	}
	return fmt.Sprintf("%.40q is not an event; an event starts with @, #, ^, ! or, in the first version, with its number and its thread", line)
}

// numbers reads words as numbers in a base, 0 for that of their prefix, and reports whether they all are.
func numbers(base int, words [][]byte, into ...*uint64) bool {
	for i, word := range words {
		v, err := strconv.ParseUint(string(word), base, 64)
		if err != nil {
			return false
		}
		*into[i] = v
	}
	return true
}

// first reads a line of the first version of the format.
func (e *event) first(words, fields [][]byte) string {
	if len(words) < 2 || !numbers(10, words[:2], &e.at, &e.thread) {
		return fmt.Sprintf("%.40q is not the number of an event and of a thread", fields[0])
	}
	e.named = true
	called, isCall := bytes.CutPrefix(words[min(2, len(words)-1)], []byte("pth_ty:"))
	switch {
	case len(words) == 6:
		return e.compute(words[2:], fields[1:])
	case len(words) == 3 && isCall && len(fields) == 1:
		return e.called(called)
	case len(words) == 2 && len(fields) > 1:
		return e.communicate(fields[1:])
	}
	return fmt.Sprintf("%.40q is neither a computation, nor a communication, nor a call of the first version", bytes.Join(fields, []byte(" ")))
}

func (e *event) compute(counts, ranges [][]byte) string {
	e.kind = compute
	if len(counts) != 4 || len(ranges)%3 != 0 {
		return "a computation is four counts, and a $ or * with two addresses for each range"
	}
	for _, text := range counts {
		n, err := strconv.ParseUint(string(text), 10, 32)
		if err != nil {
			return fmt.Sprintf("%.40q is no count", text)
		}
		e.operations += n
	}
	for ; len(ranges) > 0; ranges = ranges[3:] {
		s := span{written: string(ranges[0]) == "$"}
		if !s.written && string(ranges[0]) != "*" {
			return fmt.Sprintf("%.40q is neither $ nor *", ranges[0])
		}
		if problem := s.addresses(ranges[1], ranges[2]); problem != "" {
			return problem
		}
		e.spans = append(e.spans, s)
	}
	return ""
}

func (e *event) communicate(fields [][]byte) string {
	e.kind = communication
	if len(fields)%5 != 0 {
		return "a communication is # with a thread, an event and two addresses"
	}
	for ; len(fields) > 0; fields = fields[5:] {
		var s span
		if !numbers(10, fields[1:3], &s.thread, &s.event) || string(fields[0]) != "#" || s.thread == 0 || s.thread >= 1<<16 {
			return "a communication is # with a thread from 1, an event and two addresses"
		}
		if problem := s.addresses(fields[3], fields[4]); problem != "" {
			return problem
		}
		e.spans = append(e.spans, s)
	}
	e.operations = uint64(len(e.spans))
	return ""
}

// limitSpan bounds a range; larger ones are taken for mistakes.
const limitSpan = 1 << 16

func (s *span) addresses(first, last []byte) string {
	if !numbers(0, [][]byte{first, last}, &s.first, &s.last) || s.last < s.first || s.last-s.first >= limitSpan || s.last == ^uint64(0) {
		return fmt.Sprintf("%.40q to %.40q is no range of bytes", first, last)
	}
	return ""
}

// called reads TYPE^ADDRESS, perhaps with &ADDRESS.
func (e *event) called(text []byte) string {
	e.kind, e.operations = call, 1
	kind, objects, ok := bytes.Cut(text, []byte("^"))
	list := bytes.SplitN(objects, []byte("&"), 2)
	if !ok || !numbers(10, [][]byte{kind}, &e.call) || !numbers(0, list, &e.objects[0], &e.objects[1]) || e.call == 0 || e.call > 15 {
		return fmt.Sprintf("%.40q is no call; one is a type from 1 to 15, ^ and an address", text)
	}
	return ""
}

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

type lock struct{ object, position, event uint64 }

// wait is a record that waits for the bytes that an event of another thread has written.
type wait struct {
	at, event uint64
	end       uint64 // records of the other thread up to and with the event
	start     int64  // of the line
	thread    uint16
	held      uint32 // which of the thread's sets of locks
}

// thread turns events into records.
type thread struct {
	*importer
	core     int
	events   uint64
	ends     []uint64             // by event: records of the thread up to and with it
	pending  uint64               // instructions for the next record
	sets     [][]lock             // that are held, the latest last
	sections map[uint64][]section // by lock, in order
	waits    []wait
	skipped  uint64 // calls left out
	counts   [marker + 1]uint64
	problem  string // what the builder says first
}

// numbered checks the numbers that a line of the first version has. The thread may be any one if only
// the head of a file is read.
func (t *thread) numbered(e *event, anyThread bool) string {
	if !e.named {
		return ""
	}
	if t.events == 0 && e.at == 1 {
		t.events = 1 // some recorders count from 1
	}
	switch {
	case e.at != t.events:
		return fmt.Sprintf("event %d, where event %d is next", e.at, t.events)
	case e.thread != uint64(t.core+1) && !anyThread:
		return fmt.Sprintf("an event of thread %d in the file of thread %d", e.thread, t.core+1)
	}
	return ""
}

func (t *thread) step(e *event) {
	t.counts[e.kind]++
	if e.kind == marker {
		return
	}
	switch e.kind {
	case compute:
		t.compute(e)
	case communication:
		t.spread(e, e.spans)
	case call:
		t.pending++
		t.called(e)
	}
	for t.events++; uint64(len(t.ends)) < t.events; {
		t.ends = append(t.ends, t.position())
	}
}

func (t *thread) position() uint64 { return t.to.Position(t.core) }

// held lists the locks that the thread holds.
func (t *thread) held() []lock { return t.sets[len(t.sets)-1] }

// compute puts reads and writes in turns.
func (t *thread) compute(e *event) {
	var reads, writes, turns []span
	for _, s := range e.spans {
		if s.written {
			writes = append(writes, s)
		} else {
			reads = append(reads, s)
		}
	}
	for i := range max(len(reads), len(writes)) {
		turns = append(turns, reads[min(i, len(reads)):min(i+1, len(reads))]...)
		turns = append(turns, writes[min(i, len(writes)):min(i+1, len(writes))]...)
	}
	t.spread(e, turns)
}

// spread makes the accesses of an event, and gives each its share of the instructions.
func (t *thread) spread(e *event, spans []span) {
	operations, pieces := e.operations, uint64(0)
	for i := range spans {
		eachPiece(&spans[i], func(uint64, uint8) { pieces++ })
	}
	given, n := uint64(0), uint64(0)
	for i := range spans {
		s := &spans[i]
		if e.kind == communication {
			t.waits = append(t.waits, wait{at: t.position(), event: s.event, start: e.start, thread: uint16(s.thread), held: uint32(len(t.sets) - 1)})
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
	if r.Kind.IsAccess() {
		t.problem = cmp.Or(t.problem, t.to.Access(t.core, r, 1<<r.Size))
	} else {
		t.problem = cmp.Or(t.problem, t.to.Append(t.core, r))
	}
}

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
	if slices.ContainsFunc(t.held(), func(l lock) bool { return l.object == object }) {
		t.skipped++
		return
	}
	t.sets = append(t.sets, append(slices.Clone(t.held()), lock{object, t.position(), t.events}))
	t.put(traces.Record{Kind: traces.Lock, Address: object})
}

// unlock releases a lock, and reports whether it was held.
func (t *thread) unlock(object uint64) bool {
	i := slices.IndexFunc(t.held(), func(l lock) bool { return l.object == object })
	if i < 0 {
		t.skipped++
		return false
	}
	t.sections[object] = append(t.sections[object], section{t.held()[i].event, t.events})
	t.put(traces.Record{Kind: traces.Unlock, Address: object})
	t.sets = append(t.sets, slices.Delete(slices.Clone(t.held()), i, i+1))
	return true
}

// end releases what is still held.
func (t *thread) end() error {
	for len(t.held()) > 0 {
		t.unlock(t.held()[len(t.held())-1].object)
	}
	t.to.Execute(t.core, t.pending)
	return t.to.Err()
}
