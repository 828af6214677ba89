package config

import (
	"runtime"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/workloads"
)

// Config is everything that can be configured: what is run, the chip, the network and the prices of
// energy.
type Config struct {
	Workload string `doc:"workloads to replay, separated by commas; all means the twelve applications; see carousel list"`
	Trace    string `doc:"trace file to replay instead of a workload"`
	Program  Program
	Routers  []string `doc:"routers; carousel list names them, and program:FILE is one of your own (carousel help detachable). On the command line, commas separate them, and a name with a comma is in double quotes"`
	Runs     int      `unit:"runs" doc:"runs of each point, with consecutive seeds"`
	Seed     uint64   `doc:"seed of the random streams of the first run"`
	Windows  int      `unit:"windows" doc:"maximum number of windows of a trace to replay, evenly spaced, or windows of a program to execute; 0 means all windows of a trace, or the whole program"`
	Jobs     int      `unit:"runs" doc:"number of runs at the same time; results do not depend on it"`
	Out      string   `doc:"directory for tables and manifest (default: a directory below results; its name has the subject of the study and a part of its digest)"`
	Parquet  bool     `doc:"write Parquet files beside the Arrow files"`
	CSV      bool     `doc:"write CSV files beside the Arrow files"`
	// Compression is that of Arrow and Parquet files.
	Compression string `choices:"zstd,none" doc:"compression of Arrow and Parquet files: zstd, or none for readers that cannot read it"`
	// Topology becomes Network.Grid or Network.Other.
	Topology string `doc:"network, such as torus:8x8, bimin:butterfly:64:8, lattice:64:1 or graph:FILE; carousel list shows all forms"`

	Synthetic workloads.Config
	Traffic   Traffic
	Chip      cmp.Config
	Network   models.Options
	Power     power.Config

	Extra `key:"-"`
}

// Program names a program for RISC-V that the chip executes.
type Program struct {
	Path      string `doc:"statically linked RISC-V program to execute on the chip instead of replaying a workload; see carousel help live"`
	Arguments string `doc:"arguments of the program, separated by blanks; double quotes around one that is empty or contains blanks"`
	Threads   int    `unit:"threads" doc:"cores of the chip that executes a program, and the maximum number of threads of the program"`
	Files     string `doc:"folder that the program may read; empty for none"`
	Fetches   bool   `doc:"fetch the program's instructions through the caches"`
	// WindowInstructions counts on average over the cores.
	WindowInstructions uint64 `unit:"instructions" doc:"length of each window of a program, per core; the minimum if windows go from barrier to barrier"`
}

// Traffic configures synthetic traffic on a network alone.
type Traffic struct {
	traffic.Config
	Loads      string    `unit:"phits/node/cycle" doc:"loads of a sweep, as FIRST:LAST:STEP or separated by commas; empty means only traffic.load"`
	Cycles     noc.Cycle `unit:"cycles" doc:"length of a run, warm-up included"`
	Warmup     noc.Cycle `unit:"cycles" doc:"cycles at the start of a run that are not measured"`
	Saturation bool      `doc:"search for the load at which a network saturates"`
	Limit      float64   `unit:"phits/node/cycle" doc:"largest load that the search for saturation tries"`
	Step       float64   `unit:"phits/node/cycle" doc:"resolution of the search for saturation"`
	Knee       float64   `doc:"latency at which the search counts a network as saturated, as a multiple of that at load traffic.step; 0 sets no limit"`
}

// AllApplications stands for the twelve applications as a workload.
const AllApplications = "all"

// WorkloadList returns the names of the workloads to replay.
func (c *Config) WorkloadList() (names []string) {
	if c.Workload != AllApplications {
		return strings.Split(c.Workload, ",")
	}
	for i := range workloads.Applications {
		names = append(names, workloads.Applications[i].Name)
	}
	return names
}

// DefaultWorkload is one of the recordings that are part of the program: of those with at least three windows
// whose comparison of the default routers carries no warning about times, the one with the narrowest
// intervals (the widest of a router over the fastest is 6 % of the ratio; of lu, for example, it is 25 %).
const DefaultWorkload = "twolf"

// Default returns the configuration that compares the MRR paper's four routers on an embedded
// recording.
func Default() Config { return Extra{}.Default() }

// Default returns the default configuration with the additions of another module.
func (x Extra) Default() Config {
	c := Config{
		Extra:       x,
		Workload:    DefaultWorkload,
		Program:     Program{Threads: 16, Fetches: true, WindowInstructions: 100_000},
		Routers:     []string{"base", "base-mc", "rr", "mrr"},
		Runs:        1,
		Seed:        1,
		Compression: "zstd",
		Jobs:        runtime.GOMAXPROCS(0),
		Topology:    models.DefaultOptions().Grid.String(),
		Synthetic:   workloads.Default(),
		Traffic:     DefaultTraffic(),
		Chip:        cmp.Default(),
		Network:     models.DefaultOptions(),
		Power:       power.Default(),
	}
	c.Power.ClockGHz = c.Chip.ClockGHz
	c.Chip.More, c.Network.More = x.Protocols, x.Schemes
	return c
}

// DefaultTraffic returns the paper's traffic: 200,000 cycles, of which the first 20,000 are not
// measured.
func DefaultTraffic() Traffic {
	return Traffic{Config: traffic.Default(), Cycles: 200_000, Warmup: 20_000, Limit: 1, Step: 0.01}
}

// Extra is what another module adds to the tables of this one. A configuration that is made with it
// can name its members wherever it can name those of the tables.
type Extra struct {
	Routers   []models.Model
	Patterns  []traffic.Pattern
	Schemes   []multicast.Scheme // for the routers whose scheme can be chosen, and for plans
	Protocols []cmp.ProtocolEntry
	Workloads []workloads.Workload
}

// Models returns the routers of the table and the further ones. Those whose scheme can be chosen
// also have the further schemes.
func (x Extra) Models() models.List {
	all := models.Table()
	for i := range all {
		if m := &all[i]; m.Schemes != nil {
			m.Schemes = append(slices.Clone(m.Schemes), names(x.Schemes, func(s multicast.Scheme) string { return s.Name })...)
		}
	}
	return append(all, x.Routers...)
}

// Choices returns the names that the value of a key, or an element of it, can have; nil where any
// are possible.
func (x Extra) Choices(k Key) []string {
	switch k.Name {
	case "routers":
		return x.Models().Names()
	case "workload":
		return workloads.Names(x.Workloads...)
	case "chip.protocol":
		return cmp.ProtocolNames(x.Protocols...)
	case "traffic.pattern":
		return traffic.PatternNames(x.Patterns...)
	case "network.scheme":
		return x.Models().Schemes()
	}
	return k.choices
}

// names lists the names of the rows of a table.
func names[R any](rows []R, name func(R) string) (list []string) {
	for _, r := range rows {
		list = append(list, name(r))
	}
	return list
}
