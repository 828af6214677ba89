package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// A load whose block is invalidated while its data is on the way may keep the data only if all
// older loads had been performed by then. Whether they are by the time the data comes is too late:
// the older load may have seen what the invalidating core wrote afterwards (message passing).
func TestLoadInvalidatedOnItsWayIsRepeated(t *testing.T) {
	for _, x := range []struct {
		olderFirst bool
		want       operationState
	}{{false, waiting}, {true, done}} {
		s, err := New(Default(), &silent{nodes: 64}, &script{records: make([][]traces.Record, 16)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := &s.cores[0]
		c.first = 3
		for i := range 2 {
			c.ring[c.slot(c.first+i)] = operation{kind: traces.Load, address: uint64(i) * coherence.BlockBytes, state: pending}
		}
		c.end, c.scan = c.first+2, c.first+2
		older := func() { c.complete(&coherence.Completion{Handle: uint32(c.slot(c.first))}) }
		if x.olderFirst {
			older()
		}
		c.onInvalidate(1)
		if !x.olderFirst {
			older()
		}
		c.complete(&coherence.Completion{Handle: uint32(c.slot(c.first + 1)), Momentary: true})
		c.onInvalidate(1)
		if got := c.ring[c.slot(c.first+1)].state; got != x.want {
			t.Errorf("older load performed before the invalidation: %t; the load is in state %d, want %d", x.olderFirst, got, x.want)
		}
		if x.want == waiting && (c.scan != c.first+1 || s.replays != 1) {
			t.Errorf("the scan for loads starts at %d and %d loads are repeated, want %d and 1", c.scan, s.replays, c.first+1)
		}
	}
}

// A read that was overtaken by an invalidation may return what was the latest when its miss
// started, or later, and nothing older.
func TestMomentaryValuesHaveALowerBound(t *testing.T) {
	for v, sound := range []bool{false, true, true, false} {
		s, err := New(Default(), &silent{nodes: 64}, &script{records: make([][]traces.Record, 16)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.audit.startChecking()
		for i, at := range []noc.Cycle{10, 20} { // versions 1 and 2
			s.now = at
			s.audit.checkValue(0, 5, coherence.Store, coherence.Version(i+1))
		}
		s.now = 30
		s.audit.checkPast(1, 5, &coherence.Completion{Version: coherence.Version(v), Since: 15, Momentary: true})
		if (s.failure == nil) != sound {
			t.Errorf("version %d for a miss since cycle 15: %v", v, s.failure)
		}
	}
}

// owner is an L1 that has what it is asked for, at a version, and may write it.
type owner struct {
	coherence.CacheController
	version coherence.Version
}

func (c owner) Access(coherence.Access, noc.Cycle, *coherence.Effects) (coherence.Outcome, coherence.Version) {
	return coherence.Hit, c.version + 1
}

// writable returns the hit path into such an L1, which has one block.
func writable(b coherence.Block, v coherence.Version) coherence.HitPath {
	array := cache.NewArray(cache.Config{Sets: 1, Ways: 1}, 0)
	array.Fill(0, uint32(b))
	var rules coherence.HitTable
	rules[1].Next[coherence.Store] = 1
	return coherence.NewHitPath(&array, &rules, []coherence.CacheLine{{Block: b, Version: v, State: 1}})
}

// A load that took its value from its own core's store may keep it while the store is in the
// buffer. Once it is visible another core may overwrite it, and then what the load has, which is
// younger than a load that has not been performed, is out of date.
func TestForwardedValueIsGivenUpOnceOthersMayOverwriteIt(t *testing.T) {
	for _, visible := range []bool{false, true} {
		s, err := New(Default(), &silent{nodes: 64}, &script{records: make([][]traces.Record, 16)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := &s.cores[0]
		c.stores.enter(&operation{kind: traces.Store, address: 64, size: 3}, 1)
		c.stores.retire()
		c.ring[0] = operation{kind: traces.Load, index: 1, state: pending}
		c.ring[1] = operation{kind: traces.Load, address: 64, size: 3, index: 2, older: 1, guarded: true}
		c.end, c.input.taken = 2, 3
		if f := c.forward(1, 0); f != forwardAll || !c.ring[1].forward {
			t.Fatal("the load does not take the store's value")
		}
		if visible {
			c.hits, c.cache = writable(1, 6), owner{c.cache, 6}
			c.drain(1)
			if o := &c.ring[1]; o.forward || c.values[1] != 7 {
				t.Errorf("after the store has become visible as version 7 the load has %+v, version %d", o, c.values[1])
			}
		}
		c.onInvalidate(1)
		if repeated := c.ring[1].state == waiting; repeated != visible {
			t.Errorf("store visible: %t; the load is repeated when the block is lost: %t", visible, repeated)
		}
	}
}
