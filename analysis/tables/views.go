package tables

import "cmp"

// Col has the columns of runs, points of traffic and batches that code refers to. The field
// MissLatencyMean is the column miss_latency_mean. The program ends at its start if no table has
// a column.
var Col = columnNames[struct {
	RunKey, Workload, TraceDigest, Router, Topology, Scheme, Protocol, Pattern, Rules, PowerProfile, TechnologyNM, Seed, Cores,
	Offered, MulticastFraction, MulticastDestinations, PacketPhits, Classes, ExitState, Explanation, Digest, WallSeconds,
	Cycles, Seconds, IPC, L1Misses, MissLatencyMean, PacketLatencyMean, EnergyJ, ED2PJs2, ChipEnergyJ, ChipED2PJs2, NetworkShare,
	Reissues, PersistentRequests,
	PacketsUnicast, PacketsMulticast, PacketsBroadcast, PacketsGenerated, PacketsInjected, PacketsDelivered, PacketsDelayed,
	DelayMean, CyclesRecorded, SimulatedCycles, DeliveredPhits, PhitHops,
	Generated, Accepted, Delivered, Saturated, LatencyMean, LatencyP50, LatencyP95, LatencyP99, LatencyMax,
	UnicastLatencyMean, MulticastLatencyMean, MulticastPathMean, HopsMean, EnergyPJ, ED2P, ED2PPerPhit,
	MulticastChannels, ArrivalCV, ArrivalCVHeader, ArrivalSpread Name
}]()

// View is a set of tables in which people see columns. Tables of means show a column by its title, and
// lists of runs or points by its name.
type View uint

// The views.
const (
	OfRun          View = 1 << iota // carousel run: means beside the ratios
	OfWideRun                       // carousel run --wide
	OfSweep                         // carousel sweep of chips: means, and runs as CSV
	OfNetworkSweep                  // the same of networks alone
	OfBatchSweep                    // the same of multicasts one by one
	OfTraffic                       // carousel traffic: means, which JSON has without a title too
	OfTrafficCSV                    // its points as CSV
	OfReport                        // means of chips in a report, and on the page of carousel sweep --monitor
	OfReportRuns                    // runs in a report
	OfReportPoints                  // points of networks alone in a report
	SummaryTexts                    // the table summary: what the runs of a group have in common
	SummaryNumbers                  // the same where it is a number
	SummaryMeans                    // the table summary: means
)

// Shown says how people see a column.
type Shown struct {
	Column Name
	Title  string
	Views  View
	Scale  float64 // what values are multiplied with; 0 is 1
	// Protocol is the coherence protocol that has the column; "" for all.
	Protocol string
}

