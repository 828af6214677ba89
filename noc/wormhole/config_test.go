package wormhole

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/topology"
)

// TestClassesKeepApart: classes have sets of their own while there are channels for them, and share
// where there are not.
func TestClassesKeepApart(t *testing.T) {
	for _, v := range []struct {
		g        topology.Grid
		channels int
		apart    bool
	}{
		{topology.Mesh(4, 4), 0, true}, {topology.Torus(4, 4), 0, true}, {topology.Torus(4, 4), 12, true}, {topology.Torus(4, 4), 17, true},
		{topology.Torus(4, 4), 11, false}, {topology.Mesh(4, 4), 4, false},
	} {
		c := Default()
		c.VirtualChannels = v.channels
		used, apart := ChannelSet(0), true
		sets := c.ClassChannels(c.Parts(v.g))
		for _, set := range sets[:c.Classes] {
			if set[0] == 0 || set[1] == 0 || v.g.Wrap && set[0]&set[1] != 0 {
				t.Errorf("%s, %d channels: a class has channels %b and %b", v.g, v.channels, set[0], set[1])
			}
			apart = apart && used&(set[0]|set[1]) == 0
			used |= set[0] | set[1]
		}
		if apart != v.apart || used != 1<<c.Channels(c.Parts(v.g))-1 {
			t.Errorf("%s, %d channels: apart %v, used %b", v.g, v.channels, apart, used)
		}
	}
}

// TestValidate holds that Validate names the key that is wrong.
func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"classes is 9":           func(c *Config) { c.Classes = 9 },
		"virtual_channels is 40": func(c *Config) { c.VirtualChannels = 40 },
		"buffer_phits is 0":      func(c *Config) { c.BufferPhits = 0 },
		"link_cycles is 0":       func(c *Config) { c.LinkCycles = 0 },
		`routing is "adaptive"`:  func(c *Config) { c.Routing = "adaptive" },
		"preparation is -1":      func(c *Config) { c.Preparation = -1 },
	} {
		c := Default()
		spoil(&c)
		if err := c.Validate(topology.Mesh(4, 4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
