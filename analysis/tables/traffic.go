package tables

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
	Accepted                 Maybe[float64] `col:"accepted" unit:"phits/node/cycle" doc:"load taken from the sources, a multicast counting once" screen:"accepted"`
	Delivered                Maybe[float64] `col:"delivered" unit:"phits/node/cycle" doc:"load handed to destinations, each copy counting" screen:"delivered"`
	Saturated                Maybe[string]  `col:"saturated" doc:"yes if the queues at the sources or the buffers of the network grew beyond their limits, or oldest_waiting is more than half the window (carousel help networks); else no"`
	LatencyMean              Maybe[float64] `col:"latency_mean" unit:"cycles" doc:"mean over copies, from the message's generation to the tail's arrival" screen:"latency"`
	LatencyP50               Maybe[float64] `col:"latency_p50" unit:"cycles" doc:"median over copies; exact below 64 cycles, else within 1/32 of the value" screen:"median"`
	LatencyP95               Maybe[float64] `col:"latency_p95" unit:"cycles" doc:"95th percentile over copies; as exact as the median"`
	LatencyP99               Maybe[float64] `col:"latency_p99" unit:"cycles" doc:"99th percentile over copies; as exact as the median" screen:"p99"`
	LatencyMax               Maybe[uint64]  `col:"latency_max" unit:"cycles" doc:"largest latency of a copy"`
	UnicastLatencyMean       Maybe[float64] `col:"unicast_latency_mean" unit:"cycles" doc:"mean over unicast messages" screen:"unicast latency"`
	MulticastLatencyMean     Maybe[float64] `col:"multicast_latency_mean" unit:"cycles" doc:"mean over multicasts, to the arrival at the last destination" screen:"multicast latency"`
	MulticastCopyLatencyMean Maybe[float64] `col:"multicast_copy_latency_mean" unit:"cycles" doc:"mean over the copies of multicasts"`
	MulticastPathMean        Maybe[float64] `col:"multicast_path_mean" unit:"links" doc:"links crossed from source to destination, mean over the copies of multicasts"`
	HopsMean                 Maybe[float64] `col:"hops_mean" unit:"links" doc:"links crossed from source to destination, mean over all copies" screen:"hops"`
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
	EnergyStatic             Maybe[float64] `col:"energy_static_pj" unit:"pJ" doc:"network energy of the window that follows from time: leakage and clock"`
	Energy                   Maybe[float64] `col:"energy_pj" unit:"pJ" doc:"network energy of the window" screen:"energy [uJ]" scale:"1e-6"`
	ED2P                     Maybe[float64] `col:"ed2p" unit:"pJ/(phits/node/cycle)^2" doc:"energy of the window divided by the delivered load squared, the definition of the MRR paper" screen:"ED2P"`
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
	Rules                    string         `col:"rules" doc:"rule set of the router, and options that change its rules; empty if it has none"`
}

// The verdicts of the column saturated.
const (
	Saturated   = "yes"
	Unsaturated = "no"
)

// TrafficPoints is the table of synthetic traffic.
var TrafficPoints = newTable[Traffic]("traffic", "one row per router, load and seed of synthetic traffic; counts and energies are those of the measurement window")
