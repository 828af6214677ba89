package openloop

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// countedStudy is some multicast traffic on every router that counts flipped bits.
func countedStudy(activity power.Activity) *Study {
	s := &Study{Loads: []float64{0.2}, Runs: 1, Seed: 3, Cycles: 3000, Warmup: 500,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default().Effective()}
	s.Network.Grid = topology.Torus(4, 4)
	s.Traffic.MulticastFraction, s.Traffic.MulticastDestinations = 0.1, 5
	s.Power.Activity = activity
	s.Routers = models.ToggleCounters()
	return s
}

// timeless does a study and gives its rows without the host's time.
func timeless(t *testing.T, s *Study) (rows tables.Rows) {
	t.Helper()
	outcomes, rows := run(t, context.Background(), s, quiet(2))
	for i := range outcomes {
		if err := outcomes[i].Err; err != nil {
			t.Fatal(err)
		}
	}
	rows.DropHostTime()
	rows.Latency = nil
	return rows
}

func repriced(rows tables.Rows, change func(*power.Config)) error {
	return experiment.Reprice(&rows, func(c power.Config) (power.Config, error) { change(&c); return c, nil })
}

// TestRandomBitsAreHalf: random packets flip half of the bits, so that their energy by counted bits
// is that of an alpha of 0.5, part by part, in both profiles.
func TestRandomBitsAreHalf(t *testing.T) {
	for _, profile := range []power.Profile{power.ProfileO, power.ProfileS} {
		s := countedStudy(power.ActivityHamming)
		s.Power.Profile, s.Power.FIFO = profile, power.FIFOUsual
		counted := timeless(t, s)
		half := countedStudy(power.ActivityHamming)
		half.Power.Profile, half.Power.FIFO = profile, power.FIFOUsual
		usual := timeless(t, half)
		if err := repriced(usual, func(c *power.Config) { c.Activity = power.ActivityHalf }); err != nil {
			t.Fatal(err)
		}
		for i, row := range counted.Traffic {
			got, want := row.EnergyDynamic.Value, usual.Traffic[i].EnergyDynamic.Value
			if math.Abs(got-want) > 0.01*want || got == want {
				t.Errorf("profile %s: %s takes %g pJ by counted bits and %g with alpha 0.5", profile, row.Router, got, want)
			}
		}
	}
}

// TestCountingChangesNothingElse: what is simulated is the same, and the same is identified as
// such.
func TestCountingChangesNothingElse(t *testing.T) {
	plain, counted := timeless(t, countedStudy(power.ActivityHalf)), timeless(t, countedStudy(power.ActivityHamming))
	for i := range plain.Traffic {
		p, c := &plain.Traffic[i], &counted.Traffic[i]
		if p.Digest != c.Digest || p.SimulationKey != c.SimulationKey || p.LatencyMean != c.LatencyMean || p.RunKey == c.RunKey {
			t.Errorf("%s: counting flipped bits gives another simulation, or the same prices:\n%+v\n%+v", p.Router, *p, *c)
		}
	}
	for i := range plain.Routers {
		p, c := plain.Routers[i].Activity, counted.Routers[i].Activity
		if p.Toggles.Counted || !c.Toggles.Counted || c.Toggles.Link == 0 {
			t.Fatalf("router %d: counted %+v, and not %+v", i, c.Toggles, p.Toggles)
		}
		if c.Toggles = p.Toggles; c != p {
			t.Errorf("router %d did other things when flipped bits were counted: %+v, not %+v", i, c, p)
		}
	}
}

// TestRepricedFlippedBits: a stored study with flipped bits is priced again to the last bit, and
// one without them cannot be priced by them.
func TestRepricedFlippedBits(t *testing.T) {
	to45 := func(c *power.Config) { c.TechNM, c.VoltageV = 45, 1 }
	stored, fresh := timeless(t, countedStudy(power.ActivityHamming)), countedStudy(power.ActivityHamming)
	to45(&fresh.Power)
	if err := repriced(stored, to45); err != nil {
		t.Fatal(err)
	}
	if want := timeless(t, fresh); !reflect.DeepEqual(stored, want) {
		t.Errorf("the repriced rows differ from those of a fresh study")
	}
	plain := timeless(t, countedStudy(power.ActivityHalf))
	if err := repriced(plain, func(c *power.Config) { c.Activity = power.ActivityHamming }); !errors.Is(err, experiment.ErrNotCounted) {
		t.Errorf("a study without flipped bits was priced by them: %v", err)
	}
}
