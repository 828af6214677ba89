package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

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
	// FinishCycle is when the core's records ended, or the measured part; or until when it is known to have waited
	// after its records.
	FinishCycle noc.Cycle
	// RetiringCycles and StallCycles add up to FinishCycle: in every cycle before the last one a
	// core retires something or is kept from it by one cause.
	RetiringCycles uint64
	StallCycles    [Stalls]uint64
	// ComponentCycles say where the cycles that are not retiring ones went: they add up to the same
	// as StallCycles.
	ComponentCycles [Components]uint64
	Ordered         uint64 // edges to other cores that were met, without those of joins
	Woken           uint64 // of these, those at which a recorded thread was woken
	Attempts        uint64 // to change words
}

// Third is what cores did in a third of their records.
type Third struct {
	Reads  uint64          // blocks read from memory
	Misses [efforts]uint64 // that ended: at the first request, repeated ones, and with persistent requests
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
	BufferedPhits uint64 // of the packets inside, see [noc.Totals]
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
// which the last core finished and the network became quiet; of a trace of which a part is measured, they
// cover that part (see part.go).
type Result struct {
	// Start is the first cycle of the measured part, or 0. All other cycles count from there.
	Start        noc.Cycle
	Cycles       noc.Cycle // until the last core finished, the part was over, or a limit stopped the run: the execution time
	MiddleCycles noc.Cycle // of these, from when an eighth of all records was executed until seven eighths were
	DrainCycles  noc.Cycle // further cycles until nothing moved any more
	Stopped      bool      // by a limit of the configuration, before all cores had finished
	Instructions uint64
	Loads        uint64
	Stores       uint64
	Atomics      uint64
	Fetches      uint64
	// How threads synchronised: locks taken alone and shared, barriers that cores have passed, edges
	// that were met, of these those at which a recorded thread was woken, and attempts to change words.
	Locks, SharedLocks, Barriers, Ordered, Woken, Attempts uint64

	L1Hits, L1Misses          uint64
	L2Hits, L2Misses          uint64
	MemoryReads, MemoryWrites uint64
	// Invalidations are copies that L1s lost because another core wrote or the L2 gave the block up.
	// Upgrades are misses of writes whose L1 had a readable copy. CacheTransfers are misses that
	// another L1 answered, with data or tokens.
	Invalidations, Upgrades, CacheTransfers uint64
	// FirstThird and LastThird are of the records. A window that starts in another state than the program
	// differs in them.
	FirstThird, LastThird Third
	// Counters are the totals of the protocol's own, in its order.
	Counters []Counter
	// Replays are loads repeated because their block was lost before retirement. Of these, the core's
	// own cache gave up EvictedReplays blocks while its victim buffer was full; the others were
	// taken for another core.
	Replays, EvictedReplays   uint64
	MissLatencySum, MissCount uint64 // completed misses, from first request to completion, in cycles
	LongestMiss               noc.Cycle
	PacketLatencySum          uint64 // over network deliveries, from creation to arrival, in cycles
	PacketIdleSum             uint64 // what the deliveries would have taken in the idle network; 0 without KnowIdle
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
	Routers   []noc.Activity
	Links     []noc.Link
	Network   noc.Totals

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

// Accesses returns how many loads, stores, atomics and fetches were performed.
func (r *Result) Accesses() uint64 { return r.Loads + r.Stores + r.Atomics + r.Fetches }

// Packets sums the classes' messages of one cast.
func (r *Result) Packets(c Cast) uint64 {
	var n uint64
	for i := range r.Classes {
		n += r.Classes[i].Casts[c]
	}
	return n
}

// effort is how hard a miss was to complete.
type effort uint8

const (
	firstRequest effort = iota
	reissued
	persistentRequest
	efforts
)

// observeMiss notes how long a miss took, and how many requests it needed.
func (o *observation) observeMiss(d *coherence.Completion, took noc.Cycle) {
	e := firstRequest
	switch {
	case d.Persistent:
		e = persistentRequest
	case d.Issues > 1:
		e = reissued
	}
	o.milestones.sofar[e]++
	o.longestMiss = max(o.longestMiss, took)
}
