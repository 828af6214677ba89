package engine

import (
	"slices"
	"testing"
)

// TestTurnsAtSinks: inputs of a router take turns, and so do the channels of an input.
func TestTurnsAtSinks(t *testing.T) {
	l, _ := newLayout(3, 2)
	s := sinkTurns{layout: l}
	s.bound(2)
	channels := make([]channel, 2<<6)
	list := []uint32{}
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
	want := []uint32{0, 1, 2, 3, 4, 5, 68, 69, 64, 65, 67, 66}
	if !slices.Equal(list, want) {
		t.Errorf("the order is %v, want %v", list, want)
	}
}
