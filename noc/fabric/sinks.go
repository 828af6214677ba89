package fabric

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// unbounded is the number of free places of a sink that takes everything.
const unbounded = math.MaxInt32

// Sinks collect the deliveries of a network and hold the places of bounded sinks. A copy whose
// tail is consumed in cycle c shows up to the client in cycle c+1.
//
// A header that starts to leave in cycle t is delivered when its last phit has followed, so
// deliveries wait on a wheel. A delivery is written once: the client is handed the list itself,
// and gives it back by asking for the next one.
type Sinks struct {
	// Ties reports whether a delivery is listed before another of the same node and cycle; nil keeps
	// the order in which the engine noted them.
	Ties func(a, b *noc.Delivery) bool

	classes   int
	room      []int32 // per node and class: free places, or unbounded; below 0 where a limit was lowered
	taken     []int32 // per node and class: places taken, of bounded sinks
	bounded   bool    // some has been limited
	wheel     Wheel[[]noc.Delivery]
	spare     [][]noc.Delivery // empty lists
	next      noc.Cycle        // first cycle not yet collected
	pending   int
	out       []noc.Delivery
	delivered uint64
	phits     uint64
}

// NewSinks makes unbounded sinks for all nodes and classes.
func NewSinks(nodes, classes int) *Sinks {
	s := &Sinks{classes: classes, room: make([]int32, nodes*classes), taken: make([]int32, nodes*classes), wheel: NewWheel[[]noc.Delivery](Horizon - 1)}
	for i := range s.room {
		s.room[i] = unbounded
	}
	return s
}

// Limit bounds the sink of a node and class. Places that are taken stay taken. It panics where there
// is no such sink, and for a negative number of places.
func (s *Sinks) Limit(n noc.NodeID, c noc.Class, places int) {
	i := s.number(n, c)
	if places < 0 || places >= unbounded {
		panic(fmt.Sprintf("fabric: LimitSink of node %d and class %d to %d places; allowed are 0 to %d", n, c, places, unbounded-1))
	}
	s.room[i], s.bounded = int32(places)-s.taken[i], true
}

// number returns the number of a sink, and panics if a client names one that does not exist.
func (s *Sinks) number(n noc.NodeID, c noc.Class) int {
	if nodes := len(s.room) / s.classes; int(n) >= nodes || int(c) >= s.classes {
		panic(fmt.Sprintf("fabric: no sink of node %d and class %d; there are %d nodes and %d classes", n, c, nodes, s.classes))
	}
	return int(n)*s.classes + int(c)
}

// Bounded reports whether any sink has been limited. Else no place need be taken.
func (s *Sinks) Bounded() bool { return s.bounded }

// Release gives one place of a bounded sink back in cycle now. It panics if none is taken: the
// client has freed a place twice.
func (s *Sinks) Release(n noc.NodeID, c noc.Class, now noc.Cycle) {
	i := s.number(n, c)
	if s.room[i] == unbounded {
		return
	}
	if s.taken[i] == 0 {
		panic(fmt.Sprintf("fabric: cycle %d: FreeSink of node %d and class %d, of which no place is taken", now, n, c))
	}
	s.taken[i]--
	s.room[i]++
}

// Taken returns how many places of a sink are taken, and whether the sink is bounded.
func (s *Sinks) Taken(n noc.NodeID, c noc.Class) (taken int, bounded bool) {
	i := s.number(n, c)
	return int(s.taken[i]), s.room[i] != unbounded
}

// Room reports whether the sink of a node and class takes a packet now.
func (s *Sinks) Room(n noc.NodeID, c noc.Class) bool { return s.room[int(n)*s.classes+int(c)] > 0 }

// Places returns the number of free places of a sink, and whether it is bounded. The number is negative
// where a limit was lowered below the places taken.
func (s *Sinks) Places(n noc.NodeID, c noc.Class) (free int, bounded bool) {
	room := s.room[int(n)*s.classes+int(c)]
	return int(room), room != unbounded
}

