package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// When a bank changes between sets and words, see words.go: to sets when more routers than fewRouters are busy, and to
// words when no more than half as many have been for settleCycles cycles. A change goes over all routers, so it must be rare.
const (
	fewRouters   = 56
	settleCycles = 32
)

// represent has the banks that are due in the form that suits what is going on in them.
func (n *Network) represent() {
	for _, i := range n.due {
		b := &n.banks[i]
		switch {
		case b.words == nil:
		case n.ordered:
			if b.inWords {
				n.toSets(b, n.now)
			}
		case b.inWords:
			if bits.OnesCount64(b.working()) > n.few {
				n.toSets(b, n.now)
			}
		case b.holding != 0 || bits.OnesCount64(b.waiting()) > n.few/2:
			b.calm = 0
		default:
			if b.calm++; b.calm > n.settle {
				n.toWords(b, n.now)
			}
		}
	}
}

// waiting is the routers of a bank in sets with a header.
func (b *bank) waiting() (set uint64) {
	for m := b.headed; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		set |= x.ready[0] | x.ready[1]
	}
	for m := b.occupied; m != 0; m &= m - 1 {
		set |= b.input[first(m)].occupied
	}
	for m := b.leaving; m != 0; m &= m - 1 {
		o := &b.output[first(m)]
		set |= o.leaving[0] | o.leaving[1]
	}
	return set
}

// toSets makes the sets of a bank that is in words, as they are before the step of cycle from.
func (n *Network) toSets(b *bank, from noc.Cycle) {
	b.inWords, b.calm = false, 0
	n.clearSets(b)
	for r := range n.routersIn(b) {
		b.words[r].settle()
		for s := range n.segments {
			n.segmentToSets(b, &b.segment[s], r, from)
		}
		for p := range n.ports {
			n.portToSets(b, p, r, from)
		}
		n.notesToSets(b, r, from)
	}
	b.busy, b.due = [kindsOfWork]uint64{}, [4][kindsOfWork]uint64{}
}

// settle adds what the words have counted to the counts of the bank.
func (s *words) settle() {
	c, r := &s.bank.count, s.r
	c.turned[r].packets += s.turns
	c.turned[r].phits += s.turnedPhits
	c.entries[r] += s.entries
	c.sends[r] += s.sends
	s.turns, s.turnedPhits, s.entries, s.sends = 0, 0, 0, 0
}

// clearSets empties what toSets makes.
func (n *Network) clearSets(b *bank) {
	for s := range b.segment {
		x := &b.segment[s]
		x.ready, x.toRing, x.toOutput, x.fromRing, x.fromInput, x.wants = [2]uint64{}, [2]uint64{}, [2]uint64{}, [2]uint64{}, [2]uint64{}, [2]uint64{}
		x.second, x.outIdle, x.outRoom, x.came = 0, b.all, 0, 0
		x.free, x.size = count{}, [2]count{}
	}
	for p := range b.input {
		in, o := &b.input[p], &b.output[p]
		in.occupied, in.streaming = 0, 0
		o.leaving, o.idle, o.credited, o.last = [rings]uint64{}, b.all, 0, 0
	}
	b.headed, b.came, b.occupied, b.leaving = 0, 0, 0, 0
}

