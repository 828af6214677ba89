package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Step implements noc.Network.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if next := min(n.nextWork(), until); next > n.now {
			n.wheel.SkipTo(next)
			n.now = next
		} else {
			n.cycle()
		}
		seen := n.sinks.Next() <= n.now
		if seen {
			n.sinks.Collect(n.now)
		}
		if n.sources.TakeRoomAgain() || seen {
			break
		}
	}
	return n.now
}

// nextWork is the first cycle in which a router has something to do or a delivery becomes visible.
func (n *Network) nextWork() noc.Cycle {
	if n.config.EveryCycle {
		return n.now
	}
	return min(n.wheel.Next(), n.sinks.Next())
}

// cycle steps every router that is due.
func (n *Network) cycle() {
	n.publish()
	if n.visit != nil || n.config.EveryCycle {
		n.visitInOrder()
	} else {
		for i := range n.wheel.Words() {
			for word := n.wheel.Due(i); word != 0; word &= word - 1 {
				id := 64*i + bits.TrailingZeros64(word)
				if rest := word & (word - 1); n.large && rest != 0 {
					n.fetch(&n.routers[64*i+bits.TrailingZeros64(rest)])
				}
				n.stepRouter(id)
			}
		}
	}
	n.wheel.Finish()
	n.now++
	if invariants {
		n.mustHold()
	}
}

// fetch reads a little of all the memory that stepping a router will need. The reads do not wait for each
// other, so that the router comes from memory at once, not line by line as its decisions ask for it: half
// the time of a hop at 64x64, nothing at 16x16, a loss at 8x8.
func (n *Network) fetch(r *router) {
	sum := uint32(r.free[0]) + uint32(r.count.turns) + uint32(r.count.linkPhits) + uint32(r.head) + r.dates
	for i := 0; i <= int(n.agendaMask&agendaBits); i++ {
		sum += r.agenda[i].ringIdle
	}
	for i := 0; i < n.segments; i += 8 {
		sum += uint32(r.segment[i&segmentBits].lanes[0].size)
	}
	for i := 0; i < n.ports; i++ {
		sum += uint32(r.input[i&portBits].inside) + uint32(r.output[i&portBits].credits)
	}
	for i := uint(0); i < n.outputRows; i += 32 {
		sum += uint32(r.rows[i&(maxRows-1)])
	}
	for i := 0; i < len(r.headers)/2; i += 2 {
		sum += uint32(r.headers[i].phits)
	}
	n.fetched += sum
}

// visitInOrder steps the due routers, or all, in the order that a test asks for.
func (n *Network) visitInOrder() {
	for i := range n.routers {
		r := i
		if n.visit != nil {
			r = int(n.visit[i])
		}
		if n.config.EveryCycle || n.wheel.Due(r/64)>>(r%64)&1 != 0 {
			n.stepRouter(r)
		}
	}
}

// stepRouter lets one router decide everything it can in this cycle, and finds out when it must be
// stepped next: when time brings something that somebody may use, or in the next cycle if something
// waits and anything has moved. Neighbours and clients wake it for what they bring.
func (n *Network) stepRouter(id int) {
	r := &n.routers[id]
	look := n.catchUp(r) | n.collectMail(r)
	n.moved, n.relook, r.passed = false, 0, 0
	for m := (r.leaving[0] | r.leaving[1]) & r.linkIdle & r.credited; m != 0; m &= m - 1 {
		n.send(id, r, bits.TrailingZeros16(m))
	}
	wrote := uint32(0)
	if (r.head.of(0)|r.head.of(1))&(r.ringIdle|r.outIdle) != 0 {
		wrote = n.arbitrate(id, r)
	}
	if r.entering != 0 {
		open := n.enterable(r) | wrote
		if n.config.EveryCycle {
			look = r.entering
		}
		for m := r.entering & (look | n.relook | uint16(open|open>>n.ports)); m != 0; m &= m - 1 {
			n.enter(id, r, bits.TrailingZeros16(m), wrote)
		}
	}
	waiting := n.sources.Ready(noc.NodeID(id))
	if waiting != 0 && r.sourceBusy <= n.now {
		n.inject(id, r, waiting)
		waiting = n.sources.Ready(noc.NodeID(id))
	}
	if r.expired != 0 || r.holder[0] >= 0 || r.holder[1] >= 0 {
		n.hold(id, r)
	}
	next := r.must
	if waiting != 0 || r.head != 0 || r.leaving[0]|r.leaving[1]|r.entering != 0 {
		if n.moved || r.tight != 0 || r.few {
			n.wheel.Set(&r.alarm, n.now+1)
			return
		}
		next = r.dates
	}
	if next != 0 {
		n.wheel.Set(&r.alarm, n.now+1+noc.Cycle(bits.TrailingZeros64(n.fromNow(next, n.now+1))))
	}
}

