package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/system"
)

// TestSystemShowsEveryKey: the table of the simulated system changes with each key that is part of it.
func TestSystemShowsEveryKey(t *testing.T) {
	table := func(set ...string) []system.Row {
		t.Helper()
		layer, err := config.Assignments(set)
		c := new(config.Effective)
		if err == nil {
			c, err = config.New(layer)
		}
		if err == nil {
			err = plan.Check(c)
		}
		if err != nil {
			t.Errorf("%q: %v", set, err)
			return nil
		}
		rows, err := system.Of(c, &experiment.Manifest{Traces: []experiment.TraceIdentity{{Cores: 16}}})
		if err != nil {
			t.Errorf("%q: %v", set, err)
		}
		return rows
	}
	// These say what is run and what is written, not on which system. The clock of the energy follows the chip's.
	none := []string{"workload", "trace", "runs", "seed", "windows", "jobs", "out", "parquet", "csv", "compression", "power.clock_ghz", "chip.cores"}
	values := map[string]string{"chip.protocol": "directory", "routers": "ideal", "topology": "mesh:8x8", "chip.l1.policy": "tree-plru", "chip.l2.policy": "lru",
		"chip.place.core_list": "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "chip.place.memory_list": "0,1,2,3,4,5,6,7", "chip.token.tokens": "64",
		"network.scheme": "dual-path", "network.wormhole.table": "routes.txt", "network.program.arguments": "a b", "network.program.options": "{}",
		"network.link.x.bits": "64", "network.link.y.bits": "64", "network.link.z.bits": "64", "network.link.d2d.bits": "64", "network.link.d2d.mm": "1", "network.link.d2d.cycles": "2",
		"network.link.x.every": "2", "network.link.y.every": "2", "network.link.z.every": "2", "network.rotary.slot_phits": "10",
		"network.wormhole.virtual_channels": "12", "network.wormhole_ideal.credit_cycles": "1", "power.fifo": "register", "power.profile": "S"}
	needs := map[string][]string{"chip.token.timeout": {"chip.token.adaptive=false"}, "network.link.z": {"topology=torus:4x4x4"}, "network.link.d2d": {"topology=chiplets:2x2:mesh:4x4"},
		"network.link.x.every": {"network.link.x.mm=1"}, "network.link.y.every": {"network.link.y.mm=1"}, "network.link.z.every": {"network.link.z.mm=1"},
		"network.rotary.slot_phits": {"network.rotary.segment_phits=40", "network.rotary.input_stage_phits=20", "network.rotary.output_stage_phits=40"}}
	for _, k := range config.Keys() {
		section, _, _ := strings.Cut(k.Name, ".")
		if slices.Contains(none, k.Name) || slices.Contains([]string{"program", "synthetic", "traffic"}, section) {
			continue
		}
		value := values[k.Name]
		if value == "" {
			value = plan.Example(k)
		}
		var with []string
		for name, list := range needs {
			if k.Name == name || strings.HasPrefix(k.Name, name+".") {
				with = append(with, list...)
			}
		}
		if value == "" {
			t.Errorf("%s has no example", k.Name)
			continue
		}
		before, after := table(with...), table(append(with, k.Name+"="+value)...)
		if slices.Equal(before, after) {
			t.Errorf("%s=%s: the table does not change", k.Name, value)
		}
		// Other routers, which follow from some keys, do not say what these are.
		if n := len(after); k.Name != "routers" && k.Name != "topology" && n > 0 && !strings.Contains(after[n-1].Value, k.Name+" = ") && !slices.Equal(names(before), names(after)) {
			t.Errorf("%s=%s: the table does not have the value", k.Name, value)
		}
	}
}

func names(rows []system.Row) (list []string) {
	for _, r := range rows {
		list = append(list, r.Part)
	}
	return list
}
