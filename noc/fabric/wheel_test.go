package fabric

import (
	"math/bits"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// The wheel against a map from cycle to set of routers.
func TestWheelAgainstAMap(t *testing.T) {
	const routers = 130
	w := NewWheel(routers)
	plain := map[noc.Cycle]map[noc.NodeID]bool{}
	seed := uint64(1)
	next := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % n
	}
	for range 20_000 {
		now := w.Now()
		for range next(3) {
			r, at := noc.NodeID(next(routers)), now+noc.Cycle(next(Horizon))
			w.Wake(r, at)
			if plain[at] == nil {
				plain[at] = map[noc.NodeID]bool{}
			}
			plain[at][r] = true
		}
		due := 0
		for i := range w.Words() {
			word := w.Due(i)
			due += bits.OnesCount64(word)
			for ; word != 0; word &= word - 1 {
				if r := noc.NodeID(64*i + bits.TrailingZeros64(word)); !plain[now][r] {
					t.Fatalf("cycle %d: router %d is due, but nobody woke it", now, r)
				}
			}
		}
		if due != len(plain[now]) {
			t.Fatalf("cycle %d: %d routers are due, want %d", now, due, len(plain[now]))
		}
		w.Finish()
		delete(plain, now)
		first := noc.Never
		for c := range plain {
			first = min(first, c)
		}
		if got := w.Next(); got != first {
			t.Fatalf("cycle %d: next is %d, want %d", now, got, first)
		}
		if first != noc.Never && next(2) == 0 {
			w.SkipTo(first)
		}
	}
}

func TestWakingBeyondTheHorizonAndInThePast(t *testing.T) {
	w := NewWheel(1)
	w.Wake(0, 1000)
	if w.Next() != Horizon-1 {
		t.Errorf("a far wake comes in cycle %d, want the horizon's last, %d", w.Next(), Horizon-1)
	}
	w.SkipTo(Horizon - 1)
	w.Finish()
	w.Wake(0, 3)
	if w.Next() != w.Now() {
		t.Errorf("a wake in the past comes in cycle %d, want now, %d", w.Next(), w.Now())
	}
	defer func() {
		if recover() == nil {
			t.Error("skipping over work did not panic")
		}
	}()
	w.SkipTo(w.Now() + 1)
}

func TestRoundRobinTakesTurns(t *testing.T) {
	for _, c := range []struct {
		requests uint64
		last     int
		want     int
	}{
		{0, 3, -1}, {1, -1, 0}, {0b1010, -1, 1}, {0b1010, 1, 3}, {0b1010, 3, 1}, {0b1010, 2, 3}, {1 << 63, 63, 63}, {1<<63 | 1, 63, 0}, {1<<63 | 1, 0, 63},
	} {
		if got := RoundRobin(c.requests, c.last); got != c.want {
			t.Errorf("requests %b after %d: %d, want %d", c.requests, c.last, got, c.want)
		}
	}
}
