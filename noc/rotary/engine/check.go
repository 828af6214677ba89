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
	n.advance()
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
func (n *region) size(q *queue) (size int) {
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
		j := segmentOf(uint(i/n.limits.Ports), port(i%n.limits.Ports))
		for number := range uint(2) {
			l := laneOf(number, j)
			if size := n.size(&r.lane[l]); size != int(r.size[l]) {
				return fmt.Errorf("segment %d lane %d has %d packets, %d noted", j, number, size, r.size[l])
			}
			if err := r.checkHead(l); err != nil {
				return fmt.Errorf("segment %d lane %d %w", j, number, err)
			}
			for at := r.lane[l].first; at != 0; at = n.pool[at].next {
				if k := &n.pool[at]; n.aged(k) {
					aged[k.class]++
				}
			}
		}
		if used := r.size[laneOf(0, j)] + r.size[laneOf(1, j)]; used != r.used[j] {
			return fmt.Errorf("segment %d has %d slots in use, %d noted", j, used, r.used[j])
		}
	}
	if aged != r.rare.agedOf {
		return fmt.Errorf("%v aged packets per class, %v noted", aged, r.rare.agedOf)
	}
	return nil
}

// noted returns what is noted as being in a router, now or soon.
func (r *router) noted() present { return r.now | r.soon[0] | r.soon[1] }

// checkHead verifies that the first packet of a lane is noted as being there, now or soon, and as
// it stands there.
func (r *router) checkHead(l lane) error {
	n, q, all := r.net, &r.lane[l], r.noted()
	if noted := all.heads().Has(l); (q.first != 0) != noted || (q.first == 0) != (q.last == 0) {
		return fmt.Errorf("shows a header: %v, holds packets %v", noted, *q)
	}
	if q.first == 0 {
		return nil
	}
	k := n.pool[q.first]
	outputs := k.outputs
	if n.route(r, &k); k.outputs != outputs {
		return fmt.Errorf("shows a header with outputs %b, want %b", outputs, k.outputs)
	}
	return nil
}

// checkPorts verifies what is noted about the stages of a router.
func (r *router) checkPorts() error {
	n, all := r.net, r.noted()
	for p := range port(n.limits.Ports) {
		out := &r.stages[p]
		if out.peer == nil {
			continue
		}
		for ring := range uint(rings) {
			size, full := n.size(&out.stage[ring]), r.full.Has(n.before(segmentOf(ring, p)))
			if size != int(out.staged[ring]) || full != (size >= n.limits.LaneSlots) {
				return fmt.Errorf("output stage %d lane %d has %d packets, %d noted; noted as full: %v", p, ring, size, out.staged[ring], full)
			}
		}
		if p == topology.Local {
			continue
		}
		peer := out.peer.real()
		waiting := peer.net.size(&peer.stages[out.entry].input)
		if int(out.credits)+waiting != n.limits.InputSlots || all.credits().Has(p) != (out.credits > 0) {
			return fmt.Errorf("link %d has %d credits and %d packets downstream; noted that there are any: %v", p, out.credits, waiting, all.credits().Has(p))
		}
	}
	return nil
}

// checkPackets verifies that each packet of the arena awaits as many deliveries as the copies that
// share it owe (law 6), and counts phits and packets.
func (n *Network) checkPackets() error {
	phits, live := uint64(0), 0
	clear(n.owing)
	for _, g := range n.regions {
		for i := range g.pool {
			k := &g.pool[i]
			if k.id == fabric.NoPacket {
				continue
			}
			members := g.count(k)
			if one := k.flags&(several|more) == 0; members == 0 || (members == 1) != one {
				return fmt.Errorf("rotary: cycle %d: a packet with %d destinations, flags %b (law 6)", n.Clock, members, k.flags)
			}
			for int(k.id) >= len(n.owing) {
				n.owing = append(n.owing, 0)
			}
			if n.owing[k.id] == 0 {
				live++
			}
			n.owing[k.id] += members
			phits += uint64(k.phits)
		}
	}
	for id, owed := range n.owing {
		if owed > 0 && owed != n.Packets.Awaited(fabric.PacketID(id)) {
			return fmt.Errorf("rotary: cycle %d: copies of a packet owe %d destinations, %d awaited (law 6)", n.Clock, owed, n.Packets.Awaited(fabric.PacketID(id)))
		}
	}
	queued, _ := n.Sources.Waiting()
	if n.Packets.Live() != live+queued || n.Packets.LiveRows() > 0 && live+queued == 0 || phits != n.buffered() {
		return fmt.Errorf("rotary: cycle %d: %d packets in the arena and %d rows of destinations for %d packets inside and %d at sources; %d phits inside, %d noted (law 6)",
			n.Clock, n.Packets.Live(), n.Packets.LiveRows(), live, queued, phits, n.buffered())
	}
	return nil
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck { return n.mirrored().Explain() }

// mirrored shows the state of the network as plain routers, which know what to say about it.
func (n *Network) mirrored() *rotary.Mirror {
	n.advance()
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
	for p := range port(n.limits.Ports) {
		out := &r.stages[p]
		n.showQueue(m, rotary.Place{Router: id, Kind: noc.InputStage, Port: int(p)}, &out.input, r.entered[p])
		for ring := range uint(rings) {
			j := segmentOf(ring, p)
			n.showQueue(m, rotary.Place{Router: id, Kind: noc.OutputStage, Port: int(p), Lane: int(ring)}, &out.stage[ring], r.sent[p])
			for number := range uint(2) {
				l, end := laneOf(number, j), until(n.Clock)
				if r.blocked(l) {
					end++
				}
				n.showQueue(m, rotary.Place{Router: id, Kind: noc.RingSegment, Ring: int(ring), Port: int(p), Lane: int(number)}, &r.lane[l], end)
			}
			m.Segment(id, int(ring), int(p), ending(r.turned[j], n.Clock), ending(r.ejected[j], n.Clock))
		}
	}
	m.Router(id, [rings]int{int(r.rare.holder[0]), int(r.rare.holder[1])}, r.holding.held, r.rare.served)
}

// showQueue shows the packets of a buffer, and until when it is being read.
func (n *region) showQueue(m *rotary.Mirror, at rotary.Place, q *queue, end until) {
	m.Buffer(at, ending(end, n.Clock))
	for i := q.first; i != 0; i = n.pool[i].next {
		k := &n.pool[i]
		since := n.Clock + noc.Cycle(int64(int32(k.since-uint32(n.Clock))))
		packet := rotary.Standing{Packet: *n.Packets.At(k.id), Only: k.only(), SegmentsEntered: int(k.segmentsEntered), Since: since}
		if k.flags&(several|more) != 0 {
			packet.Set = n.set(k, &[1]uint64{})
		}
		m.Put(at, packet)
	}
}
