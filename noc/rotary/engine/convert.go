package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// When a bank changes between sets and words, see words.go: to sets when more routers than
// fewRouters are busy, and to words when no more than half as many have been whenever it was looked
// at, settleLooks times and once more. A change goes over all routers, so it must be rare, and so
// may a look: it is worth one in every eight cycles.
const (
	fewRouters  = 56
	settleLooks = 4
	lookMask    = 7
)

// represent has the banks that are due in the form that suits what is going on in them.
func (n *Network) represent() {
	for _, i := range n.due {
		b := &n.banks[i]
		switch {
		case b.words == nil:
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

// leaveWords has all banks in sets from now on.
func (n *Network) leaveWords() {
	for i := range n.banks {
		if b := &n.banks[i]; b.inWords {
			n.toSets(b, n.now)
		}
		n.banks[i].words = nil
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
	if from-n.refreshed >= refreshEvery {
		n.refresh()
	}
	b.inWords, b.calm = false, 0
	n.clearSets(b)
	n.gatherWords(b)
	for r := range n.routersIn(b) {
		b.words[r].settle()
		for p := range n.ports {
			for ring := range rings {
				n.segmentToSets(b, p, ring, r, from)
			}
			n.portToSets(b, p, r, from)
		}
		n.notesToSets(b, r, from)
	}
	b.busy, b.due, b.comes = [kindsOfWork]uint64{}, [2][kindsOfWork]uint64{}, [2]bool{}
}

// gatherWords lists the packets of a bank in words, in the order of pushSets: the pools are where
// the rows of the sets will be.
func (n *Network) gatherWords(b *bank) {
	n.moving = n.moving[:0]
	for r := range n.routersIn(b) {
		s := &b.words[r]
		gather := func(queue uint32) {
			for ; queue != 0; queue >>= 8 {
				n.moving = append(n.moving, *s.slot(uint8(queue)))
			}
		}
		for p := range n.ports {
			x := &s.port[p]
			for ring := range rings {
				gather(uint32(s.segment[2*p+ring].lane[0]))
				gather(uint32(s.segment[2*p+ring].lane[1]))
			}
			gather(uint32(x.input))
			if x.peer >= 0 {
				gather(uint32(x.stage[0]))
				gather(uint32(x.stage[1]))
			}
		}
	}
	n.moved = 0
}

// pushSets puts as many packets as a queue of words has, the next of those gathered, into a FIFO of
// the sets.
func (n *Network) pushSets(f *fifos, i, size int) {
	f.queue[i&127] = queue{}
	for range size {
		f.push(i, n.moving[n.moved].packet, n.moving[n.moved].since)
		n.moved++
	}
}

// settle adds what the words have counted to the counts of the bank.
func (s *words) settle() {
	c, r := &s.bank.count, s.r&63
	for p := range s.bank.output {
		x := &s.port[p]
		c.turned[r].packets += uint64(x.turns)
		c.turned[r].phits += uint64(x.turnedPhits)
		c.entries[r] += uint64(x.entries)
		c.sends[r] += uint64(x.sends)
		s.bank.output[p].phits[r] += uint64(x.phits)
		x.turns, x.turnedPhits, x.entries, x.sends, x.phits = 0, 0, 0, 0, 0
	}
}

// settleWords adds what the words of all routers have counted to the counts of their banks.
func (n *Network) settleWords() {
	for i := range n.banks {
		if b := &n.banks[i]; b.inWords {
			for r := range n.routersIn(b) {
				b.words[r].settle()
			}
		}
	}
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

func (n *Network) segmentToSets(b *bank, p, ring, r int, from noc.Cycle) {
	s, x, bit := &b.words[r], &b.segment[ring*n.ports+p], uint64(1)<<r
	j := uint(2*p + ring)
	own := &s.segment[j]
	x.second |= uint64(own.second) << r
	x.free.set(r, n.segmentSlots-inUse(s.used, j), n.planes)
	for lane := range uint(2) {
		at := int(lane)<<6 | r
		n.pushSets(&x.lanes, at, own.lane[lane].size())
		if size := x.lanes.length(at); size != 0 {
			x.size[lane].set(r, size, n.planes)
			x.wants[lane] |= uint64(*x.lanes.front(at)>>(x.feeds&portBits)&1) << r
		}
		x.ready[lane] |= uint64(s.at>>(headAt+2*j+lane)&1) << r
	}
	if (x.ready[0]|x.ready[1])&bit != 0 {
		b.headed |= x.bit
	}
	if until, streaming := ends(own.turned, from); streaming {
		x.toRing[own.toRing&1] |= bit
		x.next.fromRing[own.into&1] |= bit
		x.turned[b.noteAt(n, until, turned, x.bit)] |= bit
	}
	if until, streaming := ends(own.ejected, from); streaming {
		if own.toOutput != neither {
			x.toOutput[own.toOutput&1] |= bit
		}
		x.outIdle &^= bit
		x.ejected[b.noteAt(n, until, ejected, x.bit)] |= bit
	}
	if drain := n.ahead[j]; s.port[drain>>1].stage[drain&1] < n.mostStaged {
		x.outRoom |= bit
	}
}

func (n *Network) portToSets(b *bank, p, r int, from noc.Cycle) {
	s, in, o, bit := &b.words[r], &b.input[p], &b.output[p], uint64(1)<<r
	own := &s.port[p]
	n.pushSets(&in.stage, r, own.input.size())
	in.occupied |= s.at >> (inputAt + p) & 1 << r
	if in.occupied != 0 {
		b.occupied |= in.bit
	}
	if until, streaming := ends(own.entered, from); streaming {
		in.streaming |= bit
		in.segment[own.enteredRing&1].fromInput[own.enteredLane&1] |= bit
		in.entered[b.noteAt(n, until, entered, in.bit)] |= bit
	}
	for ring := range rings {
		if own.peer >= 0 {
			n.pushSets(&o.lanes, ring<<6|r, own.stage[ring].size())
		}
		o.leaving[ring] |= s.at >> (stagedAt + 2*p + ring) & 1 << r
	}
	if o.leaving[0]|o.leaving[1] != 0 {
		b.leaving |= o.bit
	}
	o.credits[r] = own.credits
	o.credited |= s.at >> (creditAt + 2*p) & 1 << r
	o.last |= uint64(own.last) << r
	if until, streaming := ends(own.sent, from); streaming {
		o.idle &^= bit
		o.sent[b.noteAt(n, until, sent, o.bit)] |= bit
	}
}

// ends is the cycle until which a stream goes on, given its low 16 bits, and whether that is from
// or later.
func ends(cycle uint16, from noc.Cycle) (until noc.Cycle, streaming bool) {
	left := int16(cycle - uint16(from))
	return from + noc.Cycle(left), left >= 0
}

// notesToSets turns the notes of a router into entries of agendas, mail and first credits.
func (n *Network) notesToSets(b *bank, r int, from noc.Cycle) {
	s, bit := &b.words[r], uint64(1)<<r
	for cycle := from; cycle < from+2; cycle++ {
		for w := s.soon[cycle&1]; w != 0; w &= w - 1 {
			switch note := uint(bits.TrailingZeros64(w)); {
			case note < stagedAt:
				x := &b.segment[n.numberOf(note>>1)]
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
		s.soon[cycle&1] = 0
	}
}

// noteAt has it that something is noted of a segment or port for a cycle, and returns the agenda.
func (b *bank) noteAt(n *Network, cycle noc.Cycle, kind int, of uint64) uint {
	slot := uint(cycle) & n.agendaMask & agendaBits
	b.agenda[slot][kind] |= uint32(of)
	return slot
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
