package result

import (
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// BreakEven is up to which power of the rest of the chip, in W, a router has the lower product of energy and time
// than the fastest one: if the rest spends the same energy with both, and if it draws the same power.
type BreakEven struct {
	Fixed  metrics.Estimate `json:"fixed_energy_w"`
	Static metrics.Estimate `json:"static_power_w"`
}

// Known reports whether the products were compared.
func (b *BreakEven) Known() bool { return b.Fixed.OK && b.Static.OK }

// Wins reports whether the router has the lower product for some chip.
func (b *BreakEven) Wins() bool { return b.Known() && b.Fixed.Mean > 0 }

// BreakEven compares a router with a faster one, by the n-th power of time; absent where it is not slower, and over
// several applications.
func (a *Application) BreakEven(router, fastest string, n int) (b BreakEven) {
	samples := func(runs Runs) (list []metrics.Sample) {
		for i := range runs {
			o := &runs[i]
			energy, known := o.Number(tables.Col.EnergyJ)
			if seconds, ok := o.Number(tables.Col.Seconds); known && ok {
				list = append(list, metrics.Sample{Pair: o.Pair, Value: energy, Delay: seconds})
			}
		}
		return list
	}
	if a.Parts == nil && router != fastest {
		b.Fixed, b.Static = metrics.BreakEvenTotals(samples(a.Runs[fastest]), samples(a.Runs[router]), n)
	}
	return b
}
