package fabric

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Sources are the source queues of all network interfaces: one FIFO per node and class, each with
// room for Depth packets. A packet stays at the head of its queue, with the destinations not yet
// sent, until its last copy has left.
type Sources struct {
	nodes, classes, depth int
	longest               [noc.MaxClasses]int // packet of each class, in phits
	packets               *Packets
	asked                 []bool // per packet: its source asks for a receipt; as long as that has been needed
	Receipts              Receipts
	queues                []queue
	ready                 []uint8 // per node: bit c set when queue c is not empty
	refused               []uint8 // per node: bit c set when an Offer was refused since the queue last had room
	roomAgain             bool
	owed                  int
	offered               uint64
}

// queue is a FIFO of packets, each of which knows the one behind it: packets take memory only while
// they wait.
type queue struct {
	first, last PacketID
	size        uint16
}

// NewSources makes the source queues of a network.
func NewSources(packets *Packets, shape Shape) *Sources {
	s := &Sources{nodes: shape.Nodes, classes: shape.Classes, depth: shape.SourceQueue, packets: packets,
		queues: make([]queue, shape.Nodes*shape.Classes),
		ready:  make([]uint8, shape.Nodes), refused: make([]uint8, shape.Nodes)}
	for class, phits := range shape.ClassPhits {
		s.longest[class] = cmp.Or(phits, shape.MaxPhits)
	}
	return s
}

// Offer appends a packet to its queue and reports whether there was room. It panics on a
// malformed packet; of one for which there is no room, only source and class are looked at. Large
// saturated networks refuse many, and their sets of destinations are long: at 64x64 nodes,
// looking for the destination took a quarter of the time.
func (s *Sources) Offer(p *noc.Packet, now noc.Cycle) bool {
	if int(p.Src) >= s.nodes || int(p.Class) >= s.classes {
		panicMalformed(*p, s.nodes, s.classes, s.longest[0])
	}
	q := &s.queues[int(p.Src)*s.classes+int(p.Class)]
	if int(q.size) == s.depth {
		s.refused[p.Src] |= 1 << p.Class
		return false
	}
	to, destinations := noc.NodeID(bits.TrailingZeros64(p.Dst.Low)), 1
	if low := p.Dst.Low; low == 0 || low&(low-1) != 0 || len(p.Dst.More) > 0 || int(to) >= s.nodes || p.Phits == 0 || int(p.Phits) > s.longest[p.Class&(noc.MaxClasses-1)] {
		to, destinations = CheckPacket(p, s.nodes, s.classes, s.longest[p.Class])
	}
	id, w := s.packets.take()
	// One by one: a literal would be made elsewhere and copied.
	w.Tag, w.Src, w.Phits, w.Class = p.Tag, p.Src, p.Phits, p.Class
	w.Offered, w.waited, w.owed = now, 0, int32(to)
	if destinations > 1 {
		w.owed = ^s.packets.NewRow()
		set := s.packets.Set(id)
		set[0] = p.Dst.Low
		copy(set[1:], p.Dst.More)
	}
	if p.Receipt {
		s.ask(id)
	}
	if q.size == 0 {
		q.first = id
	} else {
		s.packets.At(q.last).next = int32(id)
	}
	q.last = id
	q.size++
	s.owed += destinations
	s.ready[p.Src] |= 1 << p.Class
	s.offered++
	return true
}

// Pass accepts a packet that does not wait in a queue, for networks that take everything at once.
func (s *Sources) Pass(p *noc.Packet) {
	_, destinations := CheckPacket(p, s.nodes, s.classes, s.longest[p.Class&(noc.MaxClasses-1)])
	s.owed += destinations
	s.offered++
	if p.Receipt {
		s.Receipts.Add(noc.Receipt{Src: p.Src, Tag: p.Tag, Class: p.Class})
	}
}

// CheckPacket panics on a packet that a network of that size, number of classes and slot cannot
// carry. It returns the last destination and how many there are.
func CheckPacket(p *noc.Packet, nodes, classes, maxPhits int) (last noc.NodeID, destinations int) {
	if p.Dst.Low != 0 {
		last, destinations = noc.NodeID(bits.Len64(p.Dst.Low)-1), bits.OnesCount64(p.Dst.Low)
	}
	more := p.Dst.More
	for i := 0; i < len(more); {
		if i+4 <= len(more) && more[i]|more[i+1]|more[i+2]|more[i+3] == 0 { // most packets have one destination
			i += 4
			continue
		}
		if w := more[i]; w != 0 {
			last = noc.NodeID(64*i + 63 + bits.Len64(w))
			destinations += bits.OnesCount64(w)
		}
		i++
	}
	if destinations == 0 || int(last) >= nodes || int(p.Src) >= nodes || int(p.Class) >= classes || p.Phits == 0 || int(p.Phits) > maxPhits {
		panicMalformed(*p, nodes, classes, maxPhits)
	}
	return last, destinations
}

func panicMalformed(p noc.Packet, nodes, classes, maxPhits int) {
	panic(fmt.Sprintf("noc: malformed packet %+v: a network of %d nodes takes classes below %d, 1 to %d phits, and destinations that exist",
		p, nodes, classes, maxPhits))
}

