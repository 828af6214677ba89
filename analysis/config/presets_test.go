package config_test

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestPresets: each preset is a configuration that passes, each of its values says where it comes from,
// and what the user gives is stronger.
func TestPresets(t *testing.T) {
	for _, name := range config.Presets() {
		layer := must.Get(config.Preset(name))
		c := must.Get(config.New(layer, must.Get(config.Assignments([]string{"chip.latency.hit=7"}))))
		if err := c.Check(); err != nil || c.Chip.Latency.Hit != 7 {
			t.Errorf("%s: %v, %+v", name, err, c.Chip.Latency)
		}
		for _, s := range layer {
			if line := strings.Split(config.PresetText(name), "\n")[s.Origin.Line-1]; !strings.Contains(line, "# ") {
				t.Errorf("%s: %q has no source", name, line)
			}
		}
		if config.PresetDoc(name) == "" {
			t.Errorf("%s has no text", name)
		}
	}
	if _, err := config.Preset("../presets/n1"); err == nil {
		t.Error("a path is a preset")
	}
}
