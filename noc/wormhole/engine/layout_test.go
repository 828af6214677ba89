package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFields compares round robins of all fields of a word with one field after the other.
func TestFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 31).Draw(t, "width")
		number := rapid.IntRange(1, 64/width).Draw(t, "number")
		l := layout{width: width, inputs: newFields[vcSet](number, width)}
		var asks, after, want, turned vcSet
		for i := range number {
			mask := vcSet(1)<<width - 1
			asked := vcSet(rapid.Uint64().Draw(t, "asks")&rapid.Uint64().Draw(t, "fewer")) & mask
			last := rapid.IntRange(-1, width-1).Draw(t, "last")
			asks |= asked << (i * width)
			after |= mask &^ (1<<(last+1) - 1) << (i * width)
			for k := range width {
				if bit := (last + 1 + k) % width; asked>>bit&1 != 0 {
					want |= 1 << (i*width + bit)
					last = bit
					break
				}
			}
			turned |= mask &^ (1<<(last+1) - 1) << (i * width)
		}
		chosen, upTo := l.inputs.first(asks, after)
		if all := after&^l.inputs.filled(asks) | ^upTo; (all^turned)&(1<<(number*width)-1) != 0 {
			t.Fatalf("all turns %x, want %x", all, turned)
		}
		if chosen != want {
			t.Fatalf("chosen %x, want %x", chosen, want)
		}
		for v := range chosen.All() {
			after = turn(after, (1<<width-1)<<(int(v)/width*width), uint8(v))
		}
		if after != turned {
			t.Fatalf("turns %x, want %x", after, turned)
		}
	})
}

// TestTurnsAtSinks: inputs of a router take turns, and so do the channels of an input.
func TestTurnsAtSinks(t *testing.T) {
	l, _ := newLayout(3, 2)
	s := sinkTurns{layout: l}
	s.bound(2)
	channels := make([]channel, 2<<6)
	list := []globalVC{}
	for r := range 2 {
		for place := range l.places {
			ch := l.channelAt(r, place/2, place%2)
			channels[ch] = channel{router: uint32(r), base: l.portAt(r, 0), input: uint8(place / 2), number: uint8(place % 2)}
			list = append(list, ch)
		}
	}
	s.take(&channels[l.channelAt(1, 1, 0)])
	slices.Reverse(list)
	s.sort(list, channels)
	want := []globalVC{0, 1, 2, 3, 4, 5, 68, 69, 64, 65, 67, 66}
	if !slices.Equal(list, want) {
		t.Errorf("the order is %v, want %v", list, want)
	}
}
