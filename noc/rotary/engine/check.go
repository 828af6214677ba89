package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// must panics when a decision breaks a law. It is called in builds with the tag invariants.
func (n *Network) must(holds bool, s *router, law string) {
	if !holds {
		panic(fmt.Sprintf("rotary: cycle %d, router %d: %s", n.Clock, s.id, law))
	}
}

// mayLeave reports whether rule 12 lets a packet leave whole by an output.
func (n *Network) mayLeave(id, p int, k *packet) bool {
	some, all := n.compare(id, p, k)
	return all || n.isAged(k) && p != topology.Local || some && int(k.turns) > n.rules.pruneAfter
}

// mayEnter reports whether the rules 1 and 2 let a packet take a slot of segment j.
func (s *router) mayEnter(j uint, injected bool) bool {
	n := s.net
	most := n.rules.enterMost
	if injected && !n.quotas.on {
		most = n.rules.injectMost
	} else if injected {
		most = max(most, n.rules.injectMost)
	}
	return int(s.used[j&segmentBits]) <= most && (!injected || s.slotsInUse() < n.limits.InjectLimit)
}

// CheckInvariants verifies the laws of package rotary on the state between two cycles, and that
// what is noted in more than one place agrees.
func (n *Network) CheckInvariants() error {
	n.keepPast()
	spare := 0
	for id := range n.routers {
		s := &n.routers[id]
		rings, err := s.checkRings()
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.Clock, id, err)
		}
		ports, err := s.checkPorts()
		if err != nil {
			return fmt.Errorf("rotary: cycle %d, router %d: %w", n.Clock, id, err)
		}
		spare += rings + ports
	}
	if spare < 1 && !n.rules.unlimited && n.config.Multicast != "tree" {
		return fmt.Errorf("rotary: cycle %d: no spare slot in the network (law 3)", n.Clock)
	}
	if err := n.checkQuotas(); err != nil {
		return fmt.Errorf("rotary: cycle %d, %w", n.Clock, err)
	}
	return n.checkPackets()
}

// each calls visit for the packets of a queue, and returns how many they are.
func (n *Network) each(q *queue, visit func(k *packet)) (size int) {
	for i := q.first; i != 0; i = n.pool[i].next {
		visit(&n.pool[i])
		size++
	}
	return size
}

