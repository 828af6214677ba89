package rotary

import (
	"math"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.Network = (*Network)(nil)

// Network is a grid of rotary routers. It implements noc.Network.
//
// Segment s < ports of a router is the one of port s on ring 0 (0->1->2->..), segment ports+p the one of
// port p on ring 1 (0->4->3->..). Sets of segments and of ports are words of bits; masked indices and
// shifts (segmentBits and the like) spare the checks of bounds and widths, a quarter of the time.
type Network struct {
	grid   topology.Grid
	config Config
	now    noc.Cycle

	ports, segments                     int
	segmentSlots, inputSlots, laneSlots int    // slots per segment, input stage and output lane
	segmentRow, inputRow, outputRow     uint   // rows of packets: bits of the slots, up to a power of two
	segmentMask, inputMask, outputMask  uint8  // of a place in a row
	inputRows, outputRows               uint   // where the rows of inputs and outputs start
	missLimit, pruneAfter, injectLimit  int    // scaled to the router
	turnSlots, enterSlots               uint64 // the thresholds of turns and entries, eight times
	balance                             uint64 // all ones if RingTurnBalance, else 0
	whole                               bool   // a multicast leaves its source as one packet
	tree                                bool   // and is replicated whenever it can be
	unlimited                           bool   // output stages
	wiring

	routes  routes
	routers []router

	judged   uint32    // segments whose heads are judged one by one, however many destinations they have
	tour     *tour     // the path scheme's, or nil
	overflow *overflow // of unlimited output stages, or nil

	limits  perClass     // places that classes up to each one may hold
	plenty  [2]uint64    // the same less takers, four classes in a word; see hasPlenty
	room    []perClass   // of each router: free places for each class, at the start of the cycle
	changed []int32      // routers whose places have changed since
	checked []perClass   // places counted anew, in builds that verify the laws
	visit   []noc.NodeID // order of visits, for tests; nil is ascending

	agendaMask uint                // agendas in use less one; a power of two
	moved      bool                // the router being stepped has granted something
	relook     uint16              // inputs of the router being stepped that may have an ordered successor
	turning    [maxSegments]packet // packets between two segments of the router being stepped
	large      bool                // the routers do not fit into the caches of a core
	fetched    uint32              // of no meaning; see fetch
	ordered    bool                // an ordered packet has been offered

	wheel   *fabric.Wheel
	worms   *fabric.Worms
	sources *fabric.Sources
	sinks   *fabric.Sinks

	injected, buffered, phitHops uint64
}

const (
	rings       = 2
	maxPorts    = 16 // a power of two above the ports of the largest grid of package topology
	maxSegments = rings * maxPorts
	maxAgendas  = 32
	maxRows     = 1 << 13 // no less than all FIFOs of the largest router, of 64 places each, take
	// largeNetwork is the number of routers, of some 2 KB in use each, from which on a step is sped up by
	// fetch.
	largeNetwork = 512

	portBits    = maxPorts - 1
	everyPort   = 1<<maxPorts - 1
	segmentBits = maxSegments - 1
	agendaBits  = maxAgendas - 1

	tops = 0x8080808080808080 // of eight counts, below 128 each
)

// wiring is how the segments of every router are joined.
type wiring struct {
	// Per segment: the next and the previous one of its ring, the output it drains to, its own port and
	// its ring.
	next, previous, feeds, portOf, ringOf [maxSegments]uint8
	// toPlus has a bit for every port towards larger coordinates: ordered packets from there take ring 1.
	toPlus uint32
}

// packet is a row of router.headers. In the lane of a segment it carries two flags, so that a lane can
// show its next header without a look at it.
type packet uint16

const (
	wants  packet = 1 << 15 // the output of the segment serves its one destination, or it may be misrouted
	splits packet = 1 << 14 // it has several destinations
	row           = splits - 1
)

func (k packet) wanted() lanes { return lanes(k) >> 15 & 1 }
func (k packet) many() lanes   { return lanes(k) >> 14 & 1 }

// header stands for a whole packet copy. It moves with the packet from router to router, so that a step
// reads its own router's memory, in order, and not that of the whole network.
type header struct {
	ready  noc.Cycle // first cycle in which it can be granted the next move
	worm   fabric.WormID
	only   int32  // the only destination, or several, or a path's next; of an unused header the next unused one
	ports  uint16 // profitable ports of this router, unless there are several destinations at once
	hops   uint16
	turns  uint8 // segments entered in this router, saturating
	phits  uint8
	class  noc.Class
	origin uint8 // input port of this router, with the flags below
}

const (
	several     = -1
	orderedFlag = 0x80
	moreFlag    = 0x40 // the path scheme: there are destinations after this one
	backFlag    = 0x20 // the path scheme: backwards on the tour
	spreadFlag  = 0x10 // of a multicast that the routers copy
)

// segment is a buffering segment: two FIFO lanes that share its slots, two write ports (ring, input
// stage) and two read ports (ring, output stage).
type segment struct {
	lanes [2]queue
	until [2]uint8 // agenda of the cycle until which, exclusive, a lane in router.hidden is
}

// input is an input stage. The local one is only a latch: a slot of a segment is reserved before a
// packet leaves its source.
type input struct {
	queue    queue
	ordered  bool      // an ordered packet from here is on a ring
	tight    bool      // entry hysteresis: it asks for one more free slot
	inside   int16     // packets from here on the rings
	upstream int32     // the neighbour that feeds it, or -1
	exit     uint8     // by that output port
	busy     noc.Cycle // until here its last granted packet streams out
	waiting  noc.Cycle // since when its head has been refused, or noc.Never
}

// output is an output stage: a lane per ring, and the link or the node behind it.
type output struct {
	lanes   [rings]queue
	free    [rings]uint8 // slots; 0 for ever at the edge of a mesh
	credits uint8        // free slots of the neighbour's input stage
	entry   uint8        // the neighbour's input port
	peer    int32        // the neighbour, or -1
	busy    noc.Cycle    // until here a packet streams out
	phits   uint64       // that left on the link
}

// lanes is a set of lanes of segments: bit s is lane 0 of segment s, bit 32+s its lane 1.
type lanes uint64

// of is the set of segments in whose lane there is something.
func (l lanes) of(lane int) uint32 { return uint32(l >> (lane & 1 * maxSegments)) }

// bitOf is the place of a lane of a segment.
func bitOf(s, lane int) uint { return uint(s&segmentBits | lane&1*maxSegments) }

// router is what the stages of a router share. Its words are sets of segments or of ports, so that one
// step decides for all of them at once.
type router struct {
	head, want, many lanes  // those whose head may move; whose first packet wants out, has several destinations
	ready            lanes  // those whose first header is there
	hidden           lanes  // those whose last granted packet still hides it
	writing          lanes  // those into which a packet is being written
	second           uint32 // segments whose lane 1 is looked at first: it did not send last
	ringIdle         uint32 // segments whose ring port is idle
	outIdle          uint32 // segments whose output port is idle
	outRoom          uint32 // segments whose lane of the output stage has a free slot
	leaving          [rings]uint16
	linkIdle         uint16    // outputs that stream nothing
	credited         uint16    // outputs that have a credit; the local one always
	laneLast         uint16    // outputs whose lane 1 was served last
	entering         uint16    // inputs whose head may move
	occupied         uint16    // inputs whose head is known, though it may not move yet
	expired          uint16    // inputs refused for long enough to ask for a hold
	mail             [2]uint16 // inputs at which a header arrives, by parity of the cycle
	refilled         [2]uint16 // outputs to which a first credit comes back, likewise
	dates, must      uint32    // agendas that are not empty; those that cannot wait for other work
	last             noc.Cycle // of the latest step

	holder     [rings]int8           // port whose segment refuses ring traffic, or -1
	lastClass  int8                  // of the interface's round robin
	ringFree   [rings]int16          // free slots of each ring
	used       int16                 // ring slots in use
	residents  int32                 // packets in the router or on a link towards it
	places     perClass              // held, per class
	changed    bool                  // since they were published
	few        bool                  // free places, as published
	judged     uint32                // segments whose heads are judged one by one here
	tight      uint32                // segments that feed outputs to routers with few free places
	passed     uint16                // outputs that have taken a place in this cycle
	sourceBusy noc.Cycle             // until here the interface streams
	paid       noc.Cycle             // the pace: until here the interface owes, in hundredths of cycles
	served     noc.Cycle             // of the latest injection
	lostOf     [noc.MaxClasses]uint8 // lost packets on the rings, per class
	lost       uint8                 // classes of which there are some
	vacant     noc.Cycle             // from here on no phit is in the router, unless there are residents
	absent     uint64                // cycles without a phit

	free  [maxSegments]uint8 // free slots of each segment
	ahead [maxSegments]uint8 // of the next segment of its ring
	count counts

	// Windows of arrays of the whole network, and the router's place on the wheel. Most are as long as those of the largest router: of a
	// smaller one, the rest belongs to the next. A masked index into such an array needs no check.
	alarm   fabric.Alarm
	segment *[maxSegments]segment
	input   *[maxPorts]input
	output  *[maxPorts]output
	agenda  *[maxAgendas]agenda
	rows    *[maxRows]packet // FIFO storage: two lanes per segment, then the inputs, then two lanes per output
	headers []header         // of the packets in the router
	unused  packet           // the first of the list of unused headers
}

// agenda is what becomes possible in one of the coming cycles, by the passing of time alone.
type agenda struct {
	ready             lanes // those whose first header is there
	left, written     lanes // those that a packet has left, or been written into, whole
	ringIdle, outIdle uint32
	leaving           [rings]uint16 // output lanes that show their next header
	linkIdle          uint16
	entering          uint16 // inputs that show their next header; the local bit: the interface is idle
	starving          uint16 // inputs whose patience ends
}

// counts are the events from which Activity is made.
type counts struct {
	entries, entryPhits, entriesLost uint64
	turns, turnPhits                 uint64
	ejectPhits, dualPhits            uint64
	sends, sendRequests              uint64
	linkPhits                        uint64
	injectPhits, consumePhits        uint64
	replications, misroutes          uint64
}

// New builds the network. It fails when the configuration is not valid on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	c.ClassLimit = c.ClassLimit && !c.UnlimitedOutput
	nodes, ports := g.Nodes(), g.Ports()
	n := &Network{grid: g, config: c, ports: ports, segments: rings * ports,
		segmentSlots: c.SegmentPhits / c.SlotPhits,
		inputSlots:   c.InputStagePhits / c.SlotPhits,
		laneSlots:    c.OutputStagePhits / c.SlotPhits / rings,
		missLimit:    scaled(c.MissLimit, ports, referencePorts),
		pruneAfter:   scaled(c.PruneAfter, ports, referencePorts),
		turnSlots:    uint64(c.TurnSlots) * 0x0101010101010101,
		enterSlots:   uint64(c.EnterSlots) * 0x0101010101010101,
		whole:        c.Multicast != Replicate,
		tree:         c.Multicast == Tree,
		unlimited:    c.UnlimitedOutput,
		wiring:       newWiring(g),
		routes:       newRoutes(g),
		wheel:        fabric.NewWheel(nodes),
		worms:        fabric.NewWorms(nodes, nodes),
		sinks:        fabric.NewSinks(nodes, c.Classes),
		agendaMask:   uint(powerOfTwo(max(c.SlotPhits+3, 8)) - 1),
	}
	if c.RingTurnBalance {
		n.balance = math.MaxUint64
	}
	slots := n.segments * n.segmentSlots
	n.injectLimit = scaled(c.InjectLimit, slots, referenceSlots)
	if c.MissLimit >= never {
		n.missLimit = never
	}
	n.sources = fabric.NewSources(n.worms, nodes, c.Classes, c.SourceQueue, c.SlotPhits)
	n.segmentRow = rowBits(n.segmentSlots) // each lane may hold all the slots
	n.inputRow, n.outputRow = rowBits(n.inputSlots), rowBits(n.laneSlots)
	n.segmentMask, n.inputMask, n.outputMask = 1<<n.segmentRow-1, 1<<n.inputRow-1, 1<<n.outputRow-1
	n.inputRows = uint(n.segments*2) << n.segmentRow
	n.outputRows = n.inputRows + uint(ports)<<n.inputRow
	if c.Multicast == Path {
		n.tour = newTour(g)
		n.judged = 1<<n.feeder(topology.Local, 0) | 1<<n.feeder(topology.Local, 1)
	}
	n.setLimits()
	n.makeRouters()
	for id := range n.routers { // small routers have few places from the start
		n.publishRouter(id, &n.routers[id])
	}
	return n, nil
}

