package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/set"
)

const (
	rings       = 2
	maxPorts    = 8 // a power of two, so that masked indices need no check
	maxSegments = rings * maxPorts

	portBits    = maxPorts - 1
	segmentBits = maxSegments - 1
	laneBits    = 2*maxSegments - 1
)

// Numbers of the parts of a router, and sets of them. Segment ring<<3|port is that of a port on a
// ring, and lane number<<4|segment one of its two lanes. The lane of an output stage has the number
// of the next segment of the ring that drains into it.
type (
	port    uint
	segment uint
	lane    uint

	portSet    = set.Of8[port]
	segmentSet = set.Of16[segment]
	laneSet    = set.Of32[lane]
	classSet   = set.Of8[noc.Class]
)

func segmentOf(ring uint, p port) segment { return segment(ring*maxPorts+uint(p)) & segmentBits }
func laneOf(number uint, j segment) lane  { return lane(number*maxSegments+uint(j)) & laneBits }

func (j segment) port() port    { return port(j) & portBits }
func (j segment) ring() uint    { return uint(j) / maxPorts & 1 }
func (l lane) segment() segment { return segment(l) & segmentBits }
func (l lane) number() uint     { return uint(l) / maxSegments & 1 }

// onBoth returns the segments of some ports, and portsOf the ports of some segments.
func onBoth(ports portSet) segmentSet { return segmentSet(ports) * (1 | 1<<maxPorts) }
func portsOf(s segmentSet) portSet    { return portSet(s | s>>maxPorts) }

// lanesOf returns both lanes of some segments.
func lanesOf(s segmentSet) laneSet { return laneSet(s) * (1 | 1<<maxSegments) }

// segmentsOf returns the segments of some lanes.
func segmentsOf(lanes laneSet) segmentSet { return segmentSet(lanes | lanes>>maxSegments) }

// router is one router. What decisions look at first are sets, and ends of streams (stream.go). What is read together
// is in one cache line of the host (TestRouterLayout).
type router struct {
	now  present
	soon [2]present // what comes in cycle c: element c&1

	first    segmentSet // segments of which lane 1 is looked at first: lane 0 sent last
	toRing   segmentSet // segments that stream from lane 1 to the ring, if from any
	into     segmentSet // and into lane 1 of the next segment
	toOutput segmentSet // segments that stream from lane 1 to the output, if from any
	copying  segmentSet // segments that stream a copy, which is in no other packet's way
	full     segmentSet // segments whose lane of the output stage has no free slot, or leads nowhere
	tight    segmentSet // segments behind whose output there may be no room, so that every packet asks (rule 12)
	held     segmentSet // segments whose next segment refuses turns (rule 15)
	turning  segmentSet // segments from which a packet turns in cycle decided
	fromRing portSet    // ports whose input streams to ring 1, if to any
	fromLane portSet    // and into lane 1 of its segment
	refused  portSet    // inputs whose head both rings have refused
	id       int32
	decided  noc.Cycle // the latest in which heads of segments were decided

	used    [maxSegments]uint8 // slots in use of each segment
	sent    [maxPorts]until    // a packet streams out of the output
	entered [maxPorts]until    // a packet streams out of the input
	net     *region
	group   *group

	turned  [maxSegments]until // a packet streams to the ring
	ejected [maxSegments]until // or to the output

	size    [2 * maxSegments]uint8 // packets in each lane
	holding holding

	lane [2 * maxSegments]queue

	count counts
	rare  *rare
	_     [16]byte

	stages [maxPorts]stages
}

// present is what holds packets in a router, and what can take them: four sets in one word. Whether
// the header there already streams out, or waits behind one that does, is found when it is decided.
type present uint64

// The sets: lanes of segments, lanes of output stages and inputs that hold a header, and outputs
// with a free slot behind them, that to the node included.
func (w present) heads() laneSet     { return laneSet(w) }
func (w present) staged() segmentSet { return segmentSet(w >> 32) }
func (w present) inputs() portSet    { return portSet(w >> 48) }
func (w present) credits() portSet   { return portSet(w >> 56) }

// A member of one of the sets.
func head(l lane) present          { return 1 << (l & laneBits) }
func staged(drain segment) present { return 1 << (drain&segmentBits + 32) }
func waiting(input port) present   { return 1 << (input&portBits + 48) }
func credit(output port) present   { return 1 << (output&portBits + 56) }

// sendable returns the lanes of output stages whose head finds a free slot behind the output.
func (w present) sendable() segmentSet { return w.staged() & onBoth(w.credits()) }

// stages are the input stage and the output stage of one port.
type stages struct {
	phits   uint64 // that left by the output
	stage   [rings]queue
	staged  [rings]int32 // packets in each lane; always at the limit if the port leads nowhere
	input   queue
	peer    *router // the neighbour behind the port, or its ghost; the router itself behind the local one; nil at an edge
	credits uint8   // free slots of the neighbour's input stage
	last    uint8   // the lane of the stage that was served last
	entry   uint8   // the neighbours' input behind the output
	exit    uint8   // the neighbours' output before the input
	_       [8]byte
}

const (
	none = -1
	edge = 1 << 30 // packets in a lane of an output stage that leads nowhere
)

// rare is what few decisions about a router read.
type rare struct {
	served    noc.Cycle   // when the interface sent last
	aged      classSet    // classes that have an aged packet on the rings (rule 3)
	lastClass int8        // that the interface has sent
	holder    [rings]int8 // input for which its segment is held, or none
	expired   portSet     // inputs refused for long enough to ask for a hold (rule 15)

	taken   portSet // outputs by which quota of the neighbour has been taken in cycle takenAt
	takenAt noc.Cycle
	agedOf  [noc.MaxClasses]int16 // aged packets on the rings, by class
	since   [maxPorts]noc.Cycle   // of the refused inputs
}

func (rare *rare) addAged(class noc.Class) {
	rare.agedOf[class]++
	rare.aged.Add(class)
}

func (rare *rare) dropAged(class noc.Class) {
	if rare.agedOf[class]--; rare.agedOf[class] == 0 {
		rare.aged.Remove(class)
	}
}

// takeQuota notes that quota of the neighbour behind an output is taken in this cycle; tookQuota
// reports it.
func (rare *rare) takeQuota(output port, now noc.Cycle) {
	if rare.takenAt != now {
		rare.takenAt, rare.taken = now, 0
	}
	rare.taken.Add(output)
}

func (rare *rare) tookQuota(output port, now noc.Cycle) bool {
	return rare.takenAt == now && rare.taken.Has(output)
}

// counts is what the activity of a router is made of; the rest follows from what crossed its links.
type counts struct {
	fabric.Presence         // of packets in the router or on a link towards it, and of phits that leave
	sends, entries          uint64
	turns, turnedPhits      uint64
	injectPhits             uint64
	sendsLost, entriesLost  uint64
	dualPhits               uint64
	replications, misroutes uint64
}
