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
