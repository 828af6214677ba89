package tables

import "slices"

// Traffic is one point of synthetic traffic: a router at a load with a seed. What was not measured,
// because the point did not finish or nothing of the kind arrived, is absent.
type Traffic struct {
	RunKey, Router, Topology, Scheme, Pattern       string
	MulticastFraction                               float64
	MulticastDestinations, PacketPhits, Classes     uint64
	Cycles, Warmup, Seed                            uint64
	Offered                                         float64
	Generated, Accepted, Delivered                  Maybe[float64]
	Saturated                                       Maybe[string]
	LatencyMean, LatencyP50, LatencyP95, LatencyP99 Maybe[float64]
	LatencyMax                                      Maybe[uint64]
	UnicastLatencyMean, MulticastLatencyMean        Maybe[float64]
	MulticastCopyLatencyMean                        Maybe[float64]
	MulticastPathMean, HopsMean                     Maybe[float64]
	PacketsGenerated, PacketsInjected               Maybe[uint64]
	PacketsDelivered, PhitsDelivered, PhitHops      Maybe[uint64]
	PacketsDelayed, CyclesRecorded                  Maybe[uint64]
	DelayMean, WaitingGrowth                        Maybe[float64]
	OldestWaiting                                   Maybe[uint64]
	EnergyDynamic, EnergyStatic, Energy             Maybe[float64]
	ED2P, ED2PPerPhit                               Maybe[float64]
	SimulatedCycles                                 Maybe[uint64]
	Digest                                          Maybe[string]
	WallSeconds                                     Maybe[float64]
	PowerProfile                                    string
	Technology                                      float64
	ExitState                                       string
	Explanation                                     Maybe[string]
	Hardware, Power                                 Maybe[string]
	SimulationKey                                   string
	// Rules is empty for routers without rules that options switch.
	Rules string
}

// The verdicts of the column saturated.
const (
	Saturated   = "yes"
	Unsaturated = "no"
)

// TrafficPoints is the table of synthetic traffic.
var TrafficPoints = &Table[Traffic]{
	Name: "traffic", Doc: "one row per router, load and seed of synthetic traffic; counts and energies are those of the measurement window",
	Columns: slices.Concat(trafficConfiguration, trafficMeasures, trafficOutcome),
}

var trafficConfiguration = []Column[Traffic]{
	{"run_key", "", "digest of the point's effective configuration; equal keys mean equal results", func(r *Traffic) any { return &r.RunKey }},
	{"router", "", "router model", func(r *Traffic) any { return &r.Router }},
	{"topology", "", "topology with its sizes", func(r *Traffic) any { return &r.Topology }},
	{"scheme", "", "how packets with several destinations travel", func(r *Traffic) any { return &r.Scheme }},
	{"pattern", "", "where the unicast messages of a node go, or whose packet trace was replayed", func(r *Traffic) any { return &r.Pattern }},
	{"multicast_fraction", "", "probability that a message is a multicast", func(r *Traffic) any { return &r.MulticastFraction }},
	{"multicast_destinations", "nodes", "destinations of a multicast", func(r *Traffic) any { return &r.MulticastDestinations }},
	{"packet_phits", "phits", "length of every packet; 0: a packet trace, in which they differ", func(r *Traffic) any { return &r.PacketPhits }},
	{"classes", "", "message classes, drawn uniformly", func(r *Traffic) any { return &r.Classes }},
	{"cycles", "cycles", "length of the run, warm-up included", func(r *Traffic) any { return &r.Cycles }},
	{"warmup", "cycles", "cycles before the measurement window, which lasts until the end of the run", func(r *Traffic) any { return &r.Warmup }},
	{"seed", "", "seed of the point's random streams", func(r *Traffic) any { return &r.Seed }},
	{"offered", "phits/node/cycle", "load asked for at the sources, a multicast counting once; of a packet trace, the phits over the nodes and cycles of the recorded run", func(r *Traffic) any { return &r.Offered }},
}

