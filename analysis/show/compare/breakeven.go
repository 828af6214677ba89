package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// limits writes the power as a range, such as 45 to 69 W.
func limits(b *result.BreakEven) string {
	low, high := watts(min(b.Fixed.Mean, b.Static.Mean)), watts(max(b.Fixed.Mean, b.Static.Mean))
	if low == high {
		return low + " W"
	}
	return low + " to " + high + " W"
}

// interval writes the interval of both; "" for one run.
func interval(b *result.BreakEven) string {
	if b.Fixed.N < 2 {
		return ""
	}
	low, high := min(b.Fixed.Low, b.Static.Low), max(b.Fixed.High, b.Static.High)
	return fmt.Sprintf(" (95 %% interval %s to %s W)", watts(low), watts(high))
}

// watts writes a power with two digits.
func watts(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	return metrics.Number(math.Round(v/digits) * digits)
}

// cell is a break-even power in a table: the range, or never for a router that no chip makes the better one.
func cell(b *result.BreakEven) any {
	switch {
	case !b.Known():
		return nil
	case !b.Wins():
		return "never"
	}
	return "below " + limits(b)
}

// chips says for which chips a router has a lower ED2P than the fastest one. It reports false where times or
// energies are not known.
func (f *findings) chips(c *result.Ranking) bool {
	a := c.Overall()
	if c.Mean != nil {
		return f.chipsOfSuite(c)
	}
	first, said, compared := a.Rows[0].Router, false, false
	for _, r := range a.Rows[1:] {
		b := r.ED2PBreakEven
		if compared = compared || b.Known(); !b.Wins() {
			continue
		}
		said = true
		f.say(Answer, "%s has a lower ED2P than %s if cores, caches and memory need less than %s%s; else %s has.", r.Router, first, limits(&b), interval(&b), first)
	}
	if compared && !said {
		f.say(Answer, "%s has the lowest ED2P, whatever cores, caches and memory need.", first)
	}
	return compared
}

// chipsOfSuite says the same of several applications.
func (f *findings) chipsOfSuite(c *result.Ranking) bool {
	first, compared, said := c.Routers[0], false, false
	for _, router := range c.Routers[1:] {
		type limit struct {
			name string
			result.BreakEven
		}
		var wins []limit
		for i := range c.Applications {
			a := &c.Applications[i]
			b := a.BreakEven(router, first, 2)
			if !b.Known() { // it is not slower, or was not run
				b = a.BreakEven(first, router, 2)
				compared = compared || b.Known()
				continue
			}
			if compared = true; b.Wins() {
				wins = append(wins, limit{a.Name, b})
			}
		}
		if wins == nil {
			continue
		}
		said = true
		slices.SortFunc(wins, func(x, y limit) int { return int(math.Copysign(1, x.Fixed.Mean-y.Fixed.Mean)) })
		low, high := wins[0], wins[len(wins)-1]
		f.say(Answer, "%s has a lower ED2P than %s in %d of %d applications if cores, caches and memory need little: less than %s (%s) up to less than %s (%s).",
			router, first, len(wins), len(c.Applications), limits(&low.BreakEven), low.name, limits(&high.BreakEven), high.name)
	}
	if compared && !said {
		f.say(Answer, "%s has the lowest ED2P in all applications, whatever cores, caches and memory need.", first)
	}
	return compared
}

// leakage warns where the energy of networks is mostly leakage, and explains profile O below 65 nm.
func (f *findings) leakage(c *result.Ranking) {
	const most = 0.4
	a := c.Overall()
	share := func(router string) (leak, whole float64) {
		for _, p := range a.Each() {
			for i := range p.Runs[router] {
				o := &p.Runs[router][i]
				for _, part := range leakageParts {
					v, _ := o.Number(part)
					leak += v
				}
				v, _ := o.Number(col.EnergyJ)
				whole += v
			}
		}
		return leak, whole
	}
	for _, r := range a.Rows {
		if leak, whole := share(r.Router); whole > 0 && leak > most*whole {
			f.say(Warning, "Leakage is %.0f %% of the network energy of %s; public models of it differ by a factor of 40 (carousel help energy).", 100*leak/whole, r.Router)
			break
		}
	}
	for i := range f.rows.Runs {
		if trend := f.rows.Runs[i].Prices().Trend(); trend != "" {
			f.say(Warning, "%s.", trend)
			break
		}
	}
}

// share says what part of the chip the network is, where that is less than a tenth.
func (f *findings) share(c *result.Ranking) {
	const small = 0.1
	first := c.Routers[0]
	var network, chip float64
	for _, a := range c.Overall().Each() {
		network += total(a.Runs[first], col.EnergyJ)
		chip += total(a.Runs[first], col.ChipEnergyJ)
	}
	if chip > 0 && network < small*chip {
		f.say(Note, "With %s cores at %g nm, the network takes %.0f %% of the energy of the chip on %s: the ED2P of the chip repeats the verdict on time (carousel help energy).",
			f.rows.Runs[0].Prices().Core, f.rows.Runs[0].Technology, 100*network/chip, first)
	}
}

// leakageParts are the parts of a network's energy that leak.
var leakageParts = []tables.Name{tables.Energies.Column("leakage")}

// total adds a column up; 0 where a run has none.
func total(runs result.Runs, v tables.Name) (sum float64) {
	for i := range runs {
		n, ok := runs[i].Number(v)
		if !ok {
			return 0
		}
		sum += n
	}
	return sum
}
