package cmp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// MaxCores bounds the number of cores of a chip.
const MaxCores = 1024

// Config describes the chip. The defaults are Table 1 of the MRR paper.
type Config struct {
	Protocol string `doc:"coherence protocol; see carousel list"`
	// More are protocols of other modules, which Protocol can name.
	More           []ProtocolEntry `json:"-" key:"-"`
	Cores          int             `unit:"cores" doc:"number of cores; 0 means as many as the trace has"`
	Core           CoreConfig
	L1             cache.Config `of:"each L1 cache, instruction and data"`
	L2             cache.Config `of:"one L2 bank"`
	BanksPerRouter int          `unit:"banks" doc:"L2 banks at each router"`
	BankHash       bool         `doc:"mix higher address bits into the bank number"`
	Place          PlaceConfig
	Latency        LatencyConfig
	NetworkClock   string `choices:"1,1/2,1/4" doc:"clock of the network as a part of the chip's; 1 by default, because table 1 of the MRR paper gives its links one cycle and names one clock"`
	// InterfaceQueue bounds the messages of each class on their way out that the network interface
	// of a router holds, InterfaceSlots the packets on their way in; 0 is no bound. See flight.go.
	// The default holds the misses of a core. Slots have none, because the controllers take packets
	// as they come: networks that may deadlock with full sinks work then, too.
	InterfaceQueue int `unit:"messages" doc:"outgoing messages of each class that a network interface holds; 0 means no limit"`
	InterfaceSlots int `unit:"packets" doc:"incoming packets of each class that a network interface holds; 0 means no limit. Where all classes saturate meshes or rings of rr or mrr, little moves while interfaces are full"`
	Memory         MemoryConfig
	Token          token.Config
	Directory      directory.Config
	ClockGHz       float64   `unit:"GHz" doc:"clock of the chip; times in cycles depend on it only if chip.memory.latency_ns is set"`
	EpochCycles    noc.Cycle `unit:"cycles" doc:"time between samples in the table epochs"`
	WatchdogCycles noc.Cycle `unit:"cycles" doc:"time without progress after which a run ends as deadlocked"`
	AuditEvery     noc.Cycle `unit:"cycles" doc:"time between coherence checks of all blocks used so far; 0 checks only at the end"`
	CheckEvery     noc.Cycle `unit:"cycles" doc:"time between coherence checks of the blocks in use; also checks every value read; 0 never checks, 1 is very slow"`
	// Perturb changes the latency of each DRAM read by a random number of cycles from -Perturb to
	// +Perturb, drawn from the run's seed, so that runs with different seeds show the workload's
	// variability (paper, section 4.2).
	Perturb noc.Cycle `unit:"cycles" doc:"largest random change of the latency of a memory read, drawn from the seed"`
	Cold    bool      `json:",omitempty" doc:"start with empty caches, even if the trace holds their contents"`
	// UntilInstructions and UntilCycles end a run early, see until.go.
	UntilInstructions   uint64    `json:",omitempty" unit:"instructions" doc:"end a run when all cores together have retired this many instructions; 0 runs to the end"`
	UntilCycles         noc.Cycle `json:",omitempty" unit:"cycles" doc:"end a run after this many cycles; routers are then compared by time and energy per instruction; 0 runs to the end"`
	FreeDestinationSets bool      `json:",omitempty" doc:"headers carry destination sets of any size without further phits; otherwise sets of more than 64 nodes need the phits of their bits"`
	// Copies is when the copy for the home bank leaves, if the network does not replicate messages.
	Copies string `json:",omitempty" key:"-"`
	// Threads is how many threads may simulate the chip at the same time, with the same results: two, or one.
	Threads    int  `json:"-" key:"-"`
	EveryCycle bool `doc:"visit every cycle instead of jumping over idle ones; same results, slower"`
}

