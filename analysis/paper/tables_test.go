package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestChipOfTable1: the default configuration is the chip of table 1 of the MRR paper, apart from
// the branch predictors, which a replay of memory accesses has no use for. The printed 320 GB/s of
// memory are 80 bytes per cycle at 4 GHz. The plan of figure 11 changes nothing of it, except in
// the variants that are named after what they change.
func TestChipOfTable1(t *testing.T) {
	c := config.Default()
	h, l1, l2 := &c.Chip, &c.Chip.L1, &c.Chip.L2
	const block, routers = 64, 64
	for _, row := range []struct {
		what      string
		got, want any
	}{
		{"issue width", h.Core.Width, 4}, {"window", h.Core.Window, 64}, {"outstanding requests", h.Core.Outstanding, 16},
		{"bytes of an L1", l1.Sets * l1.Ways * block, 32 << 10}, {"ways of an L1", l1.Ways, 2},
		{"L2 banks", routers * h.BanksPerRouter, 256}, {"bytes of a bank", l2.Sets * l2.Ways * block, 64 << 10}, {"ways of a bank", l2.Ways, 16},
		{"replacement in a bank", l2.Policy.String(), "tree-plru"}, {"protocol", h.Protocol, "token"},
		{"bytes of memory", h.Memory.Bytes, uint64(4) << 30}, {"cycles of memory", int(h.Memory.Latency), 260},
		{"GB/s of memory", float64(h.Memory.BytesPerCycle) * h.ClockGHz, 320.0},
		{"topology", c.Topology, "torus:8x8"}, {"bits of a link", c.Network.Rotary.PhitBits, 128}, {"bits of a link of BASE", c.Network.Buffered.PhitBits, 128},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, printed %v", row.what, row.got, row.want)
		}
	}
	p := planOf(t, "mrr.fig11")
	for _, s := range p.Set {
		t.Errorf("the plan of figure 11 sets %s", s.Key)
	}
	for _, a := range p.Axes {
		if strings.HasPrefix(a.Key, "chip.") || strings.HasPrefix(a.Key, "network.") || a.Key == "topology" {
			t.Errorf("the plan of figure 11 varies %s", a.Key)
		}
	}
}

// TestTrafficOfTable3: the plan of figure 8 has the traffic of table 3 of the MRR paper; its 64
// destinations are the 63 other nodes.
func TestTrafficOfTable3(t *testing.T) {
	axes := planOf(t, "mrr.fig8").Dimensions()
	for key, want := range map[string][]string{
		"traffic.pattern":                {"uniform", "bit-reversal", "perfect-shuffle", "transpose", "tornado"},
		"traffic.multicast_fraction":     {"0.01", "0.05", "0.1", "0.15"},
		"traffic.multicast_destinations": {"8", "64"},
	} {
		var got []string
		for _, axis := range axes {
			for _, value := range axis.Values {
				if axis.Key == key {
					got = append(got, config.Text(value))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, printed %v", key, got, want)
		}
	}
}

// planOf is the plan of an entry, in full length.
func planOf(t *testing.T, id string) *plan.Plan {
	t.Helper()
	e := must.Get(Lookup(id))
	p := must.Get(e.ParsePlan(false))
	return p
}
