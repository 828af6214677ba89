package tables

// Run is one run: a workload on a router with a seed. What was not measured is absent: a run that
// failed or was interrupted has its configuration and its exit state only.
type Run struct {
	RunKey             string         `col:"run_key" doc:"digest of the run's effective configuration and trace; equal keys mean equal results"`
	Workload           string         `col:"workload" doc:"name of the workload"`
	TraceDigest        string         `col:"trace_digest" doc:"SHA-256 of the trace file, or of the records and edges of a workload of the catalogue"`
	Router             string         `col:"router" doc:"router model"`
	Topology           string         `col:"topology" doc:"topology with its sizes"`
	Scheme             string         `col:"scheme" doc:"how packets with several destinations travel"`
	Protocol           string         `col:"protocol" doc:"coherence protocol"`
	Cores              uint64         `col:"cores" unit:"cores" doc:"cores that replay the trace"`
	Seed               uint64         `col:"seed" doc:"seed of the run's random streams"`
	Cycles             Maybe[uint64]  `col:"cycles" unit:"cycles" doc:"execution time, until the last core has ended its trace" screen:"cycles" place:"3" wide:"yes"`
	Seconds            Maybe[float64] `col:"seconds" unit:"s" doc:"execution time at the configured clock"`
	Instructions       Maybe[uint64]  `col:"instructions" unit:"instructions" doc:"instructions retired by all cores"`
	Loads              Maybe[uint64]  `col:"loads" unit:"accesses" doc:"loads performed"`
	Stores             Maybe[uint64]  `col:"stores" unit:"accesses" doc:"stores performed"`
	Fetches            Maybe[uint64]  `col:"fetches" unit:"accesses" doc:"instruction fetches of a new line"`
	L1Hits             Maybe[uint64]  `col:"l1_hits" unit:"accesses" doc:"accesses that their L1 served at once"`
	L1Misses           Maybe[uint64]  `col:"l1_misses" unit:"accesses" doc:"accesses that needed a coherence transaction"`
	L2Hits             Maybe[uint64]  `col:"l2_hits" unit:"requests" doc:"requests that the home bank served"`
	L2Misses           Maybe[uint64]  `col:"l2_misses" unit:"requests" doc:"requests that the home bank could not serve"`
	MemoryReads        Maybe[uint64]  `col:"memory_reads" unit:"blocks" doc:"blocks read from memory"`
	MemoryWrites       Maybe[uint64]  `col:"memory_writes" unit:"blocks" doc:"blocks written to memory"`
	Reissues           Maybe[uint64]  `col:"reissues" unit:"requests" doc:"transient requests sent again after a timeout" screen:"re-issues" place:"9" wide:"yes" protocol:"token"`
	PersistentRequests Maybe[uint64]  `col:"persistent_requests" unit:"requests" doc:"persistent requests, the protocol's last resort" screen:"persistent" place:"10" wide:"yes" protocol:"token"`
	PacketsUnicast     Maybe[uint64]  `col:"packets_unicast" unit:"packets" doc:"messages with one destination" screen:"unicast" place:"6" wide:"yes"`
	PacketsMulticast   Maybe[uint64]  `col:"packets_multicast" unit:"packets" doc:"messages with several destinations, but not all caches" screen:"multicast" place:"7" wide:"yes"`
	PacketsBroadcast   Maybe[uint64]  `col:"packets_broadcast" unit:"packets" doc:"messages to the caches of all other cores" screen:"broadcast" place:"8" wide:"yes"`
	PacketLatencyMean  Maybe[float64] `col:"packet_latency_mean" unit:"cycles" doc:"mean over delivered copies, from the message's creation to its arrival" screen:"packet latency" place:"2"`
	MissLatencyMean    Maybe[float64] `col:"miss_latency_mean" unit:"cycles" doc:"mean over L1 misses, from the first request to completion" screen:"miss latency" place:"1"`
	EnergyDynamic      Maybe[float64] `col:"energy_dynamic_j" unit:"J" doc:"network energy that follows from activity"`
	EnergyStatic       Maybe[float64] `col:"energy_static_j" unit:"J" doc:"network energy that follows from time: leakage and clock"`
	Energy             Maybe[float64] `col:"energy_j" unit:"J" doc:"network energy" screen:"energy [uJ]" place:"4" wide:"yes" scale:"1e6"`
	EnergyDelay        Maybe[float64] `col:"ed_js" unit:"J s" doc:"network energy times execution time"`
	EnergyED2P         Maybe[float64] `col:"ed2p_js2" unit:"J s^2" doc:"network energy times execution time squared" screen:"ED2P [J s^2]"`
	ExitState          string         `col:"exit_state" doc:"finished, failed or interrupted"`
	Digest             Maybe[string]  `col:"digest" doc:"running hash over all deliveries and completions"`
	WallSeconds        Maybe[float64] `col:"wall_seconds" unit:"s" doc:"time the simulation took on the host; not part of the result"`
	Atomics            Maybe[uint64]  `col:"atomics" unit:"accesses" doc:"read-modify-write accesses performed"`
	DrainCycles        Maybe[uint64]  `col:"drain_cycles" unit:"cycles" doc:"cycles after the execution time until the network was quiet"`
	Orphans            Maybe[uint64]  `col:"orphans" unit:"messages" doc:"token messages that arrived at a node that did not wait for them"`
	Migrations         Maybe[uint64]  `col:"migrations" unit:"requests" doc:"reads answered with all tokens"`
	Replays            Maybe[uint64]  `col:"replays" unit:"accesses" doc:"loads repeated because another core took their block, or the L1 evicted it, before they retired"`
	PacketsLocal       Maybe[uint64]  `col:"packets_local" unit:"copies" doc:"copies that stayed at their router and used no network"`
	Deliveries         Maybe[uint64]  `col:"deliveries" unit:"copies" doc:"copies that the network delivered"`
	Phits              Maybe[uint64]  `col:"delivered_phits" unit:"phits" doc:"phits handed to destinations"`
	PhitHops           Maybe[uint64]  `col:"phit_hops" unit:"phits" doc:"phits that crossed a link, summed over links"`
	PeakReorder        Maybe[uint64]  `col:"peak_reorder" unit:"messages" doc:"most messages held back for order at once"`
	PeakInterface      Maybe[uint64]  `col:"peak_interface" unit:"messages" doc:"most messages queued in one network interface at once"`
	PowerProfile       string         `col:"power_profile" doc:"energy model (power.profile)"`
	Technology         float64        `col:"technology_nm" unit:"nm" doc:"technology of the energy model"`
	Explanation        Maybe[string]  `col:"explanation" doc:"why the run did not finish"`
	Hardware           Maybe[string]  `col:"hardware" doc:"hardware of a router, as JSON, from which its energy per event is computed"`
	Power              Maybe[string]  `col:"power" doc:"energy configuration, as JSON"`
	SimulationKey      string         `col:"simulation_key" doc:"digest of the configuration without that of energy; run_key is computed from both"`
	IPC                Maybe[float64] `col:"ipc" unit:"instructions/cycle" doc:"instructions retired by all cores per cycle of the execution time" screen:"IPC" place:"5" wide:"yes"`
	WorkloadSource     string         `col:"workload_source" doc:"where the records come from: recorded, synthetic, or a program that the chip executes"`
	Rules              string         `col:"rules" doc:"rule set of the router, and options that change its rules; empty if it has none"`
	Window             uint64         `col:"trace_window" doc:"number of the trace's window, from 0; 0 if the trace has no windows"`
	Start              Maybe[string]  `col:"start" doc:"warm if the caches started with the contents that the trace has, cold if they started empty"`
	MiddleCycles       Maybe[uint64]  `col:"cycles_middle" unit:"cycles" doc:"cycles from the time at which an eighth of all records was executed until seven eighths were; excludes start and end of a window"`
	FirstQuarterReads  Maybe[uint64]  `col:"memory_reads_first_quarter" unit:"blocks" doc:"blocks read from memory for cores in the first quarter of their records"`
	LastQuarterReads   Maybe[uint64]  `col:"memory_reads_last_quarter" unit:"blocks" doc:"blocks read from memory for cores in the last quarter of their records"`
	EvictedReplays     Maybe[uint64]  `col:"replays_evicted" unit:"accesses" doc:"replays caused by an eviction from the core's own L1 while its victim buffer was full"`
	TimeoutCycles      Maybe[uint64]  `col:"timeout_cycles" unit:"cycles" doc:"stall cycles of all cores until a timeout repeated a request"`
	ProgramOutput      Maybe[string]  `col:"program_output" doc:"output of an executed program on standard output and standard error (at most the last 64 KB)"`
	ProgramEnd         Maybe[string]  `col:"program_end" doc:"how an executed program ended: success, its exit status, or why it has none"`
}

// The exit states of a run.
const (
	Finished    = "finished"
	Failed      = "failed"
	Interrupted = "interrupted" // stopped on the way, or never started because the study was stopped
)

// How a run's caches start.
const (
	WarmStart = "warm"
	ColdStart = "cold"
)

// Runs is the table of runs.
var Runs = newTable[Run]("runs", "one row per run")
