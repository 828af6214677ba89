package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// send arbitrates between the two lanes of output stage p, which is idle, and starts the winner's packet
// on the link, or into the node: round robin per packet (ref 2.6).
func (n *Network) send(id int, r *router, p int) {
	p &= portBits
	o := &r.output[p]
	requests := r.leaving[0]>>p&1 | r.leaving[1]>>p&1<<1
	if n.unlimited && p == topology.Local {
		if requests = n.consumable(id, r, o, requests); requests == 0 {
			return
		}
	}
	ring := int(requests >> 1)
	r.count.sends++
	both := requests & (requests >> 1)
	ring = ring&^int(both) | int(both&^(r.laneLast>>p))
	r.count.sendRequests += 1 + uint64(both)
	n.moved = true
	r.laneLast = r.laneLast&^(1<<p) | uint16(ring)<<p
	k := o.lanes[ring].pop(n.outputLane(r, p, ring))
	// If there is a next one it will be there before the link is idle again.
	r.leaving[ring] &^= uint16(atLeast(0, int(o.lanes[ring].size)) << p)
	o.free[ring]++
	r.outRoom |= 1 << n.feeder(p, ring)
	h := &r.headers[k]
	phits := noc.Cycle(h.phits)
	o.busy = n.now + phits
	r.linkIdle &^= 1 << p
	n.on(r, phits, false).linkIdle |= 1 << p
	r.residents--
	r.vacant = max(r.vacant, o.busy)
	if p == topology.Local {
		n.consume(id, r, k, h)
	} else {
		n.cross(r, o, p, k, h)
	}
	if n.unlimited {
		n.refill(id, r, p, ring)
	}
}

// consumable drops the requests of lanes whose head finds no place in its sink. Only unlimited output stages
// take packets that do not have one yet.
func (n *Network) consumable(id int, r *router, o *output, requests uint16) uint16 {
	for ring := range rings {
		if requests>>ring&1 != 0 {
			k := o.lanes[ring].front(n.outputLane(r, topology.Local, ring))
			if !n.sinks.Room(noc.NodeID(id), r.headers[k].class) {
				requests &^= 1 << ring
			}
		}
	}
	return requests
}

// cross starts a packet on the link to the neighbour.
func (n *Network) cross(r *router, o *output, p int, k packet, h *header) {
	phits := uint64(h.phits)
	o.phits += phits
	n.phitHops += phits
	r.count.linkPhits += phits
	if o.credits--; o.credits == 0 {
		r.credited &^= 1 << p
	}
	h.hops++
	h.origin = o.entry | h.origin&^portBits
	h.ready = n.now + 1
	peer := int(o.peer)
	n.route(peer, h)
	next := &n.routers[peer]
	next.input[o.entry].queue.push(n.inputLane(next, int(o.entry)), next.newPacket(h))
	r.drop(k, h)
	next.mail[(n.now+1)&1] |= 1 << o.entry
	n.arrive(next)
	n.wheel.Set(&next.alarm, n.now+1)
}

// consume hands a packet to the node.
func (n *Network) consume(id int, r *router, k packet, h *header) {
	w := n.worms.At(h.worm)
	if n.unlimited {
		n.sinks.Reserve(noc.NodeID(id), h.class)
	}
	n.sinks.Arrive(noc.Delivery{Tag: w.Tag, Src: w.Src, At: noc.NodeID(id), Class: w.Class, Offered: w.Offered,
		Injected: w.Injected(), Arrived: n.now + noc.Cycle(w.Phits), Hops: h.hops}, w.Phits, n.now)
	if h.origin&spreadFlag != 0 {
		n.pay(r, h.phits, 100-n.config.SenderPercent)
	}
	n.worms.Free(h.worm)
	r.drop(k, h)
	n.buffered -= uint64(h.phits)
	r.count.consumePhits += uint64(h.phits)
}

// arrive notes that a header will be in the router from the next cycle on.
func (n *Network) arrive(r *router) {
	if r.residents == 0 && n.now+1 > r.vacant {
		r.absent += uint64(n.now + 1 - r.vacant)
		r.vacant = n.now + 1
	}
	r.residents++
}
