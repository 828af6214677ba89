package tables

import "slices"

// Run is one run: a workload on a router with a seed. What was not measured is absent: a run that
// failed or was interrupted has its configuration and its exit state only.
type Run struct {
	RunKey, Workload, TraceDigest, Router, Topology, Scheme, Protocol string
	Cores, Seed                                                       uint64

	Cycles                                                       Maybe[uint64]
	Seconds                                                      Maybe[float64]
	Instructions, Loads, Stores, Fetches                         Maybe[uint64]
	L1Hits, L1Misses, L2Hits, L2Misses                           Maybe[uint64]
	MemoryReads, MemoryWrites, Reissues, PersistentRequests      Maybe[uint64]
	PacketsUnicast, PacketsMulticast, PacketsBroadcast           Maybe[uint64]
	PacketLatencyMean, MissLatencyMean                           Maybe[float64]
	EnergyDynamic, EnergyStatic, Energy, EnergyDelay, EnergyED2P Maybe[float64]

	ExitState   string
	Digest      Maybe[string]
	WallSeconds Maybe[float64]

	Atomics, DrainCycles, Orphans, Migrations, Replays Maybe[uint64]
	EvictedReplays, TimeoutCycles                      Maybe[uint64]
	PacketsLocal, Deliveries, Phits, PhitHops          Maybe[uint64]
	PeakReorder, PeakInterface                         Maybe[uint64]
	IPC                                                Maybe[float64]
	PowerProfile                                       string
	Technology                                         float64
	Explanation                                        Maybe[string]
	Hardware, Power                                    Maybe[string]
	SimulationKey, WorkloadSource                      string
	// Rules is empty for routers without rules that options switch.
	Rules  string
	Window uint64
	Start  Maybe[string]
	// Of MemoryReads, those for cores in the first and in the last quarter of their records.
	FirstQuarterReads, LastQuarterReads Maybe[uint64]
	MiddleCycles                        Maybe[uint64]
}

// The exit states of a run.
const (
	Finished    = "finished"
	Failed      = "failed"
	Interrupted = "interrupted" // stopped on the way, or never started because the study was stopped
)

// How a run's caches begin.
const (
	WarmStart = "warm"
	ColdStart = "cold"
)

// Runs is the table of runs.
var Runs = &Table[Run]{
	Name: "runs", Doc: "one row per run",
	Columns: slices.Concat(runConfiguration, runMeasures, runFurther),
}

var runConfiguration = []Column[Run]{
	{"run_key", "", "digest of the run's effective configuration and trace; equal keys mean equal results", func(r *Run) any { return &r.RunKey }},
	{"workload", "", "name of the workload", func(r *Run) any { return &r.Workload }},
	{"trace_digest", "", "SHA-256 of the trace file, or of the records and edges of a workload of the catalogue", func(r *Run) any { return &r.TraceDigest }},
	{"router", "", "router model", func(r *Run) any { return &r.Router }},
	{"topology", "", "topology with its sizes", func(r *Run) any { return &r.Topology }},
	{"scheme", "", "how packets with several destinations travel", func(r *Run) any { return &r.Scheme }},
	{"protocol", "", "coherence protocol", func(r *Run) any { return &r.Protocol }},
	{"cores", "cores", "cores that replay the trace", func(r *Run) any { return &r.Cores }},
	{"seed", "", "seed of the run's random streams", func(r *Run) any { return &r.Seed }},
}

var runMeasures = []Column[Run]{
	{"cycles", "cycles", "execution time: when the last core ended its trace", func(r *Run) any { return &r.Cycles }},
	{"seconds", "s", "execution time at the configured clock", func(r *Run) any { return &r.Seconds }},
	{"instructions", "instructions", "instructions retired by all cores", func(r *Run) any { return &r.Instructions }},
	{"loads", "accesses", "loads performed", func(r *Run) any { return &r.Loads }},
	{"stores", "accesses", "stores performed", func(r *Run) any { return &r.Stores }},
	{"fetches", "accesses", "instruction fetches of a new line", func(r *Run) any { return &r.Fetches }},
	{"l1_hits", "accesses", "accesses that their L1 served at once", func(r *Run) any { return &r.L1Hits }},
	{"l1_misses", "accesses", "accesses that needed a coherence transaction", func(r *Run) any { return &r.L1Misses }},
	{"l2_hits", "requests", "requests that the home bank served", func(r *Run) any { return &r.L2Hits }},
	{"l2_misses", "requests", "requests that the home bank could not serve", func(r *Run) any { return &r.L2Misses }},
	{"memory_reads", "blocks", "blocks read from memory", func(r *Run) any { return &r.MemoryReads }},
	{"memory_writes", "blocks", "blocks written to memory", func(r *Run) any { return &r.MemoryWrites }},
	{"reissues", "requests", "transient requests sent again after a time-out", func(r *Run) any { return &r.Reissues }},
	{"persistent_requests", "requests", "persistent requests, the protocol's last resort", func(r *Run) any { return &r.PersistentRequests }},
	{"packets_unicast", "packets", "messages with one destination", func(r *Run) any { return &r.PacketsUnicast }},
	{"packets_multicast", "packets", "messages with several destinations, but not all caches", func(r *Run) any { return &r.PacketsMulticast }},
	{"packets_broadcast", "packets", "messages to the caches of all other cores", func(r *Run) any { return &r.PacketsBroadcast }},
	{"packet_latency_mean", "cycles", "mean over delivered copies, from the message's creation to its arrival", func(r *Run) any { return &r.PacketLatencyMean }},
	{"miss_latency_mean", "cycles", "mean over L1 misses, from the first request to completion", func(r *Run) any { return &r.MissLatencyMean }},
	{"energy_dynamic_j", "J", "network energy that follows from activity", func(r *Run) any { return &r.EnergyDynamic }},
	{"energy_static_j", "J", "network energy that follows from time: leakage and clock", func(r *Run) any { return &r.EnergyStatic }},
	{"energy_j", "J", "network energy", func(r *Run) any { return &r.Energy }},
	{"ed_js", "J s", "network energy times execution time", func(r *Run) any { return &r.EnergyDelay }},
	{"ed2p_js2", "J s^2", "network energy times execution time squared", func(r *Run) any { return &r.EnergyED2P }},
	{"exit_state", "", "finished, failed or interrupted", func(r *Run) any { return &r.ExitState }},
	{"digest", "", "running hash over all deliveries and completions", func(r *Run) any { return &r.Digest }},
	{"wall_seconds", "s", "time the simulation took on the host; not part of the result", func(r *Run) any { return &r.WallSeconds }},
}

