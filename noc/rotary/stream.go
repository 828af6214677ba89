package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// stream moves the phits of one packet from a slot to another, one per cycle (rule 5).
type stream struct {
	hop        hop
	router     *router
	port, ring int // input or output port, and the ring or lane; of a turn, the segment that it enters
	lane       int // of the segment that is written
	packet     *packet
	from, to   *slot // nil for the source, and for the node
	delay      noc.Cycle
	dual       bool // the slot is read to the output in the same cycles
	next       int  // phit
}

// hop says between which buffers a packet moves.
type hop uint8

const (
	injecting hop = iota // source to segment, through the local input stage
	entering             // input stage to segment
	turning              // segment to the next one
	ejecting             // segment to output stage
	crossing             // output stage to the neighbour's input stage
	consuming            // output stage to node
)

// until is rule 5: the cycle from which on what a packet streams through is idle again, if its
// header leaves now.
func (k *packet) until(now noc.Cycle) noc.Cycle { return now + noc.Cycle(k.phits) }

// start starts a stream; its first phit moves in this cycle.
func (n *Network) start(s stream) {
	n.count(&s)
	if s.from != nil {
		s.from.readers++
		s.router.streams++
	}
	n.streams = append(n.streams, s)
}

// move moves one phit of every running stream.
func (n *Network) move() {
	running := n.streams[:0]
	for i := range n.streams {
		s := &n.streams[i]
		if s.from != nil {
			if s.from.filled <= s.next || s.from.arrival[s.next] > n.Clock {
				panic(fmt.Sprintf("rotary: cycle %d, router %d: phit %d of %+v is not there in time", n.Clock, s.router.id, s.next, s.packet))
			}
			s.from.sent = max(s.from.sent, s.next+1)
		}
		if s.hop == consuming {
			n.phits.consumed++
		}
		if s.to != nil {
			s.to.arrival[s.next] = n.Clock + s.delay
			s.to.filled++
		}
		if s.next++; s.next < s.packet.phits {
			running = append(running, *s)
		} else {
			n.end(s)
		}
	}
	n.streams = running
}

// end ends a stream whose last phit has moved.
func (n *Network) end(s *stream) {
	if s.from != nil {
		s.router.streams--
		if s.from.readers--; s.from.readers == 0 && s.from.left {
			n.slots.drop(s.from)
		}
	}
	if s.hop == consuming {
		k := s.packet
		n.Sinks.Deliver(n.Packets.At(k.id), uint16(k.hops), noc.NodeID(s.router.id), n.Clock, n.Clock+1)
		n.Packets.Free(k.id)
		n.packets.drop(k)
	}
}

// count counts all phits of a stream.
func (n *Network) count(s *stream) {
	a, phits := &s.router.activity, uint64(s.packet.phits)
	switch s.hop {
	case injecting:
		a.InjectPhits += phits
		a.BufferWrites[noc.InputStage] += phits
		fallthrough
	case entering:
		a.BufferReads[noc.InputStage] += phits
		a.InputDemux += phits
		a.RingInject += phits
		a.BufferWrites[noc.RingSegment] += phits
	case turning:
		if s.dual {
			a.RingDual += phits // the read is counted with that of the output
		} else {
			a.BufferReads[noc.RingSegment] += phits
		}
		a.BufferWrites[noc.RingSegment] += phits
		a.RingHop += phits
	case ejecting:
		a.BufferReads[noc.RingSegment] += phits
		a.BufferWrites[noc.OutputStage] += phits
		a.RingEject += phits
	case crossing, consuming:
		o := &s.router.outputs[s.port]
		o.phits += phits
		a.BufferReads[noc.OutputStage] += phits
		a.OutputMux += phits
		if s.hop == consuming {
			a.EjectPhits += phits
			return
		}
		a.LinkPhits += phits
		n.phits.hops += phits
		n.routers[o.peer].activity.BufferWrites[noc.InputStage] += phits
	}
}

// countPresence counts the routers that a packet is in.
func (n *Network) countPresence() {
	for id := range n.routers {
		if r := &n.routers[id]; r.streams > 0 || r.slotsUsed > 0 && r.occupied(n.Clock) {
			r.busy++
		}
	}
}

// occupied reports whether a packet is in one of the router's buffers, or on its way between them.
func (r *router) occupied(now noc.Cycle) (here bool) {
	r.eachQueue(func(q *fifo, _ int) { here = here || q.Len() > 0 && q.Front().enters <= now })
	return here
}
