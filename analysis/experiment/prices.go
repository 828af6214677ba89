package experiment

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/power/chip"
)

// Prices is a way of pricing energy.
type Prices struct {
	Name  string
	Model string // of a network's energy, with its technology; "" outside bands
	of    func(power.Config) power.Config
}

const (
	// AsSimulated names the prices with which the sweep was done.
	AsSimulated = ""
	// PaperPrices names those of the MRR paper's own tool, Orion 1.
	PaperPrices = "Orion 1"
	// UsualPrices names those of ORION 2.0 as it is, with clocks that are not gated.
	UsualPrices = "profile O, sram, leakage x 1"
)

// AllPrices returns the prices at which claims about energy are examined: those of the MRR paper's
// tool first; profiles O and S with both organisations of their buffers, all leakage and a tenth of
// it, as public models of leakage are a factor of 40 apart; profile O with gated clocks; and what
// activity alone costs.
func AllPrices() (list []Prices) {
	for _, p := range []struct {
		name    string
		profile power.Profile
		fifo    power.FIFO
		leakage float64
		gated   bool
	}{
		{PaperPrices, power.ProfileO1, power.FIFOSRAM, 1, false},
		{UsualPrices, power.ProfileO, power.FIFOSRAM, 1, false},
		{"profile O, register, leakage x 1", power.ProfileO, power.FIFORegister, 1, false},
		{"profile S, banked, leakage x 1", power.ProfileS, power.FIFOBanked, 1, true},
		{"profile S, single-ram, leakage x 1", power.ProfileS, power.FIFOSingleRAM, 1, true},
		{"profile O, sram, gated clock, leakage x 1", power.ProfileO, power.FIFOSRAM, 1, true},
		{"profile O, sram, leakage x 0.1", power.ProfileO, power.FIFOSRAM, 0.1, false},
		{"profile O, register, leakage x 0.1", power.ProfileO, power.FIFORegister, 0.1, false},
		{"profile S, banked, leakage x 0.1", power.ProfileS, power.FIFOBanked, 0.1, true},
		{"profile S, single-ram, leakage x 0.1", power.ProfileS, power.FIFOSingleRAM, 0.1, true},
		{"profile O, sram, gated clock, leakage x 0.1", power.ProfileO, power.FIFOSRAM, 0.1, true},
		{PaperPrices + ", dynamic only", power.ProfileO1, power.FIFOSRAM, 0, false},
		{"profile O, sram, dynamic only", power.ProfileO, power.FIFOSRAM, 0, true},
	} {
		list = append(list, Prices{Name: p.name, of: func(c power.Config) power.Config {
			// Orion 1 has a technology of its own, and spaces the wires of links at twice the
			// smallest distance.
			usual := power.Default()
			if p.profile == power.ProfileO1 {
				usual.TechNM, usual.WireSpacing = 100, 2
			}
			if p.profile == power.ProfileO1 || c.Profile == power.ProfileO1 {
				c.TechNM, c.VoltageV, c.WireSpacing = usual.TechNM, usual.VoltageV, usual.WireSpacing
			}
			c.Profile, c.FIFO, c.StaticScale, c.ClockGating, c.Transistor = p.profile, p.fifo, p.leakage, p.gated, usual.Transistor
			return c
		}})
	}
	return list
}

// networkModels are the energy models of a network at the technologies that they are meant for, with all leakage
// and a tenth of it.
func networkModels() (list []Prices) {
	for _, network := range []struct {
		name    string
		profile power.Profile
		gated   bool
		nm      []int
	}{
		{"profile O", power.ProfileO, true, []int{65, 45, 32, 22}},
		{"profile O, clocks not gated", power.ProfileO, false, []int{65, 45, 32, 22}},
		{"profile S", power.ProfileS, true, []int{65, 45, 32, 22, 7}},
	} {
		for _, nm := range network.nm {
			for _, leakage := range []float64{1, 0.1} {
				model := fmt.Sprintf("%s, %d nm", network.name, nm)
				list = append(list, Prices{Name: fmt.Sprintf("%s, leakage x %g", model, leakage), Model: model, of: func(c power.Config) power.Config {
					c = c.Effective()
					c.Profile, c.ClockGating, c.TechNM, c.StaticScale = network.profile, network.gated, nm, leakage
					c.VoltageV, c.FIFO, c.Transistor, c.CorePJ, c.CoreMW = 0, power.FIFOUsual, power.NVT, 0, 0
					return c
				}})
			}
		}
	}
	return list
}

// NetworkBand lists the ways of pricing a network: its models, and links of the length that the study has and of
// half and twice that. Nothing is simulated for them.
func NetworkBand() (list []Prices) {
	for _, m := range networkModels() {
		for _, length := range []float64{0.5, 1, 2} {
			list = append(list, Prices{Name: fmt.Sprintf("%s, links x %g", m.Name, length), Model: m.Model, of: func(c power.Config) power.Config {
				c = m.of(c)
				c.LinkMM *= length
				return c.Effective()
			}})
		}
	}
	return list
}

// ChipBand lists the ways of pricing a chip: the models of its network, the sizes of cores, with DRAM and without.
// Nothing is simulated for them.
func ChipBand() (list []Prices) {
	for _, m := range networkModels() {
		for _, core := range chip.Cores() {
			for _, dram := range []string{"", ", with DRAM"} {
				list = append(list, Prices{Name: fmt.Sprintf("%s, %s cores%s", m.Name, core, dram), Model: m.Model, of: func(c power.Config) power.Config {
					c = m.of(c)
					c.Core, c.Memory = core, dram != ""
					return c.Effective()
				}})
			}
		}
	}
	return list
}

// CoreSizes are the prices of a study with cores of each size, the smallest first.
func CoreSizes() (list []Prices) {
	for _, core := range chip.Cores() {
		list = append(list, Prices{Name: core + " cores", of: func(c power.Config) power.Config {
			c = c.Effective()
			c.Core, c.CorePJ, c.CoreMW = core, 0, 0
			return c
		}})
	}
	return list
}

// PricedAt returns tables priced with the prices of a name, see [Prices.Of].
func PricedAt(rows *tables.Rows, name string) (tables.Rows, error) {
	all := AllPrices()
	i := slices.IndexFunc(all, func(p Prices) bool { return p.Name == name })
	if i < 0 {
		return tables.Rows{}, fmt.Errorf("unknown energy model %q", name)
	}
	return all[i].Of(rows)
}

// Of prices the runs of a study again, for means and pictures; the tables that it is given stay as
// they are. What has no energy, and what the prices do not need, is left out.
func (p *Prices) Of(rows *tables.Rows) (tables.Rows, error) {
	again := *rows
	again.Epochs, again.RouterEpochs, again.HotBlocks = nil, nil, nil
	if err := Reprice(&again, func(c power.Config) (power.Config, error) { return p.of(c), nil }); err != nil {
		return tables.Rows{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	return again, nil
}