// checkRings verifies the laws 1 and 2 for the segments of a router, and returns the slots that the
// rings need not keep.
func (s *router) checkRings() (spare int, err error) {
	n := s.net
	aged, y := [noc.MaxClasses]int16{}, s.special
	for i := range rings * n.limits.Ports {
		j := i%n.limits.Ports + i/n.limits.Ports*maxPorts
		size0, size1 := s.size[j], s.size[j+maxSegments]
		for lane := range 2 {
			l := j + lane*maxSegments
			size := n.each(&s.lane[l], func(k *packet) {
				if n.isAged(k) {
					aged[k.class]++
				}
			})
			if size != int(s.size[l]) {
				return 0, fmt.Errorf("segment %d lane %d has %d packets, %d noted (law 1)", j, lane, size, s.size[l])
			}
			if err := s.checkHead(l); err != nil {
				return 0, fmt.Errorf("segment %d lane %d %w", j, lane, err)
			}
		}
		if used := s.used[j]; used != size0+size1 || int(used) > n.rules.segmentSlots {
			return 0, fmt.Errorf("segment %d has %d slots in use and %d packets (law 1)", j, used, size0+size1)
		}
	}
	if aged != y.agedOf {
		return 0, fmt.Errorf("%v aged packets per class, %v noted", aged, y.agedOf)
	}
	for ring := range rings {
		free := s.ringFree(ring)
		if free < 1 || y.holder[ring] != none && free < n.config.EnterSlots {
			return 0, fmt.Errorf("ring %d has %d free slots (law 2)", ring, free)
		}
		spare += free - 1
	}
	return spare, nil
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

// checkPorts verifies law 1 for the stages of a router, and returns the free slots on the way to
// its neighbours.
func (s *router) checkPorts() (spare int, err error) {
	n := s.net
	for p := range n.limits.Ports {
		x := &s.port[p]
		if x.peer == nil {
			continue
		}
		for ring := range rings {
			size := n.each(&x.stage[ring], func(*packet) {})
			if size != int(x.staged[ring]) || size > int(n.rules.laneSlots) {
				return 0, fmt.Errorf("output stage %d lane %d has %d packets, %d noted (law 1)", p, ring, size, x.staged[ring])
			}
			if full := s.full >> n.rules.behind[p+ring*maxPorts] & 1; (full != 0) != (size >= int(n.rules.laneSlots)) {
				return 0, fmt.Errorf("output stage %d lane %d has %d packets, noted as full: %d", p, ring, size, full)
			}
			if p != topology.Local && !n.rules.unlimited { // a slot of the way to the node is of no use to others
				spare += int(n.rules.laneSlots) - size
			}
		}
		if p == topology.Local {
			continue
		}
		waiting := n.each(&x.peer.port[x.entry].input, func(*packet) {})
		if int(x.credits)+waiting != n.limits.InputSlots {
			return 0, fmt.Errorf("link %d has %d credits and %d packets downstream (law 1)", p, x.credits, waiting)
		}
		noted := (s.now.ports | s.soon[0].ports | s.soon[1].ports) >> (creditAt + p) & 1
		if (x.credits > 0) != (noted != 0) {
			return 0, fmt.Errorf("link %d has %d credits, noted %b", p, x.credits, noted)
		}
		spare += int(x.credits)
	}
	return spare, nil
}

// checkQuotas verifies law 4.
func (n *Network) checkQuotas() error {
	held := n.scratch.held[:0]
	for range n.routers {
		held = append(held, [noc.MaxClasses]int{})
	}
	n.scratch.held = held
	count := func(id int32, q *queue) { n.each(q, func(k *packet) { held[id][k.class]++ }) }
	for i := range n.routers {
		s := &n.routers[i]
		for p := range n.limits.Ports {
			x := &s.port[p]
			count(s.id, &x.input)
			for ring := range rings {
				count(s.id, &s.lane[p+ring*maxPorts])
				count(s.id, &s.lane[p+ring*maxPorts+maxSegments])
				if p != topology.Local && x.peer != nil {
					count(x.peer.id, &x.stage[ring])
				}
			}
		}
	}
	for id := range held {
		sum := 0
		for c, packets := range held[id] {
			if sum += packets; n.quotas.on && sum > int(n.quotas.limit[c]) || n.routers[id].holding.upTo(c) != sum {
				return fmt.Errorf("router %d: packets of classes up to %d are %d of %d, %d noted (law 4)",
					id, c, sum, n.quotas.limit[c], n.routers[id].holding.upTo(c))
			}
		}
	}
	return nil
}

// checkPackets verifies law 6 as sums, and that each worm awaits as many deliveries as the packets
// that share it owe.
func (n *Network) checkPackets() error {
	owed, phits := 0, uint64(0)
	owing, live := n.scratch.owing, 0
	clear(owing)
	for i := range n.pool {
		k := &n.pool[i]
		if k.worm == fabric.NoWorm {
			continue
		}
		members := n.count(k)
		if one := k.flags&(several|more) == 0; members == 0 || (members == 1) != one {
			return fmt.Errorf("rotary: cycle %d: a packet with %d destinations, flags %b (law 6)", n.Clock, members, k.flags)
		}
		owed += members
		for int(k.worm) >= len(owing) {
			owing = append(owing, 0)
		}
		if owing[k.worm] == 0 {
			live++
		}
		owing[k.worm] += members
		phits += uint64(k.phits)
	}
	if phits != n.buffered {
		return fmt.Errorf("rotary: cycle %d: %d phits inside, %d noted (law 6)", n.Clock, phits, n.buffered)
	}
	packets, queued := n.Sources.Waiting()
	if owed+queued != n.Owed() {
		return fmt.Errorf("rotary: cycle %d: %d destinations inside and %d at sources, want %d (law 6)", n.Clock, owed, queued, n.Owed())
	}
	n.scratch.owing = owing
	for worm, owed := range owing {
		if owed == 0 {
			continue
		}
		if awaited := n.Packets.Awaited(fabric.WormID(worm)); owed != awaited {
			return fmt.Errorf("rotary: cycle %d: copies of a packet owe %d destinations, %d awaited (law 6)", n.Clock, owed, awaited)
		}
	}
	if worms := n.Packets.Live(); worms != live+packets {
		return fmt.Errorf("rotary: cycle %d: %d worms for %d packets inside and %d at sources (law 6)", n.Clock, worms, live, packets)
	}
	if rows := n.Packets.LiveRows(); rows > 0 && live+packets == 0 {
		return fmt.Errorf("rotary: cycle %d: %d rows of destinations for no packet (law 6)", n.Clock, rows)
	}
	return nil
}
