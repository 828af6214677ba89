package experiment

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// collected does a study and gives its rows without the host's time.
func collected(t *testing.T, s *Study) tables.Rows {
	t.Helper()
	_, rows := do(t, context.Background(), s, quiet(2))
	rows.DropHostTime()
	return rows
}

// prices are every technology, profile, organisation of buffers and two scales of leakage.
func prices() (list []power.Config) {
	for _, c := range []struct {
		profile power.Profile
		fifo    power.FIFO
	}{
		{power.ProfileO, power.FIFOSRAM}, {power.ProfileO, power.FIFORegister}, {power.ProfileO, power.FIFORegisterPointer},
		{power.ProfileS, power.FIFOBanked}, {power.ProfileS, power.FIFOSingleRAM},
	} {
		for _, nm := range []int{90, 65, 45, 32, 22} {
			for _, static := range []float64{0.1, 1} {
				p := power.Default()
				p.Profile, p.FIFO, p.TechNM, p.StaticScale = c.profile, c.fifo, nm, static
				list = append(list, p)
			}
		}
	}
	return list
}

// TestRepricedIsFresh prices a stored study at all prices and expects the rows of a study run with
// them, to the last bit and with the same keys.
func TestRepricedIsFresh(t *testing.T) {
	study := func() *Study {
		s := small()
		s.Workloads, s.Runs = []Workload{workload("pingpong", pingPong(4, 4))}, 1
		s.Routers = []string{"base", "base-mc", "rr", "mrr", "wormhole"}
		return s
	}
	simulated := collected(t, study())
	energies := map[float64]bool{}
	for _, price := range prices() {
		stored := simulated
		stored.Runs, stored.Routers, stored.Links = slices.Clone(stored.Runs), slices.Clone(stored.Routers), slices.Clone(stored.Links)
		stored.Latency, stored.Cores, stored.Epochs = slices.Clone(stored.Latency), slices.Clone(stored.Cores), slices.Clone(stored.Epochs)
		stored.Classes, stored.RouterEpochs, stored.HotBlocks = slices.Clone(stored.Classes), slices.Clone(stored.RouterEpochs), slices.Clone(stored.HotBlocks)
		if err := Reprice(&stored, func(power.Config) (power.Config, error) { return price, nil }); err != nil {
			t.Fatalf("%+v: %v", price, err)
		}
		fresh := study()
		fresh.Power = price
		if want := collected(t, fresh); !reflect.DeepEqual(stored, want) {
			t.Errorf("%+v: the repriced rows differ from those of a fresh study:\n%+v\n%+v", price, stored.Runs[0], want.Runs[0])
		}
		energies[stored.Runs[0].Energy.Value] = true
	}
	if len(energies) != 50 {
		t.Errorf("50 prices give %d energies", len(energies))
	}
}

func TestRepricingNeedsItsTables(t *testing.T) {
	for want, damage := range map[string]func(*tables.Rows){
		"routers has no rows": func(r *tables.Rows) { r.Routers = nil },
		"column hardware":     func(r *tables.Rows) { r.Runs[0].Hardware = tables.Some("{") },
		"column power":        func(r *tables.Rows) { r.Runs[0].Power = tables.Some("") },
		"leaves router 99":    func(r *tables.Rows) { r.Links[0].FromNode = 99 },
	} {
		s := small()
		s.Runs, s.Routers = 1, []string{"base"}
		rows := collected(t, s)
		damage(&rows)
		err := Reprice(&rows, func(c power.Config) (power.Config, error) { return c, nil })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pingpong on base with seed 1") {
			t.Errorf("the error is %v; want one about %s", err, want)
		}
	}
}
