package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// walkOnly is walkHeads for the only head of a router.
func (n *Network) walkOnly(s *words, l uint) {
	if place := n.walkHead(s, l, s.used); place != 0 {
		n.walkOn(s, l>>1, place)
	}
}

// walkHeads is arbitrate for one router: it decides for the heads of all segments, those of ring 0
// first. Turns are decided on the counts at the start of the cycle, and all packets leave before
// the first comes, because the lengths of the lanes choose where.
func (n *Network) walkHeads(s *words, heads uint32) {
	used, turning := s.used, uint32(0)
	var places [16]uint8
	for _, m := range [...]uint32{heads & ring0At, heads &^ ring0At} {
		for m != 0 {
			j := uint(bits.TrailingZeros32(m)) >> 1 & 15
			both := m >> (2 * j) & 3
			m &^= 3 << (2 * j)
			lane := uint(both >> 1)
			if both == 3 {
				lane = uint(s.segment[j].second) & 1
			}
			for range bits.OnesCount32(both) {
				if place := n.walkHead(s, j<<1|lane, used); place != 0 {
					turning |= 1 << j
					places[j] = place
				}
				lane ^= 1
			}
		}
	}
	for m := turning; m != 0; m &= m - 1 {
		j := uint(bits.TrailingZeros32(m)) & 15
		n.walkOn(s, j, places[j])
	}
}

// walkHead decides for the first header of lane l, by the rules of decide and judge, and takes it
// out of the lane if it moves. It returns the place of a packet that turns, or else 0. used is
// words.used at the start of the cycle.
func (n *Network) walkHead(s *words, l uint, used uint64) uint8 {
	now, j, lane := n.now, l>>1&15, l&1
	x, next := &s.segment[j], uint(n.ahead[j])
	if x.blocked(uint8(lane), now) && n.laneBlock != 0 {
		return 0
	}
	place := x.lane[lane].head()
	k, copied := &s.slot(place).packet, false
	if *k>>(next>>1&7)&1 != 0 && s.port[next>>1&7].stage[next&1] < n.mostStaged && !later(x.ejected, now) {
		granted := whole
		if *k&severalBit != 0 || s.asked>>j&1 != 0 {
			granted = n.askWord(s, j, next, *k)
		}
		if granted == whole {
			s.leave(j, lane)
			x.toOutput = uint8(lane)
			n.ejectWord(s, j, *k, place)
			return 0
		}
		if granted == part {
			x.toOutput = neither
			n.copyWord(s, j, next, k)
			copied = true
		}
	}
	there, here := inUse(used, next), inUse(used, j)
	if later(x.turned, now) || there+n.config.TurnSlots > n.segmentSlots || n.config.RingTurnBalance && there > here {
		return 0
	}
	phits := k.phits()
	s.leave(j, lane)
	x.toRing = uint8(lane)
	x.turned = uint16(now + phits)
	p := &s.port[j>>1&7]
	p.turns++
	p.turnedPhits += uint16(phits)
	if copied {
		s.bank.count.dualPhits[s.r&63] += uint64(phits)
	}
	if few := packet(n.missLimit) << turnShift; *k&everyTurn >= few {
		*k = n.grow(s.bank, int(s.r), *k, few)
		return place
	}
	*k += oneTurn
	return place
}

// blocked reports whether a packet still streams out of a lane.
func (x *wordSegment) blocked(lane uint8, now noc.Cycle) bool {
	return later(x.turned, now) && x.toRing == lane || later(x.ejected, now) && x.toOutput == lane
}

// leave takes the first packet out of a lane of segment j, which releases its slot.
func (s *words) leave(j, lane uint) {
	x := &s.segment[j&15]
	rest := x.lane[lane&1] >> 8
	x.lane[lane&1] = rest
	if rest == 0 {
		s.at &^= 1 << ((2*j + lane) & 63)
	}
	s.used -= 1 << (4 * j & 63)
	x.second = uint8(^lane & 1)
}

