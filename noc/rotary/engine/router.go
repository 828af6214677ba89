package engine

import (
	"encoding/binary"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

const (
	rings       = 2
	maxPorts    = 8 // so that the bytes of all ports are a word
	maxSegments = rings * maxPorts

	portBits    = maxPorts - 1
	segmentBits = maxSegments - 1
	laneBits    = 2*maxSegments - 1
)

// router is one router. Its segments are numbered ring<<3|port, and lanes of segments
// lane<<4|segment. Lanes of output stages are numbered ring<<3|port too, so that a lane has the
// number of the next segment of the ring that drains into it.
//
// What decisions look at first are words with a bit for each segment, lane or port, and bytes that
// are compared eight at a time. A stream has no event at its end: it goes on until a cycle, of
// which a byte keeps the low bits. Masked indices spare bounds checks.
type router struct {
	used    [maxSegments]uint8 // slots in use of each segment
	turned  [maxSegments]uint8 // until then a packet streams to the ring: see busyBits
	ejected [maxSegments]uint8 // or to the output
	sent    [maxPorts]uint8    // or out of the output
	entered [maxPorts]uint8    // or out of the input

	now  present
	soon [2]present // what comes in cycle c: element c&1

	second   uint32 // segments of which lane 1 is looked at first: lane 0 sent last
	toRing   uint32 // segments that stream from lane 1 to the ring, if from any
	into     uint32 // and into lane 1 of the next segment
	toOutput uint32 // segments that stream from lane 1 to the output, if from any
	copying  uint32 // segments that stream a copy, which is in no other packet's way
	fromRing uint32 // ports whose input streams to ring 1, if to any
	fromLane uint32 // and into lane 1 of its segment
	full     uint32 // segments whose lane of the output stage has no free slot, or leads nowhere
	asked    uint32 // segments behind whose output there may be no room, so that every packet asks (rule 12)
	held     uint32 // segments whose next segment refuses turns (rule 15)
	refused  uint32 // inputs whose head both rings have refused
	turning  uint32 // segments from which a packet has turned in cycle turningAt
	id       int32
	size     [2 * maxSegments]uint8 // packets in each lane
	bit      uint64                 // the router as a member of a set of its group
	lane     [2 * maxSegments]queue

	net       *Network
	group     *group
	special   *special
	turningAt noc.Cycle
	holding   holding
	count     counts
	port      [maxPorts]port
}

// present marks the lanes and inputs of a router that hold packets. Whether the header there
// already streams out, or waits behind one that does, is found when it is decided.
type present struct {
	heads uint32 // lanes of segments that hold a header
	ports uint32 // from bit 0 the lanes of output stages that do, then the inputs, then outputs with a credit
}

const (
	inputAt  = 2 * maxPorts // first bit of the inputs in present.ports
	creditAt = 3 * maxPorts // and of the credits; the node takes packets without

	allPorts    = 1<<maxPorts - 1
	pair        = 1 | 1<<maxPorts // both segments, or both lanes of the output stage, of port 0
	allSegments = 1<<maxSegments - 1
)

// staged returns the lanes of output stages that hold a header.
func (w *present) staged() uint32 { return w.ports & allSegments }

// sendable returns those whose head finds a credit, but for those of the node.
func (w *present) sendable() uint32 { return w.ports >> creditAt * pair & w.ports }

// inputs returns the inputs that hold a header.
func (w *present) inputs() uint32 { return w.ports >> inputAt & allPorts }

// port is the input stage and the output stage of one port.
type port struct {
	phits   uint64 // that left by the output
	stage   [rings]queue
	staged  [rings]int32 // packets in each lane; always at the limit if the port leads nowhere
	input   queue
	peer    *router // the neighbour behind the port; the router itself behind the local one; nil at an edge
	credits uint8   // free slots of the neighbour's input stage
	last    uint8   // the lane of the stage that was served last
	entry   uint8   // the neighbours' input behind the output
	exit    uint8   // the neighbours' output before the input
}

const (
	none      = -1
	edge      = 1 << 30 // packets in a lane of an output stage that leads nowhere
	unlimited = 1 << 29 // slots of a lane without limit
)

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

// The cycles until which something streams are kept by their low bits, in bytes: what streams until
// a cycle behind the present one by less than halfAround is over. Streams that are over are
// forgotten every forgetEvery cycles, so that none is taken for one to come.
const (
	halfAround  = 128
	forgetEvery = 96 // less than halfAround by more than the longest packet

	bytesOnes = 0x0101010101010101
	bytesTops = 0x8080808080808080
	gather    = 0x0102040810204080 // multiplies a bit in each byte into the top byte
)

// busy reports whether what streams until a cycle, of which there are the low bits, still does.
func busy(until uint8, now noc.Cycle) bool { return int8(until-uint8(now)) > 0 }

// ending returns the cycle, not before now, in which something stops streaming.
func ending(until uint8, now noc.Cycle) noc.Cycle {
	if !busy(until, now) {
		return now
	}
	return now + noc.Cycle(until-uint8(now))
}

// eight returns eight bytes as a word.
func eight(b []uint8) uint64 { return binary.LittleEndian.Uint64(b) }

// collect returns the highest bits of the bytes of a word as a set.
func collect(tops uint64) uint32 { return uint32(tops >> 7 * gather >> 56) }

// instant is a cycle, in the form that eight bytes are compared with: the low bits of the next one
// in each of them, without the highest one, and the complement of that.
type instant struct{ rest, top uint64 }

func instantOf(cycle noc.Cycle) instant {
	next := uint64(uint8(cycle+1)) * bytesOnes
	return instant{next &^ bytesTops, ^next & bytesTops}
}

// idle has the highest bits of the bytes in which nothing streams any more.
func (i *instant) idle(until uint64) uint64 {
	left := ((until | bytesTops) - i.rest) ^ (until^i.top)&bytesTops // of cycles, less one
	return left & bytesTops
}

// idle returns the ports that do not stream.
func (n *Network) idle(until *[maxPorts]uint8) uint32 {
	return collect(n.instant.idle(eight(until[:])))
}

// idleSegments returns the segments that do not stream.
func (n *Network) idleSegments(until *[maxSegments]uint8) uint32 {
	return collect(n.instant.idle(eight(until[:]))) | collect(n.instant.idle(eight(until[maxPorts:])))<<maxPorts
}

// forget makes all streams that are over, or all there are, ones that end now.
func (r *router) forget(all bool) {
	n := r.net
	n.forgetEight(r.turned[:], all)
	n.forgetEight(r.turned[maxPorts:], all)
	n.forgetEight(r.ejected[:], all)
	n.forgetEight(r.ejected[maxPorts:], all)
	n.forgetEight(r.sent[:], all)
	n.forgetEight(r.entered[:], all)
}

// forgetEight is forget for eight bytes.
func (n *Network) forgetEight(until []uint8, all bool) {
	w := eight(until)
	over := n.instant.idle(w) >> 7 * 0xff
	if all {
		over = ^uint64(0)
	}
	binary.LittleEndian.PutUint64(until, w&^over|uint64(uint8(n.Clock))*bytesOnes&over)
}

// blocked reports whether a packet still streams out of lane l of the segments.
func (r *router) blocked(l uint, now noc.Cycle) bool {
	j, lane := l&segmentBits, uint32(l/maxSegments)
	return busy(r.turned[j], now) && r.toRing>>j&1 == lane ||
		busy(r.ejected[j], now) && r.copying>>j&1 == 0 && r.toOutput>>j&1 == lane
}
