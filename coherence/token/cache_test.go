package token

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/controller"
	"pgregory.net/rapid"
)

// A core that uses the reach of its L1 and lets it ignore what it can must find the same as one
// that asks the L1 each time: the same versions and effects, the same blocks in the same frames,
// the same counts.
func TestReachAndIgnoresChangeNothing(t *testing.T) {
	reached, ignored := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		homes := coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}
		var protocols [2]*Protocol
		var caches [2]*l1
		for i := range caches {
			protocols[i] = New(coherence.System{Cores: 2, Homes: &homes}, Default(), tinyL1, tinyL2, 4)
			caches[i] = protocols[i].NewCache(0).(*l1)
		}
		short, long := caches[0], caches[1]
		for range 150 {
			b := coherence.Block(rapid.IntRange(0, 5).Draw(t, "block"))
			var a, z coherence.Effects
			a.Reset()
			z.Reset()
			if rapid.IntRange(0, 3).Draw(t, "request") == 0 {
				kind := rapid.Uint8Range(GetRead, GetWrite).Draw(t, "kind")
				m := coherence.Message{Block: b, Kind: kind, From: controller.CacheOf(1), Requestor: 1}
				if protocols[0].Ignores(0, &m) {
					ignored++
				} else {
					short.Accept(m, 0, &a)
				}
				long.Accept(m, 0, &z)
			} else {
				k := coherence.AccessKind(rapid.IntRange(0, int(coherence.AccessKinds)-1).Draw(t, "access"))
				access := coherence.Access{Block: b, Kind: k}
				outcome, v := coherence.Hit, coherence.Version(0)
				reach := short.HitPath()
				if l := reach.Find(b); k != coherence.Fetch && reach.Hit(l, k) {
					v = l.Version
					reached++
				} else {
					outcome, v = short.Access(access, 0, &a)
				}
				if o, w := long.Access(access, 0, &z); o != outcome || w != v {
					t.Fatalf("%+v: outcome %d with version %d, want %d with %d", access, outcome, v, o, w)
				}
				if outcome == coherence.Pending && rapid.Bool().Draw(t, "answer") {
					for _, c := range caches {
						l := c.line(c.Find(b))
						m := coherence.Message{Block: b, Kind: Tokens, Class: Response, Count: c.p.tokens - l.Count, Version: l.Version,
							Flags: coherence.HasData}
						if !l.has(owner) {
							m.Flags |= isOwner
						}
						var out coherence.Effects
						out.Reset()
						c.Accept(m, 0, &out)
					}
				}
			}
			if !slices.Equal(a.Lost, z.Lost) || len(a.Sends) != len(z.Sends) || len(a.Timers) != len(z.Timers) || a.Retry != z.Retry {
				t.Fatalf("block %d: effects %+v, want %+v", b, a, z)
			}
			for i := range short.Arrays {
				if !bytes.Equal(short.Arrays[i].AppendState(nil), long.Arrays[i].AppendState(nil)) {
					t.Fatalf("after block %d array %d differs", b, i)
				}
			}
		}
		if short.Counters() != long.Counters() || protocols[0].Hits() != protocols[1].Hits() || !slices.Equal(protocols[0].Cells(), protocols[1].Cells()) {
			t.Fatalf("counts %+v, want %+v", short.Counters(), long.Counters())
		}
	})
	if reached == 0 || ignored == 0 {
		t.Errorf("%d accesses were reached, %d requests ignored", reached, ignored)
	}
}

// An L1 that knows of a persistent request ignores nothing, because it must answer differently;
// others do.
func TestL1sThatKnowOfAStarverIgnoreNothing(t *testing.T) {
	homes := coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}
	p := New(coherence.System{Cores: 3, Homes: &homes}, Default(), tinyL1, tinyL2, 4)
	var caches [3]coherence.CacheController
	for core := range caches {
		caches[core] = p.NewCache(core)
	}
	tell := func(kind uint8, sequence uint32) {
		var out coherence.Effects
		out.Reset()
		caches[1].Accept(coherence.Message{Block: 9, Kind: kind, Class: Persistent, From: controller.CacheOf(2), Requestor: 2, Sequence: sequence}, 0, &out)
	}
	ignored := func() (list [3]bool) {
		for core := range list {
			list[core] = p.Ignores(core, &coherence.Message{Block: 5, Kind: GetWrite, From: controller.CacheOf(2), Requestor: 2})
		}
		return list
	}
	tell(ActivateWrite, 0)
	if got := ignored(); got != [3]bool{true, false, true} {
		t.Errorf("while core 1 knows of a starver, requests are ignored: %t", got)
	}
	tell(Deactivate, 1)
	if got := ignored(); got != [3]bool{true, true, true} {
		t.Errorf("afterwards requests are ignored: %t", got)
	}
}

