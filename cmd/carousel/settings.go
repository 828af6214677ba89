package main

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/workloads"
)

// Settings is everything that can be configured: what is run, the chip, the network and the prices of
// energy. A field's place gives its key: Chip.Core.Window is chip.core.window.
type Settings struct {
	Workload string   // a name of the catalogue; not with Trace
	Source   string   // of an application: auto, recorded or twin
	Trace    string   // a trace file; "" takes the workload
	Twin     string   // parameter file of a twin; "" takes the workload
	Routers  []string // the first is the baseline unless base is among them
	Runs     int      // runs of each workload and router, with seeds Seed, Seed+1, ...
	Seed     uint64
	Jobs     int    // runs at the same time
	Out      string // directory of the tables; "" makes one below results, named after the study
	Parquet  bool   // write Parquet files beside the Arrow files
	Topology string // "torus:8x8"; becomes Network.Grid or Network.Other

	Synthetic workloads.Config // sizes of synthetic workloads
	Traffic   TrafficSettings  // synthetic traffic on a network alone
	Chip      cmp.Config
	Network   models.Options
	Power     power.Config
}

// DefaultWorkload is the recording that is part of the program.
const DefaultWorkload = "nas-is-s"

// DefaultSettings compares the paper's four routers on the embedded recording.
func DefaultSettings() Settings {
	return Settings{
		Workload:  DefaultWorkload,
		Source:    sourceAuto,
		Routers:   []string{"base", "base-mc", "rr", "mrr"},
		Runs:      1,
		Seed:      1,
		Jobs:      runtime.GOMAXPROCS(0),
		Topology:  models.DefaultOptions().Grid.String(),
		Synthetic: workloads.Default(),
		Traffic:   defaultTraffic(),
		Chip:      cmp.Default(),
		Network:   models.DefaultOptions(),
		Power:     power.Default(),
	}
}

// Validate tells what is wrong with the settings, naming the key.
func (s Settings) Validate() error {
	if s.Runs < 1 || s.Runs > 10_000 {
		return fmt.Errorf("runs is %d; 1 to 10000 are allowed", s.Runs)
	}
	if s.Jobs < 1 || s.Jobs > 1024 {
		return fmt.Errorf("jobs is %d; 1 to 1024 are allowed", s.Jobs)
	}
	if err := checkNames("routers", s.Routers, models.Names()); err != nil {
		return err
	}
	if err := checkNames("workload", []string{s.Workload}, workloadNames()); err != nil && s.Trace == "" && s.Twin == "" {
		return err
	}
	if err := checkNames("source", []string{s.Source}, workloadSources); err != nil {
		return err
	}
	if err := checkNames("chip.protocol", []string{s.Chip.Protocol}, protocolNames()); err != nil {
		return err
	}
	if err := s.Synthetic.Validate(); err != nil {
		return fmt.Errorf("section synthetic: %w", err)
	}
	if err := s.Chip.Validate(); err != nil {
		return inSection("chip", err)
	}
	if err := s.Power.Validate(); err != nil {
		return inSection("power", err)
	}
	return s.checkInterfaces()
}

// checkInterfaces refuses interfaces of finite size where packets may wait for each other's places in a
// circle: with one channel for all message classes, and with worms that hold places at their first stops
// while they wait for one at a later stop.
func (s Settings) checkInterfaces() error {
	if s.Chip.InterfaceQueue == 0 {
		return nil
	}
	for _, router := range s.Routers {
		m, err := models.Lookup(router)
		if err != nil || m.Schemes == nil || router == "wormhole" && m.SchemeOf(s.Network) == "unicast" {
			continue
		}
		return fmt.Errorf("chip.interface_queue is %d, but router %s with scheme %s may deadlock on interfaces of finite size; use 0, or router wormhole with scheme unicast",
			s.Chip.InterfaceQueue, router, m.SchemeOf(s.Network))
	}
	return nil
}

// inSection turns a package's complaint about its own key, such as "l1: sets is 3", into one about the
// key of the whole configuration: "chip.l1.sets is 3".
func inSection(section string, err error) error {
	text := err.Error()
	for {
		head, rest, ok := strings.Cut(text, ": ")
		if !ok || strings.ContainsAny(head, " ") {
			return fmt.Errorf("%s.%s", section, text)
		}
		section, text = section+"."+head, rest
	}
}

