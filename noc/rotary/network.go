package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.Network = (*Network)(nil)

// Network is a grid of rotary routers. It implements noc.Network.
//
// Routers, ports and segments are rows of flat slices: port p of router r is row r*ports+p, segment s of
// router r is row r*segments+s. Segment s < ports is the one of port s on ring 0 (0->1->2->..), segment
// ports+p the one of port p on ring 1 (0->4->3->..).
type Network struct {
	grid   topology.Grid
	config Config
	now    noc.Cycle

	ports, segments                     int
	segmentSlots, inputSlots, laneSlots int // slots per segment, input stage and output lane
	missLimit, pruneAfter, injectLimit  int // scaled to the router
	adaptive                            bool

	// Per segment of a router: the next and the previous one of its ring, the output it drains to, its
	// own port and its ring.
	next, previous, feeds [maxSegments]uint8
	portOf, ringOf        [maxSegments]uint8
	// toPlus has a bit for every port towards larger coordinates: ordered packets from there take ring 1.
	toPlus uint32

	routes     routes
	routers    []router
	segment    []segment
	input      []input
	output     []output
	segmentRow []header // FIFO storage: lanes of segments, input stages, lanes of outputs
	inputRow   []header
	outputRow  []header
	turning    [maxSegments]header // headers between two segments while a router is stepped
	relook     uint64              // input units that the same step must examine
	load       []int32             // class limit: the count of each router that its neighbours see

	due      []uint64 // calendar of unit bits: 1<<dueShift cycles per router
	dueShift uint
	units    uint64 // all unit bits of a router
	visit    []noc.NodeID

	wheel   *fabric.Wheel
	worms   *fabric.Worms
	sources *fabric.Sources
	sinks   *fabric.Sinks

	injected, buffered, phitHops uint64
}

const (
	rings       = 2
	maxSegments = 2 * 15 // rings times ports of the largest grid of package topology (7 dimensions)
)

// header stands for a whole packet copy in a buffer.
type header struct {
	ready  noc.Cycle // first cycle in which it can be granted the next move
	worm   fabric.WormID
	only   int32  // the only destination, or several
	ports  uint16 // profitable ports of this router, if there is only one destination
	hops   uint16
	turns  uint8 // segments entered in this router, saturating
	phits  uint8
	class  noc.Class
	origin uint8 // input port of this router, with orderedFlag
}

const (
	several     = -1
	orderedFlag = 0x80
)

// queue is a FIFO over a fixed row of headers.
type queue struct{ head, size uint8 }

func (q *queue) push(row []header, h *header) {
	i := int(q.head) + int(q.size)
	if i >= len(row) {
		i -= len(row)
	}
	row[i] = *h
	q.size++
}

func (q *queue) drop(row []header) {
	if q.head++; int(q.head) == len(row) {
		q.head = 0
	}
	q.size--
}

// segment is a buffering segment: two FIFO lanes that share its slots, two write ports (ring, input
// stage) and two read ports (ring, output stage). It fills one cache line.
type segment struct {
	lanes    [2]queue
	free     uint8        // slots
	leaving  uint8        // slots to be released when all segments have decided
	first    uint8        // the lane looked at first: the one that did not send last
	ringBusy noc.Cycle    // the ring port streams until here, exclusive; so for all the times below
	outBusy  noc.Cycle    // the output port streams
	laneBusy [2]noc.Cycle // the lane's last granted packet streams out
	written  [2]noc.Cycle // a packet is being written into the lane
}

// input is an input stage. The local one is only a latch: a slot of a segment is reserved before a
// packet leaves its source.
type input struct {
	queue    queue
	ordered  bool      // an ordered packet from here is on a ring
	tight    bool      // entry hysteresis: it asks for one more free slot
	inside   int16     // packets from here on the rings
	upstream int32     // row of the output that feeds it, or -1
	busy     noc.Cycle // its head streams out
	waiting  noc.Cycle // since when its head has been refused, or noc.Never
}

// output is an output stage: a lane per ring, and the link or the node behind it.
type output struct {
	lanes    [rings]queue
	free     [rings]uint8 // slots; 0 for ever at the edge of a mesh
	credits  uint8        // free slots of the neighbour's input stage
	last     uint8        // lane served last
	entry    uint8        // the neighbour's input port
	peer     int32        // the neighbour, or -1
	busy     noc.Cycle    // a packet streams out
	returned noc.Cycle    // when the latest credit came back: it counts from the next cycle on
	phits    uint64       // that left on the link
}

