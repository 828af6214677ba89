package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// sendToNode lets the local output stage of a router start a packet (rule 13).
func (s *router) sendToNode() {
	n := s.net
	lanes := s.now.staged() & pair
	if lanes == 0 || busy(s.sent[topology.Local], n.Clock) {
		return
	}
	if n.rules.unlimited {
		lanes = s.consumable(lanes)
	}
	ring := uint(lanes >> maxPorts)
	switch lanes {
	case 0:
		return
	case pair:
		s.count.sendsLost++
		ring = uint(s.port[topology.Local].last)&1 ^ 1
	}
	place, k := s.sendFrom(topology.Local, ring)
	s.consume(place, k)
}

// consumable drops the lanes whose packet finds no place in its sink. Only unlimited output stages
// take packets that do not have one yet (rule 25).
func (s *router) consumable(lanes uint32) uint32 {
	n := s.net
	for ring := range rings {
		if lanes>>(ring*maxPorts)&1 != 0 {
			k := &n.pool[s.port[topology.Local].stage[ring].first]
			if !n.Sinks.Room(noc.NodeID(s.id), noc.Class(k.class)) {
				lanes &^= 1 << (ring * maxPorts)
			}
		}
	}
	return lanes
}

// sendToNeighbours lets the other output stages of a router start a packet each (rule 13).
func (s *router) sendToNeighbours() {
	n := s.net
	lanes := s.now.sendable()
	if lanes&(lanes-1) == 0 { // as a rule, where there is little traffic
		if l := uint(bits.TrailingZeros32(lanes)); lanes != 0 && !busy(s.sent[l&portBits], n.Clock) {
			s.send(l&portBits, l/maxPorts)
		}
		return
	}
	lanes &= n.idle(&s.sent) * pair
	for ports := (lanes | lanes>>maxPorts) & allPorts; ports != 0; ports &= ports - 1 {
		p := uint(bits.TrailingZeros32(ports)) & portBits
		first, second := lanes>>p&1, lanes>>(p+maxPorts)&1
		tie := first & second
		s.count.sendsLost += uint64(tie)
		s.send(p, uint(second&^tie|tie&^uint32(s.port[p].last)))
	}
}

// send starts the head of a lane of the output stage of port p on its link.
func (s *router) send(p, ring uint) {
	n := s.net
	place, k := s.sendFrom(p, ring)
	x := &s.port[p&portBits]
	x.credits--
	ports := s.now.ports
	if x.credits == 0 {
		ports &^= 1 << (creditAt + p)
	}
	s.now.ports = ports
	n.cross(s.group, uint(x.entry), x.peer, place, k)
}

// sendFrom takes the head of a lane of output stage p out and streams it.
func (s *router) sendFrom(p, ring uint) (int32, *packet) {
	n := s.net
	p, ring = p&portBits, ring&1
	x, lane := &s.port[p], p+ring*maxPorts
	place, k := n.pop(&x.stage[ring])
	s.now.ports &^= k.isLast() << lane
	x.staged[ring]--
	s.full &^= 1 << n.rules.behind[lane]
	x.last = uint8(ring)
	until := k.until(n.Clock)
	s.sent[p] = uint8(until)
	x.phits += uint64(k.phits)
	s.count.sends++
	s.count.leave(until)
	return place, k
}

// cross starts a packet on the link to input entry of a router.
func (n *Network) cross(from *group, entry uint, s *router, place int32, k *packet) {
	ready := n.Clock + 1
	entry &= portBits
	k.hops++
	k.turns = 0
	if k.flags&several == 0 {
		k.outputs = n.routes.profitable(int(s.id), k.only())
	} else {
		n.route(int(s.id), k)
	}
	k.turns = 1
	s.count.enter(ready)
	if g := s.group; g != from { // else it finds out before it sleeps
		g.wake = min(g.wake, ready)
	}
	s.expect(ready, entries).ports |= 1 << (inputAt + entry)
	n.push(&s.port[entry].input, place, k, ready)
}

// consume hands a packet to the node.
func (s *router) consume(place int32, k *packet) {
	n := s.net
	w := n.Packets.At(k.worm)
	if n.rules.unlimited {
		n.Sinks.Reserve(noc.NodeID(s.id), w.Class, n.Clock)
	}
	n.Sinks.Deliver(w, k.hops, noc.NodeID(s.id), n.Clock)
	n.buffered -= uint64(k.phits)
	n.Packets.Deliver(k.worm)
	n.drop(place)
}
