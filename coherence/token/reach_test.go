package token

import (
	"bytes"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"pgregory.net/rapid"
)

// A core that uses the reach of its L1 and lets it ignore what it can must find the same as one that asks the L1 each
// time: the same versions and effects, the same blocks in the same frames, the same counts.
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
				if short.Ignores(&m) {
					ignored++
				} else {
					short.Accept(m, 0, &a)
				}
				long.Accept(m, 0, &z)
			} else {
				k := coherence.AccessKind(rapid.IntRange(0, int(coherence.AccessKinds)-1).Draw(t, "access"))
				access := coherence.Access{Block: b, Kind: k}
				outcome, v := coherence.Hit, coherence.Version(0)
				if l := short.Reach().Find(b); k != coherence.Fetch && short.Reach().Hit(l, k) {
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
						l := &c.lines[c.Find(b)]
						m := coherence.Message{Block: b, Kind: Tokens, Class: Response, Count: c.p.tokens - l.tokens, Version: l.Version,
							Flags: coherence.HasData}
						if !l.has(owner) {
							m.Flags |= coherence.IsOwner
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
		if short.Counters() != long.Counters() || !slices.Equal(protocols[0].Cells(), protocols[1].Cells()) {
			t.Fatalf("counts %+v, want %+v", short.Counters(), long.Counters())
		}
	})
	if reached == 0 || ignored == 0 {
		t.Errorf("%d accesses were reached, %d requests ignored", reached, ignored)
	}
}