func powerOfTwo(atLeast int) int {
	n := 1
	for n < atLeast {
		n *= 2
	}
	return n
}

// rowBits is the bits of a place in a row for so many slots.
func rowBits(slots int) uint { return uint(bits.Len(uint(slots - 1))) }

// never is the MissLimit from which on packets are not misrouted; turn counters saturate there.
const never = 255

// newWiring joins the segments: ref 2.1.
func newWiring(g topology.Grid) (w wiring) {
	p := g.Ports()
	for i := range p {
		up, down := (i+1)%p, (i+p-1)%p
		w.next[i], w.previous[i], w.feeds[i] = uint8(up), uint8(down), uint8(up)
		w.next[p+i], w.previous[p+i], w.feeds[p+i] = uint8(p+down), uint8(p+up), uint8(down)
		w.portOf[i], w.portOf[p+i], w.ringOf[p+i] = uint8(i), uint8(i), 1
	}
	for dim := range g.Radix {
		w.toPlus |= 1 << g.Port(dim, +1)
	}
	return w
}

// makeRouters makes all routers, empty.
func (n *Network) makeRouters() {
	nodes := n.grid.Nodes()
	n.routers = make([]router, nodes)
	n.room, n.changed = make([]perClass, nodes), make([]int32, 0, nodes)
	for id := range n.room {
		n.room[id] = n.limits
		for c := len(n.limits) - 2; c >= 0; c-- {
			n.room[id][c] = min(n.room[id][c], n.room[id][c+1])
		}
	}
	perRing, all := int16(n.ports*n.segmentSlots), uint32(1)<<n.segments-1
	n.furnish()
	n.large = nodes >= largeNetwork
	for i := range n.routers {
		r := &n.routers[i]
		r.ringFree, r.holder, r.lastClass = [rings]int16{perRing, perRing}, [rings]int8{-1, -1}, -1
		r.ringIdle, r.outIdle, r.linkIdle = all, all, 1<<n.ports-1
		r.credited = 1<<n.ports - 1
		for s := range n.segments {
			r.free[s], r.ahead[s] = uint8(n.segmentSlots), uint8(n.segmentSlots)
		}
		for p := range n.ports {
			r.input[p] = input{upstream: -1, waiting: noc.Never, tight: n.config.EntryHysteresis}
			r.output[p] = output{peer: -1}
		}
	}
	for id := range n.routers {
		n.openOutput(id, topology.Local)
		for p := 1; p < n.ports; p++ {
			peer, entry, ok := n.grid.Neighbour(noc.NodeID(id), p)
			if !ok {
				continue
			}
			n.openOutput(id, p)
			o := &n.routers[id].output[p]
			o.credits, o.peer, o.entry = uint8(n.inputSlots), int32(peer), uint8(entry)
			in := &n.routers[peer].input[entry]
			in.upstream, in.exit = int32(id), uint8(p)
		}
	}
}

// openOutput gives an output stage its slots.
func (n *Network) openOutput(id, p int) {
	for ring := range rings {
		n.routers[id].output[p].free[ring] = uint8(n.laneSlots)
		n.routers[id].outRoom |= 1 << n.feeder(p, ring)
	}
}

// feeder is the segment of a ring that drains to output p.
func (n *Network) feeder(p, ring int) uint8 { return n.previous[(ring*n.ports+p)&segmentBits] }
