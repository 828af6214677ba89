package experiment

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// valuedStudy is cores that write random values to blocks of each other, on every router that
// counts flipped bits.
func valuedStudy(activity power.Activity) *Study {
	s := small()
	s.Routers, s.Runs = models.ToggleCounters(), 1
	s.Power.Activity = activity
	s.Workloads[0].Digest = "random values"
	s.Workloads[0].Open = func(int) (traces.Source, func() error, error) {
		r := rand.New(rand.NewPCG(1, 2))
		streams, values := make([][]traces.Record, 4), make([]traces.Values, 4)
		for c := range streams {
			for range 400 {
				streams[c] = append(streams[c], traces.Record{Kind: traces.Kind(r.IntN(2)), Address: uint64(r.IntN(100)) * 64, Size: 6, Instructions: 3})
				var value []byte
				for range 64 {
					value = append(value, byte(r.Uint32()))
				}
				values[c].Append(value)
			}
		}
		return traces.NewMemory(streams, nil).WithValues(values), func() error { return nil }, nil
	}
	return s
}

// TestCountedChip: counting flipped bits on a chip changes neither what happens nor what identifies
// it, gives less energy than half of all bits does, because commands and their headers repeat, and
// can be priced again.
func TestCountedChip(t *testing.T) {
	plain, counted := collected(t, valuedStudy(power.ActivityHalf)), collected(t, valuedStudy(power.ActivityHamming))
	for i := range plain.Runs {
		p, c := &plain.Runs[i], &counted.Runs[i]
		if p.ExitState != "finished" || c.ExitState != "finished" {
			t.Fatalf("%s: %s, %s", p.Router, p.Explanation.Value, c.Explanation.Value)
		}
		if p.Digest != c.Digest || p.Cycles != c.Cycles || p.SimulationKey != c.SimulationKey || p.RunKey == c.RunKey {
			t.Errorf("%s: counting flipped bits gives another simulation, or the same prices:\n%+v\n%+v", p.Router, *p, *c)
		}
		if d := c.EnergyDynamic.Value; d >= p.EnergyDynamic.Value || d < 0.6*p.EnergyDynamic.Value || p.EnergyStatic != c.EnergyStatic {
			t.Errorf("%s: %g J by flipped bits, %g J by half of all", p.Router, d, p.EnergyDynamic.Value)
		}
		if c.PayloadKnown.Value == 0 || c.PayloadKnown.Value > c.PayloadBytes.Value || p.PayloadBytes.Known {
			t.Errorf("%s: %d of %d bytes known", p.Router, c.PayloadKnown.Value, c.PayloadBytes.Value)
		}
	}
	to45 := func(c power.Config) (power.Config, error) {
		c.TechNM = 45
		return c, nil
	}
	fresh := valuedStudy(power.ActivityHamming)
	fresh.Power.TechNM = 45
	if want := collected(t, fresh); Reprice(&counted, to45) != nil || !reflect.DeepEqual(counted, want) {
		t.Error("a repriced study with flipped bits is not a fresh one")
	}
	if err := Reprice(&plain, func(c power.Config) (power.Config, error) {
		c.Activity = power.ActivityHamming
		return c, nil
	}); !errors.Is(err, ErrNotCounted) {
		t.Errorf("a study without flipped bits was priced by them: %v", err)
	}
	none := small()
	none.Power.Activity, none.Routers = power.ActivityHamming, []string{"mrr"}
	if err := none.Check(); err == nil {
		t.Error("flipped bits of a trace without values are counted")
	}
}
