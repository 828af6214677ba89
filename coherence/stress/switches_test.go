package stress

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// networksOfSwitches returns the models that work anywhere on networks that are no grids, with as
// many nodes as the shape has; one of each kind with a multicast scheme of its own.
func networksOfSwitches() []Network {
	var all []Network
	for _, c := range []struct{ router, network, scheme string }{
		{"wormhole", "lattice:%d:%d", "postorder-doubling"}, {"wormhole", "bimin:butterfly:%d:2", ""}, {"wormhole", "min:baseline:%d:2", "cmin"},
		{"wormhole-ideal", "lattice:%d:%d", ""}, {"wormhole-ideal", "bimin:butterfly:%d:2", "umin"}, {"wormhole-ideal", "min:baseline:%d:2", "random-doubling"},
		{"wormhole-ideal", "bimin:butterfly:%d:2", "atbm"}, {"ideal", "lattice:%d:%d", ""},
	} {
		m, err := models.Lookup(c.router)
		if err != nil {
			panic(err)
		}
		all = append(all, Network{Name: c.router + " " + c.scheme + " on " + c.network, New: func(s Shape) (noc.Network, error) {
			numbers := []any{s.Columns * s.Rows}
			if strings.HasPrefix(c.network, "lattice") {
				numbers = append(numbers, s.Seed%1000)
			}
			l, err := topology.Open(fmt.Sprintf(c.network, numbers...))
			if err != nil {
				return nil, err
			}
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
				o.Wormhole.BufferPhits, o.Wormhole.SourceQueue, o.WormholeIdeal.SourceQueue = 1, 1, 1
			}
			o.Other, o.Seed, o.Scheme = &l, s.Seed, c.scheme
			return m.Build(o)
		}, FiniteSinks: m.FiniteSinks})
	}
	return all
}

// TestCasesOnSwitches runs random programs on chips whose network has no coordinates: all protocols
// stay coherent, and everything ends.
func TestCasesOnSwitches(t *testing.T) {
	cases := 32
	if testing.Short() {
		cases = 16
	}
	used := map[string]int{}
	for k := range cases {
		c, err := Case(networksOfSwitches(), k).Sized(t.Context(), 20_000)
		if err != nil {
			t.Error(err)
			continue
		}
		c.Order = true
		used[c.Network.Name]++
		if _, err := Run(t.Context(), c, nil); err != nil {
			t.Error(err)
		}
	}
	if len(used) < 6 {
		t.Errorf("only %v", used)
	}
}
