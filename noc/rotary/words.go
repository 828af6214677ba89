package rotary

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A decision for all routers of a bank costs the same however many of them have anything to decide. That pays when many
// packets move. At light load few do, so a bank has a second way: router by router, with all that decisions read about
// one in one place (words), much of it as words of bits.
//
// Both ways obey the same rules and share packets, headers, places and counters. They differ in how they keep who is
// where, so a bank can change from one to the other before any cycle (convert.go), and nothing tells afterwards which it
// was; the tests compare both with the model, and changes at random. Rules that look at many routers, or that few use,
// are left to the sets: see allowWords.

// words is what decisions read about one router. Lane l of the segments is lane l&1 of segment l>>1, lane l of the output
// stages ring l&1 of output l>>1. Streams have no agenda: one goes on until a cycle, and what else is said of it holds
// until then.
type words struct {
	bank *bank
	r    int       // the router in it
	at   uint64    // what is there: see the constants below
	soon [4]uint64 // what will be there in cycle c: element c&3

	came   uint32 // segments into which a packet has turned in cycle cameIn
	cameIn noc.Cycle

	toRing   uint32 // lanes from which a packet streams to the next segment
	toOutput uint32 // or to the output
	second   uint16 // segments of which lane 1 is looked at first
	into     uint16 // segments from which a packet streams into lane 1 of the next
	full     uint16 // lanes of output stages without a free slot, and those that do not exist
	asked    uint16 // segments whose heads are judged by all rules: tight and judged
	last     uint8  // outputs of which lane 1 was served last
	ring1    uint8  // inputs from which a packet streams onto ring 1
	lane1    uint8  // or into lane 1

	used    [16]uint8 // slots of each segment
	lane    [32]queue // of segments, output stages and inputs; their rows are those of the sets
	stage   [16]queue
	input   [8]queue
	credits [8]uint8 // of each output
	peer    [8]int32 // the neighbour behind each port

	turns, turnedPhits, entries, sends uint64 // what is not in bank.count yet

	turned, ejected [16]noc.Cycle // of each segment: a packet streams to the ring or the output before
	entered, sent   [8]noc.Cycle  // of each port: out of the input, or the output
}

// The bits of words.at, from each of these on.
const (
	headAt       = 0  // the first header of each lane of a segment is there
	stagedAt     = 28 // the head of each lane of an output stage is there
	creditAt     = 42 // and the output of that lane has a credit; the local one always has
	inputAt      = 56 // a header is in each input
	maxWordPorts = 7  // ports of a router that has words

	headsAt   = 1<<stagedAt - 1
	stagesAt  = 1<<creditAt - 1<<stagedAt
	creditsAt = 1<<inputAt - 1<<creditAt

	// The most slots of a segment, and of an input or a lane of an output stage, of a router that has words: rows of a
	// known shape are found faster.
	wordPlaces, stagePlaces = 4, 2
)

// allowWords tells whether the routers may be stepped one by one.
func (n *Network) allowWords() bool {
	return n.ports <= maxWordPorts && !n.special && !n.unlimited && !n.tree && n.tour == nil && n.injectLimit >= n.segments*n.segmentSlots &&
		n.segmentSlots <= wordPlaces && n.inputSlots <= stagePlaces && n.laneSlots <= stagePlaces
}

// segmentPlace is a place of lane l of a router in b.segmentRows; since when it is taken is wordPlaces further on.
func (s *words) segmentPlace(l uint, place uint8) uint {
	return (l<<6|uint(s.r))*(2*wordPlaces) | uint(place&(wordPlaces-1))
}

// stagePlace is the same of a lane of an output stage, or twice an input, in b.outputRows or b.inputRows.
func (s *words) stagePlace(l uint, place uint8) uint {
	return (l<<6|uint(s.r))*(2*stagePlaces) | uint(place&(stagePlaces-1))
}

