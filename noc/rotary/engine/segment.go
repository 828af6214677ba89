package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// arbitrateOnly is arbitrate for the only head of a router.
func (s *router) arbitrateOnly(l uint) {
	n := s.net
	l &= laneBits
	j, lane := l&segmentBits, uint32(l/maxSegments)
	turning, ejecting := busy(s.turned[j], n.Clock), busy(s.ejected[j], n.Clock)
	if (turning || ejecting) && s.blocked(l, n.Clock) {
		return
	}
	next, copied := uint(n.rules.ahead[j])&segmentBits, uint32(0)
	p := next & portBits
	if k := &n.pool[s.lane[l].first]; k.outputs>>p&1 != 0 && !ejecting && s.full>>j&1 == 0 {
		granted := whole
		if k.flags&several != 0 || s.asked>>j&1 != 0 {
			granted = s.request(l)
		}
		switch granted {
		case whole:
			s.second = s.second&^(1<<j) | (lane^1)<<j
			s.eject(l)
			return
		case part:
			s.copyHead(l)
			copied = 1 << l
		}
	}
	if turning || int(s.used[next]) > n.rules.turnMost || n.rules.balance && s.used[next] > s.used[j] || s.held>>j&1 != 0 {
		return
	}
	s.second = s.second&^(1<<j) | (lane^1)<<j
	s.leaveTurning(1<<l, copied)
	written := uint32(0)
	if busy(s.entered[p], n.Clock) && s.fromRing>>p&1 == uint32(next/maxPorts) {
		written = 1 << next
	}
	s.turn(copied, written)
}

// arbitrate decides for the heads of all segments of a router (rule 10). Which heads move follows
// for all segments at once, but for those whose output has to be asked. Turns are decided on the
// counts at the start of the cycle, and all packets leave before the first comes, because the
// lengths of the lanes choose where.
func (s *router) arbitrate() {
	n := s.net
	var o offers
	s.offer(&o)
	switch {
	case o.asked == 0:
		for m := o.leave; m != 0; m &= m - 1 {
			s.eject(uint(bits.TrailingZeros32(m)))
		}
	default:
		s.ejectAndAsk(&o)
	}
	s.leaveTurning(o.turn, o.copied)
	gone := o.leave | o.turn
	one := (gone ^ gone>>maxSegments) & allSegments // of two heads the second one was last
	s.second = s.second&^one | gone&one
	if o.turn != 0 {
		entering := ^n.idle(&s.entered)
		s.turn(o.copied&o.turn, entering&^s.fromRing&allPorts|entering&s.fromRing<<maxPorts)
	}
}

// ejectAndAsk lets heads leave of which some have to ask. Ring 0 comes first at an output stage.
func (s *router) ejectAndAsk(o *offers) {
	leave := o.leave
	for ring := range rings {
		mask := uint32(ring0Lanes) << (ring * maxPorts)
		for m := leave & mask; m != 0; m &= m - 1 {
			s.eject(uint(bits.TrailingZeros32(m)))
		}
		for m := o.asked & mask; m != 0; m &= m - 1 {
			s.askFor(o, uint(bits.TrailingZeros32(m)))
		}
	}
}

// offers is what the heads of a router may do in a cycle.
type offers struct {
	heads          uint32 // lanes that show a head
	ejects, onward uint32 // segments whose output, or whose next segment, takes a header
	leave, turn    uint32 // lanes whose head leaves to the output whole, or turns
	copied         uint32 // lanes of whose head a copy leaves
	asked          uint32 // segments with a head that has to ask for its output
}

// offer finds out which heads move. Of the two heads of a segment the one that is looked at first
// has the choice, and leaves the other one what it does not take.
func (s *router) offer(o *offers) {
	n := s.net
	turnIdle, ejectIdle := n.idleSegments(&s.turned), n.idleSegments(&s.ejected)
	o.onward, o.ejects = turnIdle&s.turnable()&^s.held, ejectIdle&^s.full
	o.heads = s.now.heads &^ (lanes(^turnIdle, s.toRing) | lanes(^(ejectIdle|s.copying), s.toOutput))
	s.note(o.heads & s.fresh)
	wants := o.heads & s.wants & both(o.ejects)
	if asking := wants & (s.several | both(s.asked)); asking != 0 {
		o.asked = (asking | asking>>maxSegments) & allSegments
	}
	first, other := lanes(^o.asked, s.second)&o.heads, lanes(^o.asked, ^s.second)&o.heads
	o.leave = first & wants
	o.leave |= other & wants &^ swapped(o.leave)
	o.turn = first &^ o.leave & both(o.onward)
	o.turn |= other &^ o.leave & both(o.onward) &^ swapped(o.turn)
}

