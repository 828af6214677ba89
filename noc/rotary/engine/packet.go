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
	// owed is the only destination; with several, their set as a bit each or, where sets are rows,
	// the row of the arena times 2^32; with more, that row and the next destination.
	owed    uint64
	id      fabric.PacketID // NoPacket: the packet is not in use
	next    int32           // the packet behind it in its queue
	since   uint32          // low bits of the cycle from which on it can be granted its next move
	hops    uint16
	outputs uint16 // outputs that serve a destination; all links of an aged packet (rule 3)
	turns   uint8  // segments entered in this router, saturating
	phits   uint8
	class   uint8
	flags   flags
}

type flags uint8

const (
	several flags = 1 << iota // there are several destinations at once
	more                      // path scheme: there are destinations after this one
	back                      // path scheme: backwards on the tour
)

// neverAged is the number of turns from which on they are not counted.
const neverAged = 255

const rowShift = 32

// only returns the destination of a packet that does not have several at once.
func (p *packet) only() int { return int(uint32(p.owed)) }

// row returns the row of the arena with the destinations of a packet that has more than one.
func (p *packet) row() int32 { return int32(p.owed >> rowShift) }

// until returns the cycle in which the packet has left whole if its header leaves now.
func (p *packet) until(now noc.Cycle) noc.Cycle { return now + noc.Cycle(p.phits) }

// queue is a FIFO of packets, each of which knows the one behind it. Packet 0 is none; where it is
// written to or read, that has no effect and saves a branch.
type queue struct{ first, last int32 }

// push appends a packet that is there from a cycle on.
func (n *Network) push(q *queue, place int32, p *packet, ready noc.Cycle) {
	p.since, p.next = uint32(ready), 0
	n.pool[q.last].next = place
	q.last = place
	first := q.first
	if first == 0 {
		first = place
	}
	q.first = first
}

// pop takes the first packet out of a queue and returns it.
func (n *Network) pop(q *queue) (place int32, p *packet) {
	place = q.first
	p = &n.pool[place]
	q.first, q.last = p.next, q.last&int32(p.isLast()-1)
	return place, p
}

// isLast returns 1 if no packet is behind this one in its queue, else 0, branch-free: the
// branch would be mispredicted.
func (p *packet) isLast() uint32 { return uint32(p.next-1) >> 31 }

// take takes an unused packet. Pointers to packets are not valid after it.
func (n *Network) take() int32 {
	i := n.unused
	if i == 0 {
		n.pool = append(n.pool, packet{})
		return int32(len(n.pool) - 1)
	}
	n.unused = n.pool[i].next
	return i
}

// drop frees a packet that leaves the network.
func (n *Network) drop(place int32) {
	p := &n.pool[place]
	p.id, p.next = fabric.NoPacket, n.unused
	n.unused = place
}

// forgetPast makes sure that no stream which is over is taken for one to come. The network may have
// been idle for any time.
func (n *Network) forgetPast() {
	idle := n.Clock-n.forgotten >= halfAround
	n.forgotten, n.instant = n.Clock, instantOf(n.Clock)
	for i := range n.routers {
		n.routers[i].forget(idle)
	}
}

// keepPast calls forgetPast when it is time.
func (n *Network) keepPast() {
	if n.Clock-n.forgotten >= forgetEvery {
		n.forgetPast()
	}
}
