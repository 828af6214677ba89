package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// runRow is a run's row before anything has been measured.
func (s *Study) runRow(r *run) tables.Run {
	row := tables.Run{
		RunKey: r.Key, SimulationKey: r.Simulation, Workload: r.Workload.Name, WorkloadSource: r.Workload.Source, TraceDigest: r.Workload.Digest, Router: models.Shown(r.Router), Window: uint64(r.Window),
		Protocol: s.Chip.Protocol, Cores: uint64(r.Workload.Cores), Seed: r.Seed, ExitState: tables.Finished,
		PowerProfile: string(s.Power.Profile), Technology: float64(s.Power.TechNM),
	}
	if s.Chip.UntilCycles > 0 {
		row.Limit = tables.Some(tables.ByCycles)
	}
	if model, err := s.Models.Lookup(r.Router); err == nil {
		row.Topology, row.Scheme, row.Rules = s.Network.Topology(), model.SchemeOf(s.Network), s.rulesOf(model)
		if model.ClassesPerChannel != nil {
			row.ClassesPerChannel = tables.Some(uint64(model.ClassesPerChannel(s.Network)))
		}
	}
	return row
}

// often is from how many events per 1,000 instructions on threads do not synchronise rarely, and
// mixed from how many on other events count beside ordered reads. They separate the kernels of
// carousel validate replay.
const (
	often = 0.5
	mixed = 1
)

// From so many wake-ups per 1,000 instructions, and per lock taken or access in recorded order, threads wait for
// conditions: each wake-up takes about 1,600 instructions that the numbers do not have.
const sleeps, sleepsPerWait = 0.1, 0.1

// synchronisation says how the threads of a recording synchronise most.
func synchronisation(r *cmp.Result) string {
	per := func(n uint64) float64 { return 1000 * float64(n) / float64(max(r.Instructions, 1)) }
	locks, counters, order := per(r.Locks+r.SharedLocks), per(r.Atomics), per(r.Ordered)
	switch most := max(locks, counters, order); {
	case most < often && r.Barriers > 0:
		return tables.ByBarriers
	case most < often:
		return tables.Rarely
	case per(r.Woken) >= max(sleeps, sleepsPerWait*locks, sleepsPerWait*order):
		return tables.ByConditions
	case per(r.Attempts) >= often && 4*r.Attempts >= r.Atomics:
		return tables.ByAttempts
	case most == order && max(locks, counters) >= mixed:
		return tables.Mixed
	case most == order:
		return tables.ByFlags
	case most == counters:
		return tables.ByCounters
	case r.SharedLocks > r.Locks:
		return tables.ByReaderWriter
	}
	return tables.ByLocks
}

// thirdOf returns all misses of a third of a run, and those that were repeated or persistent.
func thirdOf(t *cmp.Third) (all, repeated, persistent tables.Maybe[uint64]) {
	m := t.Misses
	return tables.Some(m[0] + m[1] + m[2]), tables.Some(m[1]), tables.Some(m[2])
}

