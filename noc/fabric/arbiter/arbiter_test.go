package arbiter

import (
	"math/rand/v2"
	"testing"
)

func TestNext(t *testing.T) {
	for _, c := range []struct {
		requests   uint64
		last, want int
	}{
		{0, 3, -1}, {1, -1, 0}, {1, 0, 0}, {0b1010, -1, 1}, {0b1010, 1, 3}, {0b1010, 3, 1}, {0b1010, 2, 3},
		{1 << 63, 62, 63}, {1 << 63, 63, 63}, {1<<63 | 1, 63, 0}, {1<<63 | 1, 0, 63},
	} {
		if got := Next(c.requests, c.last); got != c.want {
			t.Errorf("requests %b after %d: %d, want %d", c.requests, c.last, got, c.want)
		}
	}
}

// TestNext8 holds the arbiter of one set of eight to Next.
func TestNext8(t *testing.T) {
	for requests := 1; requests < 256; requests++ {
		for last := -1; last < 8; last++ {
			if got, want := Next8(uint8(requests), int8(last)), Next(uint64(requests), last); int(got) != want {
				t.Fatalf("%b after %d: %d, want %d", requests, last, got, want)
			}
		}
	}
}

// TestOctets holds the arbiters of eight sets to Next, set by set, through their turns.
func TestOctets(t *testing.T) {
	last := [8]int{-1, -1, -1, -1, -1, -1, -1, -1}
	after, random := ^uint64(0), rand.New(rand.NewPCG(3, 8))
	for step := range 20_000 {
		requests := random.Uint64() & random.Uint64()
		if step%3 == 0 {
			requests &= random.Uint64()
		}
		winners, next := Octets(requests, after)
		after = next
		for i := range last {
			set, want := requests>>(8*i)&255, uint64(0)
			if set != 0 {
				last[i] = Next(set, last[i])
				want = 1 << last[i]
			}
			if got := winners >> (8 * i) & 255; got != want {
				t.Fatalf("step %d, byte %d: %b of %b, want %b", step, i, got, set, want)
			}
		}
	}
}

// TestDistance: the winner of several requests is the one with the smallest distance.
func TestDistance(t *testing.T) {
	for requests := 1; requests < 256; requests++ {
		for last := -1; last < 8; last++ {
			for i, winner := 0, Next(uint64(requests), last); i < 8; i++ {
				if requests>>i&1 != 0 && Distance(last, i, 8) < Distance(last, winner, 8) {
					t.Fatalf("%b after %d: %d wins, but the distance of %d is %d", requests, last, winner, i, Distance(last, i, 8))
				}
			}
			if next := (last + 1) % 8; Distance(last, next, 8) != 0 {
				t.Fatalf("after %d, the distance of %d is %d", last, next, Distance(last, next, 8))
			}
		}
	}
}
