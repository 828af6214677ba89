package engine

import "github.com/carousel-sim/carousel/noc"

// A bank is 64 routers, whose state that decisions read is kept as sets of routers: bit r of every
// uint64 below is about router first+r, and element r of every array of 64. So each decision is
// made for 64 routers at once, in a few operations per segment or port, and only packets that move
// cost something each.
type bank struct {
	first int    // number of its first router
	all   uint64 // the routers that exist

	segment []segment // 0 to ports-1 are of ring 0, the others of ring 1
	input   []input
	output  []output
	wake    noc.Cycle
	active
	moved bool // something has been granted in this cycle

	feeding   uint64             // interfaces with something to send
	paused    uint64             // interfaces that owe, until an agenda says otherwise
	unpaused  [maxAgendas]uint64 // those that may have paid by then
	impatient uint64             // interfaces that have not injected for CalmPatience
	patience  noc.Cycle          // no other interface becomes impatient before
	aged      uint64             // routers with an aged packet on their rings
	few       uint64             // routers with few free places, as published

	words   *[64]words             // of each router, or nil where the routers are always stepped together
	inWords bool                   // what decisions read is in words, and not in the sets above
	busy    [kindsOfWork]uint64    // in words: routers in which something may send, turn or leave, or enter
	due     [2][kindsOfWork]uint64 // and those in which it may from cycle c on, in element c&1
	comes   [2]bool                // whether there are any
	slots   []slot                 // in words: the pools of the routers, one after the other; in sets, the rows of the segments
	calm    int                    // in sets: how often in a row few routers had a header

	presence [64]presence
	router   [64]router
	count    counts
	toggles  *toggles // nil where nobody counts flipped bits
}

// segment is the buffering segments of one place in 64 routers: two FIFO lanes that share slots,
// two write ports (ring, input stage) and two read ports (ring, output stage). Pairs are by lane.
type segment struct {
	ready     [2]uint64 // the first header is there
	toRing    [2]uint64 // a packet streams out to the next segment
	toOutput  [2]uint64 // or to the output
	fromRing  [2]uint64 // a packet streams in from the segment before
	fromInput [2]uint64 // or from the input stage
	wants     [2]uint64 // the output serves a destination of the first packet
	second    uint64    // lane 1 is looked at first: it did not send last
	outIdle   uint64    // the output port is idle
	outRoom   uint64    // the lane of the output stage has a free slot
	tight     uint64    // the output leads to a router with few free places
	full      uint64    // and to one with few for every class: it takes a header only when it is that output's turn
	judged    uint64    // the output leads to a node with bounded sinks
	free      count     // slots
	size      [2]count  // packets
	grants    grants
	came      uint64 // a packet has turned into it in this cycle
	lanes     fifos  // router r's lane l is number l<<6|r
	// Agendas: in which the first header is there, and a packet has left whole, by the ring or the
	// output.
	appears         [2][maxAgendas]uint64
	turned, ejected [maxAgendas]uint64

	bit                 uint64   // in sets of segments
	number, ring, feeds uint8    // in the bank, 0 or 1, and the port of the output that it drains to
	wanted              packet   // the bit of that output
	next                *segment // of its ring
	drain               *output
	entry               *input // that enters here
}

// grants is what the segments do in one cycle: sets of routers, and those of which it is lane 1.
type grants struct {
	open             uint64 // a packet may turn
	slow             uint64 // heads are judged one by one
	eject, ejectLane uint64
	turn, turnLane   uint64
}

// input is the input stages of one port. The local one is only a latch: a slot of a segment is
// reserved before a packet leaves its source.
type input struct {
	occupied  uint64        // a header is there
	streaming uint64        // a packet streams out
	refused   uint64        // the head has been refused; since when is in waiting
	expired   uint64        // and for long enough to ask for a hold
	alarm     uint64        // it may be that long now
	holds     [rings]uint64 // the ring holds its segment for this input
	ordered   uint64        // an ordered packet from here is on a ring
	tight     uint64        // entry hysteresis: it asks for one more free slot
	mail      [2]uint64     // a header arrives, by parity of the cycle
	number    uint8
	bit       uint64 // in sets of inputs
	exit      uint8  // the output of the neighbours that feeds it
	segment   [rings]*segment
	upstream  [64]int32 // the neighbour, or -1
	sources   []reach   // the neighbours' banks
	stage     fifos
	inside    [64]int16 // packets from here on the rings, for the entry hysteresis
	waiting   [64]noc.Cycle
	// Agendas: in which a packet has left whole, and in which alarm may be right.
	entered, alarms [maxAgendas]uint64
}

// output is the output stages of one port: a lane per ring, and the link or the node behind.
type output struct {
	leaving  [rings]uint64 // the lane's head is there
	idle     uint64        // nothing streams out
	credited uint64        // there is a credit; always at the local one
	last     uint64        // lane 1 was served last
	passed   uint64        // a place of the neighbour has been taken in this cycle
	refilled [2]uint64     // a first credit comes back, by parity of the cycle
	entry    uint8         // the neighbours' input port
	peer     [64]int32     // the neighbour, or -1
	targets  []reach       // the neighbours' banks
	credits  [64]uint8     // free slots of the neighbour's input stage
	phits    [64]uint64    // that left
	lanes    fifos         // router r's lane of a ring is number ring<<6|r
	feeders  [rings]*segment
	number   uint8
	bit      uint64 // in sets of outputs
	// Agendas: in which a packet has left whole, and in which the lane's head is there.
	sent    [maxAgendas]uint64
	appears [rings][maxAgendas]uint64
}

// reach is a bank in which some routers have their neighbours behind a port.
type reach struct {
	bank    *bank
	routers uint64
}

// joined adds a router to those that have their neighbours in a bank.
func joined(list []reach, neighbour *bank, router uint64) []reach {
	for i := range list {
		if list[i].bank == neighbour {
			list[i].routers |= router
			return list
		}
	}
	return append(list, reach{neighbour, router})
}

// router is what one router has to itself.
type router struct {
	lastClass  int8                  // of the interface's round robin
	aged       uint8                 // classes of which there are aged packets on the rings
	agedOf     [noc.MaxClasses]uint8 // how many
	sourceBusy noc.Cycle             // until here the interface streams
	paid       noc.Cycle             // the pace: until here the interface owes, in hundredths of cycles
	served     noc.Cycle             // of the latest injection
}

// counts is what the routers' activity is made of; the rest follows from what crossed their links.
type counts struct {
	turned                  [64]struct{ packets, phits uint64 }
	entries, entriesLost    [64]uint64
	sends, sendsLost        [64]uint64
	dualPhits, injectPhits  [64]uint64
	replications, misroutes [64]uint64
}

// presence is whether anything is in a router: without a phit, it needs no clock.
type presence struct {
	residents int32     // packets in the router or on a link towards it
	vacant    noc.Cycle // from here on no phit is in the router, unless there are residents
	absent    uint64    // cycles without a phit
}

// heads is the routers in which the first packet of a lane of a segment may move.
func (n *Network) heads(x *segment, lane int) uint64 {
	lane &= 1
	return x.ready[lane] &^ ((x.toRing[lane] | x.toOutput[lane]) & n.laneBlock)
}

// bankOf is the bank of a router and its bit there.
func (n *Network) bankOf(id int) (*bank, uint64) { return &n.banks[id>>6], 1 << (id & 63) }

// routersIn is the number of routers of a bank.
func (n *Network) routersIn(b *bank) int { return min(64, n.Nodes()-b.first) }
