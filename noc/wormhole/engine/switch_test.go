package engine

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
)

// TestForms gives the same requests to the general form of the switch allocator, to the one for
// small routers and to the one for many flits: they grant the same, and count the same losers.
func TestForms(t *testing.T) {
	const routers = 70
	for _, shape := range []struct{ ports, channels, perWord int }{{5, 6, 0}, {8, 8, 0}, {3, 1, 0}, {5, 6, 2}, {16, 4, 0}, {7, 13, 0}} {
		l := newLayout(shape.ports, shape.channels, shape.perWord)
		forms := make([]switchAllocator, 3)
		channels := make([][]channel, len(forms))
		for f := range forms {
			s := &forms[f]
			channels[f] = make([]channel, routers*l.words<<6)
			s.init(routers, l, channels[f])
			s.many = [...]int{1 << 20, 1 << 20, -1}[f]
			for i := range s.groups {
				if f == 0 {
					s.groups[i].small = nil
				}
			}
			for r := range noc.NodeID(routers) {
				s.share(r, uint16(r)%uint16(shape.ports))
			}
		}
		for cycle := range 60 {
			var want []uint32
			for f := range forms {
				stream := random.Stream(cycle) // the same for all
				s := &forms[f]
				for i := range s.groups {
					s.groups[i].live = ^uint64(0) >> max(0, 64*(i+1)-routers)
				}
				for place := range routers * l.places {
					r, p, v := place/l.places, place%l.places/l.channels, place%l.channels
					ch := l.channelAt(r, p, v)
					c, x, bit := &channels[f][ch], &s.words[ch>>6], uint64(1)<<(ch&63)
					*c = channel{router: uint32(r), lane: uint16(l.firstLane(p) + v), input: uint8(p), output: uint8(stream.Uint64() % uint64(l.ports)), steered: c.steered}
					s.codes[ch] = l.code(c.output, c.input)
					if s.groups[r>>6].sliced {
						s.groups[r>>6].steer(c)
					}
					x.active, x.credited, x.occupied = x.active|bit, x.credited|bit, x.occupied&^bit
					if stream.Uint64()%8 < uint64(cycle%5) {
						x.occupied |= bit
					}
				}
				s.allocate()
				slices.Sort(s.granted)
				if f == 0 {
					want = s.granted
				}
				if !slices.Equal(s.granted, want) || s.losers(69) != forms[0].losers(69) || s.asked(69) != forms[0].asked(69) {
					t.Fatalf("%+v, cycle %d, form %d: granted %v, want %v", shape, cycle, f, s.granted, want)
				}
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
