package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// walkOutputs is sendAll for one router.
func (n *Network) walkOutputs(s *words) {
	now := n.now
	for lanes := uint32(s.at >> (creditAt - stagedAt) & s.at & stagesAt >> stagedAt); lanes != 0; {
		l := uint(bits.TrailingZeros32(lanes)) & 15
		p := l >> 1
		both := lanes >> (2 * p) & 3
		lanes &^= 3 << (2 * p)
		if s.sent[p] > now {
			continue
		}
		if both == 3 {
			s.bank.count.sendsLost[s.r&63]++
			l = 2*p | uint(s.last>>p)&1 ^ 1
		}
		k := s.send(l)
		s.sends++
		s.sent[p] = now + k.phits()
		at := &s.bank.presence[s.r&63]
		at.residents--
		at.vacant = max(at.vacant, now+k.phits())
		o := &s.bank.output[p]
		o.phits[s.r&63] += uint64(k.phits())
		if p == topology.Local {
			n.consume(s.bank, s.r, k)
			continue
		}
		n.crossWord(uint(o.entry), int(s.peer[p]), k)
	}
}

// send takes the head of a lane of an output stage out.
func (s *words) send(l uint) packet {
	l &= 15
	p, head := l>>1, s.stage[l].head
	s.stage[l].head = head + 1
	if head+1 == s.stage[l].tail { // if there is a next one it will be there before the link is idle again
		s.at &^= 1 << (stagedAt + l)
	}
	s.full &^= 1 << l
	s.last = s.last&^(1<<p) | uint8(l&1)<<p
	if p != topology.Local {
		credits := s.credits[p] - 1
		s.credits[p] = credits
		if credits == 0 {
			s.at &^= 3 << (creditAt + 2*p)
		}
	}
	return s.bank.outputRows[s.stagePlace(l, head)]
}

// crossWord is cross for one router.
func (n *Network) crossWord(entry uint, to int, k packet) {
	h := &n.headers[k.header()]
	h.hops++
	h.origin = uint8(entry)
	k = k&^(everyTurn|served) | oneTurn
	if len(n.routes.flat) != 0 && k&(severalBit|orderedBit) == 0 {
		k |= packet(n.routes.profitableFlat(to, h.only()))
	} else {
		k = n.routed(to, k)
	}
	b, ready := &n.banks[to>>6], n.now+1
	to &= 63
	b.presence[to].enter(ready)
	b.wake = min(b.wake, ready)
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
	tail := s.input[p].tail
	place := s.stagePlace(2*p, tail)
	s.bank.inputRows[place] = k
	s.bank.inputRows[place|stagePlaces] = packet(ready)
	s.input[p].tail = tail + 1
	s.will(ready, entries, 1<<(inputAt+p))
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
		if s.entered[p] > n.now {
			continue
		}
		x, y := p, uint(n.ports)+p
		most := uint8(n.segmentSlots - n.config.EnterSlots)
		used0, used1 := s.used[x&15], s.used[y&15]
		if used0 <= most && used1 <= most {
			n.enterWord(s, p, choose(used1 < used0), used0 == used1)
			continue
		}
		if used0 == most+1 && s.came>>x&1 != 0 && s.cameIn == n.now {
			s.bank.count.entriesLost[s.r&63]++
		}
		if used1 == most+1 && s.came>>y&1 != 0 && s.cameIn == n.now {
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
	b, r, head := s.bank, s.r&63, s.input[p].head
	k := b.inputRows[s.stagePlace(2*p, head)]
	s.input[p].head = head + 1
	if head+1 == s.input[p].tail {
		s.at &^= 1 << (inputAt + p)
	}
	in, up := &b.input[p], int(s.peer[p])
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
	n.ringWord(s, p, ring, k, n.now+1)
}

// refill gives a credit for output p, which counts from the next cycle on.
func (s *words) refill(p uint, next noc.Cycle) {
	p &= 7
	s.credits[p]++
	if s.credits[p] == 1 { // its packets may be waiting for this
		s.bank.wake = min(s.bank.wake, next)
		s.will(next, sends, 3<<(creditAt+2*p))
	}
}

// ringWord is intoRings for one router.
func (n *Network) ringWord(s *words, p uint, ring uint64, k packet, ready noc.Cycle) {
	p &= 7
	x := (p + uint(ring)*uint(n.ports)) & 15
	s.entered[p] = n.now + k.phits()
	s.entries++
	writing, before := uint(2), n.previous[x]&15
	if s.turned[before] > n.now {
		writing = uint(s.into>>before) & 1
	}
	if fabric.Invariants {
		n.must(int(s.used[x])+min(n.config.EnterSlots, n.config.InjectSlots) <= n.segmentSlots, "a packet enters a ring against rule 1 or 2 (I7, I12)",
			s.bank.first+s.r)
	}
	lane := s.put(x, k, writing, ready)
	s.ring1 = s.ring1&^(1<<p) | uint8(ring)<<p
	s.lane1 = s.lane1&^(1<<p) | uint8(lane)<<p
}

// walkInterface is injectAll for one router whose interface has something to send.
func (n *Network) walkInterface(s *words) {
	b, r := s.bank, s.r&63
	bit, in := uint64(1)<<r, &b.input[topology.Local]
	if b.patience <= n.now {
		n.losePatience(b)
	}
	used0, used1 := int(s.used[0]), int(s.used[n.ports&15])
	most := n.segmentSlots - n.config.InjectSlots
	if n.config.ClassLimit && b.impatient&bit != 0 { // the places leave a hole, as rule 2 does
		most = max(most, n.segmentSlots-n.config.EnterSlots)
	}
	admits := uint8(choose(used0 <= most) | choose(used1 <= most)<<1)
	urgent := (b.impatient | in.expired | in.holds[0] | in.holds[1]) & bit
	if admits == 0 && urgent == 0 {
		return
	}
	if n.config.CalmInjection && b.lost&bit != 0 && urgent|b.segment[n.feeder(topology.Local, 0)].judged&bit == 0 {
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
	n.ringWord(s, topology.Local, ring, k, n.now+2)
}