var runFurther = []Column[Run]{
	{"atomics", "accesses", "read-modify-write accesses performed", func(r *Run) any { return &r.Atomics }},
	{"drain_cycles", "cycles", "cycles after the execution time until the network was quiet", func(r *Run) any { return &r.DrainCycles }},
	{"orphans", "messages", "token messages that arrived where nobody wanted them", func(r *Run) any { return &r.Orphans }},
	{"migrations", "requests", "reads answered with all tokens", func(r *Run) any { return &r.Migrations }},
	{"replays", "accesses", "loads repeated because their block was taken for another core, or given up, before retirement", func(r *Run) any { return &r.Replays }},
	{"packets_local", "copies", "copies that stayed at their router and used no network", func(r *Run) any { return &r.PacketsLocal }},
	{"deliveries", "copies", "copies that the network delivered", func(r *Run) any { return &r.Deliveries }},
	{"delivered_phits", "phits", "phits handed to destinations", func(r *Run) any { return &r.Phits }},
	{"phit_hops", "phits", "phits that crossed a link, summed over links", func(r *Run) any { return &r.PhitHops }},
	{"peak_reorder", "messages", "most messages held back for order at once", func(r *Run) any { return &r.PeakReorder }},
	{"peak_interface", "messages", "most messages queued in one network interface at once", func(r *Run) any { return &r.PeakInterface }},
	{"power_profile", "", "energy profile the run was priced with", func(r *Run) any { return &r.PowerProfile }},
	{"technology_nm", "nm", "technology the run was priced with", func(r *Run) any { return &r.Technology }},
	{"explanation", "", "why the run did not finish", func(r *Run) any { return &r.Explanation }},
	{"hardware", "", "what a router is made of, as JSON: what prices follow from", func(r *Run) any { return &r.Hardware }},
	{"power", "", "energy configuration the run was priced with, as JSON", func(r *Run) any { return &r.Power }},
	{"simulation_key", "", "digest of what decides the counts; with the energy configuration it makes run_key", func(r *Run) any { return &r.SimulationKey }},
	{"ipc", "instructions/cycle", "instructions retired by all cores per cycle of the execution time", func(r *Run) any { return &r.IPC }},
	{"workload_source", "", "where the records come from: recorded, synthetic, or a program that the chip executes", func(r *Run) any { return &r.WorkloadSource }},
	{"rules", "", "rules that the router follows where options switch rules on and off: its rule set, and what differs from it", func(r *Run) any { return &r.Rules }},
	{"trace_window", "", "number of the trace's window, from 0; 0 where the trace is not in windows", func(r *Run) any { return &r.Window }},
	{"start", "", "warm where the caches held before the first cycle what the trace says, cold where they were empty", func(r *Run) any { return &r.Start }},
	{"cycles_middle", "cycles", "cycles from when an eighth of all records was executed until seven eighths were: time without the begin and the end of a window", func(r *Run) any { return &r.MiddleCycles }},
	{"memory_reads_first_quarter", "blocks", "blocks read from memory for cores in the first quarter of their records", func(r *Run) any { return &r.FirstQuarterReads }},
	{"memory_reads_last_quarter", "blocks", "blocks read from memory for cores in the last quarter of their records", func(r *Run) any { return &r.LastQuarterReads }},
	{"replays_evicted", "accesses", "of replays, those whose block the core's own L1 gave up while its victim buffer was full", func(r *Run) any { return &r.EvictedReplays }},
	{"timeout_cycles", "cycles", "stall cycles of all cores until a time-out repeated a request", func(r *Run) any { return &r.TimeoutCycles }},
}