func (n *Network) segmentToSets(b *bank, x *segment, r int, from noc.Cycle) {
	s, i, bit := &b.words[r], uint(x.number), uint64(1)<<r
	x.lanes.queue[r], x.lanes.queue[64|r] = s.lane[2*i], s.lane[2*i|1]
	x.second |= uint64(s.second>>i&1) << r
	x.free.set(r, n.segmentSlots-int(s.used[i]), n.planes)
	for lane := range uint(2) {
		at := int(lane)<<6 | r
		if size := x.lanes.length(at); size != 0 {
			x.size[lane].set(r, size, n.planes)
			x.wants[lane] |= uint64(*x.lanes.front(at)>>(x.feeds&portBits)&1) << r
		}
		x.ready[lane] |= uint64(s.at>>(headAt+2*i+lane)&1) << r
		if s.turned[i] >= from {
			x.toRing[lane] |= uint64(s.toRing>>(2*i+lane)&1) << r
		}
		if s.ejected[i] >= from {
			x.toOutput[lane] |= uint64(s.toOutput>>(2*i+lane)&1) << r
		}
	}
	if (x.ready[0]|x.ready[1])&bit != 0 {
		b.headed |= x.bit
	}
	if until := s.turned[i]; until >= from {
		x.next.fromRing[s.into>>i&1] |= bit
		x.turned[b.noteAt(n, until, turned, x.bit)] |= bit
	}
	if until := s.ejected[i]; until >= from {
		x.outIdle &^= bit
		x.ejected[b.noteAt(n, until, ejected, x.bit)] |= bit
	}
	x.outRoom |= uint64(s.full>>(n.drains[i])&1^1) << r
}

func (n *Network) portToSets(b *bank, p, r int, from noc.Cycle) {
	s, in, o, bit := &b.words[r], &b.input[p], &b.output[p], uint64(1)<<r
	in.stage.queue[r] = s.input[p]
	in.occupied |= s.at >> (inputAt + p) & 1 << r
	if in.occupied != 0 {
		b.occupied |= in.bit
	}
	if until := s.entered[p]; until >= from {
		in.streaming |= bit
		in.segment[s.ring1>>p&1].fromInput[s.lane1>>p&1] |= bit
		in.entered[b.noteAt(n, until, entered, in.bit)] |= bit
	}
	for ring := range rings {
		o.lanes.queue[ring<<6|r] = s.stage[2*p+ring]
		o.leaving[ring] |= s.at >> (stagedAt + 2*p + ring) & 1 << r
	}
	if o.leaving[0]|o.leaving[1] != 0 {
		b.leaving |= o.bit
	}
	o.credits[r] = s.credits[p]
	o.credited |= s.at >> (creditAt + 2*p) & 1 << r
	o.last |= uint64(s.last>>p&1) << r
	if until := s.sent[p]; until >= from {
		o.idle &^= bit
		o.sent[b.noteAt(n, until, sent, o.bit)] |= bit
	}
}

// notesToSets turns the notes of a router into entries of agendas, mail and first credits.
func (n *Network) notesToSets(b *bank, r int, from noc.Cycle) {
	s, bit := &b.words[r], uint64(1)<<r
	for cycle := from; cycle < from+4; cycle++ {
		for w := s.soon[cycle&3]; w != 0; w &= w - 1 {
			switch note := uint(bits.TrailingZeros64(w)); {
			case note < stagedAt:
				x := &b.segment[note>>1]
				x.appears[note&1][b.noteAt(n, cycle, appear, x.bit)] |= bit
			case note < creditAt:
				o := &b.output[(note-stagedAt)>>1]
				o.appears[note&1][b.noteAt(n, cycle, staged, o.bit)] |= bit
			case note < inputAt:
				o := &b.output[(note-creditAt)>>1]
				o.refilled[cycle&1] |= bit
				b.refilled[cycle&1] |= o.bit
			default:
				in := &b.input[note-inputAt]
				in.mail[cycle&1] |= bit
				b.mail[cycle&1] |= in.bit
			}
		}
		s.soon[cycle&3] = 0
	}
}

// noteAt has it that something is noted of a segment or port for a cycle, and returns the agenda.
func (b *bank) noteAt(n *Network, cycle noc.Cycle, kind int, of uint64) uint {
	slot := uint(cycle) & n.agendaMask & agendaBits
	b.agenda[slot][kind] |= uint32(of)
	return slot
}

