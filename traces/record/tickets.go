package record

import (
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// A counter from which threads take tickets, such as numbers of tasks, is a word that one
// constant is added to by fetch-and-add, and that is only reset to zero, or to what it was before
// the first addition. What tells it from other counters is that a thread reads by what it has fetched: the
// address of a load depends on it. Then the fetched value decides what the thread does, until it
// takes the next ticket, and a replay can give this body to whichever core comes first (package
// tickets). A value by which a thread only stores, as a place in a list, or that it only
// compares, decides no work.
//
// A word is trusted when at least two cores have taken tickets, and threads have read enough
// different words by them: one of two places may be chosen by any counter. From then on its
// fetch-and-adds take tickets. A word that is used otherwise once takes no more.
//
// Tickets are given out in replays if all cores that take some meet at each barrier of the
// recording, since only then no core can come to the next meeting too early. A core that has done
// nothing before a meeting begins after it (follow). A core that takes a ticket releases in the
// trace the locks that it holds, as before any other wait. A core with several threads takes
// none.
//
// A body that another core does uses the stack and other memory of that core. A place of the
// program tells it: where each thread always finds one line, and no two threads the same one,
// what it finds is decided by the thread and not by the ticket. On its stack, the distance from
// the pointer at the ticket is the place, if the executor knows that (Step). The plugin tells a
// hash of the place in the code.

// dispenser is what is known of a word to which threads add.
type dispenser struct {
	bytes   uint64
	step    uint64 // that is added
	reset   uint64 // what it was before the first addition
	first   int    // core that has added first
	shared  bool
	refuted bool
	named   []uint64 // different words that threads have read by their tickets
}

func (d *dispenser) trusted() bool { return d.shared && len(d.named) >= trustedAfter && !d.refuted }

// tickets are what is known of the tickets of a recording.
type tickets struct {
	dispensers map[uint64]*dispenser // by address
	next       uint64                // number
	off        bool                  // cores that take some do not all meet
	ways       map[uint64]*ownLine   // by place
	own        []*ownLine            // in the order in which they were found
}

// ownLine is what each core finds at a place of the program.
type ownLine struct {
	lines  []uint64 // per core; 0: none yet
	shared bool     // a core has found several lines, or two cores the same one
}

// learning is what a thread has done since it added to a dispenser that is not trusted.
type learning struct {
	from    *dispenser
	derived []uint64 // accesses that depend on what it fetched, as numbers of its core
	stored  []uint64 // words where it has put that
	until   uint64   // access
}

// farthestUse is how many accesses behind a ticket a thread must read by it to show what it is.
const farthestUse = 256

// atDispenser learns of words to which threads add from an access of a thread that is about to
// become the next one of its core. It returns the count of the record: 0 unless the access takes
// a ticket.
func (k *converter) atDispenser(t *thread, m *message, address, bytes uint64) uint16 {
	d := k.tickets.dispensers[address]
	adds := m.kind == kindAtomic && m.flags&exchange == 0 && m.valued && m.before != m.after && !m.system
	mask := ^uint64(0) >> (64 - 8*min(bytes, 8))
	switch {
	case m.kind == kindLoad || d == nil && (!adds || bytes < 4):
		return 0
	case d == nil:
		d = &dispenser{bytes: bytes, step: (m.after - m.before) & mask, reset: m.before & mask, first: t.core}
		k.tickets.dispensers[address] = d
	case adds && bytes == d.bytes && (m.after-m.before-d.step)&mask == 0:
	case !adds && m.valued && (m.after&mask == d.reset || m.after&mask == 0):
		return 0
	default:
		d.refuted = true
	}
	d.shared = d.shared || d.first != t.core
	if d.refuted {
		return 0
	}
	if !d.trusted() {
		number := k.cores[t.core].accesses
		t.learns = learning{from: d, derived: append(t.learns.derived[:0], number), stored: t.learns.stored[:0], until: number + farthestUse}
		return 0
	}
	return k.takeTicket(t)
}

// takeTicket returns the count of the ticket that a thread takes, or 0 if it can take none.
func (k *converter) takeTicket(t *thread) uint16 {
	x, c := &k.tickets, &k.cores[t.core]
	x.off = x.off || c.met != k.counts.barriers
	if x.off || c.threads > 1 || x.next-c.ticket >= traces.MostTickets {
		return 0
	}
	x.next++
	c.ticket = x.next
	k.letGo(t.core)
	return traces.TicketCount(x.next - 1)
}

// learn notes whether an access depends on what a thread has fetched from a dispenser.
func (t *thread) learn(r *traces.Record, access uint64) {
	l := &t.learns
	if l.from == nil || r.Dependence == 0 || !slices.Contains(l.derived, access-uint64(r.Dependence)) {
		if access >= l.until {
			l.from = nil
		}
		return
	}
	switch {
	case r.Kind == traces.Store:
		l.stored = append(l.stored, r.Address/8)
		return
	case r.Kind == traces.Load && !slices.Contains(l.stored, r.Address/8):
		if !slices.Contains(l.from.named, r.Address/8) {
			l.from.named = append(l.from.named, r.Address/8)
		}
		l.from = nil
		return
	}
	l.derived = append(l.derived, access)
}

// finds notes that a core finds a line at a place of the program.
func (x *tickets) finds(core, cores int, place, line uint64) {
	o := x.ways[place]
	switch {
	case o == nil:
		o = &ownLine{lines: make([]uint64, cores)}
		x.ways[place] = o
		x.own = append(x.own, o)
	case o.shared || o.lines[core] == line:
		return
	}
	o.shared = line == 0 || o.lines[core] != 0 || slices.Contains(o.lines, line)
	o.lines[core] = line
}

// stay reports whether there is a place at which each core that takes tickets has found one line, and
// no two the same.
func (x *tickets) stay(cores []core) bool {
	return slices.ContainsFunc(x.own, func(o *ownLine) bool {
		misses := func(core int) bool { return cores[core].ticket > 0 && o.lines[core] == 0 }
		for core := range cores {
			if misses(core) {
				return false
			}
		}
		return !o.shared
	})
}

// lists returns the lines that stand for each other, per core.
func (x *tickets) lists(cores int) [][]uint64 {
	own := make([][]uint64, cores)
	owner := map[uint64]int{} // per line, its core plus 1
	for _, o := range x.own {
		known := 0
		foreign, novel := false, false
		for core, line := range o.lines {
			if line == 0 {
				continue
			}
			known++
			foreign = foreign || owner[line] != 0 && owner[line] != core+1
			novel = novel || owner[line] == 0
		}
		if o.shared || foreign || !novel || known < 2 || len(own[0]) == traces.MostOwn/cores {
			continue
		}
		for core, line := range o.lines {
			if line != 0 && owner[line] != 0 {
				line = 0 // it stands for others already
			}
			own[core] = append(own[core], line)
			owner[line] = core + 1
		}
		delete(owner, 0)
	}
	return own
}
