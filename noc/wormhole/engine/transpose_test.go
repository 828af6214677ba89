package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/random"
	"pgregory.net/rapid"
)

// TestTranspose compares turning a matrix of bits, and its half, with bit by bit.
func TestTranspose(t *testing.T) {
	random := random.Stream(1)
	for range 20 {
		var rows, turned [64]uint64
		for i := range rows {
			rows[i] = random.Uint64()
			turned[i] = rows[i]
		}
		half := [32]uint64(rows[:])
		transpose(&turned)
		transposeHalf(&half)
		for i := range 64 {
			for k := range 64 {
				if turned[i]>>k&1 != rows[k]>>i&1 {
					t.Fatalf("row %d, column %d", i, k)
				}
				if i < 32 && half[i]>>k&1 != rows[k&31]>>(i|k&32)&1 {
					t.Fatalf("half: row %d, column %d", i, k)
				}
			}
		}
	}
}

// TestFields compares round robins of all fields of a word with one field after the other.
func TestFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 31).Draw(t, "width")
		number := rapid.IntRange(1, 64/width).Draw(t, "number")
		f := newFields(number, width)
		var asks, after, want, upTo uint64
		for i := range number {
			mask := uint64(1)<<width - 1
			asked := rapid.Uint64().Draw(t, "asks") & rapid.Uint64().Draw(t, "fewer") & mask
			last := rapid.IntRange(-1, width-1).Draw(t, "last")
			later := mask &^ (1<<(last+1) - 1)
			asks |= asked << (i * width)
			after |= later << (i * width)
			best := -1
			for k := range width {
				if bit := (last + 1 + k) % width; asked>>bit&1 != 0 && best < 0 {
					best = bit
				}
			}
			if best >= 0 {
				want |= 1 << (i*width + best)
				upTo |= (2<<best - 1) << (i * width)
			} else {
				upTo |= mask << (i * width)
			}
		}
		chosen, got := f.first(asks, after)
		if used := uint64(1)<<(number*width) - 1; chosen != want || got&used != upTo {
			t.Fatalf("chosen %x up to %x, want %x up to %x", chosen, got&used, want, upTo)
		}
		filled := uint64(0)
		for i := range number {
			if mask := (uint64(1)<<width - 1) << (i * width); asks&mask != 0 {
				filled |= mask
			}
		}
		if got := f.filled(asks); got != filled {
			t.Fatalf("filled %x, want %x", got, filled)
		}
		if width == 8 {
			turns := after
			if chosen := firstOctets(asks, &turns); chosen != want || turns != after&^filled|filled&^upTo {
				t.Fatalf("octets: chosen %x, then %x", chosen, turns)
			}
		}
	})
}
