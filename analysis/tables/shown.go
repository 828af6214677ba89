package tables

// Shown says how people see a column of the table of runs in a comparison, where values are means
// over runs. The list is the only place that orders, names and scales them.
type Shown struct {
	Column, Title string
	Scale         float64 // what values are multiplied with
	Wide          bool    // only where all columns are asked for
	Protocol      string  // the coherence protocol that has it; "" for all
}

// ShownRuns are the columns of comparisons of runs beside the ratios, in order. To show one more:
// a row here.
var ShownRuns = []Shown{
	{"miss_latency_mean", "miss latency", 1, false, ""},
	{"packet_latency_mean", "packet latency", 1, false, ""},
	{"cycles", "cycles", 1, true, ""},
	{"energy_j", "energy [uJ]", 1e6, true, ""},
	{"ipc", "IPC", 1, true, ""},
	{"packets_unicast", "unicast", 1, true, ""},
	{"packets_multicast", "multicast", 1, true, ""},
	{"packets_broadcast", "broadcast", 1, true, ""},
	{"reissues", "re-issues", 1, true, "token"},
	{"persistent_requests", "persistent", 1, true, "token"},
}
