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

// TestCalendar compares the calendar with a table of events over random calls, at both sizes of
// its ring.
func TestCalendar(t *testing.T) {
	for _, reach := range []int{10, 64, 300} {
		rng := rand.New(rand.NewPCG(2, uint64(reach)))
		c := NewCalendar(reach, 3)
		due := map[noc.Cycle]*[3][]int32{}
		for now := noc.Cycle(0); now < 5000; {
			for range rng.IntN(3) {
				at, kind, index := now+noc.Cycle(rng.IntN(reach)), rng.IntN(3), int32(rng.IntN(100))
				c.Add(at, kind, index)
				if due[at] == nil {
					due[at] = &[3][]int32{}
				}
				due[at][kind] = append(due[at][kind], index)
			}
			next := noc.Never
			for at := range due {
				next = min(next, at)
			}
			if got := c.Next(now); got != next {
				t.Fatalf("reach %d, cycle %d: next is %d, want %d", reach, now, got, next)
			}
			if want := due[now]; want != nil {
				for kind := range want {
					var got []int32
					for i := c.Take(now, kind); i >= 0; i = c.Take(now, kind) {
						got = append(got, i)
					}
					slices.Reverse(got)
					if !slices.Equal(got, want[kind]) {
						t.Fatalf("cycle %d, kind %d: %v, want %v", now, kind, got, want[kind])
					}
				}
				delete(due, now)
			}
			c.Finish(now)
			now++
		}
	}
}

// TestLongWheel compares a wheel of more than 64 cycles with a map from cycle to list over random calls.
func TestLongWheel(t *testing.T) {
	const ahead = 300
	random := rand.New(rand.NewPCG(1, ahead))
	w, want := NewLongWheel[[]int](ahead), map[noc.Cycle][]int{}
	for now := noc.Cycle(0); now < 5000; now++ {
		if random.IntN(100) == 0 {
			at := now + noc.Cycle(random.IntN(ahead+1))
			due := w.On(at)
			*due, want[at] = append(*due, int(now)), append(want[at], int(now))
		}
		next, waiting, seen := noc.Never, 0, 0
		for at, list := range want {
			next, waiting = min(next, at), waiting+len(list)
		}
		w.All(func(due *[]int) { seen += len(*due) })
		if got := w.Next(now); got != next || seen != waiting {
			t.Fatalf("cycle %d: the next is %d with %d waiting, want %d with %d", now, got, seen, next, waiting)
		}
		if due := w.Take(now); due == nil != (want[now] == nil) || due != nil && !slices.Equal(*due, want[now]) {
			t.Fatalf("cycle %d: due are %v, want %v", now, due, want[now])
		} else if due != nil {
			*due = (*due)[:0]
		}
		delete(want, now)
	}
}