// askWord is askOpen for the head of segment j of one router, which drains to a lane of the output
// stages. Most packets with several destinations are judged by their set alone: the output serves
// some of it, and takes whatever there is.
func (n *Network) askWord(s *words, j, drain uint, k packet) verdict {
	p := int(drain >> 1 & 7)
	id := s.bank.first + int(s.r)
	if s.asked>>j&1 != 0 || n.rows || k.turns() > n.missLimit {
		x := &s.bank.segment[n.numberOf(j)]
		return n.askOpen(s.bank, x, int(s.r), k, n.spaceIn(s, drain))
	}
	switch {
	case n.headers[k.header()].owed&^n.routes.mask(id, p) == 0:
		return whole
	case p == topology.Local || n.maySplit(n.spaceIn(s, drain)):
		return part
	case k.turns() <= n.pruneAfter:
		return nothing
	}
	return whole
}

// spaceIn is spaceOf for a lane of the output stages of one router.
func (n *Network) spaceIn(s *words, drain uint) int {
	stage := &s.port[drain>>1&7].stage
	return n.space(stage[drain&1].size(), stage[^drain&1].size())
}

// copyWord moves a copy of the head of segment j, for the destinations that its output serves,
// there.
func (n *Network) copyWord(s *words, j, drain uint, k *packet) {
	place := s.take()
	copied := n.copyHead(s.bank, &s.bank.segment[n.numberOf(j)], int(s.r), k)
	s.slot(place).packet = copied
	n.toOutputWord(s, j, copied, place)
}

// walkOn puts a packet that has left segment j to the ring into the next one.
func (n *Network) walkOn(s *words, j uint, place uint8) {
	next, writing := uint(n.ahead[j&15]), uint(2)
	p := &s.port[next>>1&7]
	if later(p.entered, n.now) && uint(p.enteredRing) == next&1 {
		writing = uint(p.enteredLane)
	}
	p.came[next&1] = uint16(n.now)
	s.segment[j&15].into = uint8(n.put(s, next, place, s.slot(place).packet, writing, n.now+2))
}

// put puts a packet into segment j, where it is from a cycle on. It returns the lane that the
// packet takes: not the one that is being written, or else, if writing is not a lane, the shorter
// one.
func (n *Network) put(s *words, j uint, place uint8, k packet, writing uint, ready noc.Cycle) (lane uint) {
	j &= 15
	x := &s.segment[j]
	if lane = writing ^ 1; writing > 1 {
		lane = uint(x.lane[1].size()-x.lane[0].size()-int(x.second)) >> 63 // of equal ones, the one that is looked at first
	}
	lane &= 1
	s.slot(place).since = ready
	s.used += 1 << (4 * j & 63)
	if before := x.lane[lane]; before != 0 {
		x.lane[lane] = before.with(place)
		return lane
	}
	x.lane[lane] = places4(place)
	s.will(ready, moving(k, uint(n.ahead[j])>>1), 1<<((headAt+2*j+lane)&63))
	return lane
}

// ejectWord moves a packet that has been the head of segment j to its output.
func (n *Network) ejectWord(s *words, j uint, k packet, place uint8) {
	r, p := int(s.r), int(n.ahead[j&15]>>1)
	if fabric.Invariants {
		n.must(n.mayLeave(s.bank.first+r, p, k), "a packet leaves by a port that is not on its way (law 7)", s.bank.first+r)
	}
	n.leavePlace(s.bank.first+r, k)
	if k&everyTurn > packet(n.missLimit)<<turnShift {
		n.leaveRings(s.bank, r, p, k)
	}
	n.toOutputWord(s, j, k, place)
}

// toOutputWord is toOutput for one router.
func (n *Network) toOutputWord(s *words, j uint, k packet, place uint8) {
	now, drain := n.now, uint(n.ahead[j&15])
	s.segment[j&15].ejected = uint16(now + k.phits())
	p := drain >> 1 & 7
	x := &s.port[p]
	if s.asked>>(j&15)&1 != 0 { // else nobody will ask
		s.bank.output[p].passed |= 1 << (s.r & 63)
		s.bank.passed |= 1 << p
	}
	if n.sinks.Bounded() && p == topology.Local {
		n.sinks.Reserve(noc.NodeID(s.bank.first+int(s.r)), k.class())
	}
	s.slot(place).since = now + 2
	if before := x.stage[drain&1]; before != 0 {
		x.stage[drain&1] = before.with(place)
	} else {
		x.stage[drain&1] = places2(place)
		s.will(now+2, leaving(k, p), 1<<((stagedAt+drain)&63))
	}
	n.holdPlaces(int(x.peer), k, uint64(notLocal(p)))
}
