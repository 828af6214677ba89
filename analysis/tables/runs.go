package tables

import (
	"encoding/json"

	"github.com/carousel-sim/carousel/power"
)

// Run is one run: a workload on a router with a seed. What was not measured is absent: a run that
// failed or was interrupted has its configuration and its exit state only.
type Run struct {
	RunKey               string         `col:"run_key" doc:"digest of the run's effective configuration and trace; equal keys mean equal results"`
	Workload             string         `col:"workload" doc:"name of the workload"`
	TraceDigest          string         `col:"trace_digest" doc:"SHA-256 of the trace file, or of the records and edges of a workload of the catalogue"`
	Router               string         `col:"router" doc:"router model"`
	Topology             string         `col:"topology" doc:"topology with its sizes"`
	Scheme               string         `col:"scheme" doc:"how packets with several destinations travel"`
	Protocol             string         `col:"protocol" doc:"coherence protocol"`
	Cores                uint64         `col:"cores" unit:"cores" doc:"cores that replay the trace"`
	Seed                 uint64         `col:"seed" doc:"seed of the run's random streams"`
	Cycles               Maybe[uint64]  `col:"cycles" unit:"cycles" doc:"execution time. A window with a warm-up ends when all cores together have executed as many records as it has; other runs end with the last core"`
	Seconds              Maybe[float64] `col:"seconds" unit:"s" doc:"execution time at the configured clock"`
	Instructions         Maybe[uint64]  `col:"instructions" unit:"instructions" doc:"instructions retired by all cores"`
	Loads                Maybe[uint64]  `col:"loads" unit:"accesses" doc:"loads performed"`
	Stores               Maybe[uint64]  `col:"stores" unit:"accesses" doc:"stores performed"`
	Fetches              Maybe[uint64]  `col:"fetches" unit:"accesses" doc:"instruction fetches of a new line"`
	L1Hits               Maybe[uint64]  `col:"l1_hits" unit:"accesses" doc:"accesses that their L1 served at once"`
	L1Misses             Maybe[uint64]  `col:"l1_misses" unit:"accesses" doc:"accesses that needed a coherence transaction, including early requests of store buffers and prefetches"`
	L2Hits               Maybe[uint64]  `col:"l2_hits" unit:"requests" doc:"requests that the home bank served"`
	L2Misses             Maybe[uint64]  `col:"l2_misses" unit:"requests" doc:"requests that the home bank could not serve"`
	MemoryReads          Maybe[uint64]  `col:"memory_reads" unit:"blocks" doc:"blocks read from memory"`
	MemoryWrites         Maybe[uint64]  `col:"memory_writes" unit:"blocks" doc:"blocks written to memory"`
	Reissues             Maybe[uint64]  `col:"reissues" unit:"requests" doc:"transient requests sent again after a timeout"`
	PersistentRequests   Maybe[uint64]  `col:"persistent_requests" unit:"requests" doc:"persistent requests, the protocol's last resort"`
	PacketsUnicast       Maybe[uint64]  `col:"packets_unicast" unit:"packets" doc:"messages with one destination"`
	PacketsMulticast     Maybe[uint64]  `col:"packets_multicast" unit:"packets" doc:"messages with several destinations, but not all caches"`
	PacketsBroadcast     Maybe[uint64]  `col:"packets_broadcast" unit:"packets" doc:"messages to the caches of all other cores"`
	PacketLatencyMean    Maybe[float64] `col:"packet_latency_mean" unit:"cycles" doc:"mean over delivered copies, from the message's creation to its arrival"`
	MissLatencyMean      Maybe[float64] `col:"miss_latency_mean" unit:"cycles" doc:"mean over L1 misses, without those of early requests of store buffers and of prefetches, from the first request to completion"`
	EnergyDynamic        Maybe[float64] `col:"energy_dynamic_j" unit:"J" doc:"network energy that follows from activity"`
	EnergyStatic         Maybe[float64] `col:"energy_static_j" unit:"J" doc:"network energy of leakage and clock. All of it grows with time, except that of gated clocks, which grows with activity"`
	Energy               Maybe[float64] `col:"energy_j" unit:"J" doc:"network energy"`
	EnergyDelay          Maybe[float64] `col:"ed_js" unit:"J s" doc:"network energy times execution time"`
	EnergyED2P           Maybe[float64] `col:"ed2p_js2" unit:"J s^2" doc:"network energy times execution time squared"`
	ExitState            string         `col:"exit_state" doc:"finished, failed or interrupted"`
	Digest               Maybe[string]  `col:"digest" doc:"running hash over all deliveries and completions"`
	WallSeconds          Maybe[float64] `col:"wall_seconds" unit:"s" doc:"time the simulation took on the host; not part of the result"`
	Atomics              Maybe[uint64]  `col:"atomics" unit:"accesses" doc:"read-modify-write accesses performed"`
	DrainCycles          Maybe[uint64]  `col:"drain_cycles" unit:"cycles" doc:"cycles after the execution time until the network was quiet"`
	Orphans              Maybe[uint64]  `col:"orphans" unit:"messages" doc:"token messages that arrived at a node that did not wait for them"`
	Migrations           Maybe[uint64]  `col:"migrations" unit:"requests" doc:"reads answered with all tokens"`
	Replays              Maybe[uint64]  `col:"replays" unit:"accesses" doc:"loads repeated because another core took their block, or the L1 evicted it, before they retired"`
	PacketsLocal         Maybe[uint64]  `col:"packets_local" unit:"copies" doc:"copies that stayed at their router and used no network"`
	Deliveries           Maybe[uint64]  `col:"deliveries" unit:"copies" doc:"copies that the network delivered"`
	Phits                Maybe[uint64]  `col:"delivered_phits" unit:"phits" doc:"phits handed to destinations"`
	PhitHops             Maybe[uint64]  `col:"phit_hops" unit:"phits" doc:"phits that crossed a link, summed over links"`
	PeakReorder          Maybe[uint64]  `col:"peak_reorder" unit:"messages" doc:"most messages held back for order at once"`
	PeakInterface        Maybe[uint64]  `col:"peak_interface" unit:"messages" doc:"most messages queued in one network interface at once"`
	PowerProfile         string         `col:"power_profile" doc:"energy model (power.profile)"`
	Technology           float64        `col:"technology_nm" unit:"nm" doc:"technology of the energy model"`
	Explanation          Maybe[string]  `col:"explanation" doc:"why the run did not finish"`
	Hardware             Maybe[string]  `col:"hardware" doc:"hardware of a router, as JSON, from which its energy per event is computed"`
	Power                Maybe[string]  `col:"power" doc:"energy configuration, as JSON"`
	SimulationKey        string         `col:"simulation_key" doc:"digest of the configuration without that of energy; run_key is computed from both"`
	IPC                  Maybe[float64] `col:"ipc" unit:"instructions/cycle" doc:"instructions retired by all cores per cycle of the execution time"`
	WorkloadSource       string         `col:"workload_source" doc:"where the records come from: recorded, synthetic, or a program that the chip executes"`
	Rules                string         `col:"rules" doc:"rule set of the router, options that change its rules, its wiring if that is not the topology's, and lengths of messages if they are not 1 and 5 phits or if those to several nodes are longer; empty if there are none"`
	Window               uint64         `col:"trace_window" doc:"number of the trace's window, from 0; 0 if the trace has no windows"`
	Start                Maybe[string]  `col:"start" doc:"warm if the caches started with the contents that the trace has, cold if they started empty"`
	MiddleCycles         Maybe[uint64]  `col:"cycles_middle" unit:"cycles" doc:"cycles from the time at which an eighth of all records was executed until seven eighths were; excludes start and end of a window"`
	FirstThirdReads      Maybe[uint64]  `col:"memory_reads_first_third" unit:"blocks" doc:"blocks read from memory for cores in the first third of their records"`
	LastThirdReads       Maybe[uint64]  `col:"memory_reads_last_third" unit:"blocks" doc:"blocks read from memory for cores in the last third of their records"`
	EvictedReplays       Maybe[uint64]  `col:"replays_evicted" unit:"accesses" doc:"replays caused by an eviction from the core's own L1 while its victim buffer was full"`
	TimeoutCycles        Maybe[uint64]  `col:"timeout_cycles" unit:"cycles" doc:"stall cycles of all cores until a timeout repeated a request"`
	ProgramOutput        Maybe[string]  `col:"program_output" doc:"output of an executed program on standard output and standard error (at most the last 64 KB)"`
	ProgramEnd           Maybe[string]  `col:"program_end" doc:"how an executed program ended: success, its exit status, or why it has none"`
	Chip                 Maybe[string]  `col:"chip" doc:"chip beside its network, as JSON, from which its energy is computed"`
	ChipCores            Maybe[float64] `col:"chip_cores_j" unit:"J" doc:"energy of the cores without their L1 caches"`
	ChipL1               Maybe[float64] `col:"chip_l1_j" unit:"J" doc:"energy of the L1 caches"`
	ChipL2               Maybe[float64] `col:"chip_l2_j" unit:"J" doc:"energy of the L2 banks"`
	ChipState            Maybe[float64] `col:"chip_state_j" unit:"J" doc:"energy of the tokens or the directory in the L2 banks"`
	ChipControllers      Maybe[float64] `col:"chip_controllers_j" unit:"J" doc:"energy of the memory controllers"`
	ChipMemory           Maybe[float64] `col:"memory_j" unit:"J" doc:"energy of the DRAM; part of chip_energy_j only with power.memory=true"`
	ChipEnergy           Maybe[float64] `col:"chip_energy_j" unit:"J" doc:"energy of the chip: network, cores, caches, tokens or directory, and memory controllers"`
	NetworkShare         Maybe[float64] `col:"network_share" unit:"J/J" doc:"network energy divided by that of the chip"`
	ChipED               Maybe[float64] `col:"chip_ed_js" unit:"J s" doc:"energy of the chip times execution time"`
	ChipED2P             Maybe[float64] `col:"chip_ed2p_js2" unit:"J s^2" doc:"energy of the chip times execution time squared"`
	FastestRouter        Maybe[string]  `col:"fastest_router" doc:"router that takes the least time with this workload, window, seed and setting"`
	EDFixed              Maybe[float64] `col:"breakeven_ed_fixed_w" unit:"W" doc:"power of the rest of the chip below which this router has the lower energy-delay product than the fastest one, if the rest of the chip spends the same energy with both"`
	EDStatic             Maybe[float64] `col:"breakeven_ed_static_w" unit:"W" doc:"the same if the rest of the chip draws the same power with both"`
	ED2PFixed            Maybe[float64] `col:"breakeven_ed2p_fixed_w" unit:"W" doc:"power of the rest of the chip below which this router has the lower energy-delay-squared product than the fastest one, if the rest of the chip spends the same energy with both"`
	ED2PStatic           Maybe[float64] `col:"breakeven_ed2p_static_w" unit:"W" doc:"the same if the rest of the chip draws the same power with both"`
	Synchronisation      Maybe[string]  `col:"synchronisation" doc:"how the threads of a recording synchronise most: rarely, barriers, locks, reader-writer locks, counters, attempts, conditions, flags or mixed"`
	RecordedOrder        Maybe[string]  `col:"recorded_order" doc:"whether threads of a recording are ordered where they use the same word or the same line"`
	Limit                Maybe[string]  `col:"run_limit" doc:"instructions if a limit of instructions has ended the run; cycles if the run has a limit of cycles, in which case ratios of times and energies are per instruction"`
	WarmUpCycles         Maybe[uint64]  `col:"warm_up_cycles" unit:"cycles" doc:"cycles of the warm-up before the measured part; 0 if everything is measured"`
	FirstThirdMisses     Maybe[uint64]  `col:"misses_first_third" unit:"misses" doc:"L1 misses, counted as in miss_latency_mean, that ended in the first third of all records"`
	FirstThirdRepeated   Maybe[uint64]  `col:"repeated_misses_first_third" unit:"misses" doc:"of misses_first_third, those whose request was repeated, without a persistent request"`
	FirstThirdPersistent Maybe[uint64]  `col:"persistent_misses_first_third" unit:"misses" doc:"of misses_first_third, those that needed a persistent request"`
	LastThirdMisses      Maybe[uint64]  `col:"misses_last_third" unit:"misses" doc:"L1 misses, counted as in miss_latency_mean, that ended in the last third of all records"`
	LastThirdRepeated    Maybe[uint64]  `col:"repeated_misses_last_third" unit:"misses" doc:"of misses_last_third, those whose request was repeated, without a persistent request"`
	LastThirdPersistent  Maybe[uint64]  `col:"persistent_misses_last_third" unit:"misses" doc:"of misses_last_third, those that needed a persistent request"`
	RouterArea           Maybe[float64] `col:"router_area_mm2" unit:"mm^2" doc:"area of one router without its links; absent where the energy model has no area (carousel help energy)"`
	IPCPerArea           Maybe[float64] `col:"ipc_per_mm2" unit:"instructions/cycle/mm^2" doc:"instructions of all cores per cycle, divided by the area of all routers"`
	Invalidations        Maybe[uint64]  `col:"invalidations" unit:"blocks" doc:"copies that L1 caches lost because another core wrote to the block or the L2 gave it up"`
	Upgrades             Maybe[uint64]  `col:"upgrades" unit:"misses" doc:"L1 misses of writes whose L1 had a copy that it could read"`
	CacheTransfers       Maybe[uint64]  `col:"cache_transfers" unit:"misses" doc:"L1 misses that the L1 of another core answered, with the block or with tokens alone"`
	MulticastShare       Maybe[float64] `col:"multicast_share" unit:"messages/message" doc:"messages with several destinations, divided by all messages"`
	MulticastSlowdown    Maybe[float64] `col:"multicast_slowdown" unit:"cycles/cycle" doc:"mean latency of the copies of messages with several destinations, divided by that of all copies"`
	ClassesPerChannel    Maybe[uint64]  `col:"classes_per_channel" unit:"classes" doc:"most message classes that use one virtual channel of router wormhole; if more than 1, a packet may wait for one of another class"`
	PacketIdleMean       Maybe[float64] `col:"packet_idle_mean" unit:"cycles" doc:"mean over delivered copies of the time that each would take in the idle network"`
	Barriers             Maybe[float64] `col:"barriers" unit:"barriers" doc:"barriers that a core passed in a window, on average over cores; absent if windows go from barrier to barrier or the recording has no barriers"`
}

