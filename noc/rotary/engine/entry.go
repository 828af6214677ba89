package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// enterAll lets the heads of the network inputs of a router enter a ring (rule 1).
func (s *router) enterAll() {
	n := s.net
	inputs := s.now.inputs()
	if inputs&(inputs-1) != 0 {
		inputs &= n.idle(&s.entered)
	} else if busy(s.entered[uint(bits.TrailingZeros32(inputs))&portBits], n.Clock) {
		return
	}
	most := n.rules.enterMost
	for ; inputs != 0; inputs &= inputs - 1 {
		p := uint(bits.TrailingZeros32(inputs)) & portBits
		used0, used1 := int(s.used[p]), int(s.used[p+maxPorts])
		if used0 <= most && used1 <= most {
			s.enter(p, choose(used1 < used0), used0 == used1)
			continue
		}
		s.countLost(p, most)
		s.countLost(p+maxPorts, most)
		switch {
		case used0 <= most || used1 <= most:
			s.enter(p, choose(used1 <= most), false)
		case n.config.EntryHold:
			s.starve(p)
		}
	}
}

// countLost counts a request that a turning header has beaten to the last slot.
func (s *router) countLost(j uint, most int) {
	n := s.net
	if int(s.used[j&segmentBits]) == most+1 && s.turningAt == n.Clock && s.turning>>n.rules.behind[j&segmentBits]&1 != 0 {
		s.count.entriesLost++
	}
}

// enter moves the head of an input onto a ring; tied tells that the free slots do not tell which.
func (s *router) enter(p, ring uint, tied bool) {
	n := s.net
	p &= portBits
	x := &s.port[p]
	place, k := n.pop(&x.input)
	s.now.ports &^= k.isLast() << (inputAt + p)
	if s.refused>>p&1 != 0 {
		s.release(p)
	}
	up := x.peer
	y := &up.port[x.exit&portBits]
	if y.credits++; y.credits == 1 { // from the next cycle on; its packets may be waiting for this
		up.group.wake = min(up.group.wake, n.Clock+1)
		up.expect(n.Clock+1, sends).ports |= 1 << (creditAt + x.exit)
	}
	if tied {
		ring = n.routes.chooseRing(n, int(s.id), p, k)
	}
	s.intoRing(p, ring, place, k, n.Clock+1)
}

// intoRing moves a packet from input p into the segment of a ring, where it is from a cycle on.
func (s *router) intoRing(p, ring uint, place int32, k *packet, ready noc.Cycle) {
	n := s.net
	p &= portBits
	j := p + ring*maxPorts
	s.count.entries++
	bit, before := uint32(1)<<p, n.rules.behind[j&segmentBits]&segmentBits
	s.entered[p] = uint8(k.until(n.Clock))
	s.fromRing = s.fromRing&^bit | uint32(ring)<<p
	lane := s.put(j, place, k, choose(busy(s.turned[before], n.Clock)), uint(s.into>>before), ready)
	s.fromLane = s.fromLane&^bit | lane<<p
}

func choose(second bool) uint {
	if second {
		return 1
	}
	return 0
}
