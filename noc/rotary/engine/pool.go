package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// The queues of a router in words are numbers of places of its pool, a byte each, the first lowest;
// 0 is none. A queue is never longer than it has places.
type (
	places4 uint32
	places2 uint16
)

func (q places4) head() uint8 { return uint8(q) }
func (q places2) head() uint8 { return uint8(q) }

// with is a queue with one more place at its end.
func (q places4) with(place uint8) places4 {
	return q | places4(place)<<((bits.Len32(uint32(q))+7)&^7&31)
}
func (q places2) with(place uint8) places2 {
	if q != 0 {
		return q | places2(place)<<8
	}
	return places2(place)
}

// size is the number of places in a queue.
func (q places4) size() int { return (bits.Len32(uint32(q)) + 7) >> 3 }
func (q places2) size() int { return (bits.Len16(uint16(q)) + 7) >> 3 }

// poolPlaces is the places of a router of so many ports, the first of which is never taken: as many
// as the rows of its segments have in the sets, whose memory the pool is, but an odd number of
// cache lines, so that the first lines of all routers do not ask for the same sets of the cache. At
// most 14 per port are in use: 4 in each of two segments, 2 in each of two lanes of the output
// stage, and 2 in the input stage.
func poolPlaces(ports int) int { return 16*ports - 4 }

// slot is a place of a router.
func (s *words) slot(place uint8) *slot { return &s.pool[place&127] }

// clearPool has all of so many places free.
func (s *words) clearPool(places int) {
	s.free, s.rest = 1<<min(places, 64)-2, 1<<max(places-64, 0)-1
}

// take takes a free place, the first one.
func (s *words) take() uint8 {
	if s.free != 0 {
		i := bits.TrailingZeros64(s.free)
		s.free &= s.free - 1
		return uint8(i)
	}
	i := bits.TrailingZeros64(s.rest)
	s.rest &= s.rest - 1
	return uint8(i | 64)
}

// drop frees a place, whose packet stays readable until it is taken.
func (s *words) drop(place uint8) {
	if place < 64 {
		s.free |= 1 << (place & 63)
	} else {
		s.rest |= 1 << (place & 63)
	}
}

// later reports whether a cycle, of which there are the low 16 bits, is after now. It is right for
// cycles less than 2^15 away: see refresh.
func later(cycle uint16, now noc.Cycle) bool { return int16(cycle-uint16(now)) > 0 }

// refreshEvery is how many cycles the words of routers count, and keep what has ended, before that
// is put in order.
const refreshEvery = 1 << 13

// refresh keeps cycles and numbers of 16 bits right before they run over: a port takes one phit per
// cycle, and a segment one from each of two. No stream takes longer than 31 cycles.
func (n *Network) refresh() {
	idle := n.now-n.refreshed > 1<<14
	n.refreshed = n.now
	n.settleWords()
	past := func(cycle *uint16) {
		if idle || !later(*cycle, n.now) {
			*cycle = uint16(n.now - 1)
		}
	}
	for i := range n.banks {
		b := &n.banks[i]
		for r := 0; b.inWords && r < n.routersIn(b); r++ {
			for p := range b.words[r].port {
				x := &b.words[r].port[p]
				past(&x.entered)
				past(&x.sent)
				x.came = [rings]uint16{uint16(n.now - 1), uint16(n.now - 1)}
			}
			for j := range b.words[r].segment {
				past(&b.words[r].segment[j].turned)
				past(&b.words[r].segment[j].ejected)
			}
		}
	}
}
