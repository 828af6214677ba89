package experiment

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// TestBreakEvenColumns: the columns equal what a reader computes from others of the table, and the chip's
// product changes sides there.
func TestBreakEvenColumns(t *testing.T) {
	rows := chipRows(t)
	compared := 0
	byWindow := map[uint64]map[string]*tables.Run{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if byWindow[r.Window] == nil {
			byWindow[r.Window] = map[string]*tables.Run{}
		}
		byWindow[r.Window][r.Router] = r
	}
	for _, routers := range byWindow {
		for _, b := range routers {
			a := routers[b.FastestRouter.Value]
			if a == nil || a.Seconds.Value > b.Seconds.Value {
				t.Fatalf("the fastest router is %q", b.FastestRouter.Value)
			}
			if a == b {
				if b.ED2PFixed.Known {
					t.Error("the fastest router has a break-even power")
				}
				continue
			}
			compared++
			ratio := b.Seconds.Value / a.Seconds.Value
			for _, c := range []struct {
				n             float64
				fixed, static float64
			}{{1, b.EDFixed.Value, b.EDStatic.Value}, {2, b.ED2PFixed.Value, b.ED2PStatic.Value}} {
				gain := a.Energy.Value - math.Pow(ratio, c.n)*b.Energy.Value
				if want := gain / a.Seconds.Value / (math.Pow(ratio, c.n) - 1); math.Abs(c.fixed/want-1) > 1e-9 {
					t.Errorf("%s: fixed is %g, want %g", b.Router, c.fixed, want)
				}
				if want := gain / a.Seconds.Value / (math.Pow(ratio, c.n+1) - 1); math.Abs(c.static/want-1) > 1e-9 {
					t.Errorf("%s: static is %g, want %g", b.Router, c.static, want)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing is compared")
	}
}

// TestChipColumns: the parts and the network add up, with memory and without; prices that are computed again
// are those of a fresh study.
func TestChipColumns(t *testing.T) {
	rows := chipRows(t)
	for _, memory := range []bool{false, true} {
		if err := Reprice(&rows, func(c power.Config) (power.Config, error) {
			c.Memory = memory
			return c, nil
		}); err != nil {
			t.Fatal(err)
		}
		for i := range rows.Runs {
			r := &rows.Runs[i]
			sum := r.Energy.Value + r.ChipCores.Value + r.ChipL1.Value + r.ChipL2.Value + r.ChipState.Value + r.ChipControllers.Value
			if memory {
				sum += r.ChipMemory.Value
			}
			if !r.ChipEnergy.Known || math.Abs(sum/r.ChipEnergy.Value-1) > 1e-12 {
				t.Errorf("the parts of %s are %g J, the chip %g J", r.Router, sum, r.ChipEnergy.Value)
			}
			for _, part := range []tables.Maybe[float64]{r.ChipCores, r.ChipL1, r.ChipL2, r.ChipState, r.ChipControllers, r.ChipMemory} {
				if !(part.Value > 0) {
					t.Errorf("a part of %s spends %g J", r.Router, part.Value)
				}
			}
			if got, want := r.ChipED2P.Value, r.ChipEnergy.Value*r.Seconds.Value*r.Seconds.Value; math.Abs(got/want-1) > 1e-12 {
				t.Errorf("chip_ed2p_js2 is %g, want %g", got, want)
			}
			if got := r.NetworkShare.Value; math.Abs(got*r.ChipEnergy.Value/r.Energy.Value-1) > 1e-12 {
				t.Errorf("network_share is %g", got)
			}
		}
	}
	rows.Runs[0].Chip = tables.Maybe[string]{} // of an older version
	rows.Runs[0].ChipEnergy = tables.Maybe[float64]{}
	if err := Reprice(&rows, func(c power.Config) (power.Config, error) { return c, nil }); err != nil || rows.Runs[0].ChipEnergy.Known {
		t.Errorf("a run without a chip has the energy %v, error %v", rows.Runs[0].ChipEnergy, err)
	}
}

// chipRows are the tables of a small study of four routers.
func chipRows(t *testing.T) tables.Rows {
	t.Helper()
	s := small()
	s.Workloads, s.Runs = []Workload{workload("pingpong", pingPong(4, 4))}, 1
	s.Routers = []string{"base", "base-mc", "rr", "mrr"}
	return collected(t, s)
}