// prepareWords is advance and collectMail for a bank in words.
func (b *bank) prepareWords(n *Network) {
	slot := n.slot(0)
	if all := &b.agenda[slot]; all[alarmed]|all[paid] != 0 {
		b.advancePorts(all, slot)
		*all = agenda{}
		b.paused &^= b.unpaused[slot]
		b.unpaused[slot] = 0
	}
	b.forgetPassed()
	due := &b.due[n.now&3]
	for m := due[sends] | due[moves] | due[entries]; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		s.at |= s.soon[n.now&3]
		s.soon[n.now&3] = 0
	}
	for kind := range due {
		b.busy[kind] |= due[kind]
		due[kind] = 0
	}
}

// Kinds of work in a router, in the order in which they are done. Each has a loop of its own over the routers where there is any,
// because nothing would predict which of them a router has.
const (
	sends   = iota // output stages send
	moves          // heads of segments turn or leave
	entries        // inputs enter the rings
	kindsOfWork
)

// will has it that something is there, which is one kind of work, from a cycle on, one or two from now.
func (s *words) will(cycle noc.Cycle, kind int, be uint64) {
	s.soon[cycle&3] |= be
	s.bank.due[cycle&3][kind] |= 1 << (s.r & 63)
}

// stepWords is step for a bank in words.
func (n *Network) stepWords(b *bank, routers uint64) {
	for m := b.busy[sends] & routers; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		n.walkOutputs(s)
		if s.at>>(creditAt-stagedAt)&s.at&stagesAt == 0 {
			b.busy[sends] &^= m & -m
		}
	}
	for m := b.busy[moves] & routers; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		if heads := uint32(s.at & headsAt); heads&(heads-1) != 0 {
			n.walkHeads(s, heads)
		} else {
			n.walkOnly(s, uint(bits.TrailingZeros32(heads)))
		}
		if s.at&headsAt == 0 {
			b.busy[moves] &^= m & -m
		}
	}
	for m := b.busy[entries] & routers; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		n.walkInputs(s)
		if s.at>>inputAt == 0 {
			b.busy[entries] &^= m & -m
		}
	}
	for m := b.feeding &^ b.paused & routers; m != 0; m &= m - 1 {
		if s := &b.words[first(m)]; s.entered[topology.Local] <= n.now {
			n.walkInterface(s)
		}
	}
}

// working is the routers with any work.
func (b *bank) working() uint64 { return b.busy[sends] | b.busy[moves] | b.busy[entries] }

// sleepWords is sleep for a bank in words. Holds are decided for by sets.
func (n *Network) sleepWords(b *bank) {
	if b.holding != 0 {
		n.toSets(b, n.now+1)
		n.holdAll(b, b.all)
		b.wake = min(b.wake, n.now+1)
		return
	}
	switch {
	case b.working()|b.feeding&^b.paused != 0 || b.due[(n.now+1)&3] != [kindsOfWork]uint64{}:
		b.wake = min(b.wake, n.now+1)
		return
	case b.due[(n.now+2)&3] != [kindsOfWork]uint64{}:
		b.wake = min(b.wake, n.now+2)
	}
	b.wake = min(b.wake, b.nextDate(n))
}

// walkOnly is walkHeads for the only head of a router.
func (n *Network) walkOnly(s *words, l uint) {
	i := l >> 1 & 15
	k, v := n.walkHead(s, l, int(s.used[n.next[i]&15]), int(s.used[i]))
	if v == nothing {
		return
	}
	s.second = s.second&^(1<<i) | uint16(^l&1)<<i
	if v == part {
		s.came, s.cameIn = n.walkOn(s, i, k), n.now
	}
}

