package result

import (
	"encoding/json"
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// BreakEven is up to which power of the rest of the chip, in W, a router has the lower product of
// energy and time than the fastest one: if the rest spends the same energy with both, and if it
// draws the same power.
type BreakEven struct{ Fixed, Static metrics.Estimate }

// Numbers are the two powers and the ends of the interval of both; nil is what is not known, and
// the upper end of an interval that has none.
func (b *BreakEven) Numbers() (fixed, static, low, high any) {
	if !b.Known() {
		return nil, nil, nil, nil
	}
	if b.Fixed.N > 1 {
		l, h := b.Interval()
		if low = l; !math.IsInf(h, 1) {
			high = h
		}
	}
	return b.Fixed.Mean, b.Static.Mean, low, high
}

// MarshalJSON implements json.Marshaler.
func (b BreakEven) MarshalJSON() ([]byte, error) {
	fixed, static, low, high := b.Numbers()
	return json.Marshal(map[string]any{"fixed_energy_w": fixed, "static_power_w": static, "interval_low_w": low, "interval_high_w": high})
}

// Known reports whether the products were compared.
func (b *BreakEven) Known() bool { return b.Fixed.OK && b.Static.OK }

// Wins reports whether the router has the lower product for some chip.
func (b *BreakEven) Wins() bool { return b.Known() && b.Fixed.Mean > 0 }

// Interval holds the powers with which the runs do not tell the products apart; high is infinite
// where no power is enough, and both are 0 where none is needed.
func (b *BreakEven) Interval() (low, high float64) {
	return min(b.Fixed.Low, b.Static.Low), max(b.Fixed.High, b.Static.High)
}

// Contends reports whether the router does not win, but may do so with 95 % confidence.
func (b *BreakEven) Contends() bool {
	_, high := b.Interval()
	return b.Known() && !b.Wins() && b.Fixed.N > 1 && high > 0
}

// BreakEven compares a router with a faster one, by the n-th power of time; absent where it is not
// slower, and over several applications.
func (a *Application) BreakEven(router, fastest string, n int) (b BreakEven) {
	if a.Parts == nil && router != fastest && !a.Runs[router].unlike(a.Runs[fastest]) {
		product := tables.Col.ED2PJs2
		b.Fixed, b.Static = metrics.BreakEvenTotals(a.Runs[fastest].work(product, true), a.Runs[router].work(product, true), n)
	}
	return b
}
