package fabric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestWheel compares wheels of several sizes with a map from cycle to list over random calls.
func TestWheel(t *testing.T) {
	for _, ahead := range []int{0, 1, 5, 31, 32, Horizon - 1} {
		random := rand.New(rand.NewPCG(1, uint64(ahead)))
		w, want := NewWheel[[]int](ahead), map[noc.Cycle][]int{}
		now := noc.Cycle(random.IntN(1000))
		for step := range 5000 {
			for range random.IntN(3) {
				at := now + noc.Cycle(random.IntN(ahead+1))
				due := w.On(at)
				*due, want[at] = append(*due, step), append(want[at], step)
			}
			next := noc.Never
			for at := range want {
				next = min(next, at)
			}
			if got := w.Next(now); got != next {
				t.Fatalf("cycle %d: the next is %d, want %d", now, got, next)
			}
			if due := w.Take(now); due == nil {
				if want[now] != nil {
					t.Fatalf("cycle %d: nothing is due, want %v", now, want[now])
				}
			} else if !slices.Equal(*due, want[now]) {
				t.Fatalf("cycle %d: due are %v, want %v", now, *due, want[now])
			} else {
				*due = (*due)[:0]
			}
			delete(want, now)
			if w.Take(now) != nil {
				t.Fatalf("cycle %d is due twice", now)
			}
			waiting := 0
			w.All(now, func(ahead noc.Cycle, due *[]int) {
				waiting += len(*due)
				if !slices.Equal(*due, want[now+ahead]) {
					t.Fatalf("cycle %d: due in cycle %d are %v, want %v", now, now+ahead, *due, want[now+ahead])
				}
			})
			if now++; waiting == 0 && random.IntN(2) == 0 {
				now += noc.Cycle(random.IntN(1000))
			}
		}
	}
}

func TestWheelsReachNoFurtherThanTheHorizon(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wheel of more cycles than it has bits for")
		}
	}()
	NewWheel[int](Horizon)
}
