package record

import (
	"math"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
)

// write appends a record to a core's stream, with the instructions since the last one.
func (k *converter) write(core int, r traces.Record) {
	c := &k.cores[core]
	r.Instructions = uint32(min(c.instructions, 1<<32-1))
	c.instructions = 0
	if r.Kind.IsAccess() {
		c.accesses++
	}
	c.position++
	_ = k.out.WriteRecords(core, []traces.Record{r}) // take returns the error
}

// access writes an access, one record per line, and its edges.
func (k *converter) access(p *process, t *thread, m *message) {
	c := &k.cores[t.core]
	k.counts.see(m)
	if m.kind == kindLoad && k.bits>>(m.value>>2&63)&1 != 0 {
		if word := p.physical(m.value); k.cleared[word] {
			t.waits = append(t.waits, wait{object: joins.at(word >> 2)})
		}
	}
	k.waitFor(t)
	if m.pair {
		t.skip()
	}
	at, whole, before := m.value, uint64(1)<<m.size, c.accesses
	for left := whole; left > 0; {
		piece := min(left, traces.LineBytes-at%traces.LineBytes)
		address := p.physical(at)
		if piece < whole {
			k.counts.pieces++
		}
		// The piece of an access that is no power of two long is rounded down: the line is what
		// counts.
		becomes := anAccess
		if m.kind != kindFetch {
			k.values.follow(m, address, piece)
			becomes = k.atMeeting(t, m, address, piece)
		}
		switch {
		case m.kind == kindFetch || becomes != anAccess:
		case k.config.System == nil:
			becomes = k.atProgramWord(t, m, address, piece)
		default:
			becomes = k.atWord(t, m, address, piece)
		}
		at, left = at+piece, left-piece
		if becomes != leftOut {
			k.writePiece(t, m, address, piece, becomes)
		}
	}
	t.at[t.accesses%uint64(len(t.at))] = c.accesses - 1
	if c.accesses == before {
		t.at[t.accesses%uint64(len(t.at))] = noAccess
	}
	t.accesses++
	if m.distance > 0 {
		k.counts.dependent++
	}
	if m.ends {
		k.ends[order.Writer{Thread: uint16(t.core), Position: k.last(t.core)}] = true
	}
	if m.kind == kindCleared {
		word := p.physical(m.value)
		k.cleared[word] = true
		k.bits |= 1 << (m.value >> 2 & 63)
		k.happens(t.core, joins.at(word>>2))
	}
}

// accessKinds are the kinds of the records of messages.
var accessKinds = [...]traces.Kind{kindLoad: traces.Load, kindStore: traces.Store, kindAtomic: traces.Atomic, kindFetch: traces.Fetch, kindCleared: traces.Store}

// writePiece writes the record of an access, or of a piece of one.
func (k *converter) writePiece(t *thread, m *message, address, bytes uint64, becomes use) {
	c := &k.cores[t.core]
	if m.pair {
		k.pair(t, m, address, bytes)
	}
	var count uint16
	if becomes == anAccess && m.kind != kindFetch {
		count = k.atDispenser(t, m, address, bytes)
	}
	m.decides = m.decides && count == 0 // a replay decides who takes a ticket
	switch {
	case becomes != anAccess:
	case m.kind == kindLoad && m.tries:
		count = traces.Tries
	case !m.known && k.order(t.core, m, address, bytes) && m.polls:
		count = traces.Polls
	}
	r := traces.Record{Address: address, Size: sizeOf(bytes), Kind: accessKinds[m.kind], Dependence: t.dependence(m, c.accesses), Count: count}
	t.learn(&r, c.accesses)
	if m.place != 0 && c.ticket > 0 {
		k.tickets.finds(t.core, len(k.cores), m.place, address/traces.LineBytes)
	}
	k.write(t.core, r)
	if count > 0 && r.Kind == traces.Atomic {
		k.finder.Begin(t.core, c.position)
	}
}

// sizeOf is log2 of a number of bytes, rounded down.
func sizeOf(bytes uint64) uint8 { return uint8(bits.Len64(bytes) - 1) }

// waitFor orders the thread's next record after what the thread waits for.
func (k *converter) waitFor(t *thread) {
	for _, w := range t.waits {
		for _, writer := range k.finder.Read(t.core, k.cores[t.core].position, w.object, order.Bytes) {
			if !w.told {
				k.counts.sleeps++
				k.follows(t.core, writer)
			}
		}
	}
	t.waits = t.waits[:0]
}

// follows orders the next record of a core after a record of another core. If a thread has ended with that record, the
// core joins it.
func (k *converter) follows(core int, after order.Writer) {
	k.edge(core, after)
	if k.ends[after] {
		k.write(core, traces.Record{Kind: traces.Join, Address: uint64(after.Thread), Count: traces.ByEdge})
	}
}

