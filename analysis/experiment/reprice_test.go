package experiment

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// collected does a study and gives its rows without the host's time.
func collected(t *testing.T, s *Study) tables.Rows {
	t.Helper()
	outcomes, err := Run(context.Background(), s, quiet(2))
	if err != nil {
		t.Fatal(err)
	}
	return withoutClock(Collect(s, outcomes))
}

// TestRepricedIsFresh prices a stored study at other prices and expects the rows of a study run with them,
// to the last bit and with the same keys.
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

func TestRepricingNeedsItsTables(t *testing.T) {
	for want, damage := range map[string]func(*tables.Rows){
		"routers has no rows": func(r *tables.Rows) { r.Routers = nil },
		"column hardware":     func(r *tables.Rows) { r.Runs[0].Hardware = tables.Some("{") },
		"column power":        func(r *tables.Rows) { r.Runs[0].Power = tables.Some("") },
		"leaves router 99":    func(r *tables.Rows) { r.Links[0].From = 99 },
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