// Hits of all cores are counted apart from other transitions and not checked against the table:
// every state must take loads and stores, and the table and the counters must show what was
// counted.
func TestHitsAreInTableAndCounters(t *testing.T) {
	for _, e := range []uint8{onLoad, onStore} {
		if strings.Contains(legal[coherence.Cache][e], ".") {
			t.Errorf("%s is not legal in every state", events[coherence.Cache][e])
		}
	}
	p := New(twoCores(), Default(), tinyL1, tinyL2, 2)
	for core := range 2 {
		reach := p.NewCache(core).HitPath()
		for k := range coherence.AccessKinds {
			hits(reach, k, valid|owner|dirty|wrote|all, 1<<(2*uint(k)+uint(core)))
			if !k.IsWrite() {
				hits(reach, k, valid, 1<<(2*uint(k)+10))
			}
		}
	}
	for k, n := range p.Hits() {
		want := uint64(1+2) << (2 * k)
		if !coherence.AccessKind(k).IsWrite() {
			want += 2 << (2*k + 10)
		}
		if n != want {
			t.Errorf("%d hits of kind %d, want %d", n, k, want)
		}
	}
	kinds := func(n uint64, list ...coherence.AccessKind) (sum uint64) {
		for _, k := range list {
			sum += n << (2 * k)
		}
		return sum
	}
	for _, cell := range p.Cells() {
		n := map[string]uint64{"Mw": 1 + 2, "S": 2 << 10}[cell.State]
		want := uint64(0)
		switch {
		case cell.Role != coherence.Cache:
		case cell.Event == "load":
			want = kinds(n, coherence.Load, coherence.Fetch)
		case cell.Event == "store" && cell.State == "Mw":
			want = kinds(n, coherence.Store, coherence.Atomic, coherence.Prefetch)
		}
		if cell.Count != want {
			t.Errorf("%s in %s at %s: %d, want %d", cell.Event, cell.State, cell.Role, cell.Count, want)
		}
	}
}

// hits makes hits of a line with the given flags.
func hits(reach coherence.HitPath, k coherence.AccessKind, f flags, n int) {
	for range n {
		l := coherence.CacheLine{State: f}
		if !reach.Hit(&l, k) {
			panic("no hit")
		}
	}
}

// tiny are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

func makerOf(c Config, l1, l2 cache.Config, mshrs int, seeded uint8) cohtest.Maker {
	return func(s coherence.System) coherence.Protocol {
		p := New(s, c, l1, l2, mshrs)
		p.Seeded = seeded
		return p
	}
}

// TestPayFirst is the one defect that breaks no law at once: it only lets a satisfied access go
// unserved.
func TestPayFirst(t *testing.T) {
	for _, d := range []uint8{noDefect, payFirst} {
		c := Default()
		c.Issues = 0
		chip := cohtest.NewChip(cohtest.Size{Cores: 2, Banks: 1, Memories: 1}, 1, makerOf(c, tinyL1, tinyL2, 4, d))
		chip.Access(1, coherence.Store, 0)
		deliver(t, chip, ActivateWrite, coherence.Memory)
		chip.FinishRead(0)
		chip.Access(0, coherence.Store, 0)
		deliver(t, chip, ActivateWrite, coherence.Cache) // C1's, which changes nothing
		deliver(t, chip, ActivateWrite, coherence.Cache) // C0's: C1 is not first any more
		deliver(t, chip, Tokens, coherence.Cache)
		served := len(chip.Open) == 1
		if served != (d == noDefect) {
			t.Errorf("defect %d: the access that the tokens satisfied was served: %t", d, served)
		}
	}
}

func deliver(t *testing.T, c *cohtest.Chip, kind uint8, to coherence.Role) {
	t.Helper()
	for i := range c.Bag {
		if c.Bag[i].Kind == kind && c.Bag[i].To.Role == to {
			c.Deliver(i)
			return
		}
	}
	t.Fatalf("no %s for a %s", kindNames[kind], to)
}
