package experiment

import (
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/power/chip"
)

// tokenBits is the state that token coherence keeps beside a block in the L2: the number of its
// tokens, owner and valid bits. A directory keeps one bit per core.
const tokenBits = 10

// chipHardware describes the chip of a study beside its network.
func chipHardware(c *cmp.Config, cores, nodes int) chip.Hardware {
	const block = 64.0 / 1024 // KB
	h := chip.Hardware{Cores: cores, L1KB: block * float64(c.L1.Sets*c.L1.Ways), L1Ways: c.L1.Ways,
		L2KB: block * float64(c.L2.Sets*c.L2.Ways), L2Ways: c.L2.Ways, Banks: nodes * c.BanksPerRouter,
		Controllers: c.Place.MemoryControllers, StateBits: cores}
	if c.Protocol == "token" {
		h.StateBits = tokenBits
	}
	return h
}

// The classes of messages whose arrivals look up L1 caches, and those that carry blocks back to the
// L2, of all protocols.
var (
	snoopClasses     = []string{"TREQ", "PERS", "FWD"}
	writeBackClasses = []string{"WB", "REQ"}
)

// countersOf are what the chip of a run did, by the rows of this run.
func countersOf(run *tables.Run, own *tables.Rows) (n chip.Counters, err error) {
	var network noc.Hardware
	if err := json.Unmarshal([]byte(run.Hardware.Value), &network); err != nil {
		return n, fmt.Errorf("column hardware: %w", err)
	}
	n = chip.Counters{Seconds: run.Seconds.Value, Instructions: run.Instructions.Value,
		Accesses: run.Loads.Value + run.Stores.Value + 2*run.Atomics.Value + run.Fetches.Value,
		L1Misses: run.L1Misses.Value, L2Requests: run.L2Hits.Value + run.L2Misses.Value, L2Hits: run.L2Hits.Value,
		MemoryReads: run.MemoryReads.Value, MemoryWrites: run.MemoryWrites.Value}
	for i := range own.Cores {
		n.RetiringCycles += own.Cores[i].Retiring
	}
	n.OtherCycles = uint64(len(own.Cores))*run.Cycles.Value - n.RetiringCycles
	if elsewhere := n.L2Hits + n.MemoryReads; n.L1Misses > elsewhere {
		n.Supplied = n.L1Misses - elsewhere
	}
	for i := range own.Latency {
		if slices.Contains(snoopClasses, own.Latency[i].Class) {
			n.Snoops += own.Latency[i].Count
		}
	}
	for i := range own.Classes {
		// Of each message, the first phit carries no part of a block.
		if c := &own.Classes[i]; slices.Contains(writeBackClasses, c.Class) && c.Phits > c.Unicast && network.PhitBits > 0 {
			n.L2Writes += (c.Phits - c.Unicast) * uint64(network.PhitBits) / (64 * 8)
		}
	}
	return n, nil
}

// fillChip puts the energy of a run's chip into its row, which has that of its network. A run of a
// version that did not describe its chip stays without.
func fillChip(run *tables.Run, own *tables.Rows, c power.Config) error {
	if !run.Chip.Known || len(own.Cores)+len(own.Latency)+len(own.Classes) == 0 {
		return nil
	}
	var h chip.Hardware
	if err := json.Unmarshal([]byte(run.Chip.Value), &h); err != nil {
		return fmt.Errorf("column chip: %w", err)
	}
	prices, err := chip.NewPrices(h, c.Effective().Config, c.TechNM, c.StaticScale)
	if err != nil {
		return err
	}
	n, err := countersOf(run, own)
	if err != nil {
		return err
	}
	e := prices.Of(n)
	run.ChipCores, run.ChipL1, run.ChipL2, run.ChipState = tables.Some(e.Cores), tables.Some(e.L1), tables.Some(e.L2), tables.Some(e.State)
	run.ChipControllers, run.ChipMemory = tables.Some(e.Controllers), tables.Some(e.Memory)
	if !run.Energy.Known { // the network does not count its events
		return nil
	}
	total := run.Energy.Value + e.Total(c.Memory)
	run.ChipEnergy = tables.Some(total)
	run.NetworkShare = tables.Some(run.Energy.Value / total)
	run.ChipED, run.ChipED2P = tables.Some(total*n.Seconds), tables.Some(total*n.Seconds*n.Seconds)
	return nil
}

// FillBreakEven compares each finished run with the one that takes the least time among those of
// the same workload, window, seed and setting: up to which power of the rest of the chip it has the
// lower energy-delay products nevertheless.
func FillBreakEven(rows *tables.Rows) {
	type place struct {
		setting, workload, trace, protocol, topology string
		cores, seed, window                          uint64
	}
	settings := map[string]string{}
	for _, a := range rows.Axes {
		if a.Key != "routers" {
			settings[a.RunKey] += a.Key + "=" + a.Value + "\n"
		}
	}
	var compared []*tables.Run
	for i := range rows.Runs {
		r, none := &rows.Runs[i], tables.Maybe[float64]{}
		r.FastestRouter, r.EDFixed, r.EDStatic, r.ED2PFixed, r.ED2PStatic = tables.Maybe[string]{}, none, none, none, none
		// The network without contention is a bound, and no router that could be built. Runs with a limit of cycles take
		// equal times for different work.
		if r.ExitState == tables.Finished && r.Router != withoutContention && r.Energy.Known && r.Limit.Value != tables.ByCycles {
			compared = append(compared, r)
		}
	}
	for _, g := range tables.GroupBy(compared, func(run **tables.Run) place {
		r := *run
		return place{settings[r.RunKey], r.Workload, r.TraceDigest, r.Protocol, r.Topology, r.Cores, r.Seed, r.Window}
	}) {
		f := slices.MinFunc(g.Records, func(a, b *tables.Run) int { return stdcmp.Compare(a.Seconds.Value, b.Seconds.Value) })
		for _, r := range g.Records {
			powers := func(n int) (fixed, static tables.Maybe[float64]) {
				x, p := metrics.BreakEven(f.Energy.Value, f.Seconds.Value, r.Energy.Value, r.Seconds.Value, n)
				return tables.Some(x), tables.Some(p)
			}
			if r.FastestRouter = tables.Some(f.Router); f.Seconds != r.Seconds {
				r.EDFixed, r.EDStatic = powers(1)
				r.ED2PFixed, r.ED2PStatic = powers(2)
			}
		}
	}
}

// withoutContention is the router that bounds others.
const withoutContention = "ideal"
