package tables

// Place is a node and its coordinates, if the topology has any.
type Place struct {
	Node uint64
	X, Y Maybe[uint64]
}

// Link is one unidirectional link in one run.
type Link struct {
	RunKey      string
	From, To    Place
	Direction   Maybe[string]
	Port        uint64
	Phits       uint64
	Utilisation Maybe[float64]
}

// Links is the table of links.
var Links = &Table[Link]{
	Name: "links", Doc: "one row per run and unidirectional link",
	Columns: []Column[Link]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Link) any { return &r.RunKey }},
		{"from_node", "node", "router that sends", func(r *Link) any { return &r.From.Node }},
		{"to_node", "node", "router that receives", func(r *Link) any { return &r.To.Node }},
		{"phits", "phits", "phits that crossed the link", func(r *Link) any { return &r.Phits }},
		{"utilisation", "phits/cycle", "share of the run's cycles in which the link was busy",
			func(r *Link) any { return &r.Utilisation }},
		{"port", "port", "output port at the sender; on a torus or mesh of two dimensions 1 is y-, 2 x+, 3 y+, 4 x-", func(r *Link) any { return &r.Port }},
		{"from_x", "node", "coordinate of the sender along x; absent where nodes have none", func(r *Link) any { return &r.From.X }},
		{"from_y", "node", "coordinate of the sender along y", func(r *Link) any { return &r.From.Y }},
		{"to_x", "node", "coordinate of the receiver along x", func(r *Link) any { return &r.To.X }},
		{"to_y", "node", "coordinate of the receiver along y", func(r *Link) any { return &r.To.Y }},
		{"direction", "", "where the link leads: x+, x-, y+, y- and so on; a torus has links from its last row or column to its first", func(r *Link) any { return &r.Direction }},
	},
}

// Latency is one bucket of a latency histogram of one run.
type Latency struct {
	RunKey, Class, Cast   string
	Low, High, Count, Sum uint64
}

// Latencies is the table of latency histograms.
var Latencies = &Table[Latency]{
	Name: "latency", Doc: "one row per run, message class, cast and bucket that is not empty: single cycles below 16, eighths of powers of two above",
	Columns: []Column[Latency]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Latency) any { return &r.RunKey }},
		{"class", "", "message class", func(r *Latency) any { return &r.Class }},
		{"cast_type", "", "unicast, multicast or broadcast: how many nodes the message was sent to", func(r *Latency) any { return &r.Cast }},
		{"low", "cycles", "smallest latency of the bucket, from the message's creation to its acceptance", func(r *Latency) any { return &r.Low }},
		{"high", "cycles", "largest latency of the bucket", func(r *Latency) any { return &r.High }},
		{"count", "copies", "copies delivered with a latency in the bucket", func(r *Latency) any { return &r.Count }},
		{"sum", "cycles", "sum of the latencies in the bucket", func(r *Latency) any { return &r.Sum }},
	},
}

// Distribution is one bucket of a histogram of one run.
type Distribution struct {
	RunKey, Measure, Part string
	Low, High, Count, Sum uint64
}

// Distributions is the table of histograms of everything but packets.
var Distributions = &Table[Distribution]{
	Name: "distributions", Doc: "one row per run, measure, part and bucket that is not empty",
	Columns: []Column[Distribution]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Distribution) any { return &r.RunKey }},
		{"measure", "", "what is counted: miss latency (cycles), destinations (agents of a message), open misses (of an L1, sampled), " +
			"open transactions (of a bank, sampled), read queue (of a memory controller, sampled), answers (messages with tokens per L1 miss), " +
			"stalls at home (requests), memory service (blocks)", func(r *Distribution) any { return &r.Measure }},
		{"part", "", "of what: supplier and effort of a miss, message class, reason of a stall, kind or name of a controller", func(r *Distribution) any { return &r.Part }},
		{"low", "", "smallest value of the bucket, in the measure's unit", func(r *Distribution) any { return &r.Low }},
		{"high", "", "largest value of the bucket", func(r *Distribution) any { return &r.High }},
		{"count", "", "values in the bucket", func(r *Distribution) any { return &r.Count }},
		{"sum", "", "sum of the values in the bucket", func(r *Distribution) any { return &r.Sum }},
	},
}

