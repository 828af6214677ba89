package queue

import (
	"math/rand/v2"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// A queue keeps its order while it grows, and allocates nothing once it has been as long as it gets.
func TestFIFOKeepsOrderWhileItGrows(t *testing.T) {
	var q FIFO[int]
	in, out := 0, 0
	r := rand.New(rand.NewPCG(3, 0))
	turn := func(most int) {
		if q.Len() < most && r.IntN(5) < 3 {
			q.Push(in)
			in++
		} else if q.Len() > 0 {
			if front, got := q.Front(), q.Pop(); got != out || front != out {
				t.Fatalf("got %d from %d, want %d", got, front, out)
			}
			out++
		}
	}
	for range 10_000 {
		turn(5000)
	}
	if q.Len() != in-out || len(q.All()) != in-out {
		t.Errorf("%d left, want %d", q.Len(), in-out)
	}
	if n := must.Allocations(10_000, func() { turn(1000) }); n > 0 {
		t.Errorf("a push or pop allocates %g times", n)
	}
}
