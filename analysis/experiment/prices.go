package experiment

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// Prices is a way of pricing energy.
type Prices struct {
	Name        string
	Profile     power.Profile
	FIFO        power.FIFO
	StaticScale float64
	ClockGating bool
}

const (
	// AsSimulated names the prices with which the sweep was done.
	AsSimulated = ""
	// PaperPrices names those of the MRR paper's own tool, Orion 1.
	PaperPrices = "Orion 1"
	// UsualPrices names those that runs are priced with unless they are told otherwise.
	UsualPrices = "profile O, sram, leakage x 1"
)

// AllPrices returns the prices at which claims about energy are examined: those of the MRR paper's
// tool first; profiles O and S with both organisations of their buffers, all leakage and a tenth of
// it, as public models of leakage are a factor of 40 apart; profile O with gated clocks; and what
// activity alone costs.
func AllPrices() []Prices {
	return []Prices{
		{PaperPrices, power.ProfileO1, power.FIFOSRAM, 1, false},
		{UsualPrices, power.ProfileO, power.FIFOSRAM, 1, false},
		{"profile O, register, leakage x 1", power.ProfileO, power.FIFORegister, 1, false},
		{"profile S, banked, leakage x 1", power.ProfileS, power.FIFOBanked, 1, false},
		{"profile S, single-ram, leakage x 1", power.ProfileS, power.FIFOSingleRAM, 1, false},
		{"profile O, sram, gated clock, leakage x 1", power.ProfileO, power.FIFOSRAM, 1, true},
		{"profile O, sram, leakage x 0.1", power.ProfileO, power.FIFOSRAM, 0.1, false},
		{"profile O, register, leakage x 0.1", power.ProfileO, power.FIFORegister, 0.1, false},
		{"profile S, banked, leakage x 0.1", power.ProfileS, power.FIFOBanked, 0.1, false},
		{"profile S, single-ram, leakage x 0.1", power.ProfileS, power.FIFOSingleRAM, 0.1, false},
		{"profile O, sram, gated clock, leakage x 0.1", power.ProfileO, power.FIFOSRAM, 0.1, true},
		{PaperPrices + ", dynamic only", power.ProfileO1, power.FIFOSRAM, 0, false},
		{"profile O, sram, dynamic only", power.ProfileO, power.FIFOSRAM, 0, true},
	}
}

// of returns the energy configuration with these prices. Orion 1 has a technology of its own, and
// spaces the wires of links at twice the smallest distance.
func (p *Prices) of(c power.Config) power.Config {
	usual := power.Default()
	switch {
	case p.Profile == power.ProfileO1:
		usual.TechNM, usual.WireSpacing = 100, 2
		fallthrough
	case c.Profile == power.ProfileO1:
		c.TechNM, c.VoltageV, c.WireSpacing = usual.TechNM, usual.VoltageV, usual.WireSpacing
	}
	c.Profile, c.FIFO, c.StaticScale, c.ClockGating = p.Profile, p.FIFO, p.StaticScale, p.ClockGating
	return c
}

// PricedAt returns tables priced with the prices of a name, for means and pictures: without what
// Reprice would change in the tables that it is given, or what has no energy.
func PricedAt(rows *tables.Rows, name string) (tables.Rows, error) {
	all := AllPrices()
	i := slices.IndexFunc(all, func(p Prices) bool { return p.Name == name })
	if i < 0 {
		return tables.Rows{}, fmt.Errorf("unknown energy model %q", name)
	}
	again := tables.Rows{Runs: slices.Clone(rows.Runs), Traffic: slices.Clone(rows.Traffic), Routers: slices.Clone(rows.Routers),
		Links: slices.Clone(rows.Links), Axes: slices.Clone(rows.Axes), Cores: slices.Clone(rows.Cores), Batches: slices.Clone(rows.Batches)}
	if err := Reprice(&again, func(c power.Config) (power.Config, error) { return all[i].of(c), nil }); err != nil {
		return tables.Rows{}, fmt.Errorf("%s: %w", name, err)
	}
	return again, nil
}
