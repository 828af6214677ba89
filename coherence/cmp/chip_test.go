package cmp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// rng is a small deterministic generator for tests.
type rng uint64

func (r *rng) next(n uint64) uint64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return uint64(*r) % n
}

// contention makes streams in which all cores fight for few blocks: loads, stores, atomics and
// fetches with false sharing.
func contention(cores, records, blocks int, seed uint64) *traces.Memory {
	streams := make([][]traces.Record, cores)
	for c := range streams {
		r := rng(seed*7919 + uint64(c)*104729 + 1)
		for range records {
			k := traces.Load
			switch v := r.next(20); {
			case v < 7:
				k = traces.Store
			case v < 8:
				k = traces.Atomic
			case v < 9:
				k = traces.Fetch
			}
			streams[c] = append(streams[c], traces.Record{Kind: k, Address: r.next(uint64(blocks))*64 + 8*r.next(8),
				Instructions: uint32(r.next(6)), Size: 3})
		}
	}
	return traces.NewMemory(streams, nil)
}

func network(t testing.TB, name string, seed uint64, edit func(*models.Options)) noc.Network {
	t.Helper()
	m := must.Get(models.Lookup(name))
	o := models.DefaultOptions()
	o.Seed = seed
	if edit != nil {
		edit(&o)
	}
	n := must.Get(m.Build(o))
	return n
}

// small returns a chip that provokes races: tiny caches and short timeouts, every law checked every
// cycle.
func small() cmp.Config {
	c := cmp.Default()
	c.L1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	c.L2 = cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	c.CheckEvery = 1
	return c
}

func run(t testing.TB, c cmp.Config, n noc.Network, src traces.Source, seed uint64) cmp.Result {
	t.Helper()
	s := must.Get(cmp.New(c, n, src, seed))
	r := must.Get(s.Run(context.Background(), nil))
	return r
}

// On every network: tokens conserved, a single writer, every access sees the latest data, checked
// after every step; every record executed once; the same result whether quiet cycles are skipped or
// not.
func TestEveryLawOnEveryNetwork(t *testing.T) {
	t.Parallel()
	for _, name := range models.Table().Names() {
		for _, timeout := range []noc.Cycle{0, 100} {
			t.Run(fmt.Sprintf("%s/timeout=%d", name, timeout), func(t *testing.T) {
				c, records := small(), 18
				if timeout > 0 {
					c.Token.Timeout, c.Token.Adaptive = timeout, false
					records = 12 // re-issues saturate the slower networks
				}
				r := lawful(t, c, name, records, 24, models.DefaultOptions().Grid)
				if timeout > 0 && r.Counter("persistent_requests") == 0 {
					t.Error("timeouts this short should lead to persistent requests")
				}
			})
		}
	}
}

// lawful runs contention for so many blocks, skipping quiet cycles and visiting all.
func lawful(t *testing.T, c cmp.Config, router string, records, blocks int, grid topology.Grid) cmp.Result {
	t.Helper()
	var results [2]cmp.Result
	for i := range results {
		c.EveryCycle = i == 1
		n := network(t, router, 1, func(o *models.Options) { o.Grid, o.EveryCycle = grid, c.EveryCycle })
		r := run(t, c, n, contention(16, records, blocks, 1), 1)
		if got := r.Accesses(); got != uint64(16*records) {
			t.Errorf("%d records executed, want %d", got, 16*records)
		}
		results[i] = r
	}
	if a, b := results[0], results[1]; !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\nwhen skipping quiet cycles,\n%+v\nwhen visiting all", a, b)
	}
	return results[0]
}

// Options of the chip and of its protocol obey every law too, and each changes what happens.
func TestEveryLawUnderOtherOptions(t *testing.T) {
	digests := map[uint64]string{}
	for _, o := range []struct {
		name string
		edit func(*cmp.Config)
	}{
		{"defaults", func(*cmp.Config) {}},
		{"bank hash", func(c *cmp.Config) { c.BankHash = true }},
		{"sequential consistency", func(c *cmp.Config) { c.Core.SequentialConsistency = true }},
		{"edge placement", func(c *cmp.Config) { c.Place.Cores, c.Place.Memory = "edge", "edge" }},
		{"narrow core", func(c *cmp.Config) { c.Core.Width, c.Core.Window, c.Core.Outstanding, c.Core.StoreBuffer = 1, 4, 1, 1 }},
		{"slow memory", func(c *cmp.Config) { c.Memory.BytesPerCycle, c.Memory.Queue = 4, 1 }},
		{"one bank per router", func(c *cmp.Config) { c.BanksPerRouter = 1 }},
		{"fixed timeout", func(c *cmp.Config) { c.Token.Adaptive = false }},
		{"tokens alone on eviction", func(c *cmp.Config) { c.Token.EvictShared = "tokens" }},
	} {
		c := small()
		o.edit(&c)
		r := run(t, c, network(t, "mrr", 1, nil), contention(16, 30, 300, 1), 1)
		if other, twice := digests[r.Digest]; twice {
			t.Errorf("%s gives the same run as %s", o.name, other)
		}
		digests[r.Digest] = o.name
	}
}