// toWords makes the words of a bank that is in sets, as they are before the step of cycle from.
func (n *Network) toWords(b *bank, from noc.Cycle) {
	b.inWords = true
	for r := range n.routersIn(b) {
		s := &b.words[r]
		*s = words{bank: b, r: r}
		for i := range n.segments {
			n.segmentToWords(s, &b.segment[i], r)
		}
		for p := range n.ports {
			n.portToWords(b, s, uint(p), r)
		}
		b.busy[sends] |= notEmpty(s.at&stagesAt) << r
		b.busy[moves] |= notEmpty(s.at&headsAt) << r
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

func (n *Network) segmentToWords(s *words, x *segment, r int) {
	i := uint(x.number)
	s.asked |= uint16((x.tight|x.judged)>>r&1) << i
	s.second |= uint16(x.second>>r&1) << i
	s.full |= uint16(x.outRoom>>r&1^1) << n.drains[i]
	s.into |= uint16(x.next.fromRing[1]>>r&1) << i
	s.used[i] = uint8(x.lanes.inBoth(r))
	for lane := range uint(2) {
		s.lane[2*i+lane] = x.lanes.queue[int(lane)<<6|r]
		s.at |= x.ready[lane] >> r & 1 << (headAt + 2*i + lane)
		s.toRing |= uint32(x.toRing[lane]>>r&1) << (2*i + lane)
		s.toOutput |= uint32(x.toOutput[lane]>>r&1) << (2*i + lane)
	}
}

func (n *Network) portToWords(b *bank, s *words, p uint, r int) {
	in, o := &b.input[p], &b.output[p]
	s.input[p] = in.stage.queue[r]
	s.at |= in.occupied >> r & 1 << (inputAt + p)
	s.at |= (o.credited >> r & 1) * 3 << (creditAt + 2*p)
	s.credits[p], s.peer[p] = o.credits[r], o.peer[r]
	s.ring1 |= uint8((in.segment[1].fromInput[0]|in.segment[1].fromInput[1])>>r&1) << p
	s.lane1 |= uint8((in.segment[0].fromInput[1]|in.segment[1].fromInput[1])>>r&1) << p
	s.last |= uint8(o.last>>r&1) << p
	for ring := range uint(rings) {
		s.stage[2*p+ring] = o.lanes.queue[ring<<6|uint(r)]
		s.at |= o.leaving[ring] >> r & 1 << (stagedAt + 2*p + ring)
	}
}

// agendaToWords turns what is noted for a cycle into notes and ends of streams. Alarms, and what interfaces may have paid,
// stay where they are.
func (n *Network) agendaToWords(b *bank, cycle noc.Cycle) {
	slot := uint(cycle) & n.agendaMask & agendaBits
	for i := range b.segment {
		x := &b.segment[i]
		each(x.turned[slot], func(r int) { b.words[r].turned[i] = cycle })
		each(x.ejected[slot], func(r int) { b.words[r].ejected[i] = cycle })
		for lane := range uint(2) {
			each(x.appears[lane][slot], func(r int) { b.words[r].will(cycle, moves, 1<<(headAt+2*uint(i)+lane)) })
			x.appears[lane][slot] = 0
		}
		x.turned[slot], x.ejected[slot] = 0, 0
	}
	for p := range b.input {
		in, o := &b.input[p], &b.output[p]
		each(in.entered[slot], func(r int) { b.words[r].entered[p] = cycle })
		each(o.sent[slot], func(r int) { b.words[r].sent[p] = cycle })
		for ring := range uint(rings) {
			each(o.appears[ring][slot], func(r int) { b.words[r].will(cycle, sends, 1<<(stagedAt+2*uint(p)+ring)) })
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

// asSets calls look with all banks in sets.
func (n *Network) asSets(look func()) {
	changed := make([]*bank, 0, len(n.banks))
	for i := range n.banks {
		if b := &n.banks[i]; b.inWords {
			n.toSets(b, n.now)
			changed = append(changed, b)
		}
	}
	look()
	for _, b := range changed {
		n.toWords(b, n.now)
	}
}
