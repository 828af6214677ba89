package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// ejectAll moves the heads of a lane of a segment of some routers to the output stage that it
// drains to; lanes are those of which it is lane 1.
func (n *Network) ejectAll(b *bank, x *segment, set, lanes uint64) {
	b.leave(x, set, lanes, n.planes)
	x.toOutput[0] |= set &^ lanes
	x.toOutput[1] |= lanes
	x.reveal(set, lanes, x.lanes.pops(set, lanes, &n.packets, x.wanted))
	p, special := int(x.feeds), uint64(0)
	kept, limit := n.keptInMind, packet(n.missLimit)<<turnShift
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		n.leavePlace(b.first+r, k)
		if k&everyTurn > limit || k&kept != 0 {
			special |= m & -m
		}
		if fabric.Invariants {
			n.must(n.mayLeave(b.first+r, p, k), "a packet leaves by a port that is not on its way (law 7)", b.first+r)
		}
	}
	for m := special; m != 0; m &= m - 1 {
		r := first(m)
		n.leaveRings(b, r, p, n.packets[r])
	}
	n.toOutput(b, x, set)
}

// leaveRings does what few packets ask for when they leave the rings by output p.
func (n *Network) leaveRings(b *bank, r, p int, k packet) {
	if k&orderedBit != 0 || n.config.EntryHysteresis {
		in := &b.input[n.headers[k.header()].origin]
		if k&orderedBit != 0 {
			in.ordered &^= 1 << r
		}
		if in.inside[r]--; in.inside[r] < hysteresisTight && n.config.EntryHysteresis {
			in.tight |= 1 << r
		}
	}
	if k.turns() > n.missLimit && k&orderedBit == 0 {
		b.dropAged(r, k)
		if _, all := n.compare(b.first+r, p, k); !all && n.aged(p, k) {
			b.count.misroutes[r]++
		}
	}
}

// toOutput reserves slots of the output stages that a segment of some routers drains to, and starts
// n.packets towards them.
func (n *Network) toOutput(b *bank, x *segment, set uint64) {
	o := x.drain
	if fabric.Invariants {
		n.must(x.outIdle&set == set, "two packets at one output port (rule 10)", b.first)
	}
	b.moved = true
	x.outIdle &^= set
	if x.feeds != topology.Local {
		o.passed |= set
		b.passed |= 1 << (x.feeds & portBits)
		n.takePlaces(b, x, set)
	} else {
		n.takeSinks(b, x, set)
	}
	if b.toggles != nil {
		n.passOut(b.toggles, int(x.number), set)
	}
	if n.unlimited {
		set = n.spill(b, int(x.feeds), int(x.ring), set)
	}
	empty, full := o.lanes.pushesInto(int(x.ring), set, &n.packets, n.now+2, n.laneSlots)
	if empty != 0 {
		o.appears[x.ring&1][b.on(n, 2, staged, o.bit)] |= empty
	}
	if !n.unlimited {
		x.outRoom &^= full
	}
}

// takePlaces takes places of the neighbours that a segment drains towards for n.packets of some
// routers, and streams these out of it.
func (n *Network) takePlaces(b *bank, x *segment, set uint64) {
	dates, few := uint32(0), uint64(0)
	peer, places := &x.drain.peer, n.places
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		slot := n.slot(k.phits())
		dates |= 1 << slot
		x.ejected[slot] |= m & -m
		h, unit := &places[peer[r]], &n.unit[k.class()&(noc.MaxClasses-1)]
		h.held[0] += unit[0]
		h.held[1] += unit[1]
		if h.few || !n.hasPlenty(&h.held) {
			few |= m & -m
		}
	}
	b.note(dates, ejected, x.bit)
	for m := few; m != 0; m &= m - 1 {
		n.noteChange(int(peer[first(m)]))
	}
}

// takeSinks is takePlaces for the nodes' sinks. Unlimited output stages take packets that do not
// have a place there yet.
func (n *Network) takeSinks(b *bank, x *segment, set uint64) {
	dates := uint32(0)
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		k := n.packets[r]
		slot := n.slot(k.phits())
		dates |= 1 << slot
		x.ejected[slot] |= m & -m
		if !n.unlimited {
			n.sinks.Reserve(noc.NodeID(b.first+r), k.class())
		}
	}
	b.note(dates, ejected, x.bit)
}

// isZero is 1 if a number that is not negative is 0, else 0, without a branch.
func isZero(number int) uint64 { return uint64(number-1) >> 63 }

// sendAll arbitrates between the two lanes of the output stages that are idle, and starts the
// winners' packets on the links, or into the nodes: round robin per packet (rule 13).
func (n *Network) sendAll(b *bank, routers uint64) {
	for ports := b.leaving; ports != 0; ports &= ports - 1 {
		p := first(ports)
		o := &b.output[p]
		set := (o.leaving[0] | o.leaving[1]) & o.idle & o.credited & routers
		if set == 0 {
			continue
		}
		lane0, lane1 := o.leaving[0]&set, o.leaving[1]&set
		if n.unlimited && p == topology.Local {
			lane0, lane1 = n.consumable(b, 0, lane0), n.consumable(b, 1, lane1)
		}
		both := lane0 & lane1
		for m := both; m != 0; m &= m - 1 {
			b.count.sendsLost[first(m)]++
		}
		lanes := lane1&^both | both&^o.last
		n.send(b, p, lane0|lane1, lanes)
	}
}

