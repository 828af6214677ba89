package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// walkNode is sendAll for the local output of one router.
func (n *Network) walkNode(s *words) {
	if later(s.port[topology.Local].sent, n.now) {
		return
	}
	l := uint(s.at >> (stagedAt + 1) & 1)
	if s.at&nodeAt == nodeAt {
		s.bank.count.sendsLost[s.r&63]++
		l = uint(s.port[topology.Local].last)&1 ^ 1
	}
	n.consume(s.bank, int(s.r), n.sendWord(s, l))
}

// walkLinks is sendAll for the other outputs of one router.
func (n *Network) walkLinks(s *words) {
	for lanes := uint32(s.at >> (creditAt - stagedAt) & s.at & linksAt >> stagedAt); lanes != 0; {
		l := uint(bits.TrailingZeros32(lanes)) & 15
		p := l >> 1
		both := lanes >> (2 * p) & 3
		lanes &^= 3 << (2 * p)
		x := &s.port[p]
		if later(x.sent, n.now) {
			continue
		}
		if both == 3 {
			s.bank.count.sendsLost[s.r&63]++
			l = 2*p | uint(x.last)&1 ^ 1
		}
		k := n.sendWord(s, l)
		x.credits--
		if x.credits == 0 {
			s.at &^= 3 << (creditAt + 2*p)
		}
		n.crossWord(s.bank, uint(s.bank.output[p].entry), int(x.peer), k)
	}
}

// sendWord takes the head of a lane of an output stage out and streams it.
func (n *Network) sendWord(s *words, l uint) packet {
	l &= 15
	p := l >> 1
	x := &s.port[p]
	lane := &x.stage[l&1]
	place := lane.head()
	if *lane >>= 8; *lane == 0 { // if there is a next one it will be there before the link is idle again
		s.at &^= 1 << (stagedAt + l)
	}
	x.last = uint8(l & 1)
	s.drop(place)
	k := s.slot(place).packet
	x.sends++
	until := n.now + k.phits()
	x.sent = uint16(until)
	x.phits += uint16(k.phits())
	at := &s.bank.presence[s.r&63]
	at.residents--
	at.vacant = max(at.vacant, until)
	return k
}

// crossWord is cross for one router of a bank.
func (n *Network) crossWord(from *bank, entry uint, to int, k packet) {
	h := &n.headers[k.header()]
	h.hops++
	h.origin = uint8(entry)
	k = k&^(everyTurn|served) | oneTurn
	switch {
	case k&severalBit == 0 && len(n.routes.flat) != 0:
		k |= packet(n.routes.profitableFlat(to, h.only()))
	case k&severalBit != 0 && n.routes.square != nil:
		k |= packet(n.routes.square[to&63].union(h.owed))
	default:
		k = n.routed(to, k)
	}
	b, ready := &n.banks[to>>6], n.now+1
	to &= 63
	b.presence[to].enter(ready)
	if b != from { // else it finds out before it sleeps
		b.wake = min(b.wake, ready)
	}
	if b.inWords {
		b.words[to].receive(entry, k, ready)
		return
	}
	in := &b.input[entry]
	in.stage.push(to, k, ready)
	in.mail[ready&1] |= 1 << to
	b.mail[ready&1] |= in.bit
}

// receive puts a packet into input p, where it is from a cycle on.
func (s *words) receive(p uint, k packet, ready noc.Cycle) {
	p &= 7
	place := s.take()
	at := s.slot(place)
	at.packet, at.since = k, ready
	x := &s.port[p]
	x.input = x.input.with(place)
	s.will(ready, entering(k), 1<<(inputAt+p))
}

// receiveAll is arrive for a bank in words.
func (n *Network) receiveAll(c *bank, o *output, set uint64, ready noc.Cycle) {
	c.wake = min(c.wake, ready)
	for ; set != 0; set &= set - 1 {
		r := first(set)
		to := int(o.peer[r]) & 63
		c.presence[to].enter(ready)
		c.words[to].receive(uint(o.entry), n.packets[r], ready)
	}
}

