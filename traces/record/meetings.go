package record

import (
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// A barrier that is made by hand is a counter and a flag. Each core adds a constant to the counter.
// The last one clears the counter, or leaves it, and then writes the flag, which the others have
// read since they added. Between its addition and the opening of the barrier a core writes nothing
// else. A counter that is used otherwise once is no barrier.
//
// It is trusted when equally many cores have met often enough, at least twice, with the same flag. The
// meeting that shows it has a Barrier record, too. From then on these records stand for the
// additions, for what the last core writes, for the reads of the flag by cores that wait, and for
// calls to the operating system to sleep until the flag changes. Other reads of the flag read what a
// replay decides, so no edge leads to them.
//
// meeting is what is known of a counter that may be a barrier.
type meeting struct {
	address, bytes uint64 // of the counter
	step           uint64 // that cores add, in the upper bytes; 0: not known yet
	flag           uint64 // address; 0: not known yet
	cores          int    // that meet
	whole          int    // times that they have met
	arrived        []*thread
	waits          uint8 // how cores wait, as in traces.Record
	refuted        bool
}

// meeter is what is known of a thread that has come to a barrier.
type meeter struct {
	at     *meeting // at which it waits, or that it has just left
	read   []uint64 // what it has read since it came
	opened *meeting // that it has opened, if records stand for that, without an access since
}

// mostRead is how many different words a thread may read until the barrier opens.
const mostRead = 4

// known reports whether cores have met often enough at a counter.
func (b *meeting) known() bool { return b.whole > 1 && b.whole*b.cores >= 2*trustedAfter }

func (b *meeting) trusted() bool { return b != nil && b.known() && !b.refuted }

// waitsAt reports whether a thread waits for a trusted barrier to open.
func (t *thread) waitsAt() bool {
	return t.meets.at.trusted() && slices.Contains(t.meets.at.arrived, t)
}

// atMeeting learns of barriers from an access of a thread, and returns what becomes of it.
func (k *converter) atMeeting(t *thread, m *message, address, bytes uint64) use {
	if m.system {
		return anAccess // it does not show what the program does
	}
	t.meets.opened = nil
	b := t.meets.at
	if m.kind == kindLoad {
		if b == nil {
			return k.readFlag(address)
		}
		return k.readAtMeeting(t, b, m, address)
	}
	if b != nil && !slices.Contains(b.arrived, t) { // it has gone on
		if !b.known() && !slices.Contains(t.meets.read, b.flag) {
			k.refuteMeeting(b)
		}
		b, t.meets = nil, meeter{}
	}
	if b != nil {
		if becomes := k.writeAtMeeting(t, b, m, address); !b.refuted {
			return becomes
		} // else it may come to another one
	}
	b = k.meetings[address]
	adds := m.kind == kindAtomic && m.flags&exchange == 0 && (!m.valued || m.before != m.after) && bytes >= 4
	var step uint64 // not known of the first atomic that QEMU tells
	if m.valued {
		step = (m.after - m.before) << (64 - 8*min(bytes, 8))
	}
	switch {
	case b == nil && adds:
		b = &meeting{address: address, bytes: bytes}
		k.meetings[address] = b
	case b == nil || b.refuted:
		return anAccess
	case !adds || address != b.address || bytes != b.bytes || !m.valued || b.step != 0 && step != b.step:
		if len(b.arrived) > 0 {
			k.refuteMeeting(b)
		}
		return anAccess
	}
	if b.step == 0 {
		b.step = step
	}
	b.arrived = append(b.arrived, t)
	t.meets.at = b
	return useIf(b.trusted())
}

// readFlag decides about a load of a thread that is at no barrier.
func (k *converter) readFlag(address uint64) use {
	if b := k.meetings[address]; b.trusted() && b.flag == address {
		return unordered
	}
	return anAccess
}

// readAtMeeting takes a load of a thread that waits, or goes on.
func (k *converter) readAtMeeting(t *thread, b *meeting, m *message, address uint64) use {
	if !slices.Contains(t.meets.read, address) && len(t.meets.read) < mostRead {
		t.meets.read = append(t.meets.read, address)
	}
	waits := slices.Contains(b.arrived, t)
	switch {
	case !b.trusted() || address != b.flag:
		return anAccess
	case !waits:
		t.meets = meeter{}
	}
	k.cores[t.core].instructions -= uint64(m.instructions)
	return leftOut
}

// writeAtMeeting takes a store or an atomic of a thread that has arrived: only the last one may write
// something, the counter and then the flag.
func (k *converter) writeAtMeeting(t *thread, b *meeting, m *message, address uint64) use {
	last, trusted := len(b.arrived)-1, b.trusted()
	reads := func(o *thread) bool { return slices.Contains(o.meets.read, address) }
	readsOther := func(o *thread) bool { return len(o.meets.read) > 0 && !reads(o) }
	switch {
	case b.arrived[last] != t || trusted && len(b.arrived) != b.cores:
		k.refuteMeeting(b)
		return anAccess
	case address == b.address && (m.kind == kindStore || m.flags&exchange != 0):
		return useIf(trusted)
	case b.flag != 0 && (address != b.flag || len(b.arrived) != b.cores && (b.whole > 1 || len(b.arrived) < b.cores)),
		b.flag == 0 && (k.meetings[address] != nil || !slices.ContainsFunc(b.arrived[:last], reads)),
		slices.ContainsFunc(b.arrived[:last], readsOther):
		k.refuteMeeting(b)
		return anAccess
	}
	var cores []int
	for _, o := range b.arrived {
		cores = append(cores, o.core)
	}
	if len(cores) != b.cores {
		b.whole = 0 // others have come to the first meeting before the recording
	}
	b.flag, b.cores = address, len(cores)
	k.meetings[address] = b
	b.whole++
	b.arrived, t.meets = nil, meeter{}
	if b.known() { // also where accesses have shown it just now
		number := traces.LockWord | b.address
		if b.address/traces.LineBytes != b.flag/traces.LineBytes {
			number = k.object(b.address)
		}
		k.meet(number, cores, b.waits)
	}
	if trusted {
		t.meets.opened = b
	}
	return useIf(trusted)
}

// useIf returns what becomes of an access to a barrier's words.
func useIf(trusted bool) use {
	if trusted {
		return leftOut
	}
	return anAccess
}

// sleepsAt takes the call of a thread to sleep until a word changes, or to wake all who do. It reports
// whether the records of a barrier stand for it.
func (t *thread) sleepsAt(address uint64, wakes bool) bool {
	if wakes {
		return t.meets.opened != nil && t.meets.opened.flag == address
	}
	b := t.meets.at
	if b == nil || !slices.Contains(b.arrived, t) || !slices.Contains(t.meets.read, address) {
		return false
	}
	b.waits = traces.Sleeps
	return b.trusted() && b.flag == address
}

// sleptAt takes that a thread has been woken, and reports whether a barrier has opened that it
// slept at.
func (t *thread) sleptAt(address uint64) bool {
	b := t.meets.at
	if !b.trusted() || b.flag != address || slices.Contains(b.arrived, t) {
		return false
	}
	b.waits |= traces.Sleeps
	return true
}

// refuteMeeting decides that a counter is no barrier. Additions that have been left out come late.
func (k *converter) refuteMeeting(b *meeting) {
	wasTrusted := b.trusted()
	b.refuted = true
	for _, t := range b.arrived {
		t.meets = meeter{}
		if wasTrusted {
			k.order(t.core, &message{kind: kindAtomic}, b.address, b.bytes)
			k.write(t.core, traces.Record{Kind: traces.Atomic, Address: b.address, Size: sizeOf(b.bytes)})
		}
	}
	b.arrived = nil
}