func TestDigestDependsOnSeedAlone(t *testing.T) {
	t.Parallel()
	for _, name := range models.Table().Names() {
		d := map[uint64]bool{}
		for _, seed := range []uint64{1, 1, 2} {
			d[run(t, cmp.Default(), network(t, name, seed, nil), contention(16, 25, 50, 1), seed).Digest] = true
		}
		if len(d) != 2 {
			t.Errorf("%s: seeds 1, 1, 2 gave %d different digests, want 2", name, len(d))
		}
	}
}

func TestBarrierHoldsEveryoneUntilTheLastArrives(t *testing.T) {
	for name, size := range map[string]uint8{"base": traces.Spins, "mrr": traces.Spins, "rr": traces.Sleeps, "base-mc": traces.Sleeps} {
		streams := make([][]traces.Record, 16)
		for c := range streams {
			streams[c] = []traces.Record{
				{Kind: traces.Barrier, Address: 7, Count: 16, Size: size, Instructions: uint32(1 + 1000*c)},
				{Kind: traces.Barrier, Address: 7, Count: 16, Size: size, Instructions: uint32(1 + 1000*(15-c))},
			}
		}
		r := run(t, cmp.Default(), network(t, name, 1, nil), traces.NewMemory(streams, nil), 1)
		if r.Barriers != 2*16 || r.Locks+r.SharedLocks != 0 {
			t.Errorf("%s: %d barriers passed and %d locks taken", name, r.Barriers, r.Locks+r.SharedLocks)
		}
		for c, core := range r.Cores {
			if core.FinishCycle < 2*15_000/4+2*traces.FutexInstructions/4*noc.Cycle(size) {
				t.Errorf("%s: core %d passed both barriers in cycle %d, before the last core can have arrived", name, c, core.FinishCycle)
			}
			if core.FinishCycle > 12_000 {
				t.Errorf("%s: core %d needed %d cycles for two barriers", name, c, core.FinishCycle)
			}
		}
	}
}

// TestLocksAreTakenInTurn: critical sections do not overlap. Who takes a free lock
// meanwhile, and whose word is in one line with the data, gets these, too.
func TestLocksAreTakenInTurn(t *testing.T) {
	const rounds, inside = 5, 400
	for _, way := range []struct {
		contended bool
		waits     uint8
	}{{true, traces.Spins}, {false, traces.Spins}, {true, traces.Sleeps}, {false, traces.Sleeps}} {
		contended := way.contended
		var misses [2]uint64
		for i, lock := range []uint64{3, traces.LockWord | 64 + 8} {
			streams := make([][]traces.Record, 16)
			for c := range streams {
				before := uint32(1)
				for round := range rounds {
					if !contended {
						before = 40 * inside
						if round == 0 {
							before = uint32(1 + 4*inside*c)
						}
					}
					streams[c] = append(streams[c],
						traces.Record{Kind: traces.Lock, Address: lock, Instructions: before, Size: way.waits},
						traces.Record{Kind: traces.Store, Address: 64, Instructions: inside, Size: 3},
						traces.Record{Kind: traces.Unlock, Address: lock, Instructions: 1, Size: way.waits})
				}
			}
			r := run(t, cmp.Default(), network(t, "mrr", 1, nil), traces.NewMemory(streams, nil), 1)
			if least := noc.Cycle(16 * rounds * inside / 4); r.Cycles < least {
				t.Errorf("%d critical sections of %d cycles took %d cycles: some overlapped", 16*rounds, inside/4, r.Cycles)
			}
			misses[i] = r.L1Misses
		}
		if !contended && misses[1] >= misses[0] {
			t.Errorf("%d misses with the lock beside its data, %d with each by itself", misses[1], misses[0])
		}
	}
}