// lanes returns one lane of each of some segments: lane 1 of those that are in second, else lane 0.
func lanes(segments, second uint32) uint32 {
	return segments&^second&allSegments | segments&second<<maxSegments
}

// both returns both lanes of some segments.
func both(segments uint32) uint32 { return segments&allSegments | segments<<maxSegments }

// swapped returns the respective other lanes.
func swapped(lanes uint32) uint32 { return lanes>>maxSegments | lanes<<maxSegments }

// askFor decides for the heads of a segment one by one.
func (s *router) askFor(o *offers, j uint) {
	j &= segmentBits
	l := j | uint(s.second>>j&1)*maxSegments
	for range 2 {
		granted := nothing
		if o.heads&s.wants>>l&1 != 0 && o.ejects>>j&1 != 0 {
			granted = whole
			if (s.several>>l|s.asked>>j)&1 != 0 {
				granted = s.request(l)
			}
		}
		switch granted {
		case whole:
			o.ejects &^= 1 << j
			o.leave |= 1 << l
			s.eject(l)
		case part:
			o.ejects &^= 1 << j
			o.copied |= 1 << l
			s.copyHead(l)
		}
		if granted != whole && o.heads>>l&1 != 0 && o.onward>>j&1 != 0 {
			o.onward &^= 1 << j
			o.turn |= 1 << l
		}
		l ^= maxSegments
	}
}

// leaveTurning takes the heads of some lanes out of them, for turn. Copies of some leave meanwhile.
func (s *router) leaveTurning(lanes, copied uint32) {
	n := s.net
	s.turning, s.turningAt = (lanes|lanes>>maxSegments)&allSegments, n.Clock
	s.toRing = s.toRing&^s.turning | lanes>>maxSegments
	s.fresh |= lanes
	s.count.turns += uint64(bits.OnesCount32(lanes))
	for m := lanes; m != 0; m &= m - 1 {
		l := uint(bits.TrailingZeros32(m)) & laneBits
		place, k := n.pop(&s.lane[l])
		s.leaveLane(l, k)
		j := l & segmentBits
		n.places[j] = place
		s.turned[j] = uint8(k.until(n.Clock))
		s.count.turnedPhits += uint64(k.phits)
		if copied>>l&1 != 0 {
			s.count.dualPhits += uint64(k.phits)
		}
		if k.turns++; k.turns > n.rules.missLimit || k.turns == 0 {
			s.age(k)
		}
	}
}

// age notes that a packet becomes aged (rule 3), or that its turns are as many as can be counted.
func (s *router) age(k *packet) {
	n := s.net
	if k.turns == 0 {
		k.turns = neverAged
		return
	}
	if k.turns == n.rules.missLimit+1 {
		k.outputs |= n.links()
		s.special.addAged(k.class)
	}
}

// links returns the outputs to neighbours.
func (n *Network) links() uint16 { return 1<<n.limits.Ports - 1<<topology.Local - 1 }

// isAged is rule 3.
func (n *Network) isAged(k *packet) bool { return k.turns > n.rules.missLimit }

// leaveLane notes that the first packet of lane l has left it, which releases its slot.
func (s *router) leaveLane(l uint, k *packet) {
	s.now.heads &^= k.isLast() << l
	s.size[l]--
	s.used[l&segmentBits]--
}

// note notes what the first packets of some lanes are.
func (s *router) note(lanes uint32) {
	n := s.net
	wanted, many := s.wants&^lanes, s.several&^lanes
	for m := lanes; m != 0; m &= m - 1 {
		l := uint(bits.TrailingZeros32(m)) & laneBits
		k, p := &n.pool[s.lane[l].first], n.rules.ahead[l&segmentBits]&portBits
		wanted |= uint32(k.outputs>>p&1) << l
		many |= uint32(k.flags&several) << l
	}
	s.wants, s.several = wanted, many
	s.fresh &^= lanes
}

// noteOnly notes a packet that is put into lane l, which drains to output p, if the lane is empty:
// it will be the first, and need not be read again.
func (s *router) noteOnly(l, p uint, k *packet) {
	lane := s.lane[l&laneBits].isEmpty() << l
	s.wants = s.wants&^lane | uint32(k.outputs>>p&1)<<l&lane
	s.several = s.several&^lane | uint32(k.flags&several)<<l&lane
	s.fresh &^= lane
}

