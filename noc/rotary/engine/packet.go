package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// packet is one packet copy in the network: half a cache line with all that routers decide by. It
// stays where it is while it moves from queue to queue; what moves is its index.
//
// All copies of what left a source as one packet share one packet of the arena, since nothing in it
// differs. That one awaits as many deliveries as there were destinations, and is free with the
// last.
type packet struct {
	owed            uint64          // destinations, see flags
	id              fabric.PacketID // NoPacket: the packet is not in use
	next            int32           // the packet behind it in its queue
	since           uint32          // low bits of the cycle from which on it can be granted its next move
	outputs         portSet         // by which it may leave the router (rules 8 and 12)
	hops            uint16
	segmentsEntered uint8 // in this router, at most mostEntered
	phits           uint8
	class           noc.Class
	flags           flags
}

// flags say what owed holds:
//
//	flags            upper half of owed     lower half
//	0                0                      the only destination
//	several          row of the arena       0
//	several          a bit for each destination, where sets are one word
//	more             row of the arena       the next destination on the path
type flags uint8

const (
	several flags = 1 << iota // there are several destinations at once
	more                      // path scheme: there are destinations after this one
	back                      // path scheme: backwards on the tour
)

// mostEntered is the number of segments from which on they are not counted.
const mostEntered = 255

const rowShift = 32

// only returns the destination of a packet that does not have several at once.
func (k *packet) only() int { return int(uint32(k.owed)) }

// row returns the row of the arena with the destinations of a packet that has more than one.
func (k *packet) row() int32 { return int32(k.owed >> rowShift) }

// queue is a FIFO of packets, each of which knows the one behind it. Packet 0 is none; where it is
// written to or read, that has no effect and saves a branch.
type queue struct{ first, last int32 }

// push appends a packet that is there from a cycle on.
func (n *region) push(q *queue, index int32, k *packet, ready noc.Cycle) {
	k.since, k.next = uint32(ready), 0
	n.pool[q.last].next = index
	q.last = index
	first := q.first
	if first == 0 {
		first = index
	}
	q.first = first
}

// pop takes the first packet out of a queue and returns it.
func (n *region) pop(q *queue) (index int32, k *packet) {
	index = q.first
	k = &n.pool[index]
	q.first, q.last = k.next, q.last&^int32(k.ifLast())
	return index, k
}

// ifLast has all bits set if no packet is behind this one in its queue, else none. It is
// branch-free: the branch would be mispredicted.
func (k *packet) ifLast() present { return present(int64(k.next-1) >> 32) }

// take takes an unused packet. Pointers to packets are not valid after it.
func (n *region) take() int32 {
	i := n.unused
	if i == 0 {
		n.pool = append(n.pool, packet{})
		return int32(len(n.pool) - 1)
	}
	n.unused = n.pool[i].next
	return i
}

// drop frees a packet that leaves the network.
func (n *region) drop(index int32) {
	k := &n.pool[index]
	k.id, k.next = fabric.NoPacket, n.unused
	n.unused = index
}
