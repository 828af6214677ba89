package traffic

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

func targetsOf(t *testing.T, g topology.Grid, c Config) []noc.NodeID { return must.Get(c.Targets(g)) }

// TestPatternsAreTheKnownPermutations compares with destinations worked out by hand.
func TestPatternsAreTheKnownPermutations(t *testing.T) {
	square, cube := topology.Torus(8, 8), topology.Torus(4, 4, 4)
	for _, c := range []struct {
		pattern string
		grid    topology.Grid
		want    map[noc.NodeID]noc.NodeID
	}{
		{"bit-reversal", square, map[noc.NodeID]noc.NodeID{0: 0, 1: 32, 2: 16, 3: 48, 12: 12, 19: 50, 62: 31, 63: 63}},
		{"perfect-shuffle", square, map[noc.NodeID]noc.NodeID{0: 0, 1: 2, 31: 62, 32: 1, 33: 3, 42: 21, 63: 63}},
		{"transpose", square, map[noc.NodeID]noc.NodeID{0: 0, 1: 8, 9: 9, 13: 41, 56: 7, 62: 55}},
		{"tornado", square, map[noc.NodeID]noc.NodeID{0: 27, 5: 24, 8: 35, 40: 3, 63: 18}},
		{"bit-complement", square, map[noc.NodeID]noc.NodeID{0: 63, 9: 54, 27: 36, 63: 0}},
		{"neighbour", square, map[noc.NodeID]noc.NodeID{0: 1, 7: 0, 12: 13, 63: 56}},
		{"neighbour", topology.Mesh(8, 8), map[noc.NodeID]noc.NodeID{0: 1, 6: 7, 7: 6, 63: 62}},
		{"uniform", square, map[noc.NodeID]noc.NodeID{0: Anywhere, 63: Anywhere}},
		{"hotspot", square, map[noc.NodeID]noc.NodeID{0: Anywhere, 36: Anywhere}},
		{"transpose", cube, map[noc.NodeID]noc.NodeID{1: 16, 4: 4, 7: 52, 6: 36}},
		{"bit-reversal", cube, map[noc.NodeID]noc.NodeID{1: 32, 6: 24}},
		{"tornado", cube, map[noc.NodeID]noc.NodeID{0: 21, 63: 0}},
		{"tornado", topology.Torus(9, 2), map[noc.NodeID]noc.NodeID{0: 3, 8: 2, 9: 12}},
		{"bit-complement", topology.Mesh(3, 5), map[noc.NodeID]noc.NodeID{0: 14, 7: 7, 4: 10}},
		{"perfect-shuffle", topology.Mesh(16), map[noc.NodeID]noc.NodeID{5: 10, 9: 3}},
	} {
		got := targetsOf(t, c.grid, Config{Pattern: c.pattern, TornadoDims: "all"})
		for from, to := range c.want {
			if got[from] != to {
				t.Errorf("%s on %s: %d sends to %d, want %d", c.pattern, c.grid, from, got[from], to)
			}
		}
	}
	if got := targetsOf(t, square, Config{Pattern: "tornado", TornadoDims: "x"}); got[0] != 3 || got[63] != 58 {
		t.Errorf("tornado along x: 0 sends to %d, 63 to %d", got[0], got[63])
	}
	if hotNode(square) != 36 {
		t.Errorf("the node in the middle of 8x8 is %d", hotNode(square))
	}
}

// TestPatternsArePermutations: no node gets the messages of two, on any grid that a pattern
// accepts.
func TestPatternsArePermutations(t *testing.T) {
	tried := 0
	for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(5, 4), topology.Torus(4, 4, 4), topology.Torus(2, 2),
		topology.Torus(7), topology.Mesh(16, 16), topology.Mesh(3, 3), topology.Mesh(8, 4), topology.Torus(2, 3, 2)} {
		for _, p := range Patterns {
			c := Default()
			c.Pattern = p.Name
			list, err := c.Targets(g)
			if err != nil || list[0] == Anywhere || p.Name == "neighbour" && !g.Wrap {
				continue
			}
			tried++
			sorted := slices.Sorted(slices.Values(list))
			for i, n := range sorted {
				if n != noc.NodeID(i) {
					t.Errorf("%s on %s is no permutation: %v", p.Name, g, list)
					break
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d patterns were looked at", tried)
	}
}

func TestRandomPermutation(t *testing.T) {
	g := topology.Torus(8, 8)
	one := targetsOf(t, g, Config{Pattern: "permutation", Seed: 1})
	if !slices.Equal(one, targetsOf(t, g, Config{Pattern: "permutation", Seed: 1})) {
		t.Error("the same seed draws another permutation")
	}
	if slices.Equal(one, targetsOf(t, g, Config{Pattern: "permutation", Seed: 2})) {
		t.Error("another seed draws the same permutation")
	}
	for n, to := range one {
		if to == noc.NodeID(n) {
			t.Errorf("node %d sends to itself", n)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		grid   topology.Grid
		want   []string
	}{
		{func(c *Config) { c.Pattern = "tornad" }, topology.Torus(8, 8), []string{`pattern is "tornad"`, "tornado"}},
		{func(c *Config) { c.Pattern = "bit-reversal" }, topology.Torus(6, 6), []string{"bit-reversal", "torus:6x6", "36", "32 or 64"}},
		{func(c *Config) { c.Pattern = "perfect-shuffle" }, topology.Mesh(3, 4), []string{"perfect-shuffle", "power of two"}},
		{func(c *Config) { c.Pattern = "transpose" }, topology.Torus(8, 4), []string{"transpose", "8x8", "square"}},
		{func(c *Config) { c.Pattern = "transpose" }, topology.Torus(8), []string{"transpose", "only one"}},
		{func(c *Config) { c.Pattern = "tornado" }, topology.Torus(3, 3), []string{"tornado", "4 or more"}},
		{func(c *Config) { c.Pattern, c.TornadoDims = "tornado", "x" }, topology.Torus(3, 8), []string{"tornado", "4 or more"}},
		{func(c *Config) { c.Pattern, c.TornadoDims = "tornado", "y" }, topology.Torus(8, 8), []string{"tornado_dims", `"y"`, `use "all" or "x"`}},
		{func(c *Config) { c.Pattern = "bit-reversal" }, topology.Torus(2), []string{"maps every node", "larger"}},
		{func(c *Config) { c.Load = 0 }, topology.Torus(8, 8), []string{"load is 0"}},
		{func(c *Config) { c.Load = 5.1 }, topology.Torus(8, 8), []string{"load is 5.1", "to 5"}},
		{func(c *Config) { c.PacketPhits = 0 }, topology.Torus(8, 8), []string{"packet_phits is 0"}},
		{func(c *Config) { c.MulticastFraction = 1.1 }, topology.Torus(8, 8), []string{"multicast_fraction is 1.1"}},
		{func(c *Config) { c.MulticastDestinations = 1 }, topology.Torus(8, 8), []string{"multicast_destinations is 1", "63"}},
		{func(c *Config) { c.Classes = 9 }, topology.Torus(8, 8), []string{"classes is 9", "1 to 8"}},
		{func(c *Config) { c.HotspotShare = -1 }, topology.Torus(8, 8), []string{"hotspot_share is -1"}},
		{func(c *Config) {}, topology.Torus(1), []string{"torus:1"}},
	} {
		config := Default()
		c.change(&config)
		err := config.Validate(c.grid)
		if err == nil {
			t.Errorf("no error about %v", c.want)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the message lacks %q: %v", part, err)
			}
		}
	}
}