// walkInputs is enterAll for one router.
func (n *Network) walkInputs(s *words) {
	for inputs := uint8(s.at >> inputAt); inputs != 0; inputs &= inputs - 1 {
		p := uint(bits.TrailingZeros8(inputs)) & 7
		if later(s.port[p].entered, n.now) {
			continue
		}
		most := n.segmentSlots - n.config.EnterSlots
		used0, used1 := inUse(s.used, 2*p), inUse(s.used, 2*p+1)
		if used0 <= most && used1 <= most {
			n.enterWord(s, p, choose(used1 < used0), used0 == used1)
			continue
		}
		if used0 == most+1 && s.port[p].came[0] == uint16(n.now) {
			s.bank.count.entriesLost[s.r&63]++
		}
		if used1 == most+1 && s.port[p].came[1] == uint16(n.now) {
			s.bank.count.entriesLost[s.r&63]++
		}
		in := &s.bank.input[p]
		switch {
		case used0 <= most || used1 <= most:
			n.enterWord(s, p, choose(used1 <= most), false)
		case n.config.EntryHold:
			n.starve(s.bank, in, 1<<(s.r&63))
		}
		in.alarm &^= 1 << (s.r & 63)
	}
}

// enterWord is enter for one router; tied tells that the free slots do not tell which ring.
func (n *Network) enterWord(s *words, p uint, ring uint64, tied bool) {
	p &= 7
	b, r, x := s.bank, int(s.r&63), &s.port[p]
	place := x.input.head()
	if x.input >>= 8; x.input == 0 {
		s.at &^= 1 << (inputAt + p)
	}
	in, up, k := &b.input[p], int(x.peer), s.slot(place).packet
	if in.refused>>r&1 != 0 {
		in.release(1 << r)
	}
	if c := &n.banks[up>>6]; c.inWords {
		c.words[up&63].refill(uint(in.exit), n.now+1)
	} else {
		n.returnCredits(c, in, 1<<r)
	}
	if tied {
		ring = n.chooseRing(b.first+r, int(p), k)
	}
	n.ringWord(s, p, ring, k, place, n.now+1)
}

// refill gives a credit for output p, which counts from the next cycle on.
func (s *words) refill(p uint, next noc.Cycle) {
	p &= 7
	x := &s.port[p]
	x.credits++
	if x.credits == 1 { // its packets may be waiting for this
		s.bank.wake = min(s.bank.wake, next)
		s.will(next, sends, 3<<(creditAt+2*p))
	}
}

// ringWord is intoRings for one router.
func (n *Network) ringWord(s *words, p uint, ring uint64, k packet, place uint8, ready noc.Cycle) {
	p &= 7
	j, x := 2*p+uint(ring), &s.port[p]
	x.entries++
	writing := uint(2)
	if before := &s.segment[n.behind[j&15]&15]; later(before.turned, n.now) {
		writing = uint(before.into)
	}
	if fabric.Invariants {
		n.must(inUse(s.used, j)+min(n.config.EnterSlots, n.config.InjectSlots) <= n.segmentSlots, "a packet enters a ring against rule 1 or 2 (law 7)",
			s.bank.first+int(s.r))
	}
	x.entered, x.enteredRing = uint16(n.now+k.phits()), uint8(ring)
	x.enteredLane = uint8(n.put(s, j, place, k, writing, ready))
}

// walkInterface is injectAll for one router whose interface has something to send.
func (n *Network) walkInterface(s *words) {
	b, r := s.bank, int(s.r&63)
	bit, in := uint64(1)<<r, &b.input[topology.Local]
	if b.patience <= n.now {
		n.findImpatient(b)
	}
	used0, used1 := inUse(s.used, 0), inUse(s.used, 1)
	most := n.segmentSlots - n.config.InjectSlots
	if n.config.ClassLimit && b.impatient&bit != 0 { // the places leave a hole, as rule 2 does
		most = max(most, n.segmentSlots-n.config.EnterSlots)
	}
	admits := uint8(choose(used0 <= most) | choose(used1 <= most)<<1)
	urgent := (b.impatient | in.expired | in.holds[0] | in.holds[1]) & bit
	if admits == 0 && urgent == 0 {
		return
	}
	if n.config.CalmInjection && b.aged&bit != 0 && urgent|b.segment[n.feeder(topology.Local, 0)].judged&bit == 0 {
		return // a packet that waits for a bounded sink is looked at
	}
	k, _ := n.inject(b, r, admits)
	if k == 0 {
		return
	}
	in.release(bit)
	ring := uint64(admits >> 1)
	if admits == 3 {
		if ring = choose(used1 < used0); used0 == used1 {
			ring = n.chooseRing(b.first+r, topology.Local, k)
		}
	}
	place := s.take()
	s.slot(place).packet = k
	n.ringWord(s, topology.Local, ring, k, place, n.now+2)
}
