package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck { return n.mirrored().Explain() }

// mirrored shows the state of the network as plain routers, which know what to say about it.
func (n *Network) mirrored() *rotary.Mirror {
	n.keepPast()
	if n.mirror == nil {
		n.mirror = rotary.NewMirror(n.grid, n.config)
	}
	n.mirror.Begin(n.Interfaces)
	for id := range n.routers {
		n.routers[id].show(n.mirror)
	}
	return n.mirror
}

// show shows a router.
func (r *router) show(m *rotary.Mirror) {
	n, id := r.net, int(r.id)
	for port := range n.limits.Ports {
		out := &r.port[port]
		n.showQueue(rotary.Place{Router: id, Kind: noc.InputStage, Port: port}, &out.input, r.entered[port])
		for ring := range rings {
			j := port + ring*maxPorts
			n.showQueue(rotary.Place{Router: id, Kind: noc.OutputStage, Port: port, Lane: ring}, &out.stage[ring], r.sent[port])
			for lane := range 2 {
				l, until := j+lane*maxSegments, uint8(n.Clock)
				if r.blocked(uint(l), n.Clock) {
					until++
				}
				n.showQueue(rotary.Place{Router: id, Kind: noc.RingSegment, Ring: ring, Port: port, Lane: lane}, &r.lane[l], until)
			}
			m.Segment(id, ring, port, ending(r.turned[j], n.Clock), ending(r.ejected[j], n.Clock))
		}
	}
	var held [noc.MaxClasses]int
	for class, below := 0, 0; class < len(held); class++ {
		held[class] = r.holding.upTo(class) - below
		below += held[class]
	}
	rare := r.special
	m.Router(id, [rings]int{int(rare.holder[0]), int(rare.holder[1])}, held)
}

// showQueue shows the packets of a buffer, and until when it is being read.
func (n *Network) showQueue(at rotary.Place, q *queue, until uint8) {
	n.mirror.Buffer(at, ending(until, n.Clock))
	for i := q.first; i != 0; i = n.pool[i].next {
		p := &n.pool[i]
		since := n.Clock + noc.Cycle(int64(int32(p.since-uint32(n.Clock))))
		packet := rotary.Standing{Packet: *n.Packets.At(p.id), Only: p.only(), Turns: int(p.turns), Since: since}
		if p.flags&(several|more) != 0 {
			packet.Set = n.set(p, &[1]uint64{})
		}
		n.mirror.Put(at, packet)
	}
}