func fillCounts(row *tables.Run, r *cmp.Result) {
	row.Cycles, row.DrainCycles = tables.Some(uint64(r.Cycles)), tables.Some(uint64(r.DrainCycles))
	row.Instructions, row.IPC = tables.Some(r.Instructions), tables.Ratio(r.Instructions, uint64(r.Cycles))
	row.Loads, row.Stores = tables.Some(r.Loads), tables.Some(r.Stores)
	row.Fetches, row.Atomics = tables.Some(r.Fetches), tables.Some(r.Atomics)
	row.L1Hits, row.L1Misses = tables.Some(r.L1Hits), tables.Some(r.L1Misses)
	row.L2Hits, row.L2Misses = tables.Some(r.L2Hits), tables.Some(r.L2Misses)
	row.MemoryReads, row.MemoryWrites = tables.Some(r.MemoryReads), tables.Some(r.MemoryWrites)
	row.Invalidations, row.Upgrades, row.CacheTransfers = tables.Some(r.Invalidations), tables.Some(r.Upgrades), tables.Some(r.CacheTransfers)
	row.WarmUpCycles = tables.Some(uint64(r.Start))
	row.MiddleCycles = tables.Some(uint64(r.MiddleCycles))
	row.FirstThirdReads, row.LastThirdReads = tables.Some(r.FirstThird.Reads), tables.Some(r.LastThird.Reads)
	row.FirstThirdMisses, row.FirstThirdRepeated, row.FirstThirdPersistent = thirdOf(&r.FirstThird)
	row.LastThirdMisses, row.LastThirdRepeated, row.LastThirdPersistent = thirdOf(&r.LastThird)
	row.Reissues, row.PersistentRequests = tables.Some(r.Counter("reissues")), tables.Some(r.Counter("persistent_requests"))
	row.Orphans, row.Migrations = tables.Some(r.Counter("orphans")), tables.Some(r.Counter("migrations"))
	row.Replays, row.EvictedReplays = tables.Some(r.Replays), tables.Some(r.EvictedReplays)
	timeouts := uint64(0)
	for i := range r.Cores {
		timeouts += r.Cores[i].ComponentCycles[cmp.ComponentTimeout]
	}
	row.TimeoutCycles = tables.Some(timeouts)
	row.PacketsUnicast = tables.Some(r.Packets(cmp.Unicast))
	row.PacketsMulticast = tables.Some(r.Packets(cmp.Multicast))
	row.PacketsBroadcast = tables.Some(r.Packets(cmp.Broadcast))
	several := r.Packets(cmp.Multicast) + r.Packets(cmp.Broadcast)
	row.MulticastShare = tables.Ratio(several, several+r.Packets(cmp.Unicast))
	var copies, sum uint64
	for _, b := range r.Latency {
		if b.Cast != cmp.Unicast {
			copies, sum = copies+b.Count, sum+b.Sum
		}
	}
	if mean := tables.Ratio(sum, copies); mean.Known && r.PacketLatencySum > 0 {
		row.MulticastSlowdown = tables.Some(mean.Value * float64(r.PacketDeliveries) / float64(r.PacketLatencySum))
	}
	var local uint64
	for i := range r.Classes {
		local += r.Classes[i].Local
	}
	row.PacketsLocal = tables.Some(local)
	row.PacketLatencyMean = tables.Ratio(r.PacketLatencySum, r.PacketDeliveries)
	if r.PacketIdleSum > 0 {
		row.PacketIdleMean = tables.Ratio(r.PacketIdleSum, r.PacketDeliveries)
	}
	row.MissLatencyMean = tables.Ratio(r.MissLatencySum, r.MissCount)
	row.Deliveries = tables.Some(r.Network.Delivered)
	row.Phits, row.PhitHops = tables.Some(r.Network.Phits), tables.Some(r.Network.PhitHops)
	row.PeakReorder = tables.Some(uint64(r.PeakReorder))
	row.PeakInterface = tables.Some(uint64(r.PeakInterface))
	row.Digest = tables.Some(fmt.Sprintf("%016x", r.Digest))
}

// AppendNetwork prices what the routers and links of a network did in a number of cycles, and adds
// their rows.
func AppendNetwork(rows *tables.Rows, key string, h noc.Hardware, prices power.Config, layout topology.Layout, routers []noc.Activity, links []noc.Link, cycles noc.Cycle) (Energy, error) {
	own := layout.Wiring.Own(links)
	e, err := Price(h, prices, routers, links, own, cycles)
	if err != nil {
		return e, err
	}
	if h.Uncounted {
		routers = nil // most of their counters would be zeros that nobody has counted
	}
	grid, placed := layout.Coordinates()
	place := func(n noc.NodeID) (node uint64, x, y tables.Maybe[uint64]) {
		if placed {
			x = tables.Some(uint64(grid.Coordinate(n, 0)))
		}
		if placed && len(grid.Radix) > 1 {
			y = tables.Some(uint64(grid.Coordinate(n, 1)))
		}
		return uint64(n), x, y
	}
	for i, activity := range routers {
		row := tables.Router{RunKey: key, Activity: activity}
		row.Node, row.X, row.Y = place(noc.NodeID(i))
		e.FillRouter(&row, i)
		rows.Routers = append(rows.Routers, row)
	}
	for i, l := range links {
		row := tables.Link{RunKey: key, Port: uint64(l.Port), Phits: l.Phits, Utilisation: tables.Ratio(l.Phits*uint64(own[i].Parts(h.PhitBits)), uint64(cycles))}
		row.FromNode, row.FromX, row.FromY = place(l.From)
		row.ToNode, row.ToX, row.ToY = place(l.To)
		if x := own[i]; x != nil {
			row.Latency, row.Bits = tables.Maybe[uint64]{Value: uint64(x.Cycles), Known: x.Cycles > 0}, tables.Maybe[uint64]{Value: uint64(x.Bits), Known: x.Bits > 0}
			row.MM, row.Class = tables.Maybe[float64]{Value: x.MM, Known: x.MM > 0}, tables.Maybe[string]{Value: x.Class, Known: x.Class != ""}
		}
		if placed {
			row.Direction = tables.Some(layout.Direction(int(l.Port)))
		}
		rows.Links = append(rows.Links, row)
	}
	return e, nil
}

