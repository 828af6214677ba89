package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// mixedStreams has what the fast paths of a core's stages tell apart: loads and stores of all
// sizes, also across words, of private and of shared blocks, with dependences, plain instructions
// and other records between them.
func mixedStreams(cores, records int) [][]traces.Record {
	streams := make([][]traces.Record, cores)
	for c := range streams {
		r := random.Stream(uint64(c))
		for range records {
			v := r.Uint64()
			kind := [...]traces.Kind{traces.Load, traces.Load, traces.Load, traces.Store, traces.Store, traces.Store, traces.Fetch,
				traces.Atomic, traces.Fence}[[...]int{0, 1, 2, 3, 4, 5, 0, 3, int(v>>8) % 9}[v%9]]
			address := v >> 16 % 64 * 8
			if v>>24%8 > 0 {
				address = 1<<20 + uint64(c)<<16 + v>>16%256*8
			}
			x := traces.Record{Kind: kind, Address: address + v>>32%3*2, Size: uint8(v >> 36 % 4), Instructions: uint32(v >> 40 % 4)}
			if kind == traces.Load && v>>44%4 == 0 {
				x.Dependence = uint16(v >> 48 % 5)
			}
			streams[c] = append(streams[c], x)
		}
		streams[c] = append(streams[c], traces.Record{Kind: traces.End})
	}
	return streams
}

// A run in which cores have no hit path, or in which every access is checked or watched, takes no
// fast path in any stage, and gives the same.
func TestFastPathsChangeNothing(t *testing.T) {
	run := func(sequential bool, edit func(*Config), prepare func(*System)) Result {
		c := Default()
		c.Core.Width, c.Core.Window, c.Core.StoreBuffer, c.Core.LoadPorts = 3, 17, 3, 2
		c.Core.SequentialConsistency = sequential
		edit(&c)
		s := must.Get(New(c, build(t, "ideal"), traces.NewMemory(mixedStreams(8, 1500), nil), 1))
		prepare(s)
		r := must.Get(s.Run(t.Context(), nil))
		return r
	}
	for _, sequential := range []bool{false, true} {
		want := run(sequential, func(*Config) {}, func(*System) {})
		for name, got := range map[string]Result{
			"checked": run(sequential, func(c *Config) { c.CheckEvery = 1000 }, func(*System) {}),
			"watched": run(sequential, func(*Config) {}, func(s *System) { s.Watch(func(Performed) {}) }),
			"without hit path": run(sequential, func(*Config) {}, func(s *System) {
				for i := range s.cores {
					s.cores[i].hits = coherence.HitPath{HitTable: new(coherence.HitTable)}
				}
			}),
		} {
			if got.Digest != want.Digest || got.Cycles != want.Cycles || got.Instructions != want.Instructions || got.L1Hits != want.L1Hits {
				t.Errorf("%s, sequential %t: %d cycles, %d instructions, %d hits, digest %x; want %d, %d, %d, %x", name, sequential,
					got.Cycles, got.Instructions, got.L1Hits, got.Digest, want.Cycles, want.Instructions, want.L1Hits, want.Digest)
			}
			for i := range want.Cores {
				if got.Cores[i] != want.Cores[i] {
					t.Errorf("%s, sequential %t: core %d has %+v, want %+v", name, sequential, i, got.Cores[i], want.Cores[i])
				}
			}
		}
	}
}

// Loads issue in the cycle after they enter, as many per cycle as there are ports.
func TestLoadsIssueThroughPorts(t *testing.T) {
	var records []traces.Record
	for i := range uint64(8) {
		records = append(records, access(traces.Load, 64*i, 1))
	}
	for _, ports := range []int{1, 2, 4, 8} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Width, c.Core.LoadPorts = 8, ports }, one(append(records, end(0))...))
		if want := noc.Cycle(1 + 8/ports); r.Cycles != want {
			t.Errorf("%d ports: 8 hits took %d cycles, want %d", ports, r.Cycles, want)
		}
	}
}

// Records with plain instructions before them enter at the core's width.
func TestRecordsEnterAtTheCoresWidth(t *testing.T) {
	var records []traces.Record
	for i := range uint64(12) {
		records = append(records, access(traces.Load, 64*i, [...]uint32{3, 1, 1}[i%3]))
	}
	for width, want := range map[int]noc.Cycle{2: 11, 3: 8, 4: 6, 7: 4} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Width, c.Core.LoadPorts = width, width }, one(append(records, end(0))...))
		if r.Cycles != want || r.Instructions != 20 {
			t.Errorf("%d instructions at %d per cycle took %d cycles, want %d: the last enters, issues and retires", r.Instructions, width, r.Cycles, want)
		}
	}
}

// An instruction whose fetch has a record of its own is counted with its access.
func TestFetchedInstructionsAreCountedOnce(t *testing.T) {
	r, _ := replay(t, hits, func(c *Config) { c.Core.Width = 2 },
		one(access(traces.Fetch, 640, 3), access(traces.Load, 64, 0), access(traces.Load, 128, 1), end(0)))
	if r.Instructions != 4 || r.Cycles != 3 {
		t.Errorf("%d instructions in %d cycles, want 4 in 3: 3 up to the fetched one, whose load is the first, and the second load's",
			r.Instructions, r.Cycles)
	}
}

// A load whose block is invalidated while its data is on the way may keep the data only if all
// older loads had been performed by then. Whether they are by the time the data comes is too late:
// the older load may have seen what the invalidating core wrote afterwards (message passing).
func TestLoadInvalidatedOnItsWayIsRepeated(t *testing.T) {
	for _, x := range []struct {
		olderFirst bool
		want       operationState
	}{{false, waiting}, {true, done}} {
		s := still(t)
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
		c.complete(&coherence.Completion{Handle: uint32(c.slot(c.first + 1)), Overtaken: true})
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
func TestOvertakenReadsHaveALowerBound(t *testing.T) {
	for v, sound := range []bool{false, true, true, false} {
		s := still(t)
		s.audit.startChecking()
		for i, at := range []noc.Cycle{10, 20} { // versions 1 and 2
			s.now = at
			s.audit.checkValue(0, 5, coherence.Store, coherence.Version(i+1))
		}
		s.now = 30
		s.audit.checkPast(1, 5, &coherence.Completion{Version: coherence.Version(v), Since: 15, Overtaken: true})
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
		s := still(t)
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
