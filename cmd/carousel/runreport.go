package main

import (
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// runReport is the JSON document of carousel run.
type runReport struct {
	Manifest *experiment.Manifest `json:"manifest"`
	Baseline string               `json:"baseline"`
	Runs     []runEntry           `json:"runs"`
	Summary  []summaryEntry       `json:"summary"`
	// Tables is where the tables were written.
	Tables string `json:"tables"`
}

// runEntry is one run. What was not measured, because the run did not finish, is null.
type runEntry struct {
	RunKey            string         `json:"run_key"`
	Workload          string         `json:"workload"`
	WorkloadSource    string         `json:"workload_source"` // recorded, synthetic, or synthetic twin of a named recording
	TraceDigest       string         `json:"trace_digest"`
	Router            string         `json:"router"`
	Topology          string         `json:"topology"`
	Scheme            string         `json:"scheme"`
	Protocol          string         `json:"protocol"`
	Cores             uint64         `json:"cores"`
	Seed              uint64         `json:"seed"`
	ExitState         string         `json:"exit_state"`
	Explanation       *string        `json:"explanation"`
	Cycles            *uint64        `json:"cycles"`
	DrainCycles       *uint64        `json:"drain_cycles"`
	Seconds           *float64       `json:"seconds"`
	Instructions      *uint64        `json:"instructions"`
	IPC               *float64       `json:"ipc"`
	Loads             *uint64        `json:"loads"`
	Stores            *uint64        `json:"stores"`
	Atomics           *uint64        `json:"atomics"`
	Fetches           *uint64        `json:"fetches"`
	L1Hits            *uint64        `json:"l1_hits"`
	L1Misses          *uint64        `json:"l1_misses"`
	L2Hits            *uint64        `json:"l2_hits"`
	L2Misses          *uint64        `json:"l2_misses"`
	MemoryReads       *uint64        `json:"memory_reads"`
	MemoryWrites      *uint64        `json:"memory_writes"`
	Reissues          *uint64        `json:"reissues"`
	Persistent        *uint64        `json:"persistent_requests"`
	MissLatencyMean   *float64       `json:"miss_latency_mean"`
	Packets           *castCounts    `json:"packets"`
	PacketsByClass    []classPackets `json:"packets_by_class"`
	PacketLatencyMean *float64       `json:"packet_latency_mean"`
	NetworkDynamicJ   *float64       `json:"network_energy_dynamic_j"`
	NetworkStaticJ    *float64       `json:"network_energy_static_j"`
	NetworkEnergyJ    *float64       `json:"network_energy_j"`
	NetworkED         *float64       `json:"network_ed"`
	NetworkED2P       *float64       `json:"network_ed2p"`
	PayloadBytes      *uint64        `json:"payload_bytes,omitempty"` // of data messages, where flipped bits are counted
	PayloadKnown      *uint64        `json:"payload_known_bytes,omitempty"`
	Digest            *string        `json:"digest"`
	WallSeconds       *float64       `json:"wall_seconds"`
}

// castCounts counts messages by the number of their destinations.
type castCounts struct {
	Unicast   uint64 `json:"unicast"`
	Multicast uint64 `json:"multicast"`
	Broadcast uint64 `json:"broadcast"`
}

// classPackets counts the messages of one class. Local copies stayed at their router and used no network.
type classPackets struct {
	Class string `json:"class"`
	castCounts
	Local uint64 `json:"local"`
	Phits uint64 `json:"phits"`
}

// known is a cell as JSON has it.
func known[T any](m tables.Maybe[T]) *T {
	if !m.Known {
		return nil
	}
	return &m.Value
}

// entryOf puts a row of the runs table and the rows of its message classes into the document.
func entryOf(r *tables.Run, classes []tables.Class) runEntry {
	e := runEntry{
		RunKey: r.RunKey, Workload: r.Workload, WorkloadSource: r.WorkloadSource, TraceDigest: r.TraceDigest, Router: r.Router, Topology: r.Topology,
		Scheme: r.Scheme, Protocol: r.Protocol, Cores: r.Cores, Seed: r.Seed, ExitState: r.ExitState,
		Explanation: known(r.Explanation), Cycles: known(r.Cycles), DrainCycles: known(r.DrainCycles),
		Seconds: known(r.Seconds), Instructions: known(r.Instructions), Loads: known(r.Loads), Stores: known(r.Stores),
		Atomics: known(r.Atomics), Fetches: known(r.Fetches), L1Hits: known(r.L1Hits), L1Misses: known(r.L1Misses),
		L2Hits: known(r.L2Hits), L2Misses: known(r.L2Misses), MemoryReads: known(r.MemoryReads),
		MemoryWrites: known(r.MemoryWrites), Reissues: known(r.Reissues), Persistent: known(r.PersistentRequests),
		MissLatencyMean: known(r.MissLatencyMean), PacketLatencyMean: known(r.PacketLatencyMean),
		NetworkDynamicJ: known(r.EnergyDynamic), NetworkStaticJ: known(r.EnergyStatic), NetworkEnergyJ: known(r.Energy),
		NetworkED: known(r.EnergyDelay), NetworkED2P: known(r.EnergyED2P),
		PayloadBytes: known(r.PayloadBytes), PayloadKnown: known(r.PayloadKnown),
		Digest: known(r.Digest), WallSeconds: known(r.WallSeconds),
	}
	if r.ExitState != tables.Finished {
		return e
	}
	if r.Cycles.Value > 0 {
		ipc := float64(r.Instructions.Value) / float64(r.Cycles.Value)
		e.IPC = &ipc
	}
	e.Packets = &castCounts{r.PacketsUnicast.Value, r.PacketsMulticast.Value, r.PacketsBroadcast.Value}
	for i := range classes {
		if c := &classes[i]; c.RunKey == r.RunKey {
			e.PacketsByClass = append(e.PacketsByClass, classPackets{c.Class, castCounts{c.Unicast, c.Multicast, c.Broadcast}, c.Local, c.Phits})
		}
	}
	return e
}