// Class is what one message class of a chip sent in one run.
type Class struct {
	RunKey, Class                               string
	Unicast, Multicast, Broadcast, Local, Phits uint64
}

// Classes is the table of message classes.
var Classes = &Table[Class]{
	Name: "classes", Doc: "one row per run of a chip and message class",
	Columns: []Column[Class]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Class) any { return &r.RunKey }},
		{"class", "", "message class", func(r *Class) any { return &r.Class }},
		{"packets_unicast", "packets", "messages with one destination", func(r *Class) any { return &r.Unicast }},
		{"packets_multicast", "packets", "messages with several destinations, but not all caches", func(r *Class) any { return &r.Multicast }},
		{"packets_broadcast", "packets", "messages to the caches of all other cores", func(r *Class) any { return &r.Broadcast }},
		{"packets_local", "copies", "copies that stayed at their router and used no network", func(r *Class) any { return &r.Local }},
		{"phits", "phits", "phits that the network took, each copy of a message once", func(r *Class) any { return &r.Phits }},
	},
}

// Epoch is one sample of a running chip.
type Epoch struct {
	RunKey                                                      string
	Cycle, Injected, Delivered, InFlight, BufferedPhits, Misses uint64
}

// Epochs is the table of samples.
var Epochs = &Table[Epoch]{
	Name: "epochs", Doc: "one row per run and sampling period",
	Columns: []Column[Epoch]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Epoch) any { return &r.RunKey }},
		{"cycle", "cycles", "time of the sample", func(r *Epoch) any { return &r.Cycle }},
		{"injected", "packets", "packets that the network took since the last sample", func(r *Epoch) any { return &r.Injected }},
		{"delivered", "copies", "copies delivered since the last sample", func(r *Epoch) any { return &r.Delivered }},
		{"in_flight", "copies", "copies still owed at the time of the sample", func(r *Epoch) any { return &r.InFlight }},
		{"buffered_phits", "phits", "phits in buffers and on links at the time of the sample", func(r *Epoch) any { return &r.BufferedPhits }},
		{"misses", "misses", "L1 misses started since the last sample", func(r *Epoch) any { return &r.Misses }},
	},
}

// RouterEpoch is what one router moved in a part of a run.
type RouterEpoch struct {
	RunKey             string
	Node, Cycle, Phits uint64
}

// RouterEpochs is the table of routers over time.
var RouterEpochs = &Table[RouterEpoch]{
	Name: "router_epochs", Doc: "one row per run of a chip, part of its time and router; a run has 32 to 64 parts, of one length but for the last",
	Columns: []Column[RouterEpoch]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *RouterEpoch) any { return &r.RunKey }},
		{"cycle", "cycles", "end of the part", func(r *RouterEpoch) any { return &r.Cycle }},
		{"node", "node", "router, numbered along x first", func(r *RouterEpoch) any { return &r.Node }},
		{"phits", "phits", "phits that the router sent on links or handed to its node in that part", func(r *RouterEpoch) any { return &r.Phits }},
	},
}

// Core is what one core did in one run.
type Core struct {
	RunKey                          string
	Core, Instructions, FinishCycle uint64
	// The stall cycles by cause.
	StallLoad, StallStoreBuffer, StallFetch, StallDependence, StallSync uint64
	Records                                                             uint64
	// Where the cycles went.
	Retiring, L1, Interface, Flight, Contention, L2, Memory, Protocol, Synchronisation, RecordedOrder, Dependence, Timeout uint64
}

