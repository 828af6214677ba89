package tables

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Router is what one router did in one run, and the energy that follows from it.
type Router struct {
	RunKey string
	Place
	noc.Activity
	// Parts is the energy of the router and of the links that leave it.
	Parts                               power.Breakdown
	EnergyDynamic, EnergyStatic, Energy float64
	// Cores and Controllers are how many sit at the router of a chip.
	Cores, Controllers Maybe[uint64]
}

// Routers is the table of routers.
var Routers = &Table[Router]{
	Name: "routers", Doc: "one row per run and router",
	Columns: slices.Concat(
		[]Column[Router]{
			{"run_key", "", "run this row belongs to, see the runs table", func(r *Router) any { return &r.RunKey }},
			{"node", "node", "router, numbered along x first", func(r *Router) any { return &r.Node }},
		},
		bufferColumns(), arbiterColumns(), activityColumns, EnergyParts, energyColumns,
		[]Column[Router]{
			{"x", "node", "coordinate of the router along x; absent where nodes have none", func(r *Router) any { return &r.X }},
			{"y", "node", "coordinate of the router along y", func(r *Router) any { return &r.Y }},
			{"cores", "cores", "cores of the chip at this router; absent in networks alone", func(r *Router) any { return &r.Cores }},
			{"memory_controllers", "controllers", "memory controllers of the chip at this router", func(r *Router) any { return &r.Controllers }},
		},
	),
}

// bufferColumns has a pair of columns for each kind of storage.
func bufferColumns() []Column[Router] {
	var list []Column[Router]
	for k := range noc.BufferKinds {
		list = append(list,
			Column[Router]{"buffer_writes_" + k.String(), "phits", "phits written into buffers of this kind",
				func(r *Router) any { return &r.BufferWrites[k] }},
			Column[Router]{"buffer_reads_" + k.String(), "phits", "phits read from buffers of this kind; a read that feeds two ports counts once",
				func(r *Router) any { return &r.BufferReads[k] }})
	}
	return list
}

// arbiterColumns has a pair of columns for each arbiter.
func arbiterColumns() []Column[Router] {
	var list []Column[Router]
	for s := range noc.ArbiterStages {
		list = append(list,
			Column[Router]{"arbiter_requests_" + s.String(), "requests", "requests to this arbiter",
				func(r *Router) any { return &r.ArbRequests[s] }},
			Column[Router]{"arbiter_grants_" + s.String(), "grants", "grants given by this arbiter",
				func(r *Router) any { return &r.ArbGrants[s] }})
	}
	return list
}

var activityColumns = []Column[Router]{
	{"crossbar", "phits", "phits across the crossbar, counted once per output", func(r *Router) any { return &r.Crossbar }},
	{"ring_inject", "phits", "phits from an input stage into a ring segment", func(r *Router) any { return &r.RingInject }},
	{"ring_hop", "phits", "phits from one ring segment to the next", func(r *Router) any { return &r.RingHop }},
	{"ring_eject", "phits", "phits from a ring segment to an output stage", func(r *Router) any { return &r.RingEject }},
	{"ring_dual", "phits", "phits that moved to the next segment and to an output stage in the same cycle; ring_hop and ring_eject count them too", func(r *Router) any { return &r.RingDual }},
	{"output_mux", "phits", "phits through the multiplexer of an output stage", func(r *Router) any { return &r.OutputMux }},
	{"input_demux", "phits", "phits steered from an input stage to one of the rings", func(r *Router) any { return &r.InputDemux }},
	{"link_phits", "phits", "phits that left on a link", func(r *Router) any { return &r.LinkPhits }},
	{"eject_phits", "phits", "phits handed to the node", func(r *Router) any { return &r.EjectPhits }},
	{"inject_phits", "phits", "phits taken from the node", func(r *Router) any { return &r.InjectPhits }},
	{"header_tests", "bits", "destination bits compared with a port mask", func(r *Router) any { return &r.HeaderTests }},
	{"header_writes", "bits", "destination bits rewritten on replication", func(r *Router) any { return &r.HeaderWrites }},
	{"route_lookups", "lookups", "routing decisions of input-buffered routers", func(r *Router) any { return &r.RouteLookups }},
	{"replications", "copies", "copies made inside the router", func(r *Router) any { return &r.Replications }},
	{"misroutes", "packets", "packets that left by a port that is on no shortest path", func(r *Router) any { return &r.Misroutes }},
	{"cycles", "cycles", "cycles simulated", func(r *Router) any { return &r.Cycles }},
	{"idle_cycles", "cycles", "cycles without a packet in the router", func(r *Router) any { return &r.IdleCycles }},
}

// EnergyParts are the columns of the parts of a router's energy. The table summary has their sums over all
// routers, and Energies joins them for people.
var EnergyParts = []Column[Router]{
	{"energy_buffer_write_j", "J", "energy of writing into buffers", func(r *Router) any { return &r.Parts.BufferWrite }},
	{"energy_buffer_read_j", "J", "energy of reading from buffers", func(r *Router) any { return &r.Parts.BufferRead }},
	{"energy_crossbar_j", "J", "energy of the crossbar", func(r *Router) any { return &r.Parts.Crossbar }},
	{"energy_arbiter_j", "J", "energy of the arbiters", func(r *Router) any { return &r.Parts.Arbiter }},
	{"energy_ring_j", "J", "energy of a rotary router's multiplexers, demultiplexers and wires", func(r *Router) any { return &r.Parts.Ring }},
	{"energy_header_j", "J", "energy of comparing and rewriting destination sets", func(r *Router) any { return &r.Parts.Header }},
	{"energy_clock_j", "J", "energy of the clock: registers, arbiters and clock tree", func(r *Router) any { return &r.Parts.Clock }},
	{"energy_leakage_j", "J", "energy that the router leaks", func(r *Router) any { return &r.Parts.Leakage }},
	{"energy_link_j", "J", "energy of phits on the links that leave the router", func(r *Router) any { return &r.Parts.Link }},
	{"energy_link_leakage_j", "J", "energy that those links leak", func(r *Router) any { return &r.Parts.LinkLeakage }},
}

var energyColumns = []Column[Router]{
	{"energy_dynamic_j", "J", "energy that follows from activity: buffers, crossbar, arbiters, rings, headers, links", func(r *Router) any { return &r.EnergyDynamic }},
	{"energy_static_j", "J", "energy that follows from time: clock and leakage", func(r *Router) any { return &r.EnergyStatic }},
	{"energy_j", "J", "energy of the router and of the links that leave it", func(r *Router) any { return &r.Energy }},
}