// addParts adds what a chip's message classes, packets, cores and epochs did.
func addParts(rows *tables.Rows, key string, r *cmp.Result) {
	for i := range r.Classes {
		c := &r.Classes[i]
		rows.Classes = append(rows.Classes, tables.Class{
			RunKey: key, Class: c.Name, Unicast: c.Casts[cmp.Unicast], Multicast: c.Casts[cmp.Multicast],
			Broadcast: c.Casts[cmp.Broadcast], Local: c.Local, Phits: c.Phits,
		})
	}
	for _, b := range r.Latency {
		rows.Latency = append(rows.Latency, tables.Latency{
			RunKey: key, Class: r.Classes[b.Class].Name, Cast: b.Cast.String(),
			Low: b.Low, High: b.High, Count: b.Count, Sum: b.Sum,
		})
	}
	for i, c := range r.Cores {
		k := &c.ComponentCycles
		rows.Cores = append(rows.Cores, tables.Core{
			RunKey: key, Core: uint64(i), Instructions: c.Instructions, FinishCycle: uint64(c.FinishCycle),
			StallLoad: c.StallCycles[cmp.StallLoad], StallStoreBuffer: c.StallCycles[cmp.StallStoreBuffer],
			StallFetch: c.StallCycles[cmp.StallFetch], StallDependence: c.StallCycles[cmp.StallDependence],
			StallSync: c.StallCycles[cmp.StallSync], Records: c.Records,
			Retiring: c.RetiringCycles, L1: k[cmp.ComponentL1], Interface: k[cmp.ComponentInterface], Flight: k[cmp.ComponentFlight],
			Contention: k[cmp.ComponentContention], L2: k[cmp.ComponentL2], Memory: k[cmp.ComponentMemory], Protocol: k[cmp.ComponentProtocol],
			Synchronisation: k[cmp.ComponentSync], RecordedOrder: k[cmp.ComponentOrder], Idle: k[cmp.ComponentIdle], Dependence: k[cmp.ComponentDependence],
			Timeout: k[cmp.ComponentTimeout],
		})
	}
	for _, e := range r.Epochs {
		rows.Epochs = append(rows.Epochs, tables.Epoch{
			RunKey: key, Cycle: uint64(e.Cycle), Injected: e.Injected, Delivered: e.Delivered,
			InFlight: uint64(e.InFlight), BufferedPhits: e.BufferedPhits, Misses: e.Misses,
		})
	}
	for _, e := range r.RouterEpochs {
		for node, phits := range e.Phits {
			rows.RouterEpochs = append(rows.RouterEpochs, tables.RouterEpoch{RunKey: key, Cycle: uint64(e.Cycle), Node: uint64(node), Phits: phits})
		}
	}
}

// addHotBlocks adds the blocks that moved most often, with the variables in them that the source knows.
func addHotBlocks(rows *tables.Rows, key string, blocks []cmp.HotBlock, source traces.Source) error {
	named, _ := source.(traces.Named)
	for _, b := range blocks {
		block, sharing, symbols := fmt.Sprintf("%#x", b.Address), tables.TrueSharing, tables.Maybe[string]{}
		switch {
		case b.Object:
			if block = "lock or barrier"; b.Flag {
				block = "flag of barrier"
			}
			block += fmt.Sprint(" ", b.Number)
		case named != nil:
			names, err := named.SymbolsAt(b.Address, b.Used())
			if err != nil {
				return err
			}
			symbols.Value, symbols.Known = strings.Join(names, ", "), len(names) > 0
		}
		if b.FalseSharing() {
			sharing = tables.FalseSharing
		}
		for _, c := range b.Cores {
			rows.HotBlocks = append(rows.HotBlocks, tables.HotBlock{RunKey: key, Block: block, Sharing: sharing, BlockMisses: b.Misses,
				Core: uint64(c.Core), Misses: c.Misses, Read: byteRanges(c.Read), Written: byteRanges(c.Written), Symbols: symbols})
		}
	}
	return nil
}

// byteRanges writes a mask of bytes as ranges, such as 0-7 16.
func byteRanges(mask uint64) string {
	var list []string
	for at := 0; at < 64; at++ {
		if mask>>at&1 == 0 {
			continue
		}
		end := at
		for end < 63 && mask>>(end+1)&1 != 0 {
			end++
		}
		if end == at {
			list = append(list, strconv.Itoa(at))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", at, end))
		}
		at = end
	}
	return strings.Join(list, " ")
}
