package cmp

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// busyChip runs a chip until a message with tokens is on its way, and returns that message.
func busyChip(t *testing.T) (*System, *coherence.Message) {
	t.Helper()
	s := must.Get(New(Default(), build(t, "mrr"), busyStreams(16), 1))
	for range 3000 {
		s.cycle()
		for i := range s.nic.flights.all {
			if f := &s.nic.flights.all[i]; f.live && s.now > 1000 && f.send.Count > 0 {
				return s, &f.send.Message
			}
		}
	}
	t.Fatal("no message with tokens in 3,000 cycles")
	return nil, nil
}

// The audit finds a token that was made on the way, and one that was lost, and names the block.
func TestAuditFindsTokensMadeAndLost(t *testing.T) {
	s, m := busyChip(t)
	if err := s.audit.checkNow(); err != nil {
		t.Fatalf("a sound chip is refused: %v", err)
	}
	for _, change := range []int16{1, -1} {
		m.Count += change
		if err := s.audit.checkNow(); err == nil || !strings.Contains(err.Error(), "block") {
			t.Errorf("tokens changed by %d on the way: %v", change, err)
		}
		if err := s.audit.checkBlock(m.Block); err == nil {
			t.Errorf("tokens changed by %d on the way: the block's check passes", change)
		}
		m.Count -= change
	}
}

func TestStaleValuesAreFound(t *testing.T) {
	s, _ := busyChip(t)
	s.audit.startChecking()
	s.audit.checkValue(0, 5, coherence.Store, 1)
	s.audit.checkValue(1, 5, coherence.Load, 1)
	if s.failure != nil {
		t.Fatal(s.failure)
	}
	s.audit.checkValue(2, 5, coherence.Load, 0)
	if s.failure == nil || !strings.Contains(s.failure.Error(), "core 2") {
		t.Errorf("a stale load gives %v", s.failure)
	}
}

// A history gives the cycle in which each version ceased to be the latest; of versions too old for
// that, a cycle that is not too early.
func TestHistoryRemembersWhenVersionsWereReplaced(t *testing.T) {
	var h history
	const writes = rememberedVersions + 100
	at := func(v coherence.Version) noc.Cycle { return 10 * noc.Cycle(v) } // when version v is made
	for v := coherence.Version(1); v <= writes; v++ {
		h.write(at(v))
		if h.latest != v || h.replaced(v) != noc.Never || h.replaced(v-1) != at(v) {
			t.Fatalf("after version %d, version %d was replaced in cycle %d and %d in %d", v, v-1, h.replaced(v-1), v, h.replaced(v))
		}
	}
	for v := range coherence.Version(writes) {
		want := max(at(v+1), at(writes-rememberedVersions+1))
		if got := h.replaced(v); got != want {
			t.Fatalf("version %d was replaced in cycle %d, want %d", v, got, want)
		}
	}
}

// A report of a deadlock names routers that wait for each other, and none where every chain ends.
func TestCircle(t *testing.T) {
	chain := []noc.Stuck{{At: 1, For: 2}, {At: 2, For: 9}, {At: 2, For: 3}, {At: 3, For: 4}, {At: 5, For: 5}}
	if got := circle(chain); got != nil {
		t.Errorf("a chain has the circle %v", got)
	}
	if got := circle(append(chain, noc.Stuck{At: 4, For: 2})); !slices.Equal(got, []noc.NodeID{2, 3, 4}) {
		t.Errorf("the circle is %v", got)
	}
}
