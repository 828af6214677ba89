package tables

import (
	"reflect"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Link is one unidirectional link in one run.
type Link struct {
	RunKey      string         `col:"run_key" doc:"run this row belongs to, see the runs table"`
	FromNode    uint64         `col:"from_node" unit:"node" doc:"router that sends"`
	ToNode      uint64         `col:"to_node" unit:"node" doc:"router that receives"`
	Phits       uint64         `col:"phits" unit:"phits" doc:"phits that crossed the link"`
	Utilisation Maybe[float64] `col:"utilisation" unit:"cycles/cycle" doc:"share of the run's cycles in which the link was busy"`
	Port        uint64         `col:"port" unit:"port" doc:"output port at the sender; on a torus or mesh of two dimensions 1 is y-, 2 x+, 3 y+, 4 x-"`
	FromX       Maybe[uint64]  `col:"from_x" unit:"node" doc:"coordinate of the sender along x; absent where nodes have none"`
	FromY       Maybe[uint64]  `col:"from_y" unit:"node" doc:"coordinate of the sender along y"`
	ToX         Maybe[uint64]  `col:"to_x" unit:"node" doc:"coordinate of the receiver along x"`
	ToY         Maybe[uint64]  `col:"to_y" unit:"node" doc:"coordinate of the receiver along y"`
	Direction   Maybe[string]  `col:"direction" doc:"where the link leads: x+, x-, y+, y- and so on; a torus has links from its last row or column to its first"`
	Class       Maybe[string]  `col:"link_class" doc:"class of a link that has one, such as d2d between chiplets"`
	Latency     Maybe[uint64]  `col:"link_cycles" unit:"cycles" doc:"latency of a link that has one of its own"`
	Bits        Maybe[uint64]  `col:"link_bits" unit:"bits" doc:"width of a link that has one of its own"`
	MM          Maybe[float64] `col:"link_mm" unit:"mm" doc:"length of a link that has one of its own"`
}

// Links is the table of links.
var Links = newTable[Link]("links", "one row per run and unidirectional link")

// Latency is one bucket of a latency histogram of one run.
type Latency struct {
	RunKey string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Class  string `col:"class" doc:"message class"`
	Cast   string `col:"cast_type" doc:"unicast, multicast or broadcast: how many nodes the message was sent to"`
	Low    uint64 `col:"low" unit:"cycles" doc:"smallest latency of the bucket, from the message's creation to its acceptance"`
	High   uint64 `col:"high" unit:"cycles" doc:"largest latency of the bucket"`
	Count  uint64 `col:"count" unit:"copies" doc:"copies delivered with a latency in the bucket"`
	Sum    uint64 `col:"sum" unit:"cycles" doc:"sum of the latencies in the bucket"`
}

// Latencies is the table of latency histograms.
var Latencies = newTable[Latency]("latency", "one row per run, message class, cast (unicast, multicast or broadcast) and bucket that is not empty; a bucket is one cycle wide below 16 cycles, and an eighth of a power of two above")

// Class is what one message class of a chip sent in one run.
type Class struct {
	RunKey    string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Class     string `col:"class" doc:"message class"`
	Unicast   uint64 `col:"packets_unicast" unit:"packets" doc:"messages with one destination"`
	Multicast uint64 `col:"packets_multicast" unit:"packets" doc:"messages with several destinations, but not all caches"`
	Broadcast uint64 `col:"packets_broadcast" unit:"packets" doc:"messages to the caches of all other cores"`
	Local     uint64 `col:"packets_local" unit:"copies" doc:"copies that stayed at their router and used no network"`
	Phits     uint64 `col:"phits" unit:"phits" doc:"phits that the network took, each copy of a message once"`
}

// Classes is the table of message classes.
var Classes = newTable[Class]("classes", "one row per run of a chip and message class")

// Epoch is one sample of a running chip.
type Epoch struct {
	RunKey        string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Cycle         uint64 `col:"cycle" unit:"cycles" doc:"time of the sample"`
	Injected      uint64 `col:"injected" unit:"packets" doc:"packets that the network took since the last sample"`
	Delivered     uint64 `col:"delivered" unit:"copies" doc:"copies delivered since the last sample"`
	InFlight      uint64 `col:"in_flight" unit:"copies" doc:"copies not yet delivered at the time of the sample"`
	BufferedPhits uint64 `col:"buffered_phits" unit:"phits" doc:"phits of the packets inside at the time of the sample; a packet counts whole"`
	Misses        uint64 `col:"misses" unit:"misses" doc:"L1 misses that ended since the last sample, without those of early requests of store buffers and of prefetches"`
}

// Epochs is the table of samples.
var Epochs = newTable[Epoch]("epochs", "one row per run and sampling period")

// RouterEpoch is what one router moved in a part of a run.
type RouterEpoch struct {
	RunKey string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Cycle  uint64 `col:"cycle" unit:"cycles" doc:"end of the interval"`
	Node   uint64 `col:"node" unit:"node" doc:"router, numbered along x first"`
	Phits  uint64 `col:"phits" unit:"phits" doc:"phits that the router sent on links or handed to its node in the interval"`
}

// RouterEpochs is the table of routers over time.
var RouterEpochs = newTable[RouterEpoch]("router_epochs", "one row per run of a chip, interval of time and router; a run has 32 to 64 intervals of equal length, of which the last may be shorter")

// Core is what one core did in one run.
type Core struct {
	RunKey           string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Core             uint64 `col:"core" doc:"core, from 0"`
	Instructions     uint64 `col:"instructions" unit:"instructions" doc:"instructions retired"`
	FinishCycle      uint64 `col:"finish_cycle" unit:"cycles" doc:"cycle in which the core ended. If the trace says that the core waits for another core after its last record, this wait is included"`
	StallLoad        uint64 `col:"stall_load_cycles" unit:"cycles" doc:"cycles without retirement because the oldest instruction waited for a load or atomic"`
	StallStoreBuffer uint64 `col:"stall_store_buffer_cycles" unit:"cycles" doc:"cycles without retirement because the store buffer was full"`
	StallFetch       uint64 `col:"stall_fetch_cycles" unit:"cycles" doc:"cycles without retirement because the front end waited for an instruction block"`
	StallDependence  uint64 `col:"stall_dependence_cycles" unit:"cycles" doc:"cycles without retirement because a record of another core must come first (recorded order between cores; dependence_cycles are those inside a core)"`
	StallSync        uint64 `col:"stall_synchronisation_cycles" unit:"cycles" doc:"cycles spent at locks, barriers, creation and joining of threads"`
	Records          uint64 `col:"records" unit:"records" doc:"trace records replayed"`
	Retiring         uint64 `col:"retiring_cycles" unit:"cycles" doc:"cycles in which the core retired something; with the columns after this one they add up to finish_cycle"`
	L1               uint64 `col:"l1_cycles" unit:"cycles" doc:"stall cycles in the core's own L1, or in that of the core that answered"`
	Interface        uint64 `col:"interface_cycles" unit:"cycles" doc:"stall cycles of messages that waited in a network interface"`
	Flight           uint64 `col:"flight_cycles" unit:"cycles" doc:"stall cycles of messages in the network, without contention"`
	Contention       uint64 `col:"contention_cycles" unit:"cycles" doc:"stall cycles of messages that wait for other packets in the network"`
	L2               uint64 `col:"l2_cycles" unit:"cycles" doc:"stall cycles at a bank of the L2, including the wait for its turn"`
	Memory           uint64 `col:"memory_cycles" unit:"cycles" doc:"stall cycles at a memory controller and its DRAM"`
	Protocol         uint64 `col:"protocol_cycles" unit:"cycles" doc:"stall cycles in which a request waited for other requests for the same block"`
	Synchronisation  uint64 `col:"synchronisation_cycles" unit:"cycles" doc:"stall cycles at locks, barriers, creations and joins"`
	RecordedOrder    uint64 `col:"recorded_order_cycles" unit:"cycles" doc:"stall cycles until another core reached an edge of the trace"`
	Idle             uint64 `col:"idle_cycles" unit:"cycles" doc:"stall cycles of a halted processor, until another core had work for it"`
	Dependence       uint64 `col:"dependence_cycles" unit:"cycles" doc:"stall cycles of accesses that waited for an earlier load on which they depend"`
	Timeout          uint64 `col:"timeout_cycles" unit:"cycles" doc:"stall cycles until a timeout repeated the request that was answered"`
}

// Cores is the table of cores.
var Cores = newTable[Core]("cores", "one row per run and core")

// Axis is the value of one axis of a sweep at one of its points.
type Axis struct {
	RunKey string `col:"run_key" doc:"run this row belongs to, see the runs or traffic table"`
	Key    string `col:"key" doc:"configuration key that the axis varies"`
	Value  string `col:"value" doc:"value at this point, in the form that --set accepts"`
}

// Axes is the table of the points of a sweep.
var Axes = newTable[Axis]("axes", "one row per point of a sweep and axis of its plan")

// HotBlock is what one core had to do with one of a run's hot blocks.
type HotBlock struct {
	RunKey      string        `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Block       string        `col:"block" doc:"physical address of the block of 64 bytes, or the lock or barrier whose block it is, or the flag of a barrier"`
	Sharing     string        `col:"sharing" doc:"false for false sharing: a core writes the block, and no core uses bytes that another core writes; else true"`
	BlockMisses uint64        `col:"block_misses" unit:"misses" doc:"misses of all cores that the cache of another core answered"`
	Core        uint64        `col:"core" doc:"core, from 0"`
	Misses      uint64        `col:"misses" unit:"misses" doc:"misses of this core that the cache of another core answered"`
	Read        string        `col:"bytes_read" doc:"bytes of the block, from 0, that the core reads in the instructions around its misses, such as 0-7 16"`
	Written     string        `col:"bytes_written" doc:"bytes of the block that the core writes in these instructions"`
	Symbols     Maybe[string] `col:"symbols" doc:"variables of the program in the bytes that cores use, if the recording or the executed program has them"`
}

// The kinds of sharing of a hot block.
const (
	FalseSharing = "false"
	TrueSharing  = "true"
)

// HotBlocks is the table of the blocks that move most often between caches.
var HotBlocks = newTable[HotBlock]("hot_blocks", "one row per run of a chip, block and core with misses of the block, for the ten blocks that move most often between caches")

// Batch is one batch of a long run of messages: a part of it that counts as one observation when a
// confidence interval is computed (batch means). What nothing was measured of is absent.
type Batch struct {
	RunKey               string         `col:"run_key" doc:"run this row belongs to, see the traffic table"`
	Batch                uint64         `col:"batch" doc:"number of the batch, from 0"`
	Multicasts           uint64         `col:"multicasts" unit:"messages" doc:"multicasts of the batch whose last copy has arrived"`
	MulticastLatencyMean Maybe[float64] `col:"multicast_latency_mean" unit:"cycles" doc:"mean over multicasts, from generation to the arrival of the last tail"`
	MulticastLatencyMax  Maybe[float64] `col:"multicast_latency_max" unit:"cycles" doc:"largest such latency"`
	UnicastLatencyMean   Maybe[float64] `col:"unicast_latency_mean" unit:"cycles" doc:"mean over unicast messages"`
	Accepted             Maybe[float64] `col:"accepted" unit:"phits/node/cycle" doc:"load that the network completed during the batch, a multicast counting once"`
	Generated            Maybe[float64] `col:"generated" unit:"phits/node/cycle" doc:"load that the sources generated during the batch, a multicast counting once; random, so it differs from offered"`
	ArrivalCV            Maybe[float64] `col:"arrival_cv" doc:"coefficient of variation of the times at which the tail of a multicast arrives at its destinations, mean over multicasts"`
	ArrivalCVHeader      Maybe[float64] `col:"arrival_cv_header" doc:"coefficient of variation of the times at which the header arrives, mean over multicasts"`
	ArrivalSpread        Maybe[float64] `col:"arrival_spread" doc:"standard deviation of the arrival times of the tail, divided by the latency of the multicast, mean over multicasts"`
	MulticastChannels    Maybe[float64] `col:"multicast_channels" unit:"channels" doc:"channels between routers that a multicast crosses, mean; only if multicasts are sent one at a time"`
	AdditionalTraffic    Maybe[float64] `col:"additional_traffic" unit:"channels" doc:"channels that a multicast crosses minus its destinations, mean; channels between nodes and routers count unless each router has one node"`
	TokenWaitMean        Maybe[float64] `col:"token_wait_mean" unit:"cycles" doc:"time that a worm waits at its first branch until another worm returns the token, mean over worms that branch; only for arrivals normalized"`
}

// Batches is the table of the batches of message passing studies.
var Batches = newTable[Batch]("batches", "one row per batch of a run of kind messages; with the same seed, all schemes have the same messages")

// Router is what one router did in one run, and the energy that follows from it.
type Router struct {
	RunKey string `col:"run_key" doc:"run this row belongs to, see the runs table"`
	Node   uint64 `col:"node" unit:"node" doc:"router, numbered along x first"`
	noc.Activity
	// Parts is the energy of the router and of the links that leave it.
	Parts         power.Breakdown
	EnergyDynamic float64       `col:"energy_dynamic_j" unit:"J" doc:"energy that follows from activity: buffers, crossbar, arbiters, rings, headers, links"`
	EnergyStatic  float64       `col:"energy_static_j" unit:"J" doc:"energy of leakage and clock; gated clocks follow from activity, the rest from time"`
	Energy        float64       `col:"energy_j" unit:"J" doc:"energy of the router and of the links that leave it"`
	X             Maybe[uint64] `col:"x" unit:"node" doc:"coordinate of the router along x; absent where nodes have none"`
	Y             Maybe[uint64] `col:"y" unit:"node" doc:"coordinate of the router along y"`
	Cores         Maybe[uint64] `col:"cores" unit:"cores" doc:"cores of the chip at this router; absent in networks alone"`
	Controllers   Maybe[uint64] `col:"memory_controllers" unit:"controllers" doc:"memory controllers of the chip at this router"`
}

// Routers is the table of routers. Columns of buffers and arbiters, of which there are several kinds,
// stand behind the node.
var Routers = func() *Table[Router] {
	t := newTable[Router]("routers", "one row per run and router")
	t.Columns = slices.Insert(t.Columns, 2, kindColumns()...)
	return t
}()

// EnergyParts are the columns of the parts of a router's energy. The table summary has their sums over all
// routers, and Energies joins them for people.
var EnergyParts = func() []Column[Router] {
	parts, _ := reflect.TypeFor[Router]().FieldByName("Parts")
	return columnsOf[Router](parts.Type, parts.Index)
}()

// kindColumns has a pair of columns for each kind of storage, and for each arbiter.
func kindColumns() (list []Column[Router]) {
	add := func(name, unit, doc string, of func(*Router) *uint64) {
		list = append(list, column(name, unit, doc, func(r *Router) any { return of(r) }))
	}
	for k := range noc.BufferKinds {
		add("buffer_writes_"+k.String(), "phits", "phits written into buffers of this kind", func(r *Router) *uint64 { return &r.BufferWrites[k] })
		add("buffer_reads_"+k.String(), "phits", "phits read from buffers of this kind; a read that feeds two ports counts once", func(r *Router) *uint64 { return &r.BufferReads[k] })
	}
	for s := range noc.ArbiterStages {
		add("arbiter_requests_"+s.String(), "requests", "requests to this arbiter", func(r *Router) *uint64 { return &r.ArbRequests[s] })
		add("arbiter_grants_"+s.String(), "grants", "grants given by this arbiter", func(r *Router) *uint64 { return &r.ArbGrants[s] })
	}
	return list
}
