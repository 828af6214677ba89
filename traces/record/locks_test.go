package record

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// TestSpinsOfPrograms: spin locks that a program makes by hand are records in place of the accesses to
// their word.
func TestSpinsOfPrograms(t *testing.T) {
	m, result := recorded(t, t.Context(), nil, compile(t, "spins.c", "-pthread"))
	if result.Status != "" {
		t.Fatal(result.Status)
	}
	locks, unlocks, atomics := 0, 0, 0
	for core := 1; core <= 4; core++ {
		for _, r := range m.Records[core] {
			switch {
			case r.Kind == traces.Lock && r.Address&traces.LockWord != 0 && r.Size&traces.Sleeps == 0:
				locks++
			case r.Kind == traces.Unlock:
				unlocks++
			case r.Kind == traces.Atomic:
				atomics++
			}
		}
	}
	if locks < 500 || locks > 800 || // a thread that is alone shows no lock
		unlocks != locks || atomics > 4*50+200 {
		t.Errorf("%d locks, %d unlocks and %d atomics", locks, unlocks, atomics)
	}
}

// TestReaders: reader-writer locks of POSIX threads are records, in place of what the C library does.
// How the recorder finds the library's functions is not in the trace.
func TestReaders(t *testing.T) {
	m, result := recorded(t, t.Context(), nil, compile(t, "readers.c", "-pthread", "-Wl,-z,now"))
	if result.Status != "" {
		t.Fatal(result.Status)
	}
	const alone, shared = traces.Sleeps, traces.Sleeps | traces.Shared
	for core := 1; core <= 4; core++ {
		n, sizes, bytes := [traces.Kinds]int{}, map[uint8]int{}, 0
		own := slices.IndexFunc(m.Records[core], func(r traces.Record) bool { return r.Kind == traces.Lock && r.Size == shared })
		for _, r := range m.Records[core] {
			n[r.Kind]++
			if r.Kind == traces.Load && r.Size == 0 {
				bytes++
			}
			if r.Kind == traces.Lock && r.Address == m.Records[core][own].Address {
				sizes[r.Size]++
			}
		}
		if sizes[alone] != 100 || sizes[shared] != 300 || n[traces.Unlock] != n[traces.Lock] || n[traces.Atomic] > 50 || bytes > 20 {
			t.Errorf("core %d: locks by size %v, %v, %d loads of bytes, as of names", core, sizes, n, bytes)
		}
	}
}

// TestWordsOfPrograms: barriers and reader-writer locks that a program makes by hand are records in
// place of the accesses to their words.
func TestWordsOfPrograms(t *testing.T) {
	m, result := recorded(t, t.Context(), nil, compile(t, "words.c", "-pthread", "-O2", "-Wl,-z,now"))
	if result.Status != "" {
		t.Fatal(result.Status)
	}
	for core := range 4 {
		alone, shared, meetings, unlocks := 0, 0, 0, 0
		for _, r := range m.Records[core] {
			switch {
			case r.Kind == traces.Lock && r.Size&traces.Shared != 0:
				shared++
			case r.Kind == traces.Lock && r.Size&traces.Sleeps == 0:
				alone++
			case r.Kind == traces.Unlock:
				unlocks++
			case r.Kind == traces.Barrier && r.Count == 4 && r.Size == traces.Spins && r.Address&traces.LockWord != 0:
				meetings++
			}
		}
		if shared < 80 || shared > 100 || alone < 15 || unlocks < shared+alone || meetings < 17 || meetings > 19 {
			t.Errorf("core %d: locks taken alone %d, shared %d; %d unlocks, %d barriers", core, alone, shared, unlocks, meetings)
		}
	}
}

// TestValuesFollowWrites: what an atomic has found is what the latest write has left, if it is
// known.
func TestValuesFollowWrites(t *testing.T) {
	const unknown = ^uint64(0)
	v := values{}
	for i, x := range []struct {
		kind             kind
		address, bytes   uint64
		left, wantBefore uint64 // unknown stands for itself
	}{
		{kindAtomic, 0x1000, 4, 5, unknown},
		{kindAtomic, 0x1000, 4, 6, 5},
		{kindStore, 0x1000, 4, 0, 6},
		{kindAtomic, 0x1000, 4, 1, 0},
		{kindLoad, 0x1000, 4, unknown, unknown},
		{kindStore, 0x1000, 4, unknown, unknown},
		{kindAtomic, 0x1000, 4, 3, unknown},
		{kindStore, 0x1004, 4, unknown, unknown}, // beside it
		{kindAtomic, 0x1000, 4, 4, 3},
		{kindStore, 0x1003, 1, 0, unknown}, // a part of it
		{kindAtomic, 0x1000, 4, 5, unknown},
		{kindAtomic, 0x1000, 8, 7, unknown}, // more than it
		{kindAtomic, 0x1000, 4, 5, unknown},
		{kindStore, 0x1000, 8, 0, unknown}, // an atomic of 4 bytes has been in between
		{kindAtomic, 0x1000, 8, 9, 0},
	} {
		m := message{kind: x.kind, after: x.left, leaves: x.kind == kindAtomic}
		if x.kind == kindStore && x.left == 0 {
			m.flags = leftZero
		}
		v.follow(&m, x.address, x.bytes)
		if m.valued != (x.wantBefore != unknown) || m.valued && (m.before != x.wantBefore || m.after != x.left) {
			t.Errorf("%d: known %t, before %d, after %d; want %d, %d", i, m.valued, m.before, m.after, x.wantBefore, x.left)
		}
	}
}
