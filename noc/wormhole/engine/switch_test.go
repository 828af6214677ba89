package engine

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
)

// TestForms gives the same requests to the form of the switch allocator for small routers and to
// the general one: they grant the same, and count the same.
func TestForms(t *testing.T) {
	const routers = 70
	for _, shape := range []struct{ ports, channels int }{{5, 6}, {8, 8}, {3, 1}, {1, 31}} {
		l := newLayout(shape.ports, shape.channels, 0)
		var fast, general switchAllocator
		for _, s := range []*switchAllocator{&fast, &general} {
			s.init(routers, l)
			for r := range noc.NodeID(routers) {
				s.share(r, uint16(r)%uint16(shape.ports))
			}
		}
		stream := random.Stream(1)
		for cycle := range 60 {
			for place := range routers * l.places {
				r, p, v := place/l.places, place%l.places/l.channels, place%l.channels
				ch, output, occupied := l.channelAt(r, p, v), stream.Below(l.ports), stream.Below(8) < cycle%5
				for _, s := range []*switchAllocator{&fast, &general} {
					s.codes[ch] = l.code(uint8(output), uint8(p))
					x, bit := &s.words[ch>>6], uint64(1)<<(ch&63)
					x.active, x.credited, x.occupied = x.active|bit, x.credited|bit, x.occupied&^bit
					if occupied {
						x.occupied |= bit
					}
					s.live[r>>6] |= 1 << (r & 63)
				}
			}
			fast.allocate()
			slices.Sort(fast.granted)
			general.granted = general.granted[:0]
			for set := range general.live {
				general.allocateAny(set)
			}
			if !slices.Equal(fast.granted, general.granted) || fast.losers(69) != general.losers(69) || fast.asked(69) != general.asked(69) {
				t.Fatalf("%+v, cycle %d: granted %v, in the general form %v", shape, cycle, fast.granted, general.granted)
			}
		}
	}
}

// TestTurnsAtSinks: inputs of a router take turns, and so do the channels of an input.
func TestTurnsAtSinks(t *testing.T) {
	l := newLayout(3, 2, 0)
	s := sinkTurns{layout: l}
	s.bound(2)
	channels := make([]channel, 2*l.words<<6)
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
