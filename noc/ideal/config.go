package ideal

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Config describes a network without contention.
type Config struct {
	Classes   int `key:"-"` // message classes
	SlotPhits int `unit:"phits" doc:"longest packet"`
	PhitBits  int `unit:"bits" doc:"width of a link; on a chip, that of the widest links of the routers if it is not set"`
	HopCycles int `unit:"cycles" doc:"time for each link crossed, router included"`
	EndCycles int `unit:"cycles" doc:"time at source and sink, beyond that of the links"`
}

// MaxSlotPhits keeps a packet within the reach of a wheel.
const MaxSlotPhits = 32

// Default returns the bound for the routers of the paper; see the package comment.
func Default() Config {
	return Config{Classes: 6, SlotPhits: 5, PhitBits: 128, HopCycles: 4, EndCycles: 4}
}

// Validate tells which value is not allowed.
func (c Config) Validate() error {
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("slot_phits", c.SlotPhits, 1, MaxSlotPhits),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("hop_cycles", c.HopCycles, 0, 1000),
		fabric.CheckRange("end_cycles", c.EndCycles, 0, 1000),
	); err != nil {
		return fmt.Errorf("ideal: %w", err)
	}
	return nil
}
