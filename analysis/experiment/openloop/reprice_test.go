package openloop

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/power"
)

// TestRepricedIsFresh prices stored points with every technology, profile, organisation of buffers
// and two scales of leakage, and expects the rows of points simulated with them, to the last bit
// and with the same keys.
func TestRepricedIsFresh(t *testing.T) {
	study := func() *Study {
		s := small()
		s.Routers, s.Runs, s.Cycles, s.Warmup = []string{"base", "base-mc", "rr", "mrr", "wormhole"}, 1, 900, 300
		return s
	}
	first := do(t, study(), quiet(2))
	energies := map[float64]bool{}
	for _, c := range []struct {
		profile power.Profile
		fifo    power.FIFO
	}{
		{power.ProfileO, power.FIFOSRAM}, {power.ProfileO, power.FIFORegister}, {power.ProfileO, power.FIFORegisterPointer},
		{power.ProfileS, power.FIFOBanked}, {power.ProfileS, power.FIFOSingleRAM},
	} {
		for _, nm := range []int{90, 65, 45, 32, 22} {
			for _, static := range []float64{0.1, 1} {
				name := fmt.Sprintf("%s, %s, %d nm, leakage x %g", c.profile, c.fifo, nm, static)
				change := func(p power.Config) (power.Config, error) {
					p.Profile, p.FIFO, p.TechNM, p.StaticScale = c.profile, c.fifo, nm, static
					return p, nil
				}
				stored := first
				stored.Traffic, stored.Routers = slices.Clone(stored.Traffic), slices.Clone(stored.Routers)
				stored.Links, stored.Latency = slices.Clone(stored.Links), slices.Clone(stored.Latency)
				if err := experiment.Reprice(&stored, change); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				fresh := study()
				fresh.Power, _ = change(fresh.Power)
				if want := do(t, fresh, quiet(2)); !reflect.DeepEqual(stored, want) {
					t.Errorf("%s: the repriced rows differ from those of a fresh study:\n%+v\n%+v", name, stored.Traffic[0], want.Traffic[0])
				}
				energies[stored.Traffic[0].Energy.Value] = true
			}
		}
	}
	if len(energies) != 50 {
		t.Errorf("50 prices give %d energies", len(energies))
	}
}