// noAccess stands for a message that no access of the trace has come from.
const noAccess = ^uint64(0)

// dependence returns the distance of an access that is about to become the given one of its core to
// the load that it depends on, or 0. What a process did before it forked is in the trace of another
// core, or in none.
func (t *thread) dependence(m *message, access uint64) uint16 {
	if d := uint64(m.distance); d > 0 && d <= t.accesses {
		load := t.at[(t.accesses-d)%uint64(len(t.at))]
		if distance := access - load; load != noAccess && distance <= math.MaxUint16 {
			return uint16(distance)
		}
	}
	return 0
}

// order shows an access to the finder, and reports whether it comes after others by an edge.
func (k *converter) order(core int, m *message, address, bytes uint64) bool {
	var after []order.Writer
	c := &k.cores[core]
	switch {
	case m.kind == kindAtomic && m.decides:
		after = slices.Clone(k.finder.Read(core, c.position, address, bytes))
		k.finder.Add(core, c.position, address, bytes) // which comes after the same writes
	case m.kind == kindAtomic && (m.flags&exchange == 0 || m.tries):
		after = k.finder.Add(core, c.position, address, bytes)
	case m.kind == kindLoad || m.kind == kindAtomic:
		after = k.finder.Read(core, c.position, address, bytes)
	}
	for _, writer := range after {
		k.follows(core, writer)
	}
	switch m.kind {
	case kindStore, kindCleared:
		k.finder.Write(core, c.position, address, bytes)
	case kindAtomic:
		if m.flags&exchange != 0 && !m.tries {
			k.finder.Write(core, c.position, address, bytes)
		}
	}
	return len(after) > 0
}

// finish releases the locks that are held, and ends the stream of each core.
func (k *converter) finish() error {
	for i := range k.cores {
		k.letGo(i)
		k.write(i, traces.Record{Kind: traces.End})
	}
	if k.tickets.next > 0 && !k.tickets.off && (k.counts.bySystem == 0 || k.tickets.stay(k.cores)) {
		k.out.GiveTickets(k.tickets.lists(len(k.cores)))
	}
	return k.out.Err()
}

type counts struct {
	// kinds are messages of threads.
	kinds [kindHalts + 1]uint64

	processes, instructions, pieces, sleeps, leftOut, bySystem, fetchedBySystem, dependent, unknown, locks, barriers, polls uint64
}

func (n *counts) see(m *message) {
	n.instructions += uint64(m.instructions)
	switch {
	case !m.system:
	case m.kind == kindFetch:
		n.fetchedBySystem++
	case m.kind != kindDevice:
		n.bySystem++
	}
}

// list is what the recording held, of a machine or of programs.
func (k *converter) list() (list []traces.Count) {
	n, system := &k.counts, k.config.System != nil
	const always, machines, programs = 0, 1, 2
	for _, c := range []struct {
		of   int
		name string
		n    uint64
	}{
		{programs, "processes", n.processes},
		{programs, "threads", uint64(k.threads)},
		{programs, "creations of threads on another core", k.created},
		{machines, "processors that did something", uint64(k.threads)},
		{always, "loads", n.kinds[kindLoad]},
		{always, "stores", n.kinds[kindStore] + n.kinds[kindCleared]},
		{always, "atomics", n.kinds[kindAtomic]},
		{machines, "data accesses by the kernel", n.bySystem},
		{always, "fetched lines", n.kinds[kindFetch]},
		{machines, "lines fetched by the kernel", n.fetchedBySystem},
		{machines, "accesses to devices, left out", n.kinds[kindDevice]},
		{machines, "times that a processor halted", n.kinds[kindHalts]},
		{programs, "futex calls that wake, outside functions of locks", n.kinds[kindWakes]},
		{programs, "futex calls that slept", n.kinds[kindWoken]},
		{always, "locks taken, in an order that a replay decides", n.locks},
		{always, "barriers passed", n.barriers},
		{always, "tickets taken, in an order that a replay decides", k.tickets.next},
		{programs, "edges of creations, futexes and joins", n.sleeps},
		{programs, "events of threads without a core, left out", n.leftOut},
		{always, "accesses that depend on a load", n.dependent},
		{always, "polls left out", n.polls},
		{always, "instructions whose registers are unknown", n.unknown},
		{always, "pieces of accesses that crossed a line", n.pieces},
		{always, "reads of what another core wrote last", k.finder.Shared()},
	} {
		if c.of == always || (c.of == machines) == system {
			list = append(list, traces.Count{Name: c.name, N: c.n})
		}
	}
	return list
}
