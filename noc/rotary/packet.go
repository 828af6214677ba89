package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// packet is one copy of a packet: in a source queue with all its destinations, or in the network
// with those that the copy still owes.
type packet struct {
	tag               noc.Tag
	src               noc.NodeID
	class             noc.Class
	phits             int
	ordered           bool
	receipt           bool // the source asks to be told when it has left
	offered, injected noc.Cycle
	hops              int
	content           []noc.Word // what the phits hold, where flipped bits are counted

	owed  []uint64 // the destinations, as a set
	count int      // how many they are
	only  int      // the last one that is left, or negative

	turns   int  // segments entered in the present router
	origin  int  // input port of the present router
	spread  bool // part of a multicast that the routers copy (rule 20)
	back    bool // path scheme: it goes backwards on the tour (rule 24)
	target  int  // path scheme: the destination that comes next
	visited int  // path scheme: where it has been served last, or its source

	checked int // by which call of CheckInvariants
}

// recount updates what follows from the set of destinations.
func (k *packet) recount() {
	k.count, k.only = 0, -1
	for i, w := range k.owed {
		if w != 0 {
			k.count += bits.OnesCount64(w)
			k.only = 64*i + bits.TrailingZeros64(w)
		}
	}
	if k.count > 1 {
		k.only = -1
	}
}

// slot is a place in a buffer: reserved for a packet when its header is granted the move, and
// filled phit by phit.
type slot struct {
	packet  *packet
	arrival [maxSlotPhits]noc.Cycle // phit i is here from cycle arrival[i] on
	filled  int                     // phits with an arrival
	sent    int                     // phits that have left
	readers int                     // streams out of the slot
	left    bool                    // the header has left, so the place is free again
	since   noc.Cycle               // when the header is here
	enters  noc.Cycle               // first cycle in which the packet counts as being in the router
	checked int                     // by which call of CheckInvariants
}

// headerHere reports whether the header may be granted its next move.
func (s *slot) headerHere(now noc.Cycle) bool { return s.filled > 0 && s.arrival[0] <= now }

// fifo is a queue of slots.
type fifo struct {
	slots []*slot
	first int
}

func (q *fifo) size() int { return len(q.slots) - q.first }

// front returns the first slot of a queue that is not empty.
func (q *fifo) front() *slot { return q.slots[q.first] }

// all returns the slots from the first to the last.
func (q *fifo) all() []*slot { return q.slots[q.first:] }

func (q *fifo) push(s *slot) {
	if q.first > 0 && len(q.slots) == cap(q.slots) { // make use of the room in front
		q.slots = q.slots[:copy(q.slots, q.slots[q.first:])]
		q.first = 0
	}
	q.slots = append(q.slots, s)
}

func (q *fifo) pop() *slot {
	s := q.slots[q.first]
	if q.first++; q.first == len(q.slots) {
		q.slots, q.first = q.slots[:0], 0
	}
	return s
}

// pool keeps packets and slots that are not in use, so that a warm network allocates nothing.
type pool struct {
	words   int // of a set of destinations
	packets []*packet
	slots   []*slot
	live    int // packets in use
}

// takePacket returns an unused packet, cleared but for the room for its destinations and content.
func (o *pool) takePacket() *packet {
	o.live++
	if last := len(o.packets) - 1; last >= 0 {
		k := o.packets[last]
		o.packets = o.packets[:last]
		*k = packet{owed: k.owed, content: k.content[:0]}
		return k
	}
	return &packet{owed: make([]uint64, o.words)}
}

// takeCopy returns a packet like another one, with destinations of its own.
func (o *pool) takeCopy(k *packet) *packet {
	c := o.takePacket()
	owed, content := c.owed, c.content
	*c = *k
	c.owed, c.content = owed, append(content, k.content...)
	copy(c.owed, k.owed)
	return c
}

func (o *pool) dropPacket(k *packet) {
	o.live--
	o.packets = append(o.packets, k)
}

// takeSlot returns a slot for a packet whose header is there from cycle since on, and which counts
// as being in the router from cycle enters on.
func (o *pool) takeSlot(k *packet, since, enters noc.Cycle) *slot {
	var s *slot
	if last := len(o.slots) - 1; last >= 0 {
		s = o.slots[last]
		o.slots = o.slots[:last]
	} else {
		s = new(slot)
	}
	*s = slot{packet: k, since: since, enters: enters}
	return s
}

func (o *pool) dropSlot(s *slot) { o.slots = append(o.slots, s) }