// walkHeads decides for the heads of all segments of a router, and notes the segments into which packets turn. Turns are
// decided on the counts at the start of the cycle, and all leave before the first comes, because the lengths of the lanes
// choose where.
func (n *Network) walkHeads(s *words, heads uint32) {
	was, turning := s.used, uint32(0)
	for m := heads; m != 0; {
		i := uint(bits.TrailingZeros32(m)) >> 1 & 15
		both := m >> (2 * i) & 3
		m &^= 3 << (2 * i)
		there, here := int(was[n.next[i]&15]), int(was[i])
		lane := uint(both >> 1)
		if both == 3 {
			lane = uint(s.second>>i) & 1
		}
		for range bits.OnesCount32(both) {
			k, v := n.walkHead(s, i<<1|lane, there, here)
			if v == part { // to the next segment
				turning |= 1 << i
				n.packets[i] = k
			}
			lane ^= 1
			if v != nothing {
				s.second = s.second&^(1<<i) | uint16(lane)<<i
			}
		}
	}
	s.came, s.cameIn = 0, n.now
	for m := turning; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros32(m)) & 15
		s.came |= n.walkOn(s, i, n.packets[i])
	}
}

// walkHead decides for the first header of lane l, by the rules of decide and judge, and takes it out if it moves: whole
// to the output, or, which is told as part, onto the ring. there and here are the slots in use in the next segment and in
// this one, at the start of the cycle.
func (n *Network) walkHead(s *words, l uint, there, here int) (packet, verdict) {
	l &= 31
	i, now := l>>1, n.now
	if (s.toRing|s.toOutput)>>l&1 != 0 && s.blocked(l, now) && n.laneBlock != 0 {
		return 0, nothing
	}
	place := s.segmentPlace(l, s.lane[l].head)
	k, copied := s.bank.segmentRows[place], false
	if drain := uint(n.drains[i]); k>>(drain>>1&7)&1 != 0 && s.full>>(drain&15)&1 == 0 && s.ejected[i] <= now {
		granted := whole
		if k&severalBit != 0 || s.asked>>i&1 != 0 {
			granted = n.askWord(s, i, k)
		}
		if granted == whole {
			s.leave(l)
			s.toOutput = s.toOutput&^(3<<(2*i)) | 1<<l
			n.ejectWord(s, i, k)
			return 0, whole
		}
		if granted == part {
			s.toOutput &^= 3 << (2 * i)
			b := s.bank
			n.toOutputWord(s, i, n.copyHead(b, &b.segment[i], s.r, &b.segmentRows[place]))
			k, copied = b.segmentRows[place], true
		}
	}
	if s.turned[i] > now || there+n.config.TurnSlots > n.segmentSlots || n.config.RingTurnBalance && there > here {
		return 0, nothing
	}
	phits := k.phits()
	s.leave(l)
	s.toRing = s.toRing&^(3<<(2*i)) | 1<<l
	s.turned[i] = now + phits
	s.turns++
	s.turnedPhits += uint64(phits)
	if copied {
		s.bank.count.dualPhits[s.r&63] += uint64(phits)
	}
	if few := packet(n.missLimit) << turnShift; k&everyTurn >= few {
		return n.grow(s.bank, s.r, k, few), part
	}
	return k + oneTurn, part
}

// blocked tells whether a packet still streams out of lane l, and forgets those of its segment that have left whole.
func (s *words) blocked(l uint, now noc.Cycle) bool {
	i := l >> 1 & 15
	if s.turned[i] <= now {
		s.toRing &^= 3 << (2 * i)
	}
	if s.ejected[i] <= now {
		s.toOutput &^= 3 << (2 * i)
	}
	return (s.toRing|s.toOutput)>>(l&31)&1 != 0
}

// leave takes the first packet out of lane l, which releases its slot.
func (s *words) leave(l uint) {
	l &= 31
	head := s.lane[l].head + 1
	s.lane[l].head = head
	if head == s.lane[l].tail {
		s.at &^= 1 << l
	}
	s.used[l>>1]--
}

