package noc

// BufferKind tells which kind of storage a buffer access touched: each has its own energy.
type BufferKind uint8

// The kinds of storage in the routers.
const (
	VirtualChannel BufferKind = iota // input FIFO of one virtual channel (BASE, BASE-MC)
	InputStage                       // input stage (RR, MRR)
	RingSegment                      // buffering segment of a ring (RR, MRR)
	OutputStage                      // output stage (RR, MRR)
	BufferKinds
)

// String returns the kind's name as used in the result tables.
func (k BufferKind) String() string {
	return [...]string{"virtual_channel", "input_stage", "ring_segment", "output_stage"}[k]
}

// ArbiterStage tells which arbiter a request was made to.
type ArbiterStage uint8

// The arbiters of the routers.
const (
	SwitchInput  ArbiterStage = iota // BASE: among the virtual channels of one input port
	SwitchOutput                     // BASE: among the input ports for one output port
	RingEntry                        // RR, MRR: ring traffic against the input stage at a segment
	OutputLane                       // RR, MRR: between the two lanes of an output stage
	ArbiterStages
)

// String returns the stage's name as used in the result tables.
func (s ArbiterStage) String() string {
	return [...]string{"switch_input", "switch_output", "ring_entry", "output_lane"}[s]
}

// Activity counts what one router did since it was built. Energy is a pure function of these counts
// (package power), so they are exact integers, the same whether idle cycles are skipped or not.
//
// A request is counted only in a cycle in which it could have been granted: a header that waits for
// space downstream, or for a port that is streaming another packet, raises none.
//
// The tags name the counters in tables, with unit and meaning.
type Activity struct {
	BufferWrites [BufferKinds]uint64   // phits written
	BufferReads  [BufferKinds]uint64   // phits read; a read that feeds two ports at once counts once
	ArbRequests  [ArbiterStages]uint64 // requests seen in cycles with at least one
	ArbGrants    [ArbiterStages]uint64
	Crossbar     uint64 `col:"crossbar" unit:"phits" doc:"phits across the crossbar, counted once per output"`
	RingInject   uint64 `col:"ring_inject" unit:"phits" doc:"phits from an input stage into a ring segment"`
	RingHop      uint64 `col:"ring_hop" unit:"phits" doc:"phits from one ring segment to the next"`
	RingEject    uint64 `col:"ring_eject" unit:"phits" doc:"phits from a ring segment to an output stage"`
	RingDual     uint64 `col:"ring_dual" unit:"phits" doc:"phits that moved to the next segment and to an output stage in the same cycle; ring_hop and ring_eject count them too"`
	OutputMux    uint64 `col:"output_mux" unit:"phits" doc:"phits through the multiplexer of an output stage"`
	InputDemux   uint64 `col:"input_demux" unit:"phits" doc:"phits steered from an input stage to one of the rings"`
	LinkPhits    uint64 `col:"link_phits" unit:"phits" doc:"phits that left on a link"`
	EjectPhits   uint64 `col:"eject_phits" unit:"phits" doc:"phits handed to the node"`
	InjectPhits  uint64 `col:"inject_phits" unit:"phits" doc:"phits taken from the node"`
	HeaderTests  uint64 `col:"header_tests" unit:"bits" doc:"destination bits compared with a port mask"`
	HeaderWrites uint64 `col:"header_writes" unit:"bits" doc:"destination bits rewritten on replication"`
	RouteLookups uint64 `col:"route_lookups" unit:"lookups" doc:"routing decisions of input-buffered routers, one per packet and hop"`
	Replications uint64 `col:"replications" unit:"copies" doc:"copies made inside the router"`
	Misroutes    uint64 `col:"misroutes" unit:"packets" doc:"packets that left by a port that is on no shortest path"`
	Cycles       uint64 `col:"cycles" unit:"cycles" doc:"cycles simulated"`
	IdleCycles   uint64 `col:"idle_cycles" unit:"cycles" doc:"cycles without a packet in the router"`
}

// Hardware describes what one router of a network is made of, so that its energy and storage can be
// computed without knowing the model. All routers of a network are alike.
type Hardware struct {
	Ports    int // the local port included
	PhitBits int // width of links and buffers; at least 1
	// VirtualChannels is the number of FIFOs per input port that share one crossbar input; 0 for
	// routers without virtual channels.
	VirtualChannels int
	// ChannelChoices and ChannelRivals describe the allocator of virtual channels: the number of
	// channels of the next router among which a header may choose, and the number of channels of
	// each input port whose headers may ask for the same one. Both are 0 where a packet keeps its
	// channel, as in BASE.
	ChannelChoices, ChannelRivals int
	// FIFOs is the number of FIFOs of each kind in a router, Depth their depth in phits.
	FIFOs, Depth [BufferKinds]int
	Crossbar     bool // a Ports x Ports crossbar; rotary routers have none
	// DestinationBits is the length of the destination set in a header.
	DestinationBits int
	// TableBits is the storage for routing: in a rotary router a mask of all nodes for each output. It is 0
	// where routes are computed, or where the paper gives the tables no cost.
	TableBits int `json:",omitempty"`
	// Uncounted says that the network does not count the events of its routers, whose energy is then
	// not known.
	Uncounted bool `json:",omitempty"`
	// ClockDivider is the number of counted cycles in a cycle of the routers' clock; 0 stands for 1.
	ClockDivider int `json:",omitempty"`
}

// PhitsOf returns the length of a packet of some bytes on links of some width.
func PhitsOf(bytes, bits int) int { return (8*bytes + bits - 1) / bits }

// StoragePhits returns the total buffer storage of one router in phits.
func (h Hardware) StoragePhits() int {
	sum := 0
	for k := range h.FIFOs {
		sum += h.FIFOs[k] * h.Depth[k]
	}
	return sum
}
