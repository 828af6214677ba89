package experiment

import (
	"context"
	"fmt"
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

// TestRepricedIsFresh prices a stored study at other prices and expects the rows of a study run
// with them, to the last bit and with the same keys.
func TestRepricedIsFresh(t *testing.T) {
	for name, change := range map[string]func(*power.Config){
		"technology": func(c *power.Config) { c.TechNM, c.VoltageV = 45, 0 },
		"profile":    func(c *power.Config) { c.Profile, c.FIFO = power.ProfileS, power.FIFOSingleRAM },
		"leakage":    func(c *power.Config) { c.StaticScale = 0.1 },
		"nothing":    func(*power.Config) {},
	} {
		stored := collected(t, small())
		fresh := small()
		change(&fresh.Power)
		want := collected(t, fresh)
		if err := Reprice(&stored, func(c power.Config) (power.Config, error) { change(&c); return c, nil }); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(stored, want) {
			t.Errorf("%s: the repriced rows differ from those of a fresh study:\n%+v\n%+v", name, stored.Runs, want.Runs)
		}
	}
}

// everyPrice calls each with every technology, profile, organisation of buffers and two scales of
// leakage.
func everyPrice(each func(name string, change func(*power.Config))) {
	organisations := map[power.Profile][]power.FIFO{
		power.ProfileO: {power.FIFOSRAM, power.FIFORegister, power.FIFORegisterPointer},
		power.ProfileS: {power.FIFOBanked, power.FIFOSingleRAM},
	}
	for _, profile := range []power.Profile{power.ProfileO, power.ProfileS} {
		for _, fifo := range organisations[profile] {
			for _, nm := range []int{90, 65, 45, 32, 22} {
				for _, static := range []float64{0.1, 1} {
					each(fmt.Sprintf("%s, %s, %d nm, leakage x %g", profile, fifo, nm, static), func(c *power.Config) {
						c.Profile, c.FIFO, c.TechNM, c.StaticScale = profile, fifo, nm, static
					})
				}
			}
		}
	}
}

// TestRepricedIsFreshAtEveryPrice does the same for all prices and kinds of routers, with shorter
// runs.
func TestRepricedIsFreshAtEveryPrice(t *testing.T) {
	study := func() *Study {
		s := small()
		s.Workloads, s.Runs = []Workload{workload("pingpong", pingPong(4, 4))}, 1
		s.Routers = []string{"base", "base-mc", "rr", "mrr", "wormhole"}
		return s
	}
	simulated := collected(t, study())
	energies := map[float64]bool{}
	everyPrice(func(name string, change func(*power.Config)) {
		stored := simulated
		stored.Runs, stored.Routers, stored.Links = slices.Clone(stored.Runs), slices.Clone(stored.Routers), slices.Clone(stored.Links)
		stored.Latency, stored.Cores, stored.Distributions, stored.Epochs = slices.Clone(stored.Latency), slices.Clone(stored.Cores),
			slices.Clone(stored.Distributions), slices.Clone(stored.Epochs)
		stored.Classes, stored.RouterEpochs, stored.HotBlocks = slices.Clone(stored.Classes), slices.Clone(stored.RouterEpochs), slices.Clone(stored.HotBlocks)
		if err := Reprice(&stored, func(c power.Config) (power.Config, error) { change(&c); return c, nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fresh := study()
		change(&fresh.Power)
		if want := collected(t, fresh); !reflect.DeepEqual(stored, want) {
			t.Errorf("%s: the repriced rows differ from those of a fresh study:\n%+v\n%+v", name, stored.Runs[0], want.Runs[0])
		}
		energies[stored.Runs[0].Energy.Value] = true
	})
	if len(energies) != 50 {
		t.Errorf("50 prices give %d energies", len(energies))
	}
}

func TestRepricingNeedsItsTables(t *testing.T) {
	for want, damage := range map[string]func(*tables.Rows){
		"routers has no rows": func(r *tables.Rows) { r.Routers = nil },
		"column hardware":     func(r *tables.Rows) { r.Runs[0].Hardware = tables.Some("{") },
		"column power":        func(r *tables.Rows) { r.Runs[0].Power = tables.Some("") },
		"leaves router 99":    func(r *tables.Rows) { r.Links[0].From = tables.Place{Node: 99} },
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
