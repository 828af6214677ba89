package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/set"
)

const (
	classBits = 3
	portBits  = 3
	vcBits    = portBits + classBits

	maxClasses = 1 << classBits
	maxPorts   = 1 << portBits // a power of two above the ports of a router, so that masked indices need no check
	maxVCs     = 1 << vcBits
)

// MaxPorts is the most ports of a router.
const MaxPorts = maxPorts - 1

// MaxLinkCycles is the longest latency of a link, so that all events are within the reach of a wheel.
const MaxLinkCycles = 15

// A vc is a virtual channel of a router's inputs: port<<classBits | class. A globalVC is one of
// any router: router<<vcBits | vc. All channels of the network are an array, in which each router
// has as many as it has ports.
type (
	port     uint
	vc       uint
	globalVC int32

	portSet   = set.Of8[port]
	vcSet     = set.Of64[vc]
	classSet  = set.Of8[noc.Class]
	routerSet = set.Of64[int32]
)

func vcOf(p port, class uint) vc { return vc(uint(p)<<classBits|class) & (maxVCs - 1) }

func (v vc) port() port                 { return port(v>>classBits) & (maxPorts - 1) }
func (v vc) class() uint                { return uint(v) & (maxClasses - 1) }
func (a globalVC) router() uint         { return uint(a) >> vcBits }
func (a globalVC) vc() vc               { return vc(a) & (maxVCs - 1) }
func (t *tables) at(a globalVC) *router { return t.routers[a.router()] }

// allVCs is every channel of a router.
const allVCs = ^vcSet(0)

// ofPort returns the channels of the input of a channel, and ofClass those of a class.
func ofPort(v vc) vcSet        { return (1<<maxClasses - 1) << (v & (maxVCs - maxClasses)) }
func ofClass(class uint) vcSet { return 0x0101010101010101 << (class & (maxClasses - 1)) }

// router is what belongs to a router as a whole. In every cycle in which ready and idleLines have
// a channel in common, and in no other, the switch grants something.
//
// Its arrays are windows of the arrays of all routers, as long as those of the largest router: in
// a smaller one, the rest belongs to the next router. A masked index into an array needs no bounds
// check and no sum of indices, which took an eighth of the instructions of a grant.
type router struct {
	output    *[maxPorts]output
	channel   *[maxVCs]channel
	ready     vcSet      // channels whose head asks for an idle output with space for it
	idleLines vcSet      // all channels of the inputs that are not streaming a packet
	several   vcSet      // channels whose head may take one of several outputs
	after     vcSet      // channels of classes above the one that their input nominated last
	due       *routerSet // the word of Network.due with the router
	base      globalVC   // its own
	id        int32
	firstVC   int32          // its first channel among all
	lastInput [maxPorts]int8 // granted by each output arbiter
	counters
	// Presence is of heads whose route is known, and of granted packets in the crossbar. Other
	// packets that are written become heads delays.ready cycles later, in the order of the writes,
	// so a gap is counted at the first head after it.
	fabric.Presence
}

// output is an output of a router, and what is known of the channels across the link that leaves
// there.
type output struct {
	asking  vcSet             // channels whose head wants this output
	open    vcSet             // channels whose head finds space downstream
	idle    vcSet             // all channels while the output is idle, else none
	phits   uint64            // that left on the link, or were consumed by the node
	credits [maxClasses]uint8 // for the channel across of each class
	across  globalVC          // the channel of class 0 across; negative at an edge. A link and the input it feeds share it
	peerVC  int32             // the same among all channels
}

// counters are what a router's activity is made of; the rest follows from what its outputs sent.
type counters struct {
	asked, nominated, granted uint64 // requests to input arbiters, their winners, the outputs' winners
	copies                    uint64 // made by branches
}

// channel is the FIFO of one virtual channel. Its first two packets are kept here, which with the
// slots of the paper's router are all. It is half a cache line.
type channel struct {
	front    [2]packet // while there is none: see headFrom
	written  [2]uint32 // when their headers are written here: the lower halves of the cycles
	branches portSet   // outputs that a head with several destinations still has to take
	wanted   portSet   // those of them that it may take next
	first    uint8     // of the packets behind the second
	size     uint8
	lastTurn int8
}

// headFrom is, in an empty channel, the first cycle in which the next head may ask for the switch.
func (c *channel) headFrom() noc.Cycle { return noc.Cycle(c.front[0]) }

func (c *channel) setHeadFrom(t noc.Cycle) { c.front[0] = packet(t) }

// stored is a packet in a channel, and the lower half of the cycle in which its header is written
// there.
type stored struct {
	packet  packet
	written uint32
}

// shipment is a packet on its way to a channel, which is named twice: by its globalVC, and by its
// place among all.
type shipment struct {
	packet packet
	to     globalVC
	peerVC int32
}
