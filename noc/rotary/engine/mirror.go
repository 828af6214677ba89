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
func (s *router) show(m *rotary.Mirror) {
	n, id := s.net, int(s.id)
	for p := range n.limits.Ports {
		x := &s.port[p]
		n.showQueue(rotary.Place{Router: id, Kind: noc.InputStage, Port: p}, &x.input, s.entered[p])
		for ring := range rings {
			j := p + ring*maxPorts
			n.showQueue(rotary.Place{Router: id, Kind: noc.OutputStage, Port: p, Lane: ring}, &x.stage[ring], s.sent[p])
			for lane := range 2 {
				l, until := j+lane*maxSegments, uint8(n.Clock)
				if s.blocked(uint(l), n.Clock) {
					until++
				}
				n.showQueue(rotary.Place{Router: id, Kind: noc.RingSegment, Ring: ring, Port: p, Lane: lane}, &s.lane[l], until)
			}
			m.Segment(id, ring, p, ending(s.turned[j], n.Clock), ending(s.ejected[j], n.Clock))
		}
	}
	var held [noc.MaxClasses]int
	for class, below := 0, 0; class < len(held); class++ {
		held[class] = s.holding.upTo(class) - below
		below += held[class]
	}
	y := s.special
	m.Router(id, [rings]int{int(y.holder[0]), int(y.holder[1])}, held)
}

// showQueue shows the packets of a buffer, and until when it is being read.
func (n *Network) showQueue(at rotary.Place, q *queue, until uint8) {
	n.mirror.Buffer(at, ending(until, n.Clock))
	for i := q.first; i != 0; i = n.pool[i].next {
		k := &n.pool[i]
		since := n.Clock + noc.Cycle(int64(int32(k.since-uint32(n.Clock))))
		packet := rotary.Standing{Worm: *n.Packets.At(k.worm), Only: k.only(), Turns: int(k.turns), Since: since}
		if k.flags&(several|more) != 0 {
			packet.Set = n.set(k, &[1]uint64{})
		}
		n.mirror.Put(at, packet)
	}
}