var trafficMeasures = []Column[Traffic]{
	{"generated", "phits/node/cycle", "load that the sources made: less than offered where a pattern maps nodes to themselves", func(r *Traffic) any { return &r.Generated }},
	{"accepted", "phits/node/cycle", "load taken from the sources, a multicast counting once", func(r *Traffic) any { return &r.Accepted }},
	{"delivered", "phits/node/cycle", "load handed to destinations, each copy counting", func(r *Traffic) any { return &r.Delivered }},
	{"saturated", "", "yes when the lines at the sources grew by more than 2 % of the messages generated and by more than two messages per node, or when oldest_waiting is more than half the window; else no",
		func(r *Traffic) any { return &r.Saturated }},
	{"latency_mean", "cycles", "mean over copies, from the message's generation to the tail's arrival", func(r *Traffic) any { return &r.LatencyMean }},
	{"latency_p50", "cycles", "median over copies; exact below 64 cycles, else within 1/32 of the value", func(r *Traffic) any { return &r.LatencyP50 }},
	{"latency_p95", "cycles", "95th percentile over copies, as exact", func(r *Traffic) any { return &r.LatencyP95 }},
	{"latency_p99", "cycles", "99th percentile over copies, as exact", func(r *Traffic) any { return &r.LatencyP99 }},
	{"latency_max", "cycles", "largest latency of a copy", func(r *Traffic) any { return &r.LatencyMax }},
	{"unicast_latency_mean", "cycles", "mean over unicast messages", func(r *Traffic) any { return &r.UnicastLatencyMean }},
	{"multicast_latency_mean", "cycles", "mean over multicasts, to the arrival at the last destination", func(r *Traffic) any { return &r.MulticastLatencyMean }},
	{"multicast_copy_latency_mean", "cycles", "mean over the copies of multicasts", func(r *Traffic) any { return &r.MulticastCopyLatencyMean }},
	{"multicast_path_mean", "links", "links crossed from source to destination, mean over the copies of multicasts", func(r *Traffic) any { return &r.MulticastPathMean }},
	{"hops_mean", "links", "links crossed from source to destination, mean over all copies", func(r *Traffic) any { return &r.HopsMean }},
	{"packets_generated", "messages", "messages that the sources made", func(r *Traffic) any { return &r.PacketsGenerated }},
	{"packets_injected", "packets", "packets that left a source; copies made at the source count one by one", func(r *Traffic) any { return &r.PacketsInjected }},
	{"packets_delivered", "copies", "copies handed to destinations", func(r *Traffic) any { return &r.PacketsDelivered }},
	{"delivered_phits", "phits", "phits handed to destinations", func(r *Traffic) any { return &r.PhitsDelivered }},
	{"phit_hops", "phits", "phits that crossed a link, summed over links", func(r *Traffic) any { return &r.PhitHops }},
	{"packets_delayed", "packets", "of a packet trace: packets sent later than in the recorded run, because those that they depend on arrived later", func(r *Traffic) any { return &r.PacketsDelayed }},
	{"delay_mean", "cycles", "mean over these of how much later", func(r *Traffic) any { return &r.DelayMean }},
	{"cycles_recorded", "cycles", "of a packet trace: when the last packet was sent in the recorded run", func(r *Traffic) any { return &r.CyclesRecorded }},
	{"waiting_growth", "messages/node", "growth of the lines at the sources in the window", func(r *Traffic) any { return &r.WaitingGrowth }},
	{"oldest_waiting", "cycles", "age of the oldest message in those lines at the end; 0 when there is none", func(r *Traffic) any { return &r.OldestWaiting }},
	{"energy_dynamic_pj", "pJ", "network energy of the window that follows from activity", func(r *Traffic) any { return &r.EnergyDynamic }},
	{"energy_static_pj", "pJ", "network energy of the window that follows from time: leakage and clock", func(r *Traffic) any { return &r.EnergyStatic }},
	{"energy_pj", "pJ", "network energy of the window", func(r *Traffic) any { return &r.Energy }},
	{"ed2p", "pJ/(phits/node/cycle)^2", "energy of the window over delivered load squared, the paper's literal reading", func(r *Traffic) any { return &r.ED2P }},
	{"ed2p_per_phit", "pJ/phit/(phits/node/cycle)^2", "energy per delivered phit over delivered load squared", func(r *Traffic) any { return &r.ED2PPerPhit }},
}

var trafficOutcome = []Column[Traffic]{
	{"simulated_cycles", "cycles", "cycles simulated, warm-up included", func(r *Traffic) any { return &r.SimulatedCycles }},
	{"digest", "", "running hash over all deliveries since cycle 0", func(r *Traffic) any { return &r.Digest }},
	{"wall_seconds", "s", "time the simulation took on the host; not part of the result", func(r *Traffic) any { return &r.WallSeconds }},
	{"power_profile", "", "energy profile the point was priced with", func(r *Traffic) any { return &r.PowerProfile }},
	{"technology_nm", "nm", "technology the point was priced with", func(r *Traffic) any { return &r.Technology }},
	{"exit_state", "", "finished, failed or interrupted", func(r *Traffic) any { return &r.ExitState }},
	{"explanation", "", "why the point did not finish; of a load of a search, why the network has stopped at it", func(r *Traffic) any { return &r.Explanation }},
	{"hardware", "", "what a router is made of, as JSON: what prices follow from", func(r *Traffic) any { return &r.Hardware }},
	{"power", "", "energy configuration the point was priced with, as JSON", func(r *Traffic) any { return &r.Power }},
	{"simulation_key", "", "digest of what decides the counts; with the energy configuration it makes run_key", func(r *Traffic) any { return &r.SimulationKey }},
	{"rules", "", "rules that the router follows where options switch rules on and off: its rule set, and what differs from it", func(r *Traffic) any { return &r.Rules }},
}