// Cores that share a lock hold it at the same time, in every way to wait; one that does not share it
// among them waits until all have left.
func TestSharedLocksOverlap(t *testing.T) {
	const inside = 40000
	for waits := range uint8(traces.Waits + 1) {
		if waits&traces.Shared == 0 {
			continue
		}
		times := [2]noc.Cycle{}
		for alone := range times {
			streams := make([][]traces.Record, 16)
			for c := range streams {
				size := waits
				if c == 5 && alone == 1 {
					size &^= traces.Shared
				}
				streams[c] = []traces.Record{{Kind: traces.Lock, Address: 3, Instructions: 1, Size: size},
					{Kind: traces.Load, Address: 64, Instructions: inside, Size: 3}, {Kind: traces.Unlock, Address: 3, Instructions: 1, Size: size}, {Kind: traces.End}}
			}
			times[alone] = run(t, cmp.Default(), network(t, "mrr", 1, nil), traces.NewMemory(streams, nil), 1).Cycles
		}
		if once := noc.Cycle(inside / 4); times[0] < once || times[0] > 2*once || times[1] < 2*once || times[1] > 4*once {
			t.Errorf("%s: %d cycles, and %d where one core does not share; a section takes %d", traces.WaitNames[waits], times[0], times[1], once)
		}
	}
}

// Who finds a lock held that it sleeps for gets it when it has been woken, which takes the time of the
// operating system; who spins gets it after the misses alone. A lock that is free is taken as fast as
// one that cores spin on, and releasing it wakes nobody.
func TestLocksThatSleep(t *testing.T) {
	const futex = traces.FutexInstructions / 4
	handOff := func(waits uint8, inside uint32) (gap, released noc.Cycle) {
		streams := make([][]traces.Record, 16)
		for c := range 2 {
			streams[c] = []traces.Record{{Kind: traces.Lock, Address: 3, Instructions: uint32(1 + 800*c), Size: waits},
				{Kind: traces.Store, Address: 64 * uint64(c), Instructions: inside, Size: 3}, {Kind: traces.Unlock, Address: 3, Instructions: 1, Size: waits},
				{Kind: traces.Fence, Instructions: 1}}
		}
		s := must.Get(cmp.New(cmp.Default(), network(t, "mrr", 1, nil), traces.NewMemory(streams, nil), 1))
		var at [2][traces.Kinds]noc.Cycle
		s.Watch(func(p cmp.Performed) { at[p.Core][p.Access.Kind] = p.Cycle })
		if _, err := s.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return at[1][traces.Lock] - at[0][traces.Unlock], at[0][traces.Fence] - at[0][traces.Unlock]
	}
	const misses = 200 // at most, of a block that changes hands
	for _, c := range []struct {
		name                       string
		waits                      uint8
		inside                     uint32
		least, most, releasesAfter noc.Cycle
	}{
		{"spinning", traces.Spins, 8000, 1, misses, 0},
		{"asleep", traces.Sleeps, 8000, futex, futex + misses, futex},
		{"free when the second comes", traces.Sleeps, 1, 1, 2 * misses, 0},
	} {
		gap, released := handOff(c.waits, c.inside)
		if gap < c.least || gap > c.most {
			t.Errorf("%s: the second core has the lock %d cycles after its release; want %d to %d", c.name, gap, c.least, c.most)
		}
		if released < c.releasesAfter || released > c.releasesAfter+misses {
			t.Errorf("%s: the first core goes on %d cycles after the release; want about %d", c.name, released, c.releasesAfter)
		}
	}
}

// TestBarriersThatAreLeft: where cores count themselves out of a barrier, they leave one after the
// other.
func TestBarriersThatAreLeft(t *testing.T) {
	last := func(waits uint8) noc.Cycle {
		streams := make([][]traces.Record, 16)
		for c := range streams {
			streams[c] = []traces.Record{{Kind: traces.Barrier, Address: traces.LockWord | 1<<16, Instructions: 1, Count: 16, Size: waits}, {Kind: traces.Fence, Instructions: 1}}
		}
		s := must.Get(cmp.New(cmp.Default(), network(t, "mrr", 1, nil), traces.NewMemory(streams, nil), 1))
		return must.Get(s.Run(t.Context(), nil)).Cycles
	}
	for name, waits := range map[string]uint8{"spinning": traces.Spins, "asleep": traces.Sleeps} {
		if stays, leaves := last(waits), last(waits|traces.Exchanges); leaves < stays+15*20 {
			t.Errorf("%s: %d cycles, %d if cores count themselves out", name, stays, leaves)
		}
	}
}

// Chips of few and of many cores execute every record, with broadcasts and with sets of sharers.
func TestChipsOfOtherSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		grid  topology.Grid
		cores int
	}{{topology.Torus(4, 4), 4}, {topology.Torus(8, 4), 16}, {topology.Torus(8, 8), 64}, {topology.Torus(16, 8), 32}, {topology.Mesh(4, 4), 16}} {
		for _, config := range []cmp.Config{small(), smallDirectory(0)} {
			config.Place.Columns = c.grid.Radix[0]
			config.Place.MemoryControllers = 4
			config.Token.Tokens = c.cores + 16
			n := network(t, "mrr", 1, func(o *models.Options) { o.Grid = c.grid })
			r := run(t, config, n, contention(c.cores, 10, 20, 3), 1)
			if got := r.Accesses(); got != uint64(10*c.cores) {
				t.Errorf("%s on %s with %d cores: %d records executed", config.Protocol, c.grid, c.cores, got)
			}
		}
	}
}