// ProgramStopped is how a program ends that a limit of its run has stopped.
const ProgramStopped = "stopped by a limit of the run"

// The limits of runs.
const (
	ByInstructions = "instructions"
	ByCycles       = "cycles"
)

// How the threads of a recording synchronise most.
const (
	Rarely         = "rarely"
	ByBarriers     = "barriers"
	ByLocks        = "locks"
	ByReaderWriter = "reader-writer locks"
	ByCounters     = "counters"   // atomics, as those of queues of tasks
	ByAttempts     = "attempts"   // compare-and-swaps that are tried again
	ByConditions   = "conditions" // threads sleep until others wake them
	ByFlags        = "flags"      // reads of what others wrote, in recorded order
	Mixed          = "mixed"      // flags beside locks or atomics
)

// What the recorded order of threads is about.
const (
	ByWord = "word"
	ByLine = "line"
)

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

// Traffic is one point of synthetic traffic: a router at a load with a seed. What was not measured,
// because the point did not finish or nothing of the kind arrived, is absent.
type Traffic struct {
	RunKey                   string         `col:"run_key" doc:"digest of the point's effective configuration; equal keys mean equal results"`
	Router                   string         `col:"router" doc:"router model"`
	Topology                 string         `col:"topology" doc:"topology with its sizes"`
	Scheme                   string         `col:"scheme" doc:"how packets with several destinations travel"`
	Pattern                  string         `col:"pattern" doc:"pattern of the destinations of unicasts, or the packet trace that was replayed"`
	MulticastFraction        float64        `col:"multicast_fraction" doc:"probability that a message is a multicast"`
	MulticastDestinations    uint64         `col:"multicast_destinations" unit:"nodes" doc:"destinations of a multicast"`
	PacketPhits              uint64         `col:"packet_phits" unit:"phits" doc:"length of every packet; 0 for a packet trace, whose packets differ in length"`
	Classes                  uint64         `col:"classes" doc:"message classes, drawn uniformly"`
	Cycles                   uint64         `col:"cycles" unit:"cycles" doc:"length of the run, warm-up included"`
	Warmup                   uint64         `col:"warmup" unit:"cycles" doc:"cycles before the measurement window, which lasts until the end of the run"`
	Seed                     uint64         `col:"seed" doc:"seed of the point's random streams"`
	Offered                  float64        `col:"offered" unit:"phits/node/cycle" doc:"configured load of the sources, a multicast counting once; for a packet trace, recorded phits per node and recorded cycle"`
	Generated                Maybe[float64] `col:"generated" unit:"phits/node/cycle" doc:"load that the sources generated; less than offered if the pattern maps some nodes to themselves"`
	Accepted                 Maybe[float64] `col:"accepted" unit:"phits/node/cycle" doc:"load taken from the sources, a multicast counting once"`
	Delivered                Maybe[float64] `col:"delivered" unit:"phits/node/cycle" doc:"load handed to destinations, each copy counting"`
	Saturated                Maybe[string]  `col:"saturated" doc:"yes if the network was saturated (carousel help networks; for plans of kind messages, carousel help studies); else no"`
	LatencyMean              Maybe[float64] `col:"latency_mean" unit:"cycles" doc:"mean over copies, from the message's generation to the tail's arrival"`
	LatencyP50               Maybe[float64] `col:"latency_p50" unit:"cycles" doc:"median over copies; exact below 64 cycles, else within 1/32 of the value"`
	LatencyP95               Maybe[float64] `col:"latency_p95" unit:"cycles" doc:"95th percentile over copies; as exact as the median"`
	LatencyP99               Maybe[float64] `col:"latency_p99" unit:"cycles" doc:"99th percentile over copies; as exact as the median"`
	LatencyMax               Maybe[uint64]  `col:"latency_max" unit:"cycles" doc:"largest latency of a copy"`
	NetworkLatencyMean       Maybe[float64] `col:"network_latency_mean" unit:"cycles" doc:"mean over copies without the queue at the source: from when the first phit left it to the tail's arrival"`
	UnicastLatencyMean       Maybe[float64] `col:"unicast_latency_mean" unit:"cycles" doc:"mean over unicast messages"`
	MulticastLatencyMean     Maybe[float64] `col:"multicast_latency_mean" unit:"cycles" doc:"mean over multicasts, to the arrival at the last destination"`
	MulticastCopyLatencyMean Maybe[float64] `col:"multicast_copy_latency_mean" unit:"cycles" doc:"mean over the copies of multicasts"`
	MulticastPathMean        Maybe[float64] `col:"multicast_path_mean" unit:"links" doc:"links crossed from source to destination, mean over the copies of multicasts"`
	HopsMean                 Maybe[float64] `col:"hops_mean" unit:"links" doc:"links crossed from source to destination, mean over all copies"`
	PacketsGenerated         Maybe[uint64]  `col:"packets_generated" unit:"messages" doc:"messages that the sources generated"`
	PacketsInjected          Maybe[uint64]  `col:"packets_injected" unit:"packets" doc:"packets that left a source; copies made at the source count one by one"`
	PacketsDelivered         Maybe[uint64]  `col:"packets_delivered" unit:"copies" doc:"copies handed to destinations"`
	PhitsDelivered           Maybe[uint64]  `col:"delivered_phits" unit:"phits" doc:"phits handed to destinations"`
	PhitHops                 Maybe[uint64]  `col:"phit_hops" unit:"phits" doc:"phits that crossed a link, summed over links"`
	PacketsDelayed           Maybe[uint64]  `col:"packets_delayed" unit:"packets" doc:"packets of a packet trace that were sent later than recorded, because packets that they depend on arrived later"`
	DelayMean                Maybe[float64] `col:"delay_mean" unit:"cycles" doc:"mean delay of the packets of packets_delayed"`
	CyclesRecorded           Maybe[uint64]  `col:"cycles_recorded" unit:"cycles" doc:"recorded cycle of the last packet of a packet trace"`
	WaitingGrowth            Maybe[float64] `col:"waiting_growth" unit:"messages/node" doc:"growth of the queues at the sources in the window"`
	OldestWaiting            Maybe[uint64]  `col:"oldest_waiting" unit:"cycles" doc:"age of the oldest message in the queues at the sources at the end; 0 if they are empty"`
	EnergyDynamic            Maybe[float64] `col:"energy_dynamic_pj" unit:"pJ" doc:"network energy of the window that follows from activity"`
	EnergyStatic             Maybe[float64] `col:"energy_static_pj" unit:"pJ" doc:"network energy of the window: leakage and clock; gated clocks follow from activity, the rest from time"`
	Energy                   Maybe[float64] `col:"energy_pj" unit:"pJ" doc:"network energy of the window"`
	ED2P                     Maybe[float64] `col:"ed2p" unit:"pJ/(phits/node/cycle)^2" doc:"energy of the window divided by the delivered load squared, the definition of the MRR paper"`
	ED2PPerPhit              Maybe[float64] `col:"ed2p_per_phit" unit:"pJ/phit/(phits/node/cycle)^2" doc:"energy per delivered phit divided by the delivered load squared"`
	SimulatedCycles          Maybe[uint64]  `col:"simulated_cycles" unit:"cycles" doc:"cycles simulated, warm-up included"`
	Digest                   Maybe[string]  `col:"digest" doc:"running hash over all deliveries since cycle 0"`
	WallSeconds              Maybe[float64] `col:"wall_seconds" unit:"s" doc:"time the simulation took on the host; not part of the result"`
	PowerProfile             string         `col:"power_profile" doc:"energy model (power.profile)"`
	Technology               float64        `col:"technology_nm" unit:"nm" doc:"technology of the energy model"`
	ExitState                string         `col:"exit_state" doc:"finished, failed or interrupted"`
	Explanation              Maybe[string]  `col:"explanation" doc:"why the point did not finish, or why the network stopped at a load of the search for saturation"`
	Hardware                 Maybe[string]  `col:"hardware" doc:"hardware of a router, as JSON, from which its energy per event is computed"`
	Power                    Maybe[string]  `col:"power" doc:"energy configuration, as JSON"`
	SimulationKey            string         `col:"simulation_key" doc:"digest of the configuration without that of energy; run_key is computed from both"`
	Rules                    string         `col:"rules" doc:"rule set of the router, options that change its rules, and its wiring if that is not the topology's; empty if it has none"`
	RouterArea               Maybe[float64] `col:"router_area_mm2" unit:"mm^2" doc:"area of one router without its links; absent where the energy model has no area (carousel help energy)"`
	DeliveredPerArea         Maybe[float64] `col:"delivered_per_mm2" unit:"phits/node/cycle/mm^2" doc:"delivered load divided by the area of one router"`
}

// The verdicts of the column saturated.
const (
	Saturated   = "yes"
	Unsaturated = "no"
)

// SaturatedText is the cell of a verdict.
func SaturatedText(saturated bool) Maybe[string] {
	if saturated {
		return Some(Saturated)
	}
	return Some(Unsaturated)
}

// TrafficPoints is the table of synthetic traffic.
var TrafficPoints = newTable[Traffic]("traffic", "one row per router, load and seed of synthetic traffic; counts and energies are those of the measurement window")

// Prices is the energy configuration of a run; without values where it has none.
func (r *Run) Prices() power.Config { return pricesOf(r.Power) }

// Prices is the energy model of a network alone.
func (t *Traffic) Prices() power.Config { return pricesOf(t.Power) }

func pricesOf(written Maybe[string]) (c power.Config) {
	if json.Unmarshal([]byte(written.Value), &c) != nil {
		return power.Config{}
	}
	return c.Effective()
}
