package cmp

import "github.com/carousel-sim/carousel/noc"

// Cast is how many nodes a message was sent to.
type Cast uint8

// The casts. A broadcast goes to the caches of every core but the sender's, and perhaps to more; a
// multicast to several agents, but not to all caches; a unicast to one. A message that the
// interface decomposes because it is ordered counts as that many unicasts.
const (
	Unicast Cast = iota
	Multicast
	Broadcast
	Casts
)

// String returns the cast's name as used in tables.
func (c Cast) String() string { return [...]string{"unicast", "multicast", "broadcast"}[c] }

// Stall is why a core retired nothing in a cycle.
type Stall uint8

// The stall causes.
const (
	// StallLoad: the oldest instruction is a load or atomic that waits for its block. The time
	// before a core is created counts here, too.
	StallLoad        Stall = iota
	StallStoreBuffer       // the oldest instruction is a store and the store buffer is full
	StallFetch             // the window is empty and the front end waits for an instruction block
	StallDependence        // the oldest access waits for another core to reach a trace edge
	StallSync              // waiting at a lock, barrier, create or join
	Stalls
)

// CoreResult is what one core did.
type CoreResult struct {
	Instructions uint64
	Records      uint64
	FinishCycle  noc.Cycle
	// RetiringCycles and StallCycles add up to FinishCycle: in every cycle before the last one a
	// core retires something or is kept from it by one cause.
	RetiringCycles uint64
	StallCycles    [Stalls]uint64
	// ComponentCycles say where the cycles that are not retiring ones went: they add up to the same
	// as StallCycles.
	ComponentCycles [Components]uint64
}

// Bucket is one row of a latency histogram: latencies from Low up to and including High, in cycles
// from the message's creation to its acceptance by the receiver's interface.
type Bucket struct {
	Class     noc.Class
	Cast      Cast
	Low, High uint64
	Count     uint64
	Sum       uint64
}

// Epoch is a sample of the running chip. Injected, Delivered and Misses are counts since the last
// epoch.
type Epoch struct {
	Cycle         noc.Cycle
	Injected      uint64 // packets accepted by the network
	Delivered     uint64 // copies delivered
	InFlight      int    // copies under way at the sample
	BufferedPhits uint64
	Misses        uint64
}

// ClassCounts counts the messages of one class handed to the network by cast; Local counts copies
// that stayed at their router and used no network.
type ClassCounts struct {
	Name  string
	Casts [Casts]uint64
	Local uint64
	Phits uint64
}

// Result is everything measured in one run. Sums cover the whole run, from cycle 0 to the cycle in
// which the last core finished and the network became quiet.
type Result struct {
	Cycles       noc.Cycle // when the last core finished: the execution time
	MiddleCycles noc.Cycle // of these, from when an eighth of all records was executed until seven eighths were
	DrainCycles  noc.Cycle // further cycles until nothing moved any more
	Instructions uint64
	Loads        uint64
	Stores       uint64
	Atomics      uint64
	Fetches      uint64

	L1Hits, L1Misses          uint64
	L2Hits, L2Misses          uint64
	MemoryReads, MemoryWrites uint64
	// Of MemoryReads, those for cores in the first and in the last quarter of their records.
	FirstQuarterReads, LastQuarterReads uint64
	// Counters are the totals of the protocol's own, in its order.
	Counters []Counter
	// Replays are loads repeated because their block was lost before retirement. Of these, the core's
	// own cache gave up EvictedReplays blocks while its victim buffer was full; the others were
	// taken for another core.
	Replays, EvictedReplays   uint64
	MissLatencySum, MissCount uint64 // completed misses, from first request to completion, in cycles
	LongestMiss               noc.Cycle
	PacketLatencySum          uint64 // over network deliveries, from creation to arrival, in cycles
	PacketDeliveries          uint64
	// The largest number of messages held back for order, and of those queued in one interface.
	PeakReorder, PeakInterface int

	Classes []ClassCounts
	Cores   []CoreResult
	Latency []Bucket
	Epochs  []Epoch
	// RouterEpochs are the samples of the routers, 32 to 64 in a run of at least 1,024 cycles.
	RouterEpochs []RouterEpoch
	// HotBlocks are the ten blocks for which other cores' caches answered most misses. A block is
	// forgotten while many others have more; so counts of blocks with few misses may be too low.
	HotBlocks []HotBlock
	// Distributions are the histograms of everything but packets, in a fixed order.
	Distributions []Distribution
	Routers       []noc.Activity
	Links         []noc.Link
	Network       noc.Totals

	// Digest is a running hash over all deliveries and completions in their defined order.
	Digest uint64
}

// Counter is a total that only some protocols have.
type Counter struct {
	Name  string
	Value uint64
}

// Counter returns the total with a name, or 0 when the protocol does not count that.
func (r *Result) Counter(name string) uint64 {
	for _, c := range r.Counters {
		if c.Name == name {
			return c.Value
		}
	}
	return 0
}

// Packets sums the classes' messages of one cast.
func (r *Result) Packets(c Cast) uint64 {
	var n uint64
	for i := range r.Classes {
		n += r.Classes[i].Casts[c]
	}
	return n
}
