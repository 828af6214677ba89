package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
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

// checkCycle is CheckInvariants for builds with the tag invariants, after every cycle. To show the
// state to plain routers takes longer than the cycle, so their laws are verified in one of 32.
func (n *Network) checkCycle() error {
	if n.Clock%32 == 0 {
		return n.CheckInvariants()
	}
	n.keepPast()
	return n.checkNotes()
}

// checkNotes verifies what is noted in more than one place.
func (n *Network) checkNotes() error {
	for id := range n.routers {
		s := &n.routers[id]
		err := s.checkLanes()
		if err == nil {
			err = s.checkPorts()
		}
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.Clock, id, err)
		}
	}
	return n.checkWorms()
}

// size counts the packets of a queue.
func (n *Network) size(q *queue) (size int) {
	for i := q.first; i != 0; i = n.pool[i].next {
		size++
	}
	return size
}

// checkLanes verifies what is noted about the segments of a router and their packets.
func (s *router) checkLanes() error {
	n := s.net
	aged := [noc.MaxClasses]int16{}
	for i := range rings * n.limits.Ports {
		j := i%n.limits.Ports + i/n.limits.Ports*maxPorts
		for l := j; l < 2*maxSegments; l += maxSegments {
			if size := n.size(&s.lane[l]); size != int(s.size[l]) {
				return fmt.Errorf("segment %d lane %d has %d packets, %d noted", j, l/maxSegments, size, s.size[l])
			}
			if err := s.checkHead(l); err != nil {
				return fmt.Errorf("segment %d lane %d %w", j, l/maxSegments, err)
			}
			for at := s.lane[l].first; at != 0; at = n.pool[at].next {
				if k := &n.pool[at]; n.isAged(k) {
					aged[k.class]++
				}
			}
		}
		if used := s.size[j] + s.size[j+maxSegments]; used != s.used[j] {
			return fmt.Errorf("segment %d has %d slots in use, %d noted", j, used, s.used[j])
		}
	}
	if aged != s.special.agedOf {
		return fmt.Errorf("%v aged packets per class, %v noted", aged, s.special.agedOf)
	}
	return nil
}

// checkHead verifies that the first packet of a lane is noted as being there, now or soon, and as
// it stands there.
func (s *router) checkHead(l int) error {
	n := s.net
	q := &s.lane[l]
	noted := (s.now.heads | s.soon[0].heads | s.soon[1].heads) >> l & 1
	if (q.first != 0) != (noted != 0) || (q.first == 0) != (q.last == 0) {
		return fmt.Errorf("shows a header: %v, holds packets %v", noted != 0, *q)
	}
	if q.first == 0 {
		return nil
	}
	k := n.pool[q.first]
	outputs := k.outputs
	if n.route(int(s.id), &k); k.outputs != outputs {
		return fmt.Errorf("shows a header with outputs %b, want %b", outputs, k.outputs)
	}
	p := n.rules.ahead[l&segmentBits] & portBits
	if s.fresh>>l&1 != 0 {
		return nil
	}
	if s.wants>>l&1 != uint32(k.outputs>>p&1) || s.several>>l&1 != uint32(k.flags&several) {
		return fmt.Errorf("shows another header than it has (%b, flags %b)", k.outputs, k.flags)
	}
	return nil
}

// checkPorts verifies what is noted about the stages of a router.
func (s *router) checkPorts() error {
	n := s.net
	for p := range n.limits.Ports {
		x := &s.port[p]
		if x.peer == nil {
			continue
		}
		for ring := range rings {
			size, full := n.size(&x.stage[ring]), s.full>>n.rules.behind[p+ring*maxPorts]&1 != 0
			if size != int(x.staged[ring]) || full != (size >= int(n.rules.laneSlots)) {
				return fmt.Errorf("output stage %d lane %d has %d packets, %d noted; noted as full: %v", p, ring, size, x.staged[ring], full)
			}
		}
		if p == topology.Local {
			continue
		}
		waiting := n.size(&x.peer.port[x.entry].input)
		noted := (s.now.ports|s.soon[0].ports|s.soon[1].ports)>>(creditAt+p)&1 != 0
		if int(x.credits)+waiting != n.limits.InputSlots || noted != (x.credits > 0) {
			return fmt.Errorf("link %d has %d credits and %d packets downstream; noted that there are any: %v", p, x.credits, waiting, noted)
		}
	}
	return nil
}

// checkWorms verifies that each worm awaits as many deliveries as the packets that share it owe
// (law 6), and counts phits and worms.
func (n *Network) checkWorms() error {
	phits, live := uint64(0), 0
	clear(n.owing)
	for i := range n.pool {
		k := &n.pool[i]
		if k.worm == fabric.NoWorm {
			continue
		}
		members := n.count(k)
		if one := k.flags&(several|more) == 0; members == 0 || (members == 1) != one {
			return fmt.Errorf("rotary: cycle %d: a packet with %d destinations, flags %b (law 6)", n.Clock, members, k.flags)
		}
		for int(k.worm) >= len(n.owing) {
			n.owing = append(n.owing, 0)
		}
		if n.owing[k.worm] == 0 {
			live++
		}
		n.owing[k.worm] += members
		phits += uint64(k.phits)
	}
	for worm, owed := range n.owing {
		if owed > 0 && owed != n.Packets.Awaited(fabric.WormID(worm)) {
			return fmt.Errorf("rotary: cycle %d: copies of a packet owe %d destinations, %d awaited (law 6)", n.Clock, owed, n.Packets.Awaited(fabric.WormID(worm)))
		}
	}
	queued, _ := n.Sources.Waiting()
	if n.Packets.Live() != live+queued || n.Packets.LiveRows() > 0 && live+queued == 0 || phits != n.buffered {
		return fmt.Errorf("rotary: cycle %d: %d worms and %d rows of destinations for %d packets inside and %d at sources; %d phits inside, %d noted (law 6)",
			n.Clock, n.Packets.Live(), n.Packets.LiveRows(), live, queued, phits, n.buffered)
	}
	return nil
}