// jammed is a network that stops accepting anything after a while.
type jammed struct{ noc.Network }

func (j jammed) Offer(p noc.Packet) bool { return j.Now() < 500 && j.Network.Offer(p) }

func TestDeadlockIsExplained(t *testing.T) {
	c := cmp.Default()
	c.WatchdogCycles = 20_000
	s, err := cmp.New(c, jammed{network(t, "base", 1, nil)}, contention(16, 500, 100, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(context.Background(), nil)
	var stuck *cmp.DeadlockReport
	if !errors.As(err, &stuck) {
		t.Fatalf("got %v, want a standstill", err)
	}
	if len(stuck.Cores) == 0 || len(stuck.Controllers) == 0 || len(stuck.Messages) == 0 || !strings.Contains(err.Error(), "oldest in the window") {
		t.Errorf("the explanation names %d cores, %d controllers and %d messages: %v", len(stuck.Cores), len(stuck.Controllers), len(stuck.Messages), err)
	}
}

// TestInstructionsAreProgress: a core that executes instructions without records is not deadlocked.
func TestInstructionsAreProgress(t *testing.T) {
	for _, plain := range []bool{false, true} {
		c := cmp.Default()
		c.WatchdogCycles, c.Core.Plain = 1_000, plain
		streams := [][]traces.Record{{{Instructions: 1, Address: 64}, {Instructions: 100_000, Address: 128}, {Kind: traces.End}}, {{Kind: traces.End}}}
		if r := run(t, c, network(t, "ideal", 1, nil), traces.NewMemory(streams, nil), 1); r.Cycles < 25_000 {
			t.Errorf("%d cycles", r.Cycles)
		}
	}
}

func TestRunCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := must.Get(cmp.New(cmp.Default(), network(t, "ideal", 1, nil), contention(16, 100, 100, 1), 1))
	cancel()
	if _, err := s.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// Every record of the embedded recording is executed exactly once, by every protocol and, with
// CAROUSEL_LONG, on every network: the counts are those of the trace. The run ends when nothing
// moves any more. With the race detector, only directory does it.
func TestRecordingIsExecutedOnceOnEveryNetwork(t *testing.T) {
	t.Parallel()
	for _, p := range cmp.Protocols {
		for _, name := range models.Table().Names() {
			if p.Name != "token" && name != "mrr" {
				continue // the networks with one protocol, every protocol on one network
			}
			if !slices.Contains([]string{"base", "mrr"}, name) && os.Getenv("CAROUSEL_LONG") == "" || must.Race() && p.Name != "directory" {
				continue
			}
			t.Run(p.Name+"/"+name, func(t *testing.T) { executedOnce(t, p.Name, name) })
		}
	}
}

func executedOnce(t *testing.T, protocol, name string) {
	src := must.Get(workloads.Open("nas-is-s", workloads.Default()))
	var want cmp.Result
	for _, c := range src.Info.Totals {
		want.Instructions += c.Instructions
		want.Loads += c.Loads
		want.Stores += c.Stores
		want.Atomics += c.Atomics
		want.Fetches += c.Fetches
		want.Ordered += c.Edges
	}
	c := cmp.Default()
	c.Protocol = protocol
	r := run(t, c, network(t, name, 1, nil), src, 1)
	if r.Instructions != want.Instructions || r.Loads != want.Loads || r.Stores != want.Stores || r.Atomics != want.Atomics || r.Fetches != want.Fetches || r.Ordered != want.Ordered {
		t.Errorf("%d instructions, %d loads, %d stores, %d atomics, %d fetches, %d edges; the trace has %d, %d, %d, %d, %d, %d",
			r.Instructions, r.Loads, r.Stores, r.Atomics, r.Fetches, r.Ordered, want.Instructions, want.Loads, want.Stores, want.Atomics, want.Fetches, want.Ordered)
	}
	if r.DrainCycles > 2000 {
		t.Errorf("the run went on for %d cycles after the last core had finished", r.DrainCycles)
	}
	for c := range r.Cores {
		if got := r.Cores[c].Records; got != src.Info.Totals[c].Records {
			t.Errorf("core %d executed %d of %d records", c, got, src.Info.Totals[c].Records)
		}
	}
}