// askWord is askOpen for the head of segment i of one router. Most packets with several destinations are judged by their
// set alone: the output serves some of it, and takes whatever there is.
func (n *Network) askWord(s *words, i uint, k packet) verdict {
	i &= 15
	drain := uint(n.drains[i]) & 15
	space := n.space(int(s.stage[drain].size()), int(s.stage[drain^1].size()))
	if s.asked>>i&1 != 0 || n.rows || k.turns() > n.missLimit {
		return n.askOpen(s.bank, &s.bank.segment[i], s.r, k, space)
	}
	p := int(drain >> 1)
	set := n.headers[k.header()].owed
	switch {
	case set&^n.routes.mask(s.bank.first+s.r, p) == 0:
		return whole
	case p == topology.Local || n.maySplit(space):
		return part
	case k.turns() <= n.pruneAfter:
		return nothing
	}
	return whole
}

// walkOn puts a packet that has left segment i to the ring into the next one, which it returns as a set.
func (n *Network) walkOn(s *words, i uint, k packet) (came uint32) {
	y := uint(n.next[i&15]) & 15
	entry, writing := uint(n.portOf[y])&7, uint(2)
	if s.entered[entry] > n.now && s.ring1>>entry&1 == n.ringOf[y] {
		writing = uint(s.lane1>>entry) & 1
	}
	lane := s.put(y, k, writing, n.now+2)
	s.into = s.into&^(1<<(i&15)) | uint16(lane)<<(i&15)
	return 1 << y
}

// put puts a packet into segment i, where it is from a cycle on. It returns the lane that the packet takes: not the one
// that is being written, or else, if writing is not a lane, the shorter one.
func (s *words) put(i uint, k packet, writing uint, ready noc.Cycle) (lane uint) {
	i &= 15
	if lane = writing ^ 1; writing > 1 {
		lane = uint(s.second>>i) & 1
		if s.used[i] != 0 {
			lane = s.shorter(i, lane)
		}
	}
	l := i<<1 | lane&1
	tail := s.lane[l].tail
	place := s.segmentPlace(l, tail)
	s.bank.segmentRows[place] = k
	s.bank.segmentRows[place|wordPlaces] = packet(ready)
	s.lane[l].tail = tail + 1
	s.used[i]++
	if tail == s.lane[l].head {
		s.will(ready, moves, 1<<(headAt+l))
	}
	return lane
}

// shorter is the lane of segment i that has fewer packets; of equal ones a given one.
func (s *words) shorter(i, given uint) uint {
	return uint(int(s.lane[i&15<<1|1].size())-int(s.lane[i&15<<1].size())-int(given)) >> 63
}

// ejectWord moves a packet that has been the head of segment i to its output.
func (n *Network) ejectWord(s *words, i uint, k packet) {
	if fabric.Invariants {
		n.must(n.mayLeave(s.bank.first+s.r, int(n.feeds[i&15]), k), "a packet leaves by a port that is not on its way (I15)", s.bank.first+s.r)
	}
	n.leavePlace(s.bank.first+s.r, k)
	if k&everyTurn > packet(n.missLimit)<<turnShift {
		n.leaveRings(s.bank, s.r, int(n.feeds[i&15]), k)
	}
	n.toOutputWord(s, i, k)
}

// toOutputWord is toOutput for one router.
func (n *Network) toOutputWord(s *words, i uint, k packet) {
	i &= 15
	now, drain := n.now, uint(n.drains[i])&15
	s.ejected[i] = now + k.phits()
	if p := drain >> 1; p != topology.Local {
		if s.asked>>i&1 != 0 { // else nobody will ask
			s.bank.output[p].passed |= 1 << (s.r & 63)
			s.bank.passed |= 1 << p
		}
		n.takePlace(int(s.peer[p]), k)
	} else {
		n.sinks.Reserve(noc.NodeID(s.bank.first+s.r), k.class())
	}
	tail := s.stage[drain].tail
	place := s.stagePlace(drain, tail)
	s.bank.outputRows[place] = k
	s.bank.outputRows[place|stagePlaces] = packet(now + 2)
	s.stage[drain].tail = tail + 1
	waiting := tail - s.stage[drain].head
	if waiting == 0 {
		s.will(now+2, sends, 1<<(stagedAt+drain))
	}
	if int(waiting)+1 >= n.laneSlots {
		s.full |= 1 << drain
	}
}
