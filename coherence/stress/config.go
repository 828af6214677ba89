package stress

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Shape is what a network is to be like.
type Shape struct {
	Columns, Rows int    // a torus
	Tiny          bool   // with the smallest buffers that the network works with
	Seed          uint64 // of random choices inside routers
}

// Network is one kind of network, as the caller's table has it.
type Network struct {
	Name string
	New  func(Shape) (noc.Network, error)
	// FiniteSinks tells that a packet whose sink has room gets there although the sinks of lower
	// classes stay full. Only such networks are run with interfaces of finite size.
	FiniteSinks bool
}

// Mix says what the cores do. Percentages are of all accesses; what remains are loads.
type Mix struct {
	Blocks int // blocks in play
	Stride int // distance between them, in blocks: the number of banks puts them all into one bank
	// Repeat is the mean number of accesses that a core makes to one block, to different words of
	// it, before it turns to another one. The more, the more hits.
	Repeat                           int
	Stores, Atomics, Fetches, Fences int
	Gap                              int // most plain instructions between two accesses
}

// Config is one random run.
type Config struct {
	Name    string // for messages
	Seed    uint64
	Network Network
	Shape   Shape
	// Faults block nodes and source queues of the network at random, and delay its deliveries.
	Faults   Faults
	Chip     cmp.Config
	Mix      Mix
	Accesses uint64 // of all cores together
	// Order looks, at the end, for an order of all accesses that explains every value under the
	// chip's memory model. It takes some 200 bytes per access, so it is for up to ten million of them.
	Order bool
}

// progressLimit is the number of cycles in which some core must have made progress.
const progressLimit = 200_000

// Case returns the k-th of an endless row of different runs, for all protocols and each of the
// networks in turn: neighbours in the row differ in protocol, then in network, then in everything
// else. It makes 4,000 accesses; see Sized for other lengths.
func Case(networks []Network, k int) Config {
	r := random.Stream(uint64(k) * random.Gamma)
	c := Config{Seed: uint64(k), Accesses: 4_000, Chip: cmp.Default()}
	c.Chip.Protocol = cmp.Protocols[k%len(cmp.Protocols)].Name
	c.Network = networks[k/len(cmp.Protocols)%len(networks)]
	shapes := [...]struct{ columns, rows, cores, memories int }{{4, 4, 4, 4}, {4, 4, 16, 4}, {4, 4, 2, 1}, {4, 4, 8, 2}, {8, 8, 16, 8}, {8, 4, 8, 4}}
	shape := shapes[r.Remainder(len(shapes))]
	c.Shape = Shape{Columns: shape.columns, Rows: shape.rows, Tiny: r.Remainder(3) == 0}
	c.Chip.Cores, c.Chip.Place.MemoryControllers, c.Chip.Place.Columns = shape.cores, shape.memories, shape.columns
	c.name(k)
	c.Faults.Delay = [...]noc.Cycle{0, 0, 20, 200}[r.Remainder(4)]
	c.drawChip(&r)
	for i := range cmp.Protocols {
		cmp.Protocols[i].Harden(&c.Chip, r.Remainder)
	}
	faults := random.Stream(c.Seed ^ 0x2545f4914f6cdd1d)
	c.drawFaults(&faults)
	banks := shape.columns * shape.rows * c.Chip.BanksPerRouter
	c.Mix = Mix{Blocks: [...]int{1, 2, 4, 8, 16, 64}[r.Remainder(6)], Stride: [...]int{1, 3, banks}[r.Remainder(3)],
		Repeat: [...]int{1, 8, 32, 128}[r.Remainder(4)], Stores: 10 + 10*r.Remainder(4), Atomics: [...]int{0, 2, 10}[r.Remainder(3)],
		Fetches: [...]int{0, 5, 10}[r.Remainder(3)], Fences: r.Remainder(3), Gap: [...]int{0, 3, 20}[r.Remainder(3)]}
	return c
}

// name tells which case a configuration is, and of what.
func (c *Config) name(k int) {
	c.Name = fmt.Sprintf("case %d: %s on %s, %dx%d, %d cores", k, c.Chip.Protocol, c.Network.Name, c.Shape.Columns, c.Shape.Rows, c.Chip.Cores)
}

// CaseOf returns the i-th case of a protocol. A protocol of another module has the chips of the
// first one of the table.
func CaseOf(networks []Network, protocol string, i int, more ...cmp.ProtocolEntry) (Config, error) {
	for p := range cmp.Protocols {
		if cmp.Protocols[p].Name == protocol {
			return Case(networks, i*len(cmp.Protocols)+p), nil
		}
	}
	entry, err := cmp.LookupProtocol(protocol, more...)
	if err != nil {
		return Config{}, err
	}
	k := i * len(cmp.Protocols)
	c := Case(networks, k)
	c.Chip.Protocol, c.Chip.More = protocol, more
	c.name(k)
	if entry.Harden != nil {
		r := random.Stream(c.Seed)
		entry.Harden(&c.Chip, r.Remainder)
	}
	return c, nil
}

// drawChip makes the chip small in one way or another.
func (c *Config) drawChip(r *random.Stream) {
	h := &c.Chip
	h.L1 = [...]cache.Config{{Sets: 2, Ways: 2}, {Sets: 1, Ways: 2}, {Sets: 1, Ways: 1}, {Sets: 16, Ways: 2}}[r.Remainder(4)]
	h.L2 = [...]cache.Config{{Sets: 4, Ways: 2}, {Sets: 1, Ways: 2}, {Sets: 16, Ways: 4}}[r.Remainder(3)]
	h.L2.Policy = cache.TreePLRU
	h.BanksPerRouter = [...]int{1, 4}[r.Remainder(2)]
	h.BankHash = r.Remainder(4) == 0
	h.Core.Window = [...]int{64, 16, 4}[r.Remainder(3)]
	h.Core.Outstanding = [...]int{16, 4, 1}[r.Remainder(3)]
	h.Core.StoreBuffer = [...]int{16, 4, 1}[r.Remainder(3)]
	h.Core.SequentialConsistency = r.Remainder(6) == 0
	h.Memory.Latency = [...]noc.Cycle{260, 60, 20}[r.Remainder(3)]
	h.Memory.Queue = [...]int{32, 4, 1}[r.Remainder(3)]
	h.Memory.BytesPerCycle = [...]int{80, 8}[r.Remainder(2)]
	h.Perturb = noc.Cycle(r.Remainder(20))
	h.CheckEvery = [...]noc.Cycle{64, 256, 1024}[r.Remainder(3)]
	h.AuditEvery = 0
	h.WatchdogCycles = progressLimit
	queue := random.Stream(c.Seed)
	h.InterfaceQueue = [...]int{0, 4, 1}[queue.Remainder(3)]
	h.Core.VictimBuffer = [...]int{64, 1, 0}[c.Seed%3]
	if c.Network.FiniteSinks {
		h.InterfaceSlots = [...]int{h.InterfaceQueue, 0}[queue.Remainder(2)]
	}
}

// drawFaults draws the faults of a network; half of the networks have none.
func (c *Config) drawFaults(r *random.Stream) {
	if r.Remainder(2) == 0 {
		return
	}
	f := &c.Faults
	f.Eject, f.Refuse, f.Drills = [...]noc.Cycle{0, 100, 1000}[r.Remainder(3)], [...]noc.Cycle{0, 10, 200}[r.Remainder(3)], r.Remainder(2) == 0
}
