package experiment

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
)

// TestSynchronisation: how threads synchronise follows from what they do most, per instruction.
func TestSynchronisation(t *testing.T) {
	for want, r := range map[string]cmp.Result{
		tables.Rarely:         {Atomics: 4, Ordered: 4, Locks: 1},
		tables.ByBarriers:     {Atomics: 1, Barriers: 2},
		tables.ByLocks:        {Locks: 18, Atomics: 4, Ordered: 5},
		tables.ByReaderWriter: {Locks: 3, SharedLocks: 17, Atomics: 11, Ordered: 9, Barriers: 1},
		tables.ByCounters:     {Atomics: 30, Ordered: 2},
		tables.ByAttempts:     {Atomics: 30, Attempts: 15, Ordered: 20},
		tables.ByConditions:   {Atomics: 48, Locks: 12, Ordered: 9, Woken: 4},
		tables.ByFlags:        {Atomics: 2, Ordered: 38, Woken: 2},
		tables.Mixed:          {Locks: 11, Atomics: 35, Ordered: 130},
	} {
		r.Instructions = 10_000
		if got := synchronisation(&r); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
	if got := synchronisation(&cmp.Result{}); got != tables.Rarely {
		t.Errorf("nothing executed: %s", got)
	}
}