// copyHead moves a copy of the head of lane l, for the destinations that its output serves, to the
// output stage. Both headers are rewritten on the fly.
func (s *router) copyHead(l uint) {
	n := s.net
	l &= laneBits
	j, to := l&segmentBits, n.take()
	k, c := &n.pool[s.lane[l].first], &n.pool[to]
	next := k.next
	*c = *k
	n.divide(int(s.id), int(n.rules.ahead[j]&portBits), k, c)
	n.route(int(s.id), k)
	k.next = next
	s.fresh |= 1 << l
	s.count.residents++
	s.count.replications++
	n.buffered += uint64(k.phits)
	s.copying |= 1 << j
	s.stage(j, to, c)
}

// eject moves the head of lane l to its output.
func (s *router) eject(l uint) {
	n := s.net
	l &= laneBits
	place, k := n.pop(&s.lane[l])
	s.fresh |= 1 << l
	s.leaveLane(l, k)
	j, bit := l&segmentBits, uint32(1)<<(l&segmentBits)
	s.toOutput = s.toOutput&^bit | uint32(l/maxSegments)<<j
	s.copying &^= bit
	if n.quotas.leave(&s.holding, k) {
		n.quotas.note(s)
	}
	if n.isAged(k) {
		s.leaveAged(int(n.rules.ahead[j]&portBits), k)
	}
	s.stage(j, place, k)
}

// leaveAged notes that an aged packet leaves the rings by output p.
func (s *router) leaveAged(p int, k *packet) {
	n := s.net
	s.special.dropAged(k.class)
	if _, all := n.compare(int(s.id), p, k); !all && p != topology.Local {
		s.count.misroutes++
	}
}

// stage reserves a slot of the lane that segment j drains to, and starts a packet towards it.
func (s *router) stage(j uint, place int32, k *packet) {
	n := s.net
	j &= segmentBits
	drain, ready := uint(n.rules.ahead[j])&segmentBits, n.Clock+2
	p, ring := drain&portBits, drain/maxPorts
	x := &s.port[p]
	s.ejected[j] = uint8(k.until(n.Clock))
	full := s.full
	if x.staged[ring]++; x.staged[ring] >= n.rules.laneSlots {
		full |= 1 << j
	}
	s.full = full
	s.expect(ready, staging(p)).ports |= 1 << drain
	n.push(&x.stage[ring], place, k, ready)
	if s.asked>>j&1 != 0 { // else nobody will ask
		s.special.takeTurn(int(p), n.Clock)
	}
	if n.quotas.take(&x.peer.holding, k, isLocal(p)) {
		n.quotas.note(x.peer)
	}
	if n.Sinks.Bounded() && !n.rules.unlimited && p == topology.Local {
		n.Sinks.Reserve(noc.NodeID(s.id), noc.Class(k.class), n.Clock)
	}
}

// turn puts the packets that have left some lanes to the ring into the next segments. copied are
// the lanes of which copies leave meanwhile, and written the segments into which a packet from an
// input is being written.
func (s *router) turn(copied, written uint32) {
	n := s.net
	second := uint32(0)
	for m := s.turning; m != 0; m &= m - 1 {
		j := uint(bits.TrailingZeros32(m)) & segmentBits
		next, place := uint(n.rules.ahead[j])&segmentBits, n.places[j]
		k := &n.pool[place]
		second |= s.put(next, place, k, uint(written>>next), uint(s.fromLane>>(next&portBits)), n.Clock+2) << j
	}
	s.into = s.into&^s.turning | second
}

// put puts a packet into segment j, where it is from a cycle on. If the last bit of written is 1,
// that of lane says which lane is being written. It returns the lane that the packet takes by rule
// 11.
func (s *router) put(j uint, place int32, k *packet, written, lane uint, ready noc.Cycle) uint32 {
	n := s.net
	j &= segmentBits
	// The shorter one; of equal ones, the one that is looked at first.
	shorter := (uint(s.size[j+maxSegments]) - uint(s.size[j]) - uint(s.second>>j&1)) >> 63
	lane = (shorter ^ (shorter^lane^1)&written) & 1
	l, p := j|lane*maxSegments, uint(n.rules.ahead[j])&portBits
	s.used[j]++
	s.size[l]++
	s.expect(ready, moving(k, p)).heads |= 1 << l
	if s.now.heads != 0 { // else it will mostly be decided for alone, without notes
		s.noteOnly(l, p, k)
	}
	n.push(&s.lane[l], place, k, ready)
	return uint32(lane)
}
