package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// lane is the header row of one lane of an output stage.
func (n *Network) lane(port, ring int) []header {
	from := (port*rings + ring) * n.laneSlots
	return n.outputRow[from : from+n.laneSlots : from+n.laneSlots]
}

// send arbitrates between the two lanes of output stage p and starts the winner's packet on the link, or
// into the node: round robin per packet (ref 2.6). It returns the segments that may use the freed slot.
func (n *Network) send(id int, r *router, p int) (look uint64) {
	at := id*n.ports + p
	o := &n.output[at]
	if o.busy > n.now {
		return 0
	}
	requests := uint8(0)
	for ring := range rings {
		if o.lanes[ring].size > 0 && n.sendable(id, p, o, &n.lane(at, ring)[o.lanes[ring].head]) {
			requests |= 1 << ring
		}
	}
	if requests == 0 {
		return 0
	}
	r.count.sends++
	r.count.sendRequests += uint64(requests - requests>>1) // the number of bits set, for two bits
	ring := int(1 - o.last)
	if requests>>ring&1 == 0 {
		ring = int(o.last)
	}
	row := n.lane(at, ring)
	h := row[o.lanes[ring].head]
	o.lanes[ring].drop(row)
	o.free[ring]++
	o.last = uint8(ring)
	o.busy = n.now + noc.Cycle(h.phits)
	n.arm(id, r, n.outputUnits()+p, int(h.phits))
	r.residents--
	r.vacant = max(r.vacant, o.busy)
	if p == topology.Local {
		n.consume(id, r, &h)
	} else {
		n.cross(r, o, &h)
	}
	return uint64(r.blockedOut & n.feeders(p))
}

// feeders are the segments that drain into output p.
func (n *Network) feeders(p int) uint32 {
	// The segment that feeds p on ring 0 is the one before it there, and so on ring 1.
	return 1<<n.previous[p] | 1<<n.previous[n.ports+p]
}

// sendable tells whether the head of a lane may leave now.
func (n *Network) sendable(id, p int, o *output, h *header) bool {
	if h.ready > n.now {
		return false
	}
	if p == topology.Local {
		return n.sinks.Room(noc.NodeID(id), h.class)
	}
	if o.returned == n.now { // the neighbour's slot freed in this very cycle counts from the next on
		return o.credits > 1
	}
	return o.credits > 0
}

// cross starts a packet on the link to the neighbour.
func (n *Network) cross(r *router, o *output, h *header) {
	phits := uint64(h.phits)
	o.phits += phits
	n.phitHops += phits
	r.count.linkPhits += phits
	o.credits--
	peer := int(o.peer)
	h.hops++
	h.origin = o.entry | h.origin&orderedFlag
	h.turns = 0
	h.ready = n.now + 1
	n.route(peer, h)
	port := peer*n.ports + int(o.entry)
	n.input[port].queue.push(n.inputHeaders(port), h)
	n.armAt(peer, n.inputUnits()+int(o.entry), n.now+1)
	next := &n.routers[peer]
	next.count.arrivePhits += phits
	n.arrive(next)
}

// consume hands a packet to the node.
func (n *Network) consume(id int, r *router, h *header) {
	w := n.worms.At(h.worm)
	w.Hops = h.hops
	n.sinks.Accept(w, noc.NodeID(id), n.now)
	n.worms.Free(h.worm)
	n.buffered -= uint64(h.phits)
	r.count.consumePhits += uint64(h.phits)
}

// arrive notes that a header will be in the router from the next cycle on.
func (n *Network) arrive(r *router) {
	if r.residents == 0 && n.now+1 > r.vacant {
		r.idle += uint64(n.now + 1 - r.vacant)
		r.vacant = n.now + 1
	}
	r.residents++
}
