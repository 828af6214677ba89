package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
)

// packet is one copy of a packet in the network. The arena knows its destinations, and what the
// source said of it.
type packet struct {
	id    fabric.PacketID
	phits int
	class noc.Class
	hops  int

	segmentsEntered int  // in the present router
	back            bool // path scheme: it goes backwards on the tour (rule 24)
	target          int  // path scheme: the destination that comes next
	visited         int  // path scheme: where it has been served last, or its source
}

// slot is a place in a buffer: reserved for a packet when its header is granted the move, and
// filled phit by phit.
type slot struct {
	packet  *packet
	arrival [MaxSlotPhits]noc.Cycle // phit i is here from cycle arrival[i] on
	filled  int                     // phits with an arrival
	sent    int                     // phits that have left
	readers int                     // streams out of the slot
	left    bool                    // the header has left, so the place is free again
	since   noc.Cycle               // when the header is here
	enters  noc.Cycle               // first cycle in which the packet counts as being in the router
}

// headerHere reports whether the header may be granted its next move.
func (s *slot) headerHere(now noc.Cycle) bool { return s.filled > 0 && s.arrival[0] <= now }

// fifo is a queue of slots.
type fifo = queue.FIFO[*slot]

// pool has things that are not in use, so that a warm network allocates nothing.
type pool[T any] struct {
	free []*T
	live int // in use
}

// take returns a thing like v.
func (o *pool[T]) take(v T) *T {
	o.live++
	var t *T
	if last := len(o.free) - 1; last >= 0 {
		t, o.free = o.free[last], o.free[:last]
	} else {
		t = new(T)
	}
	*t = v
	return t
}

func (o *pool[T]) drop(t *T) {
	o.live--
	o.free = append(o.free, t)
}
