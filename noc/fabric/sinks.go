package fabric

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

const unbounded = -1

// Sinks collect the deliveries of a network and hold the places of bounded sinks. A copy whose tail is
// consumed in cycle c shows up to the client in cycle c+1.
//
// A header that starts to leave in cycle t is delivered when its last phit has followed, so sinks keep
// a short calendar: one list per cycle of the next Horizon, as links in one arena.
type Sinks struct {
	classes   int
	room      []int32 // per node and class: free places, or unbounded
	entries   []entry
	free      int32
	first     [Horizon]int32 // first entry of each cycle, in order of Accept; none when empty
	last      [Horizon]int32
	busy      uint64    // bit c%Horizon: cycle c has an entry
	next      noc.Cycle // first cycle not yet collected
	pending   int
	out       []noc.Delivery
	delivered uint64
	phits     uint64
}

const none = int32(-1)

// entry is a delivery on its way, and the next one of its cycle or of the free list.
type entry struct {
	noc.Delivery
	next int32
}

// NewSinks makes unbounded sinks for all nodes and classes.
func NewSinks(nodes, classes int) *Sinks {
	s := &Sinks{classes: classes, room: make([]int32, nodes*classes), free: none}
	for i := range s.first {
		s.first[i] = none
	}
	for i := range s.room {
		s.room[i] = unbounded
	}
	return s
}

// Limit bounds the sink of a node and class.
func (s *Sinks) Limit(n noc.NodeID, c noc.Class, places int) {
	s.room[int(n)*s.classes+int(c)] = int32(places)
}

// Release gives one place of a bounded sink back.
func (s *Sinks) Release(n noc.NodeID, c noc.Class) {
	if i := int(n)*s.classes + int(c); s.room[i] != unbounded {
		s.room[i]++
	}
}

// Room tells whether the sink of a node and class takes a packet now.
func (s *Sinks) Room(n noc.NodeID, c noc.Class) bool { return s.room[int(n)*s.classes+int(c)] != 0 }

// Accept takes a place for the worm, whose header is consumed in cycle now after some hops and whose phits
// follow one per cycle: the client sees the packet in cycle now+phits.
func (s *Sinks) Accept(w *Worm, hops uint16, at noc.NodeID, now noc.Cycle) {
	s.Reserve(at, w.Class)
	s.Arrive(noc.Delivery{Tag: w.Tag, Src: w.Src, At: at, Class: w.Class, Offered: w.Offered, Injected: w.Injected(),
		Arrived: now + noc.Cycle(w.Phits), Hops: hops}, w.Phits, now)
}

// Reserve takes a place of the sink of a node and class. An engine in which a packet may stall on its way
// out calls it for the header, and Arrive when it knows when the tail has followed.
func (s *Sinks) Reserve(at noc.NodeID, c noc.Class) {
	if i := int(at)*s.classes + int(c); s.room[i] != unbounded {
		s.room[i]--
	}
}

// Arrive notes in cycle now a delivery of some phits that the client sees later than now and less than
// Horizon cycles away.
func (s *Sinks) Arrive(d noc.Delivery, phits uint16, now noc.Cycle) {
	if s.pending == 0 {
		s.next = now + 1
	}
	e := s.free
	if e == none {
		e = int32(len(s.entries))
		s.entries = append(s.entries, entry{})
	} else {
		s.free = s.entries[e].next
	}
	slot := d.Arrived % Horizon
	s.entries[e] = entry{d, none}
	if s.first[slot] == none {
		s.first[slot] = e
	} else {
		s.entries[s.last[slot]].next = e
	}
	s.last[slot] = e
	s.busy |= 1 << slot
	s.pending++
	s.delivered++
	s.phits += uint64(phits)
}

// Next is the first cycle in which a delivery becomes visible, or noc.Never.
func (s *Sinks) Next() noc.Cycle {
	if s.busy == 0 {
		return noc.Never
	}
	turned := bits.RotateLeft64(s.busy, -int(s.next%Horizon))
	return s.next + noc.Cycle(bits.TrailingZeros64(turned))
}

// Collect moves the deliveries visible in cycle now (and earlier) to the client's list, ordered by cycle
// and then by node. It must not be called with a cycle later than Next.
func (s *Sinks) Collect(now noc.Cycle) {
	for ; s.pending > 0 && s.next <= now; s.next++ {
		slot := s.next % Horizon
		from := len(s.out)
		for e := s.first[slot]; e != none; {
			s.out = append(s.out, s.entries[e].Delivery)
			for i := len(s.out) - 1; i > from && s.out[i-1].At > s.out[i].At; i-- {
				s.out[i-1], s.out[i] = s.out[i], s.out[i-1]
			}
			s.pending--
			following := s.entries[e].next
			s.entries[e].next = s.free
			s.free, e = e, following
		}
		s.first[slot] = none
		s.busy &^= 1 << slot
	}
}

// Visible tells whether the client has deliveries to take.
func (s *Sinks) Visible() bool { return len(s.out) > 0 }

// Take hands the list to the client; the next Collect reuses it.
func (s *Sinks) Take() []noc.Delivery {
	out := s.out
	s.out = s.out[:0]
	return out
}

// Pending is the number of deliveries started and not yet visible; Delivered and Phits are running sums
// that include them.
func (s *Sinks) Pending() int      { return s.pending }
func (s *Sinks) Delivered() uint64 { return s.delivered }
func (s *Sinks) Phits() uint64     { return s.phits }