// Ready returns the set of classes with a packet waiting at a node, as bits.
func (s *Sources) Ready(n noc.NodeID) uint8 { return s.ready[n] }

// Head returns the packet at the head of a non-empty queue.
func (s *Sources) Head(n noc.NodeID, c noc.Class) PacketID {
	return s.queues[int(n)*s.classes+int(c)].first
}

// ask notes that the source of a packet asks for a receipt.
func (s *Sources) ask(id PacketID) {
	for int(id) >= len(s.asked) {
		s.asked = append(s.asked, false)
	}
	s.asked[id] = true
}

// Leave gives the receipt of a packet that has left its source, if it asked for one.
func (s *Sources) Leave(id PacketID) {
	if int(id) < len(s.asked) && s.asked[id] {
		s.give(id)
	}
}

// give gives a receipt; apart from Leave, so that this is inlined.
func (s *Sources) give(id PacketID) {
	s.asked[id] = false
	w := s.packets.At(id)
	s.Receipts.Add(noc.Receipt{Src: w.Src, Tag: w.Tag, Class: w.Class})
}

// Pop removes the head, which leaves its source; the caller owns the packet from then on.
func (s *Sources) Pop(n noc.NodeID, c noc.Class) PacketID {
	id := s.Take(n, c)
	s.Leave(id)
	return id
}

// Take removes the head, of which copies are still to leave: the caller calls Leave after the last.
func (s *Sources) Take(n noc.NodeID, c noc.Class) PacketID {
	q := &s.queues[int(n)*s.classes+int(c)]
	id := q.first
	q.first = PacketID(s.packets.At(id).next)
	if q.size--; q.size == 0 {
		s.ready[n] &^= 1 << c
	}
	if s.refused[n]>>c&1 != 0 {
		s.refused[n] &^= 1 << c
		s.roomAgain = true
	}
	return id
}

// PopCopy takes one copy for a single destination off the head packet: the first owed destination
// after the given node in ascending order of node, wrapping. With the node itself, not all
// sources aim at node 0 first. With the last destination the packet leaves its queue.
func (s *Sources) PopCopy(n noc.NodeID, c noc.Class, after noc.NodeID) PacketID {
	head := s.Head(n, c)
	if s.packets.Only(head) >= 0 {
		return s.Pop(n, c)
	}
	set := s.packets.Set(head)
	to := NextAfter(set, after)
	set[to/64] &^= 1 << (to % 64)
	s.packets.Settle(head)
	return s.packets.New(*s.packets.At(head), to)
}

// NextAfter returns the first member after n in ascending order, wrapping round to n itself last.
// The set must not be empty.
func NextAfter(set []uint64, n noc.NodeID) noc.NodeID {
	words := len(set)
	i := int(n / 64)
	w := set[i] &^ (2<<(n%64) - 1)
	for range words + 1 {
		if w != 0 {
			return noc.NodeID(64*i + bits.TrailingZeros64(w))
		}
		if i++; i == words {
			i = 0
		}
		w = set[i]
	}
	panic("fabric: empty destination set")
}

// TakeRoomAgain reports whether a queue that had refused a packet got room since the last call.
func (s *Sources) TakeRoomAgain() bool {
	r := s.roomAgain
	s.roomAgain = false
	return r
}

// Owed counts destinations accepted since the start; Offered counts packets.
func (s *Sources) Owed() int       { return s.owed }
func (s *Sources) Offered() uint64 { return s.offered }

// Waiting counts the packets in the source queues and their destinations not yet sent. It walks all
// queues: it is for checks.
func (s *Sources) Waiting() (packets, destinations int) {
	for _, q := range s.queues {
		id := q.first
		for range q.size {
			packets++
			destinations += s.packets.Count(id)
			id = PacketID(s.packets.At(id).next)
		}
	}
	return packets, destinations
}

// Receipts are the packets with receipts that have left their sources and that were not yet
// reported to the client.
type Receipts struct{ list, shown []noc.Receipt }

// Add notes that a packet has left. The order among packets of one source and class is kept.
func (r *Receipts) Add(p noc.Receipt) {
	r.list = append(r.list, p)
	for i := len(r.list) - 1; i > 0 && before(p, r.list[i-1]); i-- {
		r.list[i], r.list[i-1] = r.list[i-1], p
	}
}

func before(a, b noc.Receipt) bool { return a.Src < b.Src || a.Src == b.Src && a.Class < b.Class }

// Due reports whether there is something to tell.
func (r *Receipts) Due() bool { return len(r.list) > 0 }

// Take lists the packets and forgets them. The slice is reused by the call after the next.
func (r *Receipts) Take() []noc.Receipt {
	r.list, r.shown = r.shown[:0], r.list
	return r.shown
}

// Stuck begins the explanation of the head of a queue that is not empty: what it is, and since when.
// Its packet is in the arena of the sources, which in a mirror is not that of the packets inside.
func (s *Sources) Stuck(n noc.NodeID, c noc.Class) noc.Stuck { return s.packets.stuck(s.Head(n, c)) }