// Accept takes a place for the packet, whose header is consumed in cycle now after some hops and
// whose phits follow one per cycle: the client sees the packet in cycle now+phits.
func (s *Sinks) Accept(w *Packet, hops uint16, at noc.NodeID, now noc.Cycle) {
	s.Reserve(at, w.Class, now)
	s.Deliver(w, hops, at, now, now+noc.Cycle(w.Phits))
}

// Reserve takes a place of the sink of a node and class in cycle now. An engine in which a packet
// may stall on its way out calls it for the header, and Deliver when it knows when the tail has
// followed. It panics if there is no room: the engine has not asked Room just before.
func (s *Sinks) Reserve(at noc.NodeID, c noc.Class, now noc.Cycle) {
	i := int(at)*s.classes + int(c)
	if !s.bounded || s.room[i] == unbounded {
		return
	}
	if s.room[i] <= 0 {
		panic(fmt.Sprintf("fabric: cycle %d: node %d takes a packet of class %d into a full sink", now, at, c))
	}
	s.room[i]--
	s.taken[i]++
}

// Deliver notes in cycle now that a node has a packet, which has taken its place before, in cycle
// seen: later than now and less than Horizon cycles away.
func (s *Sinks) Deliver(w *Packet, hops uint16, at noc.NodeID, now, seen noc.Cycle) {
	d := s.Arrival(seen, w.Phits, now)
	// One by one: a literal would be made elsewhere and copied.
	d.Tag, d.Src, d.At, d.Hops, d.Class = w.Tag, w.Src, at, hops, w.Class
	d.Offered, d.Injected, d.Arrived = w.Offered, w.Injected(), seen
}

// Arrival is Deliver without what is delivered: the caller fills in all of it.
func (s *Sinks) Arrival(seen noc.Cycle, phits uint16, now noc.Cycle) *noc.Delivery {
	if s.pending == 0 {
		s.next = now + 1
	}
	s.pending++
	s.delivered++
	s.phits += uint64(phits)
	due := s.wheel.On(seen)
	list := *due
	if last := len(s.spare) - 1; list == nil && last >= 0 {
		list, s.spare = s.spare[last], s.spare[:last]
	}
	list = append(list, noc.Delivery{})
	*due = list
	return &list[len(list)-1]
}

// Next returns the first cycle in which a delivery becomes visible, or noc.Never.
func (s *Sinks) Next() noc.Cycle { return s.wheel.Next(s.next) }

// Due reports whether a delivery becomes visible in cycle now, when all earlier ones have been
// collected.
func (s *Sinks) Due(now noc.Cycle) bool { return s.wheel.Due(now) }

// Collect moves the deliveries visible in cycle now (and earlier) to the client's list, ordered
// by cycle and then by node. It must not be called with a cycle later than Next.
func (s *Sinks) Collect(now noc.Cycle) {
	for ; s.pending > 0 && s.next <= now; s.next++ {
		due := s.wheel.Take(s.next)
		if due == nil {
			continue
		}
		list := *due
		s.sort(list)
		s.pending -= len(list)
		*due = nil
		if len(s.out) == 0 {
			list, s.out = s.out, list
		} else {
			s.out = append(s.out, list...)
		}
		if cap(list) > 0 {
			s.spare = append(s.spare, list[:0])
		}
	}
}

// sort orders the deliveries of a cycle by node, and those of a node by Ties. Most lists are in order
// already.
func (s *Sinks) sort(list []noc.Delivery) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0; k-- {
			a, b := &list[k-1], &list[k]
			if a.At < b.At || a.At == b.At && (s.Ties == nil || !s.Ties(b, a)) {
				break
			}
			*a, *b = *b, *a
		}
	}
}

// Take hands the list to the client; the next Collect reuses it.
func (s *Sinks) Take() []noc.Delivery {
	out := s.out
	s.out = s.out[:0]
	return out
}

// Pending returns the number of deliveries started and not yet visible; Delivered and Phits are
// running sums that include them. Untaken adds those that are visible and that the client has not
// taken.
func (s *Sinks) Pending() int      { return s.pending }
func (s *Sinks) Untaken() int      { return s.pending + len(s.out) }
func (s *Sinks) Delivered() uint64 { return s.delivered }
func (s *Sinks) Phits() uint64     { return s.phits }
