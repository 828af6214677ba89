package experiment

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/power/chip"
)

// ChipPrices is one way of pricing a chip that is as good as another.
type ChipPrices struct {
	Name string
	of   func(power.Config) power.Config
}

// networks are the energy models of the network in a band, with the technologies that they are meant for.
var networks = []struct {
	name    string
	profile power.Profile
	gating  bool
	nm      []int
}{
	{"profile O", power.ProfileO, true, []int{65, 45, 32, 22}},
	{"profile O, clocks not gated", power.ProfileO, false, []int{65, 45, 32, 22}},
	{"profile S", power.ProfileS, true, []int{65, 45, 32, 22, 7}},
}

// ChipBand lists the ways of pricing a chip: the sizes of cores, the energy models of the network, technologies, all
// leakage and a tenth of it, with DRAM and without. Nothing is simulated for them.
func ChipBand() (list []ChipPrices) {
	for _, n := range networks {
		for _, nm := range n.nm {
			for _, leakage := range []float64{1, 0.1} {
				for _, core := range chip.Cores() {
					for _, memory := range []bool{false, true} {
						name := fmt.Sprintf("%s, %d nm, leakage x %g, %s cores", n.name, nm, leakage, core)
						if memory {
							name += ", with DRAM"
						}
						list = append(list, ChipPrices{name, func(c power.Config) power.Config {
							c.Profile, c.ClockGating, c.TechNM, c.StaticScale, c.Core, c.Memory = n.profile, n.gating, nm, leakage, core, memory
							c.VoltageV, c.FIFO, c.Transistor = 0, power.FIFOUsual, power.NVT
							return c
						}})
					}
				}
			}
		}
	}
	return list
}

// WithCores are the prices of a study with cores of another size.
func WithCores(core string) ChipPrices {
	return ChipPrices{Name: core + " cores", of: func(c power.Config) power.Config {
		c.Core = core
		return c
	}}
}

// Of prices the runs of a study again; the tables that it is given stay as they are.
func (p *ChipPrices) Of(rows *tables.Rows) (tables.Rows, error) {
	return repriced(rows, func(c power.Config) power.Config { return p.of(c.Usual()).Effective() })
}

// repriced is a study at other prices, without what has no energy and the tables do not need.
func repriced(rows *tables.Rows, of func(power.Config) power.Config) (tables.Rows, error) {
	again := tables.Rows{Runs: slices.Clone(rows.Runs), Traffic: slices.Clone(rows.Traffic), Routers: slices.Clone(rows.Routers),
		Links: slices.Clone(rows.Links), Axes: slices.Clone(rows.Axes), Cores: slices.Clone(rows.Cores), Latency: slices.Clone(rows.Latency),
		Classes: slices.Clone(rows.Classes), Batches: slices.Clone(rows.Batches)}
	err := Reprice(&again, func(c power.Config) (power.Config, error) { return of(c), nil })
	return again, err
}
