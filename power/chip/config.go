package chip

import (
	"fmt"
	"slices"
)

// Config says of which parts a chip consists, as far as its energy depends on it.
type Config struct {
	Core  string `choices:"small,medium,large" doc:"size of the cores for the energy of the chip: large (4-wide, out of order), medium (0.25 of the energy of large) or small (in order, 0.06 of the energy of large)"`
	Cells string `choices:"hp,lstp-hp,lop,lstp" doc:"cells and periphery of the L2 for the energy of the chip: hp (fast), lstp-hp (cells of low standby power, fast periphery), lop or lstp"`
	DRAM  string `choices:"ddr3,ddr4,lpddr3,lpddr4,hbm2" doc:"kind of DRAM for the energy of memory"`
	// Memory adds the DRAM to the energy of the chip; it is shown beside it in every case.
	Memory bool `doc:"count the energy of DRAM as part of the energy of the chip"`
	// IdleClock is how much clock energy a core draws in a cycle without retirement.
	IdleClock float64 `doc:"share of a core's clock energy in cycles without retirement: 0 (always gated) to 1 (no gating)"`
	RowHits   float64 `doc:"share of DRAM accesses that hit an open row"`
	// CorePJ and CoreMW describe a core of which energies are known, in place of McPAT's. They include
	// its clock and, as McPAT's core does, two L1 caches of 32 KB (rule 2).
	CorePJ float64 `unit:"pJ" doc:"energy of a core per instruction, with clock and L1 caches; 0: that of its size (power.core)"`
	CoreMW float64 `unit:"mW" doc:"leakage of a core with its L1 caches; 0: that of its size (power.core)"`
}

// The sizes of cores, and the share of a large core's energy that each has.
var coreShare = map[string]float64{"small": 0.06, "medium": 0.25, "large": 1}

// Cores lists the sizes of cores, smallest first.
func Cores() []string { return []string{"small", "medium", "large"} }

// cellTypes lists the cells of caches, the fastest first.
func cellTypes() []string { return []string{"hp", "lstp-hp", "lop", "lstp"} }

// Default is the core that the chip simulates by default, 4-wide and with 64 instructions in flight, which
// is McPAT's large one; an L2 of cells that a large cache is built of; DDR4, whose prices are surest; and
// closed rows, because the simulated memory has no rows. Clocks of waiting cores are gated, as those of the
// network are.
func Default() Config {
	return Config{Core: "large", Cells: "lstp-hp", DRAM: "ddr4", IdleClock: 0.3}
}

// Effective returns the configuration with names that are empty filled in. Studies of older versions have
// none.
func (c Config) Effective() Config {
	if c == (Config{}) {
		return Default()
	}
	return c
}

// Validate returns what is wrong with a configuration, naming the key.
func (c Config) Validate() error {
	for _, k := range []struct {
		key, value string
		allowed    []string
	}{
		{"core", c.Core, Cores()},
		{"cells", c.Cells, cellTypes()},
		{"dram", c.DRAM, []string{"ddr3", "ddr4", "lpddr3", "lpddr4", "hbm2"}},
	} {
		if !slices.Contains(k.allowed, k.value) {
			return fmt.Errorf("%s is %q; %q are allowed", k.key, k.value, k.allowed)
		}
	}
	for _, k := range []struct {
		key        string
		value, top float64
	}{{"idle_clock", c.IdleClock, 1}, {"row_hits", c.RowHits, 1}, {"core_pj", c.CorePJ, 1e5}, {"core_mw", c.CoreMW, 1e5}} {
		if !(k.value >= 0 && k.value <= k.top) { // fails for values that are not numbers, too
			return fmt.Errorf("%s is %g; 0 to %g are allowed", k.key, k.value, k.top)
		}
	}
	return nil
}
