package fabric

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Sources are the source queues of all network interfaces: one FIFO per node and class, each with room
// for Depth packets. A packet stays at the head of its queue, with the destinations not yet sent, until
// its last copy has left.
type Sources struct {
	nodes, classes, depth int
	maxPhits              int
	worms                 *Worms
	rings                 []WormID // depth entries per queue
	head, size            []uint16
	ready                 []uint8 // per node: bit c set when queue c is not empty
	refused               []uint8 // per node: bit c set when an Offer was refused since the queue last had room
	roomAgain             bool
	owed                  int
	offered               uint64
}

// NewSources makes the source queues. depth is in packets.
func NewSources(worms *Worms, nodes, classes, depth, maxPhits int) *Sources {
	q := nodes * classes
	return &Sources{nodes: nodes, classes: classes, depth: depth, maxPhits: maxPhits, worms: worms,
		rings: make([]WormID, q*depth), head: make([]uint16, q), size: make([]uint16, q),
		ready: make([]uint8, nodes), refused: make([]uint8, nodes)}
}

// Offer appends a packet to its queue and tells whether there was room. It panics on a malformed packet.
func (s *Sources) Offer(p noc.Packet, now noc.Cycle) bool {
	CheckPacket(p, s.nodes, s.classes, s.maxPhits)
	q := int(p.Src)*s.classes + int(p.Class)
	if int(s.size[q]) == s.depth {
		s.refused[p.Src] |= 1 << p.Class
		return false
	}
	id := s.worms.New(Worm{Tag: p.Tag, Src: p.Src, Phits: p.Phits, Class: p.Class, Ordered: p.Ordered, Offered: now, Since: now})
	set := s.worms.Set(id)
	for i := range set {
		set[i] = p.Dst.Word(i)
		s.owed += bits.OnesCount64(set[i])
	}
	tail := int(s.head[q]) + int(s.size[q])
	if tail >= s.depth {
		tail -= s.depth
	}
	s.rings[q*s.depth+tail] = id
	s.size[q]++
	s.ready[p.Src] |= 1 << p.Class
	s.offered++
	return true
}

// CheckPacket panics on a packet that a network of that size, number of classes and slot cannot carry.
func CheckPacket(p noc.Packet, nodes, classes, maxPhits int) {
	empty, foreign := p.Dst.Empty(), false
	for i := 0; i <= len(p.Dst.More); i++ {
		w := p.Dst.Word(i)
		if left := nodes - 64*i; left < 64 {
			foreign = foreign || (left <= 0 && w != 0) || (left > 0 && w>>left != 0)
		}
	}
	if empty || foreign || int(p.Src) >= nodes || int(p.Class) >= classes || p.Phits == 0 || int(p.Phits) > maxPhits {
		panic(fmt.Sprintf("noc: malformed packet %+v: a network of %d nodes takes classes below %d, 1 to %d phits, and destinations that exist",
			p, nodes, classes, maxPhits))
	}
}

// Ready is the set of classes with a packet waiting at a node, as bits.
func (s *Sources) Ready(n noc.NodeID) uint8 { return s.ready[n] }

// Head is the packet at the head of a non-empty queue.
func (s *Sources) Head(n noc.NodeID, c noc.Class) WormID {
	q := int(n)*s.classes + int(c)
	return s.rings[q*s.depth+int(s.head[q])]
}

// Pop removes the head; the caller owns the worm from then on.
func (s *Sources) Pop(n noc.NodeID, c noc.Class) WormID {
	q := int(n)*s.classes + int(c)
	id := s.rings[q*s.depth+int(s.head[q])]
	if s.head[q]++; int(s.head[q]) == s.depth {
		s.head[q] = 0
	}
	if s.size[q]--; s.size[q] == 0 {
		s.ready[n] &^= 1 << c
	}
	if s.refused[n]>>c&1 != 0 {
		s.refused[n] &^= 1 << c
		s.roomAgain = true
	}
	return id
}

// PopCopy takes one copy for a single destination off the head packet: the first owed destination after
// the source in ascending order of node, wrapping, so that not all nodes aim at node 0 first. With the
// last destination the packet leaves its queue.
func (s *Sources) PopCopy(n noc.NodeID, c noc.Class) WormID {
	head := s.Head(n, c)
	d := NextAfter(s.worms.Set(head), n)
	last := s.worms.Set(head)
	rest := 0
	for _, w := range last {
		rest += bits.OnesCount64(w)
	}
	if rest == 1 {
		return s.Pop(n, c)
	}
	id := s.worms.New(*s.worms.At(head))
	s.worms.Set(head)[d/64] &^= 1 << (d % 64)
	s.worms.Set(id)[d/64] |= 1 << (d % 64)
	return id
}

// NextAfter is the first member after n in ascending order, wrapping round to n itself last. The set
// must not be empty.
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

// TakeRoomAgain tells whether a queue that had refused a packet got room since the last call.
func (s *Sources) TakeRoomAgain() bool {
	r := s.roomAgain
	s.roomAgain = false
	return r
}

// Owed counts destinations accepted since the start; Offered counts packets.
func (s *Sources) Owed() int       { return s.owed }
func (s *Sources) Offered() uint64 { return s.offered }
