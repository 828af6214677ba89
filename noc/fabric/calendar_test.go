package fabric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

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