// CoreConfig describes a core's window.
type CoreConfig struct {
	Width                 int       `unit:"instructions/cycle" doc:"instructions dispatched and retired per cycle; 4 as in table 1 of the MRR paper"`
	Window                int       `unit:"instructions" doc:"instructions in flight; 64 as in table 1 of the MRR paper"`
	Outstanding           int       `unit:"blocks" doc:"distinct blocks that may miss at once (MSHRs); 16 as in table 1 of the MRR paper"`
	StoreBuffer           int       `unit:"stores" doc:"stores retired but not yet visible"`
	LoadPorts             int       `unit:"loads/cycle" doc:"loads that may access the L1 in a cycle, beside one store"`
	VictimBuffer          int       `unit:"blocks" doc:"evicted blocks that an L1 keeps while an early load of them may still have to be squashed (carousel help core)"`
	ReplayDelay           noc.Cycle `unit:"cycles" doc:"delay before a load that lost its block is repeated"`
	MispredictEvery       uint64    `unit:"instructions" doc:"instructions from one mispredicted branch to the next: the window empties and fills again after chip.core.refill; 0, the default, predicts without error, because the MRR paper names its predictors but no rate"`
	Refill                noc.Cycle `unit:"cycles" doc:"time from the end of a mispredicted branch to the next instruction; the MRR paper gives none, and 15 is usual for such cores. It has no effect without chip.core.mispredict_every"`
	Prefetch              int       `unit:"blocks" doc:"number of following blocks that the L1 also requests when a load misses, up to the end of the page of 4 KB; 0, the default, because table 1 of the MRR paper has no prefetcher"`
	Futex                 int       `unit:"instructions" doc:"instructions of the operating system to put a thread to sleep, to wake one, or to continue one; the MRR paper gives none, and 800 is about what Linux takes"`
	Order                 string    `choices:"keep,ignore" doc:"recorded order of accesses of different threads: keep, or ignore. Keep is the default, so that a program computes what it computed when it was recorded"`
	SequentialConsistency bool      `doc:"drain the store buffer before a later load performs; otherwise total store order"`
	Dependences           string    `choices:"keep,ignore" doc:"recorded dependences between loads: keep, or ignore. Keep is the default, because the programs of the MRR paper had them"`
	Plain                 bool      `json:",omitempty" doc:"use the plain form of the core, its readable specification; same results, slower"`
}

// Keep and Ignore are what a core may do with what a trace says about the order of accesses.
const (
	Keep   = "keep"
	Ignore = "ignore"
)

// InTurn, HomeFirst and HomeLast are when the copy of a request for the home bank leaves a sender whose network
// does not replicate messages: when the turn comes to its router, before the other copies, or after them.
const (
	InTurn    = "in-turn"
	HomeFirst = "home-first"
	HomeLast  = "home-last"
)

// LatencyConfig has the latencies of the chip's parts, beside those of network and memory.
type LatencyConfig struct {
	Hit        noc.Cycle `unit:"cycles" doc:"time from a load or atomic that hits in the L1 to its result; 1 as in table 1 of the MRR paper. Stores and fetches are pipelined"`
	L1         noc.Cycle `unit:"cycles" doc:"time from a miss or message in an L1 to the message that follows; 1 as in table 1 of the MRR paper"`
	Bank       noc.Cycle `unit:"cycles" doc:"time from a message in an L2 bank to the message that follows; 3 as in table 1 of the MRR paper"`
	Controller noc.Cycle `unit:"cycles" doc:"time from a message, or a block read, in a memory controller to the message that follows; the MRR paper gives none beside that of memory, and 4 is small against its 260"`
}

// byRole returns how long each kind of controller takes from a message to what follows from it.
func (l LatencyConfig) byRole() [coherence.Roles]noc.Cycle {
	return [...]noc.Cycle{coherence.Cache: l.L1, coherence.Bank: l.Bank, coherence.Memory: l.Controller}
}

// PlaceConfig says at which routers cores and memory controllers sit.
type PlaceConfig struct {
	Columns           int    `unit:"routers" doc:"number of routers along x; 0: that of the topology, or of a square if the topology has no dimensions"`
	Cores             string `choices:"spread,edge,list" doc:"placement of cores: spread, edge or list. Spread is the default: table 1 of the MRR paper gives each router as many banks as others, but its L2 is based on a chip with cores around the banks, which is edge"`
	Memory            string `choices:"spread,edge,list" doc:"placement of memory controllers: spread, edge or list"`
	CoreList          []int  `unit:"nodes" doc:"routers of the cores, if chip.place.cores is list"`
	MemoryList        []int  `unit:"nodes" doc:"routers of the memory controllers, if chip.place.memory is list"`
	MemoryControllers int    `unit:"controllers" doc:"number of memory controllers"`
}

// MemoryConfig describes the DRAM behind each memory controller.
type MemoryConfig struct {
	Latency noc.Cycle `unit:"cycles" doc:"time from the start of a read in memory to its data, whatever the clock; 260 as in table 1 of the MRR paper"`
	// LatencyNS replaces Latency unless it is 0.
	LatencyNS float64 `json:",omitempty" unit:"ns" doc:"time from the start of a read in memory to its data; with the clock it gives the latency in cycles, unless it is 0"`
	// BytesPerCycle is the bandwidth of all controllers together; 80 at 4 GHz is 320 GB/s.
	BytesPerCycle int    `unit:"bytes/cycle" doc:"bandwidth of all memory controllers together"`
	Queue         int    `unit:"reads" doc:"reads that may wait at a memory controller"`
	Bytes         uint64 `unit:"bytes" doc:"size of the physical address space"`
}