// shown has a row for each column that people see, in the order of the views. A column has a second row where
// it stands elsewhere in other views.
var shown = []Shown{
	{Column: Col.Workload, Views: OfReportRuns | SummaryTexts},
	{Column: Col.Protocol, Views: OfReportRuns | SummaryTexts},
	{Column: Col.Router, Views: OfReportRuns | OfReportPoints | OfTrafficCSV | SummaryTexts},
	{Column: Col.Topology, Views: SummaryTexts},
	{Column: Col.Scheme, Views: SummaryTexts},
	{Column: Col.Pattern, Views: OfReportPoints | SummaryTexts},
	{Column: Col.Cores, Views: SummaryNumbers},
	{Column: Col.MulticastFraction, Views: OfReportPoints | SummaryNumbers},
	{Column: Col.MulticastDestinations, Views: OfReportPoints | SummaryNumbers},
	{Column: Col.PacketPhits, Views: SummaryNumbers},
	{Column: Col.Offered, Views: OfReportPoints | SummaryNumbers},
	{Column: Col.Seed, Views: OfReportRuns | OfReportPoints | OfTrafficCSV},
	{Column: Col.ExitState, Views: OfReportRuns | OfReportPoints | OfTrafficCSV},
	{Column: Col.Offered, Views: OfTrafficCSV},
	{Column: Col.Generated, Views: OfTrafficCSV},
	{Column: Col.Accepted, Views: OfTrafficCSV},
	{Column: Col.Delivered, Views: OfTrafficCSV},
	{Column: Col.Saturated, Views: OfReportPoints | OfTrafficCSV},

	{Column: Col.MissLatencyMean, Title: "miss latency", Views: OfRun},
	{Column: Col.PacketLatencyMean, Title: "packet latency", Views: OfRun},
	{Column: Col.Cycles, Title: "cycles", Views: OfWideRun | OfSweep | OfReport | OfReportRuns | SummaryMeans},
	{Column: Col.EnergyJ, Title: "energy [uJ]", Scale: 1e6, Views: OfWideRun},
	{Column: Col.Seconds, Views: SummaryMeans},
	{Column: Col.IPC, Title: "IPC", Views: OfWideRun | SummaryMeans},
	{Column: Col.L1Misses, Views: SummaryMeans},
	{Column: Col.MissLatencyMean, Title: "miss latency", Views: OfSweep | OfReport | OfReportRuns | SummaryMeans},
	{Column: Col.PacketLatencyMean, Title: "packet latency", Views: OfSweep | OfReport | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsUnicast, Title: "unicast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsMulticast, Title: "multicast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsBroadcast, Title: "broadcast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.EnergyJ, Title: "energy [uJ]", Scale: 1e6, Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.ED2PJs2, Title: "ED2P [J s^2]", Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.ChipEnergyJ, Title: "chip [uJ]", Scale: 1e6, Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.ChipED2PJs2, Title: "ED2P of chip [J s^2]", Views: OfReportRuns | SummaryMeans},
	{Column: Col.NetworkShare, Title: "network / chip", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.Reissues, Title: "re-issues", Views: OfWideRun, Protocol: "token"},
	{Column: Col.PersistentRequests, Title: "persistent", Views: OfWideRun, Protocol: "token"},

	{Column: Col.Generated, Views: SummaryMeans},
	{Column: Col.Accepted, Title: "accepted", Views: OfNetworkSweep | OfBatchSweep | OfTraffic | OfReportPoints | SummaryMeans},
	{Column: Col.Delivered, Title: "delivered", Views: OfNetworkSweep | OfTraffic | OfReportPoints | SummaryMeans},
	{Column: Col.LatencyMean, Title: "latency", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.LatencyP50, Title: "median", Views: OfTraffic | OfTrafficCSV},
	{Column: Col.LatencyP95, Views: OfTraffic | OfTrafficCSV},
	{Column: Col.LatencyP99, Title: "p99", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.LatencyMax, Views: OfTrafficCSV},
	{Column: Col.MulticastLatencyMean, Title: "multicast latency", Views: OfBatchSweep},
	{Column: Col.UnicastLatencyMean, Title: "unicast latency", Views: OfBatchSweep | OfTraffic | OfTrafficCSV | SummaryMeans},
	{Column: Col.MulticastLatencyMean, Title: "multicast latency", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.MulticastPathMean, Views: OfTraffic | OfTrafficCSV},
	{Column: Col.HopsMean, Title: "hops", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.PacketsInjected, Views: OfTrafficCSV},
	{Column: Col.PacketsDelivered, Views: OfTrafficCSV},
	{Column: Col.PhitHops, Views: OfTrafficCSV},
	{Column: Col.EnergyPJ, Title: "energy [uJ]", Scale: 1e-6, Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.ED2P, Title: "ED2P", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.ED2PPerPhit, Views: OfTrafficCSV | OfReportPoints},
	{Column: Col.ArrivalCV, Title: "CV of tails", Views: OfBatchSweep},
	{Column: Col.ArrivalCVHeader, Title: "CV of headers", Views: OfBatchSweep},
	{Column: Col.MulticastChannels, Title: "channels", Views: OfBatchSweep},
	{Column: Col.SimulatedCycles, Views: OfTrafficCSV},
	{Column: Col.Digest, Views: OfTrafficCSV},
	{Column: Col.Rules, Views: OfTrafficCSV},
}

// Columns lists how the columns of some views are shown, in their order.
func (v View) Columns() (list []Shown) {
	for _, s := range shown {
		if s.Views&v != 0 {
			s.Scale = cmp.Or(s.Scale, 1)
			list = append(list, s)
		}
	}
	return list
}

// Names lists the columns of some views.
func (v View) Names() (list []Name) {
	for _, s := range v.Columns() {
		list = append(list, s.Column)
	}
	return list
}

// SummaryRatio is a mean divided by that of the baseline, in the table summary: of the last column in networks
// alone, and otherwise of the first.
type SummaryRatio struct {
	Column string
	Of     []Name
}

// SummaryRatios lists the ratios of the table summary.
var SummaryRatios = []SummaryRatio{{"cycles_ratio", []Name{Col.Cycles}}, {"energy_j_ratio", []Name{Col.EnergyJ}},
	{"latency_mean_ratio", []Name{Col.LatencyMean}}, {"energy_pj_ratio", []Name{Col.EnergyPJ}}, {"ed2p_ratio", []Name{Col.ED2PJs2, Col.ED2P}}}

// Picture is how a report draws a column of networks alone.
type Picture struct {
	Column                      Name
	Name, Title, Quantity, Unit string
	Scale                       float64 // what converts the column's unit into Unit; 0 is 1
	Steep                       bool    // it has no bound where a network is saturated
}

// Pictures lists the columns that a report draws where they were measured.
var Pictures = []Picture{
	{Col.LatencyMean, "latency", "Latency", "latency", "cycles", 1, true},
	{Col.MulticastLatencyMean, "multicast-latency", "Latency of multicasts", "latency to the last destination", "cycles", 1, true},
	{Col.UnicastLatencyMean, "unicast-latency", "Latency of unicasts", "latency", "cycles", 1, true},
	{Col.Accepted, "accepted", "Accepted load", "accepted load", "phits/node/cycle", 1, false},
	{Col.MulticastChannels, "multicast-channels", "Traffic of a multicast", "channels crossed", "channels", 1, false},
	{Col.ArrivalSpread, "arrival-spread", "Spread of arrivals", "deviation of arrivals / latency", "1", 1, false},
	{Col.EnergyPJ, "energy", "Network energy of the window", "network energy", "uJ", 1e-6, false},
	{Col.ED2P, "ed2p", "Network ED2P (energy of the window / throughput^2)", "network ED2P", "uJ/(phits/node/cycle)^2", 1e-6, true},
}
