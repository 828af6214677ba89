package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants verifies the laws of package rotary on the state between two cycles, and that
// what is noted in more than one place agrees.
func (n *Network) CheckInvariants() error {
	if err := n.mirrored().CheckInvariants(); err != nil {
		return err
	}
	return n.checkNotes()
}

// checkNotes verifies what is noted in more than one place.
func (n *Network) checkNotes() error {
	n.keepPast()
	for id := range n.routers {
		r := &n.routers[id]
		err := r.checkLanes()
		if err == nil {
			err = r.checkPorts()
		}
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.Clock, id, err)
		}
	}
	return n.checkPackets()
}

// size counts the packets of a queue.
func (n *Network) size(q *queue) (size int) {
	for i := q.first; i != 0; i = n.pool[i].next {
		size++
	}
	return size
}

// checkLanes verifies what is noted about the segments of a router and their packets.
func (r *router) checkLanes() error {
	n := r.net
	aged := [noc.MaxClasses]int16{}
	for i := range rings * n.limits.Ports {
		j := i%n.limits.Ports + i/n.limits.Ports*maxPorts
		for l := j; l < 2*maxSegments; l += maxSegments {
			if size := n.size(&r.lane[l]); size != int(r.size[l]) {
				return fmt.Errorf("segment %d lane %d has %d packets, %d noted", j, l/maxSegments, size, r.size[l])
			}
			if err := r.checkHead(l); err != nil {
				return fmt.Errorf("segment %d lane %d %w", j, l/maxSegments, err)
			}
			for at := r.lane[l].first; at != 0; at = n.pool[at].next {
				if p := &n.pool[at]; n.isAged(p) {
					aged[p.class]++
				}
			}
		}
		if used := r.size[j] + r.size[j+maxSegments]; used != r.used[j] {
			return fmt.Errorf("segment %d has %d slots in use, %d noted", j, used, r.used[j])
		}
	}
	if aged != r.special.agedOf {
		return fmt.Errorf("%v aged packets per class, %v noted", aged, r.special.agedOf)
	}
	return nil
}

// checkHead verifies that the first packet of a lane is noted as being there, now or soon, and as
// it stands there.
func (r *router) checkHead(l int) error {
	n := r.net
	q := &r.lane[l]
	noted := (r.now.heads | r.soon[0].heads | r.soon[1].heads) >> l & 1
	if (q.first != 0) != (noted != 0) || (q.first == 0) != (q.last == 0) {
		return fmt.Errorf("shows a header: %v, holds packets %v", noted != 0, *q)
	}
	if q.first == 0 {
		return nil
	}
	p := n.pool[q.first]
	outputs := p.outputs
	if n.route(int(r.id), &p); p.outputs != outputs {
		return fmt.Errorf("shows a header with outputs %b, want %b", outputs, p.outputs)
	}
	return nil
}

// checkPorts verifies what is noted about the stages of a router.
func (r *router) checkPorts() error {
	n := r.net
	for port := range n.limits.Ports {
		out := &r.port[port]
		if out.peer == nil {
			continue
		}
		for ring := range rings {
			size, full := n.size(&out.stage[ring]), r.full>>n.rules.behind[port+ring*maxPorts]&1 != 0
			if size != int(out.staged[ring]) || full != (size >= int(n.rules.laneSlots)) {
				return fmt.Errorf("output stage %d lane %d has %d packets, %d noted; noted as full: %v", port, ring, size, out.staged[ring], full)
			}
		}
		if port == topology.Local {
			continue
		}
		waiting := n.size(&out.peer.port[out.entry].input)
		noted := (r.now.ports|r.soon[0].ports|r.soon[1].ports)>>(creditAt+port)&1 != 0
		if int(out.credits)+waiting != n.limits.InputSlots || noted != (out.credits > 0) {
			return fmt.Errorf("link %d has %d credits and %d packets downstream; noted that there are any: %v", port, out.credits, waiting, noted)
		}
	}
	return nil
}

// checkPackets verifies that each packet of the arena awaits as many deliveries as the copies that
// share it owe (law 6), and counts phits and packets.
func (n *Network) checkPackets() error {
	phits, live := uint64(0), 0
	clear(n.owing)
	for i := range n.pool {
		p := &n.pool[i]
		if p.id == fabric.NoPacket {
			continue
		}
		members := n.count(p)
		if one := p.flags&(several|more) == 0; members == 0 || (members == 1) != one {
			return fmt.Errorf("rotary: cycle %d: a packet with %d destinations, flags %b (law 6)", n.Clock, members, p.flags)
		}
		for int(p.id) >= len(n.owing) {
			n.owing = append(n.owing, 0)
		}
		if n.owing[p.id] == 0 {
			live++
		}
		n.owing[p.id] += members
		phits += uint64(p.phits)
	}
	for id, owed := range n.owing {
		if owed > 0 && owed != n.Packets.Awaited(fabric.PacketID(id)) {
			return fmt.Errorf("rotary: cycle %d: copies of a packet owe %d destinations, %d awaited (law 6)", n.Clock, owed, n.Packets.Awaited(fabric.PacketID(id)))
		}
	}
	queued, _ := n.Sources.Waiting()
	if n.Packets.Live() != live+queued || n.Packets.LiveRows() > 0 && live+queued == 0 || phits != n.buffered {
		return fmt.Errorf("rotary: cycle %d: %d packets in the arena and %d rows of destinations for %d packets inside and %d at sources; %d phits inside, %d noted (law 6)",
			n.Clock, n.Packets.Live(), n.Packets.LiveRows(), live, queued, phits, n.buffered)
	}
	return nil
}

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