// consumable drops the routers whose packet finds no place in its sink. Only unlimited output
// stages take packets that do not have one yet.
func (n *Network) consumable(b *bank, ring int, set uint64) uint64 {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		if k := *b.output[topology.Local].lanes.front(ring<<6 | r); !n.sinks.Room(noc.NodeID(b.first+r), k.class()) {
			set &^= 1 << r
		}
	}
	return set
}

// send starts a packet at output p of each of some routers; lanes are those of which it is ring
// 1's.
func (n *Network) send(b *bank, p int, set, lanes uint64) {
	if set == 0 {
		return
	}
	b.moved = true
	p &= portBits
	o := &b.output[p]
	o.last = o.last&^set | lanes
	o.idle &^= set
	empty := o.lanes.popsLast(set, lanes, &n.packets)
	if b.toggles != nil {
		n.passSend(b.toggles, p, set, lanes)
	}
	n.depart(b, p, set)
	if n.unlimited {
		empty &^= n.refill(b, p, set, lanes)
	}
	if p != topology.Local {
		n.cross(b, o, set)
	} else {
		for m := set; m != 0; m &= m - 1 {
			n.consume(b, first(m), n.packets[first(m)])
		}
	}
	// If there is a next one it will be there before the link is idle again.
	o.leaving[0] &^= empty &^ lanes
	o.leaving[1] &^= empty & lanes
	if o.leaving[0]|o.leaving[1] == 0 {
		b.leaving &^= 1 << (p & portBits)
	}
	o.feeders[0].outRoom |= set &^ lanes
	o.feeders[1].outRoom |= lanes
}

// depart streams n.packets of some routers out of output p.
func (n *Network) depart(b *bank, p int, set uint64) {
	o, dates := &b.output[p&portBits], uint32(0)
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		phits := n.packets[r].phits()
		slot := n.slot(phits)
		dates |= 1 << slot
		o.sent[slot] |= m & -m
		o.phits[r] += uint64(phits)
		b.count.sends[r]++
		at := &b.presence[r]
		at.residents--
		at.vacant = max(at.vacant, n.now+phits)
	}
	b.note(dates, sent, o.bit)
}

// cross starts n.packets of some routers on their links to the neighbours.
func (n *Network) cross(b *bank, o *output, set uint64) {
	empty, other := uint64(0), uint64(0)
	flat, headers := len(n.routes.flat) != 0, n.headers
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		credits := o.credits[r] - 1
		o.credits[r] = credits
		empty |= isZero(int(credits)) << r
		k := n.packets[r]
		h := &headers[k.header()]
		h.hops++
		h.origin = o.entry
		k = k&^(everyTurn|served) | oneTurn
		if flat && k&(severalBit|orderedBit) == 0 {
			k |= packet(n.routes.profitableFlat(int(o.peer[r]), h.only()))
		} else {
			other |= m & -m
		}
		n.packets[r] = k
	}
	o.credited &^= empty
	for m := other; m != 0; m &= m - 1 {
		r := first(m)
		n.packets[r] = n.routed(int(o.peer[r]), n.packets[r])
	}
	for i := range o.targets {
		if to := &o.targets[i]; set&to.routers != 0 {
			n.arrive(to.bank, o, set&to.routers)
		}
	}
}

// arrive puts n.packets of some routers, whose neighbours are in bank c, into the input stages of
// these.
func (n *Network) arrive(c *bank, o *output, set uint64) {
	entry, ready, mail := int(o.entry), n.now+1, uint64(0)
	if c.inWords {
		n.receiveAll(c, o, set, ready)
		return
	}
	in := &c.input[entry]
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		to := int(o.peer[r]) & 63
		mail |= 1 << to
		in.stage.push(to, n.packets[r], ready)
		c.presence[to].enter(ready)
	}
	c.wake = min(c.wake, ready)
	parity := ready & 1
	in.mail[parity] |= mail
	c.mail[parity] |= 1 << (entry & portBits)
}

// consume hands a packet to the node.
func (n *Network) consume(b *bank, r int, k packet) {
	h := &n.headers[k.header()]
	w := n.worms.At(h.worm)
	id, phits := noc.NodeID(b.first+r), k.phits()
	if n.unlimited {
		n.sinks.Reserve(id, k.class())
	}
	d := n.sinks.Arrival(n.now+phits, w.Phits, n.now)
	// One by one: a literal would be made elsewhere and copied.
	d.Tag, d.Src, d.At, d.Hops, d.Class = w.Tag, w.Src, id, h.hops, w.Class
	d.Offered, d.Injected, d.Arrived = w.Offered, w.Injected(), n.now+phits
	if h.flags&spreadFlag != 0 {
		n.charge(&b.router[r&63], phits, 100-n.config.SenderPercent)
	}
	n.worms.Deliver(h.worm)
	n.dropHeader(k)
	n.buffered -= uint64(phits)
}

// enter notes that a header will be in a router from a cycle on.
func (at *presence) enter(cycle noc.Cycle) {
	// Half of those who come find nobody, which nothing would predict.
	empty := uint64(at.residents-1) >> 63
	at.absent += uint64(cycle-min(at.vacant, cycle)) & -empty
	at.residents++
}
