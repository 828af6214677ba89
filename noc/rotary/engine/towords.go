package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// toWords makes the words of a bank that is in sets, as they are before the step of cycle from.
func (n *Network) toWords(b *bank, from noc.Cycle) {
	b.inWords = true
	n.gatherSets(b)
	places := poolPlaces(n.ports)
	for r := range n.routersIn(b) {
		s := &b.words[r]
		*s = words{bank: b, r: uint8(r), pool: (*[128]slot)(b.slots[places*r:])}
		s.clearPool(places)
		s.clearStreams(from)
		for p := range uint(n.ports) {
			for ring := range uint(rings) {
				n.segmentToWords(b, s, p, ring)
			}
			n.portToWords(b, s, p)
		}
		b.busy[consumptions] |= notEmpty(s.at&nodeAt) << r
		b.busy[sends] |= notEmpty(s.at&linksAt) << r
		b.busy[turns] |= notEmpty(s.at&headsAt) << r
		b.busy[entries] |= notEmpty(s.at>>inputAt) << r
	}
	for cycle := from; cycle <= from+noc.Cycle(n.agendaMask); cycle++ {
		n.agendaToWords(b, cycle)
	}
	for p := range b.input {
		in, o := &b.input[p], &b.output[p]
		each(in.mail[from&1], func(r int) { b.words[r].will(from, entries, 1<<(inputAt+p)) })
		each(o.refilled[from&1], func(r int) { b.words[r].will(from, sends, 3<<(creditAt+2*p)) })
		in.mail, o.refilled = [2]uint64{}, [2]uint64{}
	}
	b.mail, b.refilled = [2]uint64{}, [2]uint64{}
}

// gatherSets lists the packets of a bank in sets, in the order of takeWords.
func (n *Network) gatherSets(b *bank) {
	n.moving, n.moved = n.moving[:0], 0
	gather := func(k packet, since noc.Cycle) { n.moving = append(n.moving, slot{k, since}) }
	for r := range n.routersIn(b) {
		for p := range n.ports {
			for ring := range rings {
				b.segment[ring*n.ports+p].lanes.each(r, gather)
				b.segment[ring*n.ports+p].lanes.each(64|r, gather)
			}
			n.eachWaiting(b, r, p, gather, gather)
		}
	}
}

// takeWords puts the next of the packets gathered into the pool of a router.
func (n *Network) takeWords(s *words) uint8 {
	place := s.take()
	*s.slot(place) = n.moving[n.moved]
	n.moved++
	return place
}

// clearStreams has all streams ended before a cycle.
func (s *words) clearStreams(from noc.Cycle) {
	past := uint16(from - 1)
	for p := range s.port {
		x := &s.port[p]
		x.entered, x.sent, x.came = past, past, [rings]uint16{past, past}
	}
	for j := range s.segment {
		s.segment[j].turned, s.segment[j].ejected = past, past
	}
}

func (n *Network) segmentToWords(b *bank, s *words, p, ring uint) {
	x, r, j := &b.segment[int(ring)*n.ports+int(p)], int(s.r), 2*p+ring
	own := &s.segment[j]
	s.asked |= uint16((x.tight|x.judged)>>r&1) << j
	own.second, own.into = uint8(x.second>>r&1), uint8(x.next.fromRing[1]>>r&1)
	own.toRing, own.toOutput = uint8(x.toRing[1]>>r&1), uint8(x.toOutput[1]>>r&1)
	if (x.toOutput[0]|x.toOutput[1])>>r&1 == 0 {
		own.toOutput = neither
	}
	s.used |= uint64(x.lanes.inBoth(r)) << (4 * j)
	for lane := range uint(2) {
		for range x.lanes.length(int(lane)<<6 | r) {
			own.lane[lane] = own.lane[lane].with(n.takeWords(s))
		}
		s.at |= x.ready[lane] >> r & 1 << (headAt + 2*j + lane)
	}
}

func (n *Network) portToWords(b *bank, s *words, p uint) {
	in, o, own, r := &b.input[p], &b.output[p], &s.port[p], int(s.r)
	for range in.stage.length(r) {
		own.input = own.input.with(n.takeWords(s))
	}
	s.at |= in.occupied >> r & 1 << (inputAt + p)
	s.at |= (o.credited >> r & 1) * 3 << (creditAt + 2*p)
	own.credits, own.peer = o.credits[r], o.peer[r]
	if p == topology.Local {
		own.peer = int32(b.first + r)
	}
	own.enteredRing = uint8((in.segment[1].fromInput[0] | in.segment[1].fromInput[1]) >> r & 1)
	own.enteredLane = uint8((in.segment[0].fromInput[1] | in.segment[1].fromInput[1]) >> r & 1)
	own.last = uint8(o.last >> r & 1)
	for ring := range uint(rings) {
		if own.peer < 0 {
			own.stage[ring] = n.mostStaged // nobody is behind the port
		}
		for range o.lanes.length(int(ring)<<6 | r) {
			own.stage[ring] = own.stage[ring].with(n.takeWords(s))
		}
		s.at |= o.leaving[ring] >> r & 1 << (stagedAt + 2*p + ring)
	}
}

// agendaToWords turns what is noted for a cycle into notes and ends of streams. Alarms, and what
// interfaces may have paid, stay where they are.
func (n *Network) agendaToWords(b *bank, cycle noc.Cycle) {
	slot := uint(cycle) & n.agendaMask & agendaBits
	for i := range b.segment {
		x := &b.segment[i]
		j := (2*uint(n.portOf[i]) + uint(n.ringOf[i])) & 15
		each(x.turned[slot], func(r int) { b.words[r].segment[j].turned = uint16(cycle) })
		each(x.ejected[slot], func(r int) { b.words[r].segment[j].ejected = uint16(cycle) })
		for lane := range uint(2) {
			each(x.appears[lane][slot], func(r int) { b.words[r].will(cycle, turns, 1<<(headAt+2*j+lane)) })
			x.appears[lane][slot] = 0
		}
		x.turned[slot], x.ejected[slot] = 0, 0
	}
	for p := range b.input {
		in, o := &b.input[p], &b.output[p]
		each(in.entered[slot], func(r int) { b.words[r].port[p].entered = uint16(cycle) })
		each(o.sent[slot], func(r int) { b.words[r].port[p].sent = uint16(cycle) })
		for ring := range uint(rings) {
			each(o.appears[ring][slot], func(r int) { b.words[r].will(cycle, leaving(0, uint(p)), 1<<(stagedAt+2*uint(p)+ring)) })
			o.appears[ring][slot] = 0
		}
		in.entered[slot], o.sent[slot] = 0, 0
	}
	b.agenda[slot] = agenda{alarmed: b.agenda[slot][alarmed], paid: b.agenda[slot][paid]}
}

// each calls visit for the routers of a set.
func each(set uint64, visit func(r int)) {
	for ; set != 0; set &= set - 1 {
		visit(first(set))
	}
}