func protocolNames() (names []string) {
	for _, p := range cmp.Protocols {
		names = append(names, p.Name)
	}
	return names
}

// workloadNames are what can be chosen: the catalogue, and the applications that must be recorded first.
func workloadNames() (names []string) {
	for _, row := range workloadRows() {
		names = append(names, row.Name)
	}
	return names
}

// decided are fields that are no keys, because something else decides them: the topology the grid, the
// protocol the number of classes, each run its seed, and a model the fields that it replaces in the
// configurations of its engine.
var decided = []string{
	"network.grid.radix", "network.grid.wrap", "network.other", "network.classes", "network.seed",
	"network.rotary.classes", "network.rotary.seed", "network.rotary.every_cycle", "network.rotary.multicast",
	"network.buffered.classes", "network.buffered.every_cycle", "network.buffered.multicast",
	"network.ideal.classes",
	"network.wormhole.classes", "network.wormhole.every_cycle",
	"network.wormhole_ideal.classes", "network.wormhole_ideal.every_cycle",
}

// settingKeys are the keys of Settings in order.
func settingKeys() []key {
	return slices.DeleteFunc(keysOf(reflect.TypeFor[Settings]()), func(k key) bool {
		return slices.Contains(decided, k.name)
	})
}

// plainFlag adds --plain, for the commands that build networks.
func plainFlag(flags *pflag.FlagSet) {
	flags.Bool("plain", false, "build the plain form of each router, its readable specification; same results, slower")
}

// topologyUsage says what --topology takes.
func topologyUsage() string {
	var forms []string
	for _, f := range topology.Forms {
		forms = append(forms, f.Form)
	}
	return "network: " + strings.Join(forms, ", ")
}

// openTopology makes the network's wiring from its name. A network that is no grid has other routers than the usual
// ones, unless some were asked for.
func (c *Configuration) openTopology() error {
	layout, err := topology.Open(c.Topology)
	if err != nil {
		err = fmt.Errorf("%w (given by %s)", err, c.Origins["topology"].place())
		if strings.HasPrefix(c.Topology, "graph:") {
			return inputError{err}
		}
		return err
	}
	if layout.Grid != nil {
		c.Network.Grid, c.Network.Other = *layout.Grid, nil
		return nil
	}
	c.Network.Other = &layout
	if c.Given("routers") {
		return nil
	}
	c.Routers, c.Origins["routers"] = nil, "topology"
	for _, m := range models.Table() {
		if m.Anywhere {
			c.Routers = append(c.Routers, m.Name)
		}
	}
	return nil
}

// derive fills in what follows from other keys, and says so in the origins.
func (c *Configuration) derive() error {
	if err := c.openTopology(); err != nil {
		return err
	}
	for _, other := range []struct {
		key  Origin
		file string
	}{{"trace", c.Trace}, {"twin", c.Twin}} {
		if other.file != "" && !c.Given("workload") {
			c.Workload, c.Origins["workload"] = "", other.key
		}
	}
	if !c.Given("chip.place.columns") {
		c.Chip.Place.Columns = c.Network.Places().Radix[0]
		c.Origins["chip.place.columns"] = "topology"
	}
	if !c.Given("power.clock_ghz") {
		c.Power.ClockGHz = c.Chip.ClockGHz
		c.Origins["power.clock_ghz"] = "chip.clock_ghz"
	} else if c.Power.ClockGHz != c.Chip.ClockGHz {
		return fmt.Errorf("power.clock_ghz is %g (given by %s), but the simulated chip runs at %g GHz; set chip.clock_ghz alone",
			c.Power.ClockGHz, c.Origins["power.clock_ghz"].place(), c.Chip.ClockGHz)
	}
	if c.Power.Validate() == nil {
		whole := c.Power.Effective()
		if whole.VoltageV != c.Power.VoltageV {
			c.Origins["power.voltage_v"] = "power.tech_nm"
		}
		if whole.FIFO != c.Power.FIFO {
			c.Origins["power.fifo"] = "power.profile"
		}
		c.Power = whole
	}
	return nil
}
