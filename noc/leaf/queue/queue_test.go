package queue

import (
	"math/rand/v2"
	"slices"
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

// TestLines: elements of a place and class go in order, higher classes and lower places first, and a
// queue that is refused holds up no other.
func TestLines(t *testing.T) {
	l := NewLines[string](100, 3)
	l.Push(70, 1, "a1")
	l.Push(70, 2, "a2")
	l.Push(5, 0, "b0")
	l.Push(70, 1, "a1 again")
	l.Push(70, 0, "a0")
	if l.Len() != 5 || l.LenAt(70) != 4 || l.LenAt(5) != 1 || l.Empty(70, 0) || !l.Empty(5, 1) {
		t.Errorf("%d wait, %d at place 70, %d at place 5", l.Len(), l.LenAt(70), l.LenAt(5))
	}
	var got []string
	offer := func(refused string) {
		l.Offer(func(place int, v string) bool {
			if want := 70; (place == want) != (v[0] == 'a') {
				t.Errorf("%s is offered at place %d", v, place)
			}
			if v == refused {
				return false
			}
			got = append(got, v)
			return true
		})
	}
	offer("a1")
	if want := []string{"b0", "a2", "a0"}; !slices.Equal(got, want) || l.Len() != 2 || l.Empty(70, 1) || !l.Empty(70, 2) {
		t.Errorf("taken are %v, want %v; %d wait", got, want, l.Len())
	}
	offer("")
	if want := []string{"b0", "a2", "a0", "a1", "a1 again"}; !slices.Equal(got, want) || l.Len()+l.LenAt(70) != 0 {
		t.Errorf("taken are %v, want %v; %d wait", got, want, l.Len())
	}
	offer("nothing is left to offer")
}
