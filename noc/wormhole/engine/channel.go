package engine

import (
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Indices. A port index is router*ports+port: as an input it names the buffers there, as an output
// the link that leaves. Packets enter and leave by ports of nodes: on a grid each router has one,
// port 0, for both. Elsewhere a router may have several or none, and a node may leave by another
// router than the one by which it enters. An output's virtual channel is named by the input channel
// that it leads to. The node behind an exit is the channel [Network.noChannel], which always has
// room and is released at once. Where a channel is named, noChannel also means that there is none.

// A vc is a virtual channel of a router's inputs (layout), a globalVC one of any router: router<<6
// | vc. A request names an input and an output of a router: output<<3 | input.
type (
	vc       uint32
	globalVC uint32
	request  uint8

	vcSet      = set.Of64[vc]
	requestSet = set.Of64[request]
	portSet    = set.Of8[uint8]
	channelSet = wormhole.ChannelSet // of one port
)

func (ch globalVC) router() uint32 { return uint32(ch) >> 6 }
func (ch globalVC) vc() vc         { return vc(ch & 63) }

func newRequest(output, input uint8) request { return request(output<<3 | input) }

// requestsOf returns all requests for an output.
func requestsOf(output uint8) requestSet { return 0xff << (output << 3 & 63) }

func (r request) output() uint8 { return uint8(r >> 3) }
func (r request) input() uint8  { return uint8(r & 7) }

// The parts of a channel are stored apart, by which events use them: front and upstream by flits,
// channel by headers and tails, and a bit each in a word.

// front is what flits of a channel need to come and go: the number of flits that are there in the
// lowest 16 bits, the number of those of the front packet that have not been granted in the next
// 15, a bit while its header is among them, and in the upper half the channel that it goes to.
type front uint64

const (
	oneHere front = 1
	oneLeft front = 1 << 16
	fresh   front = 1 << 31

	leftBits = fresh - oneLeft
)

func (f front) here() uint16 { return uint16(f) }
func (f front) left() uint16 { return uint16(f & leftBits >> 16) }
func (f front) fresh() int   { return int(f >> 31 & 1) }
func (f front) to() globalVC { return globalVC(f >> 32) }

// via returns the front when a packet of some flits has got a channel to go to.
func (f front) via(to globalVC, phits uint16) front {
	return f&(oneLeft-1) | front(phits)*oneLeft | fresh | front(to)<<32
}

// upstream is what is known of a channel where flits come from.
type upstream struct {
	credits int32    // free places
	owner   globalVC // the channel upstream whose packet it is for, or noChannel
}

// channel is the rest of a virtual channel of an input: what headers and tails need.
type channel struct {
	worm    int32 // front packet
	router  uint32
	base    uint32     // port index of its router's port 0
	out     uint32     // port index by which it leaves
	node    uint32     // that takes the packet here, or a copy
	next    globalVC   // the channel behind it in the list of port.sleeper, or noChannel
	allowed channelSet // virtual channels of the output that it may take
	hops    uint16     // of the front packet up to here, if it leaves a copy
	phits   uint16     // of the front packet
	place   int16      // among the virtual channels of its router
	input   uint8      // port number
	number  uint8      // virtual channel
	output  uint8      // number of out
	stage   stage
	first   uint8 // of the packets behind the front one
	queued  uint8 // their number
	last    int8  // virtual channel of the output that it proposed and was granted
	flags   uint8
	own     bool // the input is a node's
}

// Flags of a channel.
const (
	copies  = 1 << iota // the node takes a copy of the front packet
	leaves              // it goes to the node
	chooses             // its header takes an output when its route has been computed, not before
)

// stage is what the packet at the front of a channel does.
type stage uint8

const (
	idle     stage = iota // there is none
	coming                // its header will be at the front in a cycle that is known
	unrouted              // its header's route is being computed
	waiting               // for a virtual channel
	active                // it has one
)

// port is what headers and tails need of an output.
type port struct {
	down globalVC   // the first virtual channel that the output leads to, or noChannel
	free channelSet // virtual channels of the output that a packet can get
	// sleeper is the first of the channels whose headers wait until one is free, or the node behind
	// has room; or noChannel.
	sleeper globalVC
	phits   uint64 // of the packets that have got a channel there (accounting)
}

// source is where the flits of an input come from.
type source struct {
	feeder uint32 // port index of the output that leads to the input, or none
	node   uint32 // that sends by the input, or none
}

const none = ^uint32(0)
