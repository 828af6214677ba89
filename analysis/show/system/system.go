// Package system describes a simulated system as a paper's table of parameters does: cores, caches with
// their sizes multiplied out, memory, protocol, network, routers and prices of energy.
//
// Everything follows from the configuration and, for a finished study, from its manifest.
package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

// Row is one part of the system.
type Row struct {
	Part  string `json:"part" title:"part"`
	Value string `json:"value" title:"value"`
}

// outside are the keys and sections that say what runs on the system, or what is written.
var outside = []string{"workload", "trace", "program", "synthetic", "traffic", "runs", "seed", "windows", "jobs", "out", "parquet", "csv", "compression"}

// inSystem reports whether a key is part of the system.
func inSystem(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return !slices.Contains(outside, section)
}

// describe describes what several layers make of the defaults, on which workloads with so many cores run. The
// last row lists the settings that differ from what the other settings would make of them, and that no row
// shows: the rows stay the same without them.
func describe(x config.Extra, cores int, layers ...config.Layer) ([]Row, error) {
	c, err := checked(x, layers...)
	if err != nil {
		return nil, err
	}
	routers, err := config.ParseText("routers", config.Text(c.Routers), config.Origin{}) // which other keys change
	if err != nil {
		return nil, err
	}
	rows, err := parts(c, cores)
	var list []string
	given := c.Settings()
	for i, s := range given {
		if !inSystem(s.Key.Name) || err != nil {
			continue
		}
		if without, err := checked(x, slices.Delete(slices.Clone(given), i, i+1), config.Layer{routers}); err == nil {
			if same(s, without) {
				continue
			}
			if changed, err := parts(without, cores); err == nil && !slices.Equal(changed, rows) {
				continue
			}
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s = %s %s", s.Key.Name, config.Text(s.Value), s.Key.Unit)))
	}
	if list != nil {
		rows = append(rows, Row{"other settings that differ from the defaults", strings.Join(list, "; ")})
	}
	return rows, err
}

// checked returns the configuration of a chip.
func checked(x config.Extra, layers ...config.Layer) (*config.Effective, error) {
	c, err := x.New(layers...)
	if err == nil {
		c.FitMessages()
		err = c.Check()
	}
	return c, err
}

// parts describes what has a row of its own in a configuration that has been checked, on which workloads
// with so many cores run.
func parts(c *config.Effective, cores int) (rows []Row, err error) {
	chip := c.Chip
	chip.Cores = cores
	places := c.Network.Places()
	nodes := places.Nodes()
	if err := chip.Validate(); err != nil {
		return nil, err
	}
	about, homes, err := cmp.Describe(chip, nodes)
	if err != nil {
		return nil, err
	}
	add := func(part, format string, values ...any) {
		rows = append(rows, Row{part, fmt.Sprintf(format, values...)})
	}
	addCores(&chip, add)
	delay := func(n noc.Cycle) string { return sheet.Count(int(n), "cycle") }
	add("L1 caches", "for each core one for data and one for instructions, %s; %s from a load that hits to its use, %s from a miss or message to the message that follows", shape(chip.L1),
		delay(chip.Latency.Hit), delay(chip.Latency.L1))
	add("L2 cache", "%s, shared: %d banks, %s; each bank %s; %s", bytes(uint64(homes.Banks)*size(chip.L2)), homes.Banks,
		fmt.Sprintf("%d at each node", homes.Banks/nodes), shape(chip.L2), delay(chip.Latency.Bank))
	addMemory(&chip, delay(chip.Latency.Controller), add)
	entry, err := cmp.LookupProtocol(chip.Protocol, chip.More...)
	if err != nil {
		return nil, err
	}
	add("coherence", "%s: %s", chip.Protocol, entry.Doc)
	add("message classes", "%s", strings.Join(about.Classes, ", "))
	add("network", "%s, %s, %g GHz", c.Topology, sheet.Count(nodes, "node"), chip.NetworkGHz())
	add("placement", "cores: %s; memory controllers: %s", chip.Place.Cores, chip.Place.Memory)
	for _, name := range c.Routers {
		if err := addRouter(c, name, add); err != nil {
			return nil, err
		}
	}
	add("energy of the network", "%s", c.Power.Circumstances())
	return rows, nil
}

func addCores(c *cmp.Config, add func(part, format string, values ...any)) {
	order := "total store order"
	if c.Core.SequentialConsistency {
		order = "sequential consistency"
	}
	add("cores", "%d at %g GHz, out of order, %s; %s", c.Cores, c.ClockGHz, sheet.Count(c.Core.Width, "instruction")+" per cycle", order)
	add("core", "window of %s, %s that miss at the same time, store buffer of %s, %s and 1 store per cycle", sheet.Count(c.Core.Window, "instruction"),
		sheet.Count(c.Core.Outstanding, "block"), sheet.Count(c.Core.StoreBuffer, "store"), sheet.Count(c.Core.LoadPorts, "load"))
}

func addMemory(c *cmp.Config, controller string, add func(part, format string, values ...any)) {
	latency := c.ReadLatency()
	add("memory", "%s behind %s; %d cycles (%.4g ns), %.4g GB/s together, %s", bytes(c.Memory.Bytes), sheet.Count(c.Place.MemoryControllers, "controller"),
		latency, float64(latency)/c.ClockGHz, float64(c.Memory.BytesPerCycle)*c.ClockGHz, controller+" in the controller")
}

// addRouter adds what a router is made of, as its network says.
func addRouter(c *config.Effective, name string, add func(part, format string, values ...any)) error {
	model, err := c.Models().Lookup(name)
	if err != nil {
		return err
	}
	network, err := experiment.BuildNetwork(model, c.Network, &c.Chip)
	if err != nil {
		return fmt.Errorf("router %s: %w", name, err)
	}
	defer noc.Close(network)
	h := network.Hardware()
	command, data := cmp.MessagePhits(h.PhitBits)
	parts := []string{model.Doc, fmt.Sprintf("links of %s", sheet.Count(h.PhitBits, "bit")),
		fmt.Sprintf("messages of %s, or %d with a block", sheet.Count(command, "phit"), data)}
	if long := experiment.LongCommands(&c.Chip, network); long != "" {
		parts = append(parts, long)
	}
	if rules := model.RulesOf(c.Network); model.ClassesPerChannel != nil {
		parts = append(parts, rules)
	} else if h.VirtualChannels > 0 {
		parts = append(parts, sheet.Count(h.VirtualChannels, "virtual channel")+" per port")
	} else if rules != "" {
		parts = append(parts, "rules "+rules)
	}
	for kind, n := range h.FIFOs {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s (%s)", sheet.Count(n, "buffer"), sheet.Count(h.Depth[kind], "phit"), strings.ReplaceAll(noc.BufferKind(kind).String(), "_", " ")))
		}
	}
	if storage := h.StoragePhits(); storage > 0 {
		parts = append(parts, bytes(uint64(storage*h.PhitBits/8))+" per router")
	}
	add("router "+model.Name, "%s", strings.Join(parts, "; "))
	return nil
}

// size returns the bytes of a cache.
func size(c cache.Config) uint64 { return uint64(c.Sets*c.Ways) * coherence.BlockBytes }

// shape describes one cache.
func shape(c cache.Config) string {
	return fmt.Sprintf("%s, %d-way, blocks of %d bytes, %s", bytes(size(c)), c.Ways, coherence.BlockBytes, c.Policy)
}

// bytes writes a size in the largest unit that leaves no fraction.
func bytes(n uint64) string {
	units := [...]string{"bytes", "KB", "MB", "GB", "TB"}
	unit := 0
	for ; n > 0 && n%1024 == 0 && unit+1 < len(units); unit++ {
		n /= 1024
	}
	return fmt.Sprintf("%d %s", n, units[unit])
}