// Cores is the table of cores.
var Cores = &Table[Core]{
	Name: "cores", Doc: "one row per run and core",
	Columns: []Column[Core]{
		{"run_key", "", "run this row belongs to, see the runs table", func(r *Core) any { return &r.RunKey }},
		{"core", "", "core, from 0", func(r *Core) any { return &r.Core }},
		{"instructions", "instructions", "instructions retired", func(r *Core) any { return &r.Instructions }},
		{"finish_cycle", "cycles", "when the core ended its trace", func(r *Core) any { return &r.FinishCycle }},
		{"stall_load_cycles", "cycles", "cycles without retirement because the oldest instruction waited for a load or atomic",
			func(r *Core) any { return &r.StallLoad }},
		{"stall_store_buffer_cycles", "cycles", "cycles without retirement because the store buffer was full",
			func(r *Core) any { return &r.StallStoreBuffer }},
		{"stall_fetch_cycles", "cycles", "cycles without retirement because the front end waited for an instruction block",
			func(r *Core) any { return &r.StallFetch }},
		{"stall_dependence_cycles", "cycles", "cycles without retirement because a trace edge to another core was not satisfied",
			func(r *Core) any { return &r.StallDependence }},
		{"stall_synchronisation_cycles", "cycles", "cycles spent at locks, barriers, creation and joining of threads",
			func(r *Core) any { return &r.StallSync }},
		{"records", "records", "trace records replayed", func(r *Core) any { return &r.Records }},
		{"retiring_cycles", "cycles", "cycles in which the core retired something; with the components that follow they add up to finish_cycle",
			func(r *Core) any { return &r.Retiring }},
		{"l1_cycles", "cycles", "stall cycles in an L1: the core's own, or that of another core which answered",
			func(r *Core) any { return &r.L1 }},
		{"interface_cycles", "cycles", "stall cycles of messages that waited in a network interface",
			func(r *Core) any { return &r.Interface }},
		{"flight_cycles", "cycles", "stall cycles of messages on their way, as long as they take in the idle network",
			func(r *Core) any { return &r.Flight }},
		{"contention_cycles", "cycles", "stall cycles of messages on their way beyond that",
			func(r *Core) any { return &r.Contention }},
		{"l2_cycles", "cycles", "stall cycles at a bank of the L2, the wait for its turn included",
			func(r *Core) any { return &r.L2 }},
		{"memory_cycles", "cycles", "stall cycles at a memory controller and its DRAM",
			func(r *Core) any { return &r.Memory }},
		{"protocol_cycles", "cycles", "stall cycles behind other requests of the block",
			func(r *Core) any { return &r.Protocol }},
		{"synchronisation_cycles", "cycles", "stall cycles at locks, barriers, creations and joins",
			func(r *Core) any { return &r.Synchronisation }},
		{"recorded_order_cycles", "cycles", "stall cycles until another core reached an edge of the trace",
			func(r *Core) any { return &r.RecordedOrder }},
		{"dependence_cycles", "cycles", "stall cycles that an access was late because it needed an earlier load",
			func(r *Core) any { return &r.Dependence }},
		{"timeout_cycles", "cycles", "stall cycles until a time-out repeated the request that was answered",
			func(r *Core) any { return &r.Timeout }},
	},
}

// Axis is the value of one axis of a sweep at one of its points.
type Axis struct {
	RunKey, Key, Value string
}

// Axes is the table of the points of a sweep.
var Axes = &Table[Axis]{
	Name: "axes", Doc: "one row per point of a sweep and axis of its plan",
	Columns: []Column[Axis]{
		{"run_key", "", "run this row belongs to, see the runs or traffic table", func(r *Axis) any { return &r.RunKey }},
		{"key", "", "configuration key that the axis varies", func(r *Axis) any { return &r.Key }},
		{"value", "", "its value at this point, as --set takes it", func(r *Axis) any { return &r.Value }},
	},
}
