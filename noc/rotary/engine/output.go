package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// sendToNode lets the local output stage of a router start a packet (rule 13).
func (r *router) sendToNode() {
	n := r.net
	lanes := r.now.staged() & pair
	if lanes == 0 || busy(r.sent[topology.Local], n.Clock) {
		return
	}
	if n.rules.unlimited {
		lanes = r.consumable(lanes)
	}
	ring := uint(lanes >> maxPorts)
	switch lanes {
	case 0:
		return
	case pair:
		r.count.sendsLost++
		ring = uint(r.port[topology.Local].last)&1 ^ 1
	}
	place, p := r.sendFrom(topology.Local, ring)
	r.consume(place, p)
}

// consumable drops the lanes whose packet finds no place in its sink. Only unlimited output stages
// take packets that do not have one yet (rule 25).
func (r *router) consumable(lanes uint32) uint32 {
	n := r.net
	for ring := range rings {
		if lanes>>(ring*maxPorts)&1 != 0 {
			p := &n.pool[r.port[topology.Local].stage[ring].first]
			if !n.Sinks.Room(noc.NodeID(r.id), noc.Class(p.class)) {
				lanes &^= 1 << (ring * maxPorts)
			}
		}
	}
	return lanes
}

// sendToNeighbours lets the other output stages of a router start a packet each (rule 13).
func (r *router) sendToNeighbours() {
	n := r.net
	lanes := r.now.sendable()
	if lanes&(lanes-1) == 0 { // as a rule, where there is little traffic
		if l := uint(bits.TrailingZeros32(lanes)); lanes != 0 && !busy(r.sent[l&portBits], n.Clock) {
			r.send(l&portBits, l/maxPorts)
		}
		return
	}
	lanes &= n.idle(&r.sent) * pair
	for ports := (lanes | lanes>>maxPorts) & allPorts; ports != 0; ports &= ports - 1 {
		port := uint(bits.TrailingZeros32(ports)) & portBits
		first, second := lanes>>port&1, lanes>>(port+maxPorts)&1
		tie := first & second
		r.count.sendsLost += uint64(tie)
		r.send(port, uint(second&^tie|tie&^uint32(r.port[port].last)))
	}
}

// send starts the head of a lane of the output stage of port p on its link.
func (r *router) send(port, ring uint) {
	n := r.net
	place, p := r.sendFrom(port, ring)
	out := &r.port[port&portBits]
	out.credits--
	ports := r.now.ports
	if out.credits == 0 {
		ports &^= 1 << (creditAt + port)
	}
	r.now.ports = ports
	n.cross(r.group, uint(out.entry), out.peer, place, p)
}

// sendFrom takes the head of a lane of output stage p out and streams it.
func (r *router) sendFrom(port, ring uint) (int32, *packet) {
	n := r.net
	port, ring = port&portBits, ring&1
	out, lane := &r.port[port], port+ring*maxPorts
	place, p := n.pop(&out.stage[ring])
	r.now.ports &^= p.isLast() << lane
	out.staged[ring]--
	r.full &^= 1 << n.rules.behind[lane]
	out.last = uint8(ring)
	until := p.until(n.Clock)
	r.sent[port] = uint8(until)
	out.phits += uint64(p.phits)
	r.count.sends++
	r.count.Exit(until)
	return place, p
}

// cross starts a packet on the link to input entry of a router.
func (n *Network) cross(from *group, entry uint, r *router, place int32, p *packet) {
	ready := n.Clock + 1
	entry &= portBits
	p.hops++
	p.turns = 0
	if p.flags&several == 0 {
		p.outputs = n.routes.profitable(int(r.id), p.only())
	} else {
		n.route(int(r.id), p)
	}
	p.turns = 1
	r.count.Enter(ready)
	if g := r.group; g != from { // else it finds out before it sleeps
		g.wake = min(g.wake, ready)
	}
	r.expect(ready, entries).ports |= 1 << (inputAt + entry)
	n.push(&r.port[entry].input, place, p, ready)
}

// consume hands a packet to the node.
func (r *router) consume(place int32, p *packet) {
	n := r.net
	w := n.Packets.At(p.id)
	if n.rules.unlimited {
		n.Sinks.Reserve(noc.NodeID(r.id), w.Class, n.Clock)
	}
	n.Sinks.Deliver(w, p.hops, noc.NodeID(r.id), n.Clock)
	n.buffered -= uint64(p.phits)
	n.Packets.Deliver(p.id)
	n.drop(place)
}