// ReadLatency returns the time from the start of a read in memory to its data, in cycles.
func (c Config) ReadLatency() noc.Cycle {
	if c.Memory.LatencyNS > 0 {
		return noc.Cycle(math.Round(c.Memory.LatencyNS * c.ClockGHz))
	}
	return c.Memory.Latency
}

// Default returns the chip of the paper's Table 1 with the choices of this project where the paper
// is silent.
func Default() Config {
	return Config{
		Protocol: "token",
		Core:     CoreConfig{Width: 4, Window: 64, Outstanding: 16, StoreBuffer: 16, LoadPorts: 2, VictimBuffer: 64, ReplayDelay: 8, Refill: 15, Futex: traces.FutexInstructions, Dependences: Keep, Order: Keep},
		L1:       cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU},
		L2:       cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU},

		BanksPerRouter: 4,
		InterfaceQueue: 16,
		Place:          PlaceConfig{Cores: "spread", Memory: "spread", MemoryControllers: 8},
		Latency:        LatencyConfig{Hit: 1, L1: 1, Bank: 3, Controller: 4},
		NetworkClock:   "1",
		Memory:         MemoryConfig{Latency: 260, BytesPerCycle: 80, Queue: 32, Bytes: 4 << 30},
		Token:          token.Default(),
		Directory:      directory.Default(),
		ClockGHz:       4,
		EpochCycles:    10_000,
		Perturb:        2,
		WatchdogCycles: 1_000_000,
		AuditEvery:     1 << 16,
	}
}

// Validate returns an error that names the wrong key, or nil.
func (c Config) Validate() error {
	for _, r := range []struct {
		key        string
		value      int
		low, limit int
	}{
		{"cores", c.Cores, 0, MaxCores},
		{"core.width", c.Core.Width, 1, 16},
		{"core.window", c.Core.Window, 1, 1024},
		{"core.outstanding", c.Core.Outstanding, 1, coherence.MaxMisses},
		{"core.store_buffer", c.Core.StoreBuffer, 1, 256},
		{"core.load_ports", c.Core.LoadPorts, 1, 16},
		{"core.victim_buffer", c.Core.VictimBuffer, 0, 64},
		{"core.mispredict_every", int(min(c.Core.MispredictEvery, 1<<62)), 0, 1 << 30},
		{"core.refill", int(min(c.Core.Refill, 1<<62)), 0, 1000},
		{"core.prefetch", c.Core.Prefetch, 0, 16},
		{"core.futex", c.Core.Futex, 300, 1 << 20},
		{"latency.hit", int(min(c.Latency.Hit, 1<<62)), 1, 1000},
		{"latency.l1", int(min(c.Latency.L1, 1<<62)), 1, 1000},
		{"latency.bank", int(min(c.Latency.Bank, 1<<62)), 1, 1000},
		{"latency.controller", int(min(c.Latency.Controller, 1<<62)), 1, 1000},
		{"banks_per_router", c.BanksPerRouter, 1, 64},
		{"interface_queue", c.InterfaceQueue, 0, 1 << 15},
		{"interface_slots", c.InterfaceSlots, 0, 1 << 15},
		{"place.memory_controllers", c.Place.MemoryControllers, 1, 1024},
		{"memory.bytes_per_cycle", c.Memory.BytesPerCycle, 1, 1 << 20},
		{"memory.queue", c.Memory.Queue, 1, 1 << 20},
	} {
		if r.value < r.low || r.value > r.limit {
			return fmt.Errorf("%s is %d; %d to %d are allowed", r.key, r.value, r.low, r.limit)
		}
	}
	for key, value := range map[string]string{"core.dependences": c.Core.Dependences, "core.order": c.Core.Order} {
		if value != Keep && value != Ignore {
			return fmt.Errorf("%s is %q; keep and ignore are allowed", key, value)
		}
	}
	if _, known := clocks[c.NetworkClock]; !known {
		return fmt.Errorf("network_clock is %q; 1, 1/2 and 1/4 are allowed", c.NetworkClock)
	}
	if c.Copies != "" && !slices.Contains([]string{InTurn, HomeFirst, HomeLast}, c.Copies) {
		return fmt.Errorf("network.copies is %q; %s, %s and %s are allowed", c.Copies, InTurn, HomeFirst, HomeLast)
	}
	if c.EpochCycles == 0 || c.WatchdogCycles == 0 {
		return fmt.Errorf("epoch_cycles and watchdog_cycles must be above 0")
	}
	if c.BanksPerRouter&(c.BanksPerRouter-1) != 0 {
		return fmt.Errorf("banks_per_router is %d; it must be a power of two", c.BanksPerRouter)
	}
	if !(c.ClockGHz >= 0.001 && c.ClockGHz <= 100) { // the network's energy has prices for these
		return fmt.Errorf("clock_ghz is %g; 0.001 to 100 are allowed", c.ClockGHz)
	}
	if !(c.Memory.LatencyNS >= 0 && c.Memory.LatencyNS <= 1e6) {
		return fmt.Errorf("memory.latency_ns is %g; 0 to %d are allowed", c.Memory.LatencyNS, int(1e6))
	}
	if c.Perturb > c.ReadLatency() {
		return fmt.Errorf("perturb is %d; 0 to %d are allowed, the latency of memory", c.Perturb, c.ReadLatency())
	}
	if c.Memory.Bytes == 0 || c.Memory.Bytes > 1<<37 {
		return fmt.Errorf("memory.bytes is %d; 1 to %d are allowed", c.Memory.Bytes, uint64(1)<<37)
	}
	if err := c.L1.Validate(); err != nil {
		return fmt.Errorf("l1.%w", err)
	}
	if err := c.L2.Validate(); err != nil {
		return fmt.Errorf("l2.%w", err)
	}
	for _, p := range slices.Concat(Protocols, c.More) {
		if err := p.Validate(c); err != nil {
			return err
		}
	}
	return nil
}

