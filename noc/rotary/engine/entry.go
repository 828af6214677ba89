package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// enterAll lets the heads of the network inputs of a router enter a ring (rule 1).
func (r *router) enterAll() {
	n := r.net
	inputs := r.now.inputs()
	if inputs&(inputs-1) != 0 {
		inputs &= n.idle(&r.entered)
	} else if busy(r.entered[uint(bits.TrailingZeros32(inputs))&portBits], n.Clock) {
		return
	}
	most := n.rules.enterMost
	for ; inputs != 0; inputs &= inputs - 1 {
		port := uint(bits.TrailingZeros32(inputs)) & portBits
		used0, used1 := int(r.used[port]), int(r.used[port+maxPorts])
		if used0 <= most && used1 <= most {
			r.enter(port, choose(used1 < used0), used0 == used1)
			continue
		}
		r.countLost(port, most)
		r.countLost(port+maxPorts, most)
		switch {
		case used0 <= most || used1 <= most:
			r.enter(port, choose(used1 <= most), false)
		case n.config.EntryHold:
			r.starve(port)
		}
	}
}

// countLost counts a request that a turning header has beaten to the last slot.
func (r *router) countLost(j uint, most int) {
	n := r.net
	if int(r.used[j&segmentBits]) == most+1 && r.turningAt == n.Clock && r.turning>>n.rules.behind[j&segmentBits]&1 != 0 {
		r.count.entriesLost++
	}
}

// enter moves the head of an input onto a ring; tied tells that the free slots do not tell which.
func (r *router) enter(port, ring uint, tied bool) {
	n := r.net
	port &= portBits
	out := &r.port[port]
	place, p := n.pop(&out.input)
	r.now.ports &^= p.isLast() << (inputAt + port)
	if r.refused>>port&1 != 0 {
		r.release(port)
	}
	up := out.peer
	exit := &up.port[out.exit&portBits]
	if exit.credits++; exit.credits == 1 { // from the next cycle on; its packets may be waiting for this
		up.group.wake = min(up.group.wake, n.Clock+1)
		up.expect(n.Clock+1, sends).ports |= 1 << (creditAt + out.exit)
	}
	if tied {
		ring = n.routes.chooseRing(n, int(r.id), port, p)
	}
	r.intoRing(port, ring, place, p, n.Clock+1)
}

// intoRing moves a packet from input p into the segment of a ring, where it is from a cycle on.
func (r *router) intoRing(port, ring uint, place int32, p *packet, ready noc.Cycle) {
	n := r.net
	port &= portBits
	j := port + ring*maxPorts
	r.count.entries++
	bit, before := uint32(1)<<port, n.rules.behind[j&segmentBits]&segmentBits
	r.entered[port] = uint8(p.until(n.Clock))
	r.fromRing = r.fromRing&^bit | uint32(ring)<<port
	lane := r.put(j, place, p, choose(busy(r.turned[before], n.Clock)), uint(r.into>>before), ready)
	r.fromLane = r.fromLane&^bit | lane<<port
}

func choose(second bool) uint {
	if second {
		return 1
	}
	return 0
}
