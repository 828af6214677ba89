package engine

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// saturate returns the phits per node and cycle delivered at full load.
func saturate(t testing.TB, c buffered.Config, tr traffic.Config, warm, run noc.Cycle) float64 {
	g := topology.Torus(8, 8)
	d := noctest.Drive(t, build(t, g, c), g, tr)
	d.Run(warm)
	d.Clear()
	d.Run(warm + run)
	return d.Window().Delivered
}

// TestSaturationThroughput compares delivered phits per node and cycle at offered load 1.0 with an
// independent model of the same rules, whose numbers have two digits.
func TestSaturationThroughput(t *testing.T) {
	warm, run := noc.Cycle(4000), noc.Cycle(6000)
	if testing.Short() {
		t.Skip("long runs")
	}
	for _, v := range []struct {
		pattern       string
		multicast     float64
		destinations  int
		base, baseMC  float64
		tolerance     float64
		toleranceInMC float64
	}{
		{"uniform", 0, 0, 0.72, 0.72, 0.02, 0.02},
		{"bit-reversal", 0, 0, 0.21, 0.21, 0.02, 0.02},
		{"transpose", 0, 0, 0.13, 0.13, 0.02, 0.02},
		{"perfect-shuffle", 0, 0, 0.43, 0.43, 0.02, 0.02},
		{"tornado", 0, 0, 0.13, 0.13, 0.03, 0.03},
		{"uniform", 0.1, 8, 0.72, 0.77, 0.02, 0.02},
		{"uniform", 0.01, 0, 0.73, 0.84, 0.03, 0.03},
		{"uniform", 0.1, 0, 0.75, 0.96, 0.03, 0.03},
		{"bit-reversal", 0.1, 8, 0.39, 0.39, 0.03, 0.03},
		{"bit-reversal", 0.1, 0, 0.64, 0.79, 0.04, 0.04},
		{"tornado", 0.01, 0, 0.31, 0.22, 0.05, 0.05},
		{"uniform", 1, 0, 0.76, 0.98, 0.03, 0.03},
	} {
		for _, m := range []struct {
			name            string
			c               buffered.Config
			want, tolerance float64
		}{{"base", buffered.DefaultBase(), v.base, v.tolerance}, {"base-mc", buffered.DefaultBaseMC(), v.baseMC, v.toleranceInMC}} {
			got := saturate(t, m.c, traffic.Config{Load: 1, Pattern: v.pattern, MulticastFraction: v.multicast, MulticastDestinations: v.destinations}, warm, run)
			t.Logf("%-8s %-9s multicast %4.2f to %d: %.3f (model %.2f)", m.name, v.pattern, v.multicast, v.destinations, got, m.want)
			if math.Abs(got-m.want) > m.tolerance {
				t.Errorf("%s %s multicast %v to %d: %.3f phits per node and cycle, want %.2f within %.2f",
					m.name, v.pattern, v.multicast, v.destinations, got, m.want, m.tolerance)
			}
		}
	}
}
