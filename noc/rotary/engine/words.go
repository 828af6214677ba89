package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// A decision for all routers of a bank costs the same however many of them have anything to decide.
// That pays when many packets move. At light load few do, so a bank has a second way: router by
// router, with all that decisions read about one in one place (words), much of it as words of bits.
//
// Both ways obey the same rules and share packets, headers and counters. They differ in how they
// keep who is where, so a bank can change from one to the other before any cycle (convert.go), and
// nothing tells afterwards which it was; the tests compare both with the model, and changes at
// random. Rules that look at many routers, or that few use, are left to the sets: see allowWords.
//
// What a router has to do in a cycle is little, so that waiting for what it is decided by costs
// more than deciding. Hence the layout, in lines of the cache: one of the router, one of four of
// its segments, one of two ports, and one with its first packets.

// words is what decisions read about one router. Its segments are numbered port<<1|ring, and lanes
// of segments segment<<1|lane; lanes of output stages are port<<1|ring as well, so that a lane has
// the number of the next segment of the ring that drains into it. Queues are places of the router's
// pool (pool.go). Streams have no agenda: one goes on until a cycle, and what else is said of it
// holds until then.
type words struct {
	at    uint64    // what is there: see the constants below
	soon  [2]uint64 // what will be there in cycle c: element c&1
	used  uint64    // slots of each segment in use, four bits each
	free  uint64    // places of the pool
	pool  *[128]slot
	bank  *bank
	asked uint16 // segments whose heads are judged by all rules: tight and judged
	r     uint8  // the router in the bank
	_     [5]byte

	segment [16]wordSegment
	port    [8]wordPort
	rest    uint64   // free places from 64 on
	_       [56]byte // whole lines, as TestWordsLayout has it
}

// wordSegment is one segment of a router in words. Cycles are their low 16 bits: see refresh.
type wordSegment struct {
	lane     [2]places4
	turned   uint16 // until then a packet streams to the ring
	ejected  uint16 // or to the output
	toRing   uint8  // from this lane
	into     uint8  // into this lane of the next segment
	toOutput uint8  // or from this lane to the output; or neither, if it is a copy
	second   uint8  // the lane that is looked at first: it did not send last
}

// wordPort is one port of a router in words. What is counted is not in the bank's counts yet: see
// refresh.
type wordPort struct {
	peer                     int32 // the neighbour behind the port; the router itself behind the local one
	stage                    [rings]places2
	input                    places2
	entered, sent            uint16        // until then a packet streams out of the input, or the output
	came                     [rings]uint16 // when a packet turned into the segment
	phits, entries, sends    uint16        // phits that left by the output, packets from the input, packets that left
	turns, turnedPhits       uint16        // packets that left the segments to the rings, and their phits
	credits                  uint8
	last                     uint8 // the lane of the stage that was served last
	enteredRing, enteredLane uint8 // where the packet from the input streams to
}

// neither is where a copy streams out of: it is in no other packet's way.
const neither = 2

// The bits of words.at, from each of these on.
const (
	headAt       = 0  // the first header of each lane of a segment is there
	stagedAt     = 28 // the head of each lane of an output stage is there
	creditAt     = 42 // and the output of that lane has a credit; the local one needs none
	inputAt      = 56 // a header is in each input
	maxWordPorts = 7  // ports of a router that has words

	headsAt = 1<<stagedAt - 1
	ring0At = headsAt / 15 * 3 // heads of ring 0
	nodeAt  = 3 << stagedAt
	linksAt = 1<<creditAt - 1<<stagedAt - nodeAt

	// The most slots of a segment, and of an input or a lane of an output stage, of a router that
	// has words: so many places are in a queue.
	wordPlaces, stagePlaces = 4, 2
)

// allowWords reports whether the routers may be stepped one by one.
func (n *Network) allowWords() bool {
	return n.ports <= maxWordPorts && !n.special && !n.unlimited && !n.tree && n.tour == nil && n.injectLimit >= n.segments*n.segmentSlots &&
		n.segmentSlots <= wordPlaces && n.inputSlots <= stagePlaces && n.laneSlots <= stagePlaces
}

// inUse is the slots in use of segment j, given words.used.
func inUse(used uint64, j uint) int { return int(used >> (4 * j & 63) & 15) }

// Kinds of work in a router. Each has a loop of its own over the routers where there is any,
// because nothing would predict which of them a router has; for the same reason packets with
// several destinations are another kind, and what a head of a segment will do is guessed when it
// gets there. Whatever the kind, it is decided by all rules.
const (
	consumptions  = iota // the node takes packets from the local output stage
	sends                // the other output stages send
	multicasts           // a packet with several destinations
	turns                // heads of segments turn
	departures           // or leave to the output
	divisions            // or leave in part
	entries              // inputs enter the rings
	distributions        // with a packet with several destinations
	kindsOfWork          // a power of two
)

// leaving is the kind of work of a packet that gets into the output stage of port p.
func leaving(k packet, p uint) uint {
	linked := notLocal(p)
	return consumptions + linked + linked&uint(k>>severalShift)
}

