package tables

import "cmp"

// Col has the columns of runs, points of traffic and batches that code refers to. The field
// MissLatencyMean is the column miss_latency_mean. The program ends at its start if no table has
// a column.
var Col = columnNames[struct {
	RunKey, Workload, TraceDigest, TraceWindow, Router, Topology, Scheme, Protocol, Pattern, Rules, PowerProfile, TechnologyNM, Seed, Cores,
	Offered, MulticastFraction, MulticastDestinations, PacketPhits, Classes, ExitState, Explanation, Digest, WallSeconds,
	Cycles, Seconds, Instructions, Fetches, Atomics, Replays, IPC, RunLimit, L1Misses, MissLatencyMean, PacketLatencyMean, PacketIdleMean, EnergyJ, ED2PJs2, ChipEnergyJ, ChipED2PJs2, NetworkShare,
	Reissues, PersistentRequests,
	PacketsUnicast, PacketsMulticast, PacketsBroadcast, PacketsGenerated, PacketsInjected, PacketsDelivered, PacketsDelayed,
	DelayMean, CyclesRecorded, SimulatedCycles, DeliveredPhits, PhitHops,
	Generated, Accepted, Delivered, Saturated, LatencyMean, LatencyP50, LatencyP95, LatencyP99, LatencyMax, NetworkLatencyMean,
	UnicastLatencyMean, MulticastLatencyMean, MulticastPathMean, HopsMean, EnergyPJ, ED2P, ED2PPerPhit, RouterAreaMM2, IPCPerMM2, DeliveredPerMM2, MulticastShare, MulticastSlowdown,
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
	OfReportRuns                    // runs in a report
	OfReportPoints                  // points of networks alone in a report
	SummaryGroups                   // the table summary: what the runs of a group have in common
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
	{Column: Col.Workload, Views: OfReportRuns | SummaryGroups},
	{Column: Col.Protocol, Views: OfReportRuns | SummaryGroups},
	{Column: Col.Router, Views: OfReportRuns | OfReportPoints | OfTrafficCSV | SummaryGroups},
	{Column: Col.Topology, Views: SummaryGroups},
	{Column: Col.Scheme, Views: SummaryGroups},
	{Column: Col.Pattern, Views: OfReportPoints | SummaryGroups},
	{Column: Col.Cores, Views: SummaryGroups},
	{Column: Col.MulticastFraction, Views: OfReportPoints | SummaryGroups},
	{Column: Col.MulticastDestinations, Views: OfReportPoints | SummaryGroups},
	{Column: Col.PacketPhits, Views: SummaryGroups},
	{Column: Col.Offered, Views: OfReportPoints | SummaryGroups},
	{Column: Col.TraceWindow, Views: OfReportRuns},
	{Column: Col.Seed, Views: OfReportRuns | OfReportPoints | OfTrafficCSV},
	{Column: Col.ExitState, Views: OfReportRuns | OfReportPoints | OfTrafficCSV},
	{Column: Col.Offered, Views: OfTrafficCSV},
	{Column: Col.Generated, Views: OfTrafficCSV},
	{Column: Col.Accepted, Views: OfTrafficCSV},
	{Column: Col.Delivered, Views: OfTrafficCSV},
	{Column: Col.Saturated, Views: OfReportPoints | OfTrafficCSV},

	{Column: Col.MissLatencyMean, Title: "miss latency", Views: OfRun},
	{Column: Col.PacketLatencyMean, Title: "packet latency", Views: OfRun},
	{Column: Col.Cycles, Title: "cycles", Views: OfWideRun | OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.EnergyJ, Title: "energy [uJ]", Scale: 1e6, Views: OfWideRun},
	{Column: Col.Seconds, Title: "time [us]", Scale: 1e6, Views: OfWideRun | SummaryMeans},
	{Column: Col.IPC, Title: "IPC of chip", Views: OfWideRun | SummaryMeans},
	{Column: Col.L1Misses, Views: SummaryMeans},
	{Column: Col.MissLatencyMean, Title: "miss latency", Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.PacketLatencyMean, Title: "packet latency", Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsUnicast, Title: "unicast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsMulticast, Title: "multicast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.PacketsBroadcast, Title: "broadcast", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.MulticastShare, Views: OfReportRuns | SummaryMeans},
	{Column: Col.MulticastSlowdown, Views: OfReportRuns | SummaryMeans},
	{Column: Col.EnergyJ, Title: "energy [uJ]", Scale: 1e6, Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.ED2PJs2, Title: "ED2P [J s^2]", Views: OfSweep | OfReportRuns | SummaryMeans},
	{Column: Col.ChipEnergyJ, Title: "chip [uJ]", Scale: 1e6, Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.ChipED2PJs2, Title: "ED2P of chip [J s^2]", Views: OfReportRuns | SummaryMeans},
	{Column: Col.NetworkShare, Title: "network / chip", Views: OfWideRun | OfReportRuns | SummaryMeans},
	{Column: Col.IPCPerMM2, Title: "IPC / mm2 of routers", Views: OfReportRuns | SummaryMeans},
	{Column: Col.Reissues, Title: "repeated requests", Views: OfWideRun, Protocol: "token"},
	{Column: Col.PersistentRequests, Title: "persistent", Views: OfWideRun, Protocol: "token"},

	{Column: Col.Generated, Views: SummaryMeans},
	{Column: Col.Accepted, Title: "accepted", Views: OfNetworkSweep | OfBatchSweep | OfTraffic | OfReportPoints | SummaryMeans},
	{Column: Col.Delivered, Title: "delivered", Views: OfNetworkSweep | OfTraffic | OfReportPoints | SummaryMeans},
	{Column: Col.LatencyMean, Title: "mean latency", Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.NetworkLatencyMean, Views: OfTrafficCSV},
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
	{Column: Col.ED2P, Views: OfNetworkSweep | OfTraffic | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.ED2PPerPhit, Views: OfTrafficCSV | OfReportPoints},
	{Column: Col.DeliveredPerMM2, Title: "delivered / mm2", Views: OfNetworkSweep | OfTrafficCSV | OfReportPoints | SummaryMeans},
	{Column: Col.RouterAreaMM2, Views: OfReportRuns | OfReportPoints | OfTrafficCSV | SummaryMeans},
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

// Picture is how a report draws a column, or the parts of a whole.
type Picture struct {
	Column                      Name
	Name, Title, Quantity, Unit string
	Scale                       float64 // what converts the column's unit into Unit; 0 is 1
	Steep                       bool    // it has no bound where a network is saturated
	Parts                       *Parts  // nil for a column
}

var (
	timePicture   = Picture{Column: Col.Cycles, Name: "time", Title: "Execution time", Quantity: "execution time"}
	energyPicture = Picture{Column: Col.EnergyJ, Name: "energy", Title: "Network energy", Quantity: "network energy"}
)

// ChipPictures lists what a report draws of chips, each value over that of the fastest router.
var ChipPictures = []Picture{
	timePicture,
	{Parts: &Cycles, Name: "cycles", Title: "Where the cycles went, mean over cores", Quantity: "execution time"},
	{Parts: &Energies, Name: "energy-parts", Title: "Where the energy went", Quantity: "network energy"},
	energyPicture,
	{Column: Col.ED2PJs2, Name: "ed2p", Title: "Network ED2P", Quantity: "network ED2P"},
	{Parts: &Chips, Name: "chip-parts", Title: "Where the energy of the chip went", Quantity: "energy of the chip"},
}

// SettingPictures lists what a report may draw over the values of a key: the first one that the key changes.
var SettingPictures = []Picture{
	timePicture,
	energyPicture,
	{Column: Col.ChipEnergyJ, Name: "chip-energy", Title: "Energy of the chip", Quantity: "energy of the chip"},
}

// Pictures lists what a report draws of networks alone.
var Pictures = []Picture{
	{Column: Col.LatencyMean, Name: "latency", Title: "Latency", Quantity: "latency", Unit: "cycles", Steep: true},
	{Column: Col.MulticastLatencyMean, Name: "multicast-latency", Title: "Latency of multicasts", Quantity: "latency to the last destination", Unit: "cycles", Steep: true},
	{Column: Col.UnicastLatencyMean, Name: "unicast-latency", Title: "Latency of unicasts", Quantity: "latency", Unit: "cycles", Steep: true},
	{Column: Col.Accepted, Name: "accepted", Title: "Accepted load", Quantity: "accepted load", Unit: "phits/node/cycle"},
	{Column: Col.MulticastChannels, Name: "multicast-channels", Title: "Traffic of a multicast", Quantity: "channels crossed", Unit: "channels"},
	{Column: Col.ArrivalSpread, Name: "arrival-spread", Title: "Spread of arrivals", Quantity: "deviation of arrivals / latency", Unit: "1"},
	{Column: Col.EnergyPJ, Name: "energy", Title: "Network energy of the window", Quantity: "network energy", Unit: "uJ", Scale: 1e-6},
	{Column: Col.ED2P, Name: "ed2p", Title: "Network ED2P (energy of the window / throughput^2)", Quantity: "network ED2P", Unit: "uJ/(phits/node/cycle)^2", Scale: 1e-6, Steep: true},
	{Parts: &Energies, Name: "energy-parts", Title: "Where the energy went", Quantity: "network energy", Unit: "uJ", Scale: 1e6},
}

// axisColumns are the columns that show the values of axes.
var axisColumns = map[string]Name{"routers": Col.Router, "workload": Col.Workload, "chip.protocol": Col.Protocol, "traffic.pattern": Col.Pattern, "traffic.load": Col.Offered,
	"traffic.multicast_fraction": Col.MulticastFraction, "traffic.multicast_destinations": Col.MulticastDestinations, "traffic.packet_phits": Col.PacketPhits,
	"traffic.classes": Col.Classes, "network.scheme": Col.Scheme, "topology": Col.Topology, "scheme": Col.Scheme, "load": Col.Offered, "destinations": Col.MulticastDestinations}

// AxisColumn is the column that shows the values of an axis, or else the axis.
func AxisColumn(key string) Name { return cmp.Or(axisColumns[key], AxisName(key)) }

// Varied lists what a sweep varies, in the order of its plan: the column of an axis, if there is one, or
// its key.
func (r *Rows) Varied() (names []Name) {
	for _, axis := range r.AxisNames() {
		names = append(names, AxisColumn(axis.text))
	}
	return names
}