// fromNow turns a set of agendas so that bit k is the one of cycle start+k.
func (n *Network) fromNow(set uint32, start noc.Cycle) uint64 {
	length := n.agendaMask + 1
	both := uint64(set) | uint64(set)<<(length&63)
	return both >> (uint(start) & n.agendaMask & 63) & (1<<(length&63) - 1)
}

// on is the agenda of a router for some cycles from now, at least 1. hurry tells that the router must be
// stepped then even if nothing waits in it.
func (n *Network) on(r *router, cycles noc.Cycle, hurry bool) *agenda {
	slot := uint(n.now+cycles) & n.agendaMask & agendaBits
	r.dates |= 1 << slot
	if hurry {
		r.must |= 1 << slot
	}
	return &r.agenda[slot]
}

// soon is on for a cycle that is known to be among the router's dates.
func (n *Network) soon(r *router, cycles noc.Cycle) *agenda {
	return &r.agenda[uint(n.now+cycles)&n.agendaMask&agendaBits]
}

// mayHurry is on with hurry, without a branch: it notes the agenda only if there is something for it (1,
// else 0).
func (n *Network) mayHurry(r *router, cycles noc.Cycle, something uint32) *agenda {
	slot := uint(n.now+cycles) & n.agendaMask & agendaBits
	r.dates |= something << slot
	r.must |= something << slot
	return &r.agenda[slot]
}

// catchUp carries out the agendas since the router's latest step and returns the inputs to look at.
func (n *Network) catchUp(r *router) (look uint16) {
	due := uint64(r.dates >> (uint(n.now) & n.agendaMask & agendaBits) & 1)
	if passed := n.now - r.last; passed != 1 { // it has slept, or is stepped again
		due = n.fromNow(r.dates, r.last+1)
		if passed < 64 {
			due &= 1<<passed - 1
		}
	}
	var starving uint16
	for ; due != 0; due &= due - 1 {
		slot := (uint(r.last) + 1 + uint(bits.TrailingZeros64(due))) & n.agendaMask & agendaBits
		a := &r.agenda[slot]
		r.ready |= a.ready
		r.hidden &^= a.left
		r.writing &^= a.written
		r.ringIdle |= a.ringIdle
		r.outIdle |= a.outIdle
		r.leaving[0] |= a.leaving[0]
		r.leaving[1] |= a.leaving[1]
		r.linkIdle |= a.linkIdle
		look |= a.entering
		starving |= a.starving
		*a = agenda{}
		r.dates &^= 1 << slot
		r.must &^= 1 << slot
	}
	r.head = r.ready &^ r.hidden
	r.last = n.now
	look &^= 1 << topology.Local
	r.entering |= look
	return look | starving&r.entering
}

// collectMail takes note of the headers that arrive at the input stages in this cycle.
func (n *Network) collectMail(r *router) (look uint16) {
	refilled := &r.refilled[n.now&1]
	r.credited |= *refilled
	*refilled = 0
	mail := &r.mail[n.now&1]
	look = *mail &^ r.occupied // the others are behind another packet
	*mail = 0
	r.occupied |= look
	for m := look; m != 0; m &= m - 1 {
		p := bits.TrailingZeros16(m)
		if busy := r.input[p].busy; busy > n.now {
			look &^= 1 << p
			n.on(r, busy-n.now, true).entering |= 1 << p
		}
	}
	r.entering |= look
	return look
}