// moving is the kind of work of a packet that gets into a segment which drains to port p.
func moving(k packet, p uint) uint {
	wanted := uint(k>>(p&7)) & 1
	return turns + wanted + wanted&uint(k>>severalShift)
}

// entering is the kind of work of a packet that gets into an input.
func entering(k packet) uint { return entries + uint(k>>severalShift)&1 }

// notLocal is 1 for a port that leads to a neighbour and 0 for the local one, without a branch that
// nothing would predict.
func notLocal(p uint) uint { return (p + maxWordPorts) >> 3 }

// will has it that something is there, which is one kind of work, from a cycle on, one or two from
// now.
func (s *words) will(cycle noc.Cycle, kind uint, be uint64) {
	s.soon[cycle&1] |= be
	b := s.bank
	b.due[cycle&1][kind&(kindsOfWork-1)] |= 1 << (s.r & 63)
	b.comes[cycle&1] = true
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
	due, some := &b.due[n.now&1], uint64(0)
	for kind := range due {
		some |= due[kind]
		b.busy[kind] |= due[kind]
		due[kind] = 0
	}
	b.comes[n.now&1] = false
	for m := some; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		s.at |= s.soon[n.now&1]
		s.soon[n.now&1] = 0
	}
}

// stepWords is step for a bank in words. Few routers have work of a kind left when they have been
// stepped.
func (n *Network) stepWords(b *bank, routers uint64) {
	n.consumeHeads(b, routers)
	n.sendHeads(b, routers)
	n.moveHeads(b, routers)
	n.enterHeads(b, routers)
	for m := b.feeding &^ b.paused & routers; m != 0; m &= m - 1 {
		if s := &b.words[first(m)]; !later(s.port[topology.Local].entered, n.now) {
			n.walkInterface(s)
		}
	}
}

func (n *Network) consumeHeads(b *bank, routers uint64) {
	rest := uint64(0)
	for m := b.busy[consumptions] & routers; m != 0; m &= m - 1 {
		s := &b.words[first(m)]
		if n.walkNode(s); s.at&nodeAt != 0 {
			rest |= m & -m
		}
	}
	b.busy[consumptions] = b.busy[consumptions]&^routers | rest
}

func (n *Network) sendHeads(b *bank, routers uint64) {
	one, several := b.busy[sends]&routers, b.busy[multicasts]&routers
	rest := uint64(0)
	for _, set := range [...]uint64{one, several &^ one} {
		for m := set; m != 0; m &= m - 1 {
			s := &b.words[first(m)]
			if n.walkLinks(s); s.at>>(creditAt-stagedAt)&s.at&linksAt != 0 {
				rest |= m & -m
			}
		}
	}
	b.busy[sends] = b.busy[sends]&^routers | rest
	b.busy[multicasts] &^= routers
}

func (n *Network) moveHeads(b *bank, routers uint64) {
	turning, departing, dividing := b.busy[turns]&routers, b.busy[departures]&routers, b.busy[divisions]&routers
	mixed := turning&departing | turning&dividing | departing&dividing
	rest := uint64(0)
	for _, set := range [...]uint64{turning | mixed, departing &^ mixed, dividing &^ mixed} {
		for m := set; m != 0; m &= m - 1 {
			s := &b.words[first(m)]
			if heads := uint32(s.at & headsAt); heads&(heads-1) != 0 {
				n.walkHeads(s, heads)
			} else {
				n.walkOnly(s, uint(bits.TrailingZeros32(heads)))
			}
			if s.at&headsAt != 0 {
				rest |= m & -m
			}
		}
	}
	b.busy[turns] = b.busy[turns]&^routers | rest
	b.busy[departures] &^= routers
	b.busy[divisions] &^= routers
}

func (n *Network) enterHeads(b *bank, routers uint64) {
	one, several := b.busy[entries]&routers, b.busy[distributions]&routers
	rest := uint64(0)
	for _, set := range [...]uint64{one, several &^ one} {
		for m := set; m != 0; m &= m - 1 {
			s := &b.words[first(m)]
			if n.walkInputs(s); s.at>>inputAt != 0 {
				rest |= m & -m
			}
		}
	}
	b.busy[entries] = b.busy[entries]&^routers | rest
	b.busy[distributions] &^= routers
}

// working is the routers with any work.
func (b *bank) working() (set uint64) {
	for _, busy := range b.busy {
		set |= busy
	}
	return set
}

// sleepWords is sleep for a bank in words. Holds are decided for by sets.
func (n *Network) sleepWords(b *bank) {
	if b.holding != 0 {
		n.toSets(b, n.now+1)
		n.holdAll(b, b.all)
		b.wake = min(b.wake, n.now+1)
		return
	}
	switch {
	case b.comes[(n.now+1)&1] || b.working()|b.feeding&^b.paused != 0:
		b.wake = min(b.wake, n.now+1)
		return
	case b.comes[n.now&1]:
		b.wake = min(b.wake, n.now+2)
	}
	b.wake = min(b.wake, b.nextDate(n))
}