// ProtocolEntry is what a chip needs to know of one coherence protocol. Every field is set: nothing
// of one protocol stands in for another's. What is checked of a protocol apart from the chip is a
// row in coherence/verify, so that a chip does not carry the explorer.
type ProtocolEntry struct {
	Name, Doc string
	// Inclusive tells that the L2 holds every block that an L1 holds.
	Inclusive bool
	// New makes the protocol for a chip. Its error names the key of an option that does not fit the
	// chip.
	New func(c Config, s coherence.System) (coherence.Protocol, error)
	// ClassBytes returns the length of the longest message of each class, which networks may divide
	// their buffers by. Nil stands for messages of any length in all classes.
	ClassBytes func() [noc.MaxClasses]int
	// Spreads reports whether messages of a class may go to several agents.
	Spreads func(noc.Class) bool
	// Validate returns an error that names the wrong key among the protocol's own options, or nil.
	Validate func(c Config) error
	// Harden draws options with small buffers and short timeouts, for random tests. below(n) is a
	// random number from 0 to n-1.
	Harden func(c *Config, below func(n int) int)
}

// Protocols lists the coherence protocols that a chip can run. A protocol with options of its own
// also has a section in Config.
var Protocols = []ProtocolEntry{
	{
		Name: "token", Doc: "token coherence with broadcast transient requests and persistent requests",
		ClassBytes: token.Description.ClassBytes,
		Spreads:    func(class noc.Class) bool { return class == token.Transient },
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			if _, err := c.Token.TokensFor(s.Cores); err != nil {
				return nil, err
			}
			return token.New(s, c.Token, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(c Config) error { return c.Token.Validate() },
		Harden:   func(c *Config, below func(n int) int) { c.Token.Harden(c.Cores, below) },
	},
	{
		Name: "directory", Doc: "MESI with a directory in the tags of an inclusive L2",
		Inclusive:  true,
		ClassBytes: directory.Description.ClassBytes,
		Spreads:    func(class noc.Class) bool { return class == directory.Forward },
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			return directory.New(s, c.Directory, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(c Config) error { return c.Directory.Validate() },
		Harden:   func(c *Config, below func(n int) int) { c.Directory.Harden(below) },
	},
	{
		Name: "msi", Doc: "MSI with an inclusive L2, one request per block at a time; an example of how to add a protocol",
		Inclusive:  true,
		ClassBytes: msi.Description.ClassBytes,
		Spreads:    func(noc.Class) bool { return false },
		New: func(c Config, s coherence.System) (coherence.Protocol, error) {
			return msi.New(s, c.L1, c.L2, c.Core.Outstanding), nil
		},
		Validate: func(Config) error { return nil },
		Harden:   func(*Config, func(n int) int) {},
	},
}

// ProtocolNames lists the protocols of the table, and further ones.
func ProtocolNames(more ...ProtocolEntry) (names []string) {
	for _, p := range slices.Concat(Protocols, more) {
		names = append(names, p.Name)
	}
	return names
}

// LookupProtocol returns the row of a protocol of the table, or of further ones, or an error that
// lists the names there are.
func LookupProtocol(name string, more ...ProtocolEntry) (*ProtocolEntry, error) {
	all := slices.Concat(Protocols, more)
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("protocol is %q; choose from %s", name, strings.Join(ProtocolNames(more...), ", "))
}
