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

// An L1 that knows of a persistent request ignores no request for its block, because it must answer
// differently; it ignores those for other blocks, and other L1s ignore all.
func TestL1sThatKnowOfAStarverAnswerForItsBlock(t *testing.T) {
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
	ignored := func(b coherence.Block) (list [3]bool) {
		for core := range list {
			list[core] = p.Ignores(core, &coherence.Message{Block: b, Kind: GetWrite, From: controller.CacheOf(2), Requestor: 2})
		}
		return list
	}
	tell(ActivateWrite, 0)
	if starved, other := ignored(9), ignored(5); starved != [3]bool{true, false, true} || other != [3]bool{true, true, true} {
		t.Errorf("while core 1 knows of a starver, requests for its block are ignored: %t, for another one: %t", starved, other)
	}
	tell(Deactivate, 1)
	if got := ignored(9); got != [3]bool{true, true, true} {
		t.Errorf("afterwards requests are ignored: %t", got)
	}
}

// Hits are counted by the flags of a line and not checked against the table: every state must take
// loads and stores, and the table must show the hits in the states that the flags stand for.
func TestHitsAreInTheTable(t *testing.T) {
	for _, e := range []uint8{onLoad, onStore} {
		if strings.Contains(legal[coherence.Cache][e], ".") {
			t.Errorf("%s is not legal in every state", events[coherence.Cache][e])
		}
	}
	p := New(twoCores(), Default(), tinyL1, tinyL2, 2)
	want := map[string]uint64{}
	for i, x := range []struct {
		flags flags
		kind  coherence.AccessKind
		cell  string
	}{{valid, coherence.Load, "S load"}, {valid | owner, coherence.Fetch, "O load"}, {valid | owner | all, coherence.Prefetch, "E store"},
		{valid | owner | dirty | all, coherence.Atomic, "M store"}, {valid | owner | dirty | wrote | all, coherence.Store, "Mw store"},
		{valid | readMiss, coherence.Load, "R load"}} {
		for range 1 << i {
			if l := (coherence.CacheLine{State: x.flags}); !p.HitTable.Hit(&l, x.kind) {
				t.Fatalf("%s is no hit", x.cell)
			}
		}
		want[x.cell] = 1 << i
	}
	for _, cell := range p.Cells() {
		if n := want[cell.State+" "+cell.Event]; cell.Role == coherence.Cache && cell.Count != n {
			t.Errorf("%s in %s: %d, want %d", cell.Event, cell.State, cell.Count, n)
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