// router is what the stages of a router share.
type router struct {
	armed       uint32       // calendar slots that are not empty
	blockedTurn uint32       // segments with a header that waits for a place on the ring
	blockedOut  uint32       // segments with a header that waits for a place in an output stage
	expired     uint32       // inputs refused for long enough to ask for a hold
	free        [rings]int16 // free slots of each ring
	holder      [rings]int8  // port whose segment refuses ring traffic, or -1
	used        int16        // ring slots in use
	lastClass   int8         // of the interface's round robin
	residents   int32        // packets in the router or on a link towards it
	incoming    int32        // packets granted into a neighbour's output stage, not yet on a ring here
	sourceBusy  noc.Cycle    // the interface streams
	vacant      noc.Cycle    // from here on no phit is in the router, unless there are residents
	idle        uint64       // cycles without a phit
	count       counts
}

// counts are the events from which Activity is made.
type counts struct {
	entries, entryPhits, entriesLost uint64
	turns, turnPhits                 uint64
	ejectPhits, dualPhits            uint64
	sends, sendRequests              uint64
	linkPhits, arrivePhits           uint64
	injectPhits, consumePhits        uint64
	replications, misroutes          uint64
}

// New builds the network. It fails when the configuration is not valid on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	nodes, ports := g.Nodes(), g.Ports()
	n := &Network{grid: g, config: c, ports: ports, segments: rings * ports,
		segmentSlots: c.SegmentPhits / c.SlotPhits,
		inputSlots:   c.InputStagePhits / c.SlotPhits,
		laneSlots:    c.OutputStagePhits / c.SlotPhits / rings,
		missLimit:    scaled(c.MissLimit, ports, referencePorts),
		pruneAfter:   scaled(c.PruneAfter, ports, referencePorts),
		adaptive:     c.Multicast == Adaptive,
		units:        1<<(4*ports) - 1,
		wheel:        fabric.NewWheel(nodes),
		worms:        fabric.NewWorms(nodes, nodes),
		sinks:        fabric.NewSinks(nodes, c.Classes),
	}
	slots := n.segments * n.segmentSlots
	n.injectLimit = scaled(c.InjectLimit, slots, referenceSlots)
	if c.MissLimit >= never {
		n.missLimit = never
	}
	n.sources = fabric.NewSources(n.worms, nodes, c.Classes, c.SourceQueue, c.SlotPhits)
	n.dueShift = 4
	if c.SlotPhits+2 > 16 {
		n.dueShift = 5
	}
	n.due = make([]uint64, nodes<<n.dueShift)
	n.segmentRow = make([]header, nodes*slots*2) // each lane may hold all the slots
	n.inputRow = make([]header, nodes*ports*n.inputSlots)
	n.outputRow = make([]header, nodes*ports*rings*n.laneSlots)
	n.routes = newRoutes(g)
	n.wireRings()
	n.wireRouters()
	return n, nil
}

// never is the MissLimit from which on packets are not misrouted; turn counters saturate there.
const never = 255

// wireRings fills the tables of one router: ref 2.1.
func (n *Network) wireRings() {
	p := n.ports
	for i := range p {
		up, down := (i+1)%p, (i+p-1)%p
		n.next[i], n.previous[i], n.feeds[i] = uint8(up), uint8(down), uint8(up)
		n.next[p+i], n.previous[p+i], n.feeds[p+i] = uint8(p+down), uint8(p+up), uint8(down)
		n.portOf[i], n.portOf[p+i], n.ringOf[p+i] = uint8(i), uint8(i), 1
	}
	for dim := range n.grid.Radix {
		n.toPlus |= 1 << n.grid.Port(dim, +1)
	}
}

// wireRouters makes all routers, empty.
func (n *Network) wireRouters() {
	nodes := n.grid.Nodes()
	n.routers = make([]router, nodes)
	n.segment = make([]segment, nodes*n.segments)
	n.input = make([]input, nodes*n.ports)
	n.output = make([]output, nodes*n.ports)
	n.load = make([]int32, nodes)
	for i := range n.segment {
		n.segment[i].free = uint8(n.segmentSlots)
	}
	perRing := int16(n.ports * n.segmentSlots)
	for r := range n.routers {
		n.routers[r].free = [rings]int16{perRing, perRing}
		n.routers[r].holder = [rings]int8{-1, -1}
		n.routers[r].lastClass = -1
		for p := range n.ports {
			n.input[r*n.ports+p] = input{upstream: -1, waiting: noc.Never, tight: n.config.EntryHysteresis}
			n.output[r*n.ports+p] = output{peer: -1, returned: noc.Never}
		}
	}
	lane := uint8(n.laneSlots)
	for r := range n.routers {
		n.output[r*n.ports].free = [rings]uint8{lane, lane}
		for p := 1; p < n.ports; p++ {
			peer, entry, ok := n.grid.Neighbour(noc.NodeID(r), p)
			if !ok {
				continue
			}
			o := &n.output[r*n.ports+p]
			o.free = [rings]uint8{lane, lane}
			o.credits, o.peer, o.entry = uint8(n.inputSlots), int32(peer), uint8(entry)
			n.input[int(peer)*n.ports+int(entry)].upstream = int32(r*n.ports + p)
		}
	}
}
