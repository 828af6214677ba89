package config_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// The configuration of carousel run --set chip.core.window=128 --set power.tech_nm=45. A program
// that also reads a file or the environment puts their layers in front.
func Example() {
	c := must.Get(config.New(must.Get(config.Assignments([]string{"chip.core.window=128", "power.tech_nm=45"}))))
	if err := c.Check(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Chip.Core.Window, "instructions in flight, given by", c.Origin("chip.core.window"))
	fmt.Println(c.Power.VoltageV, "V, which follows from", c.Origin("power.voltage_v"))
	// Output:
	// 128 instructions in flight, given by --set
	// 1 V, which follows from power.tech_nm
}

// An error names the key and where it was given.
func ExampleEffective_Check() {
	c := must.Get(config.New(must.Get(config.Environment([]string{"CAROUSEL_CHIP_CORE_WINDOW=0"}))))
	fmt.Println(c.Check())
	// Output:
	// chip.core.window is 0; 1 to 1024 are allowed (given by CAROUSEL_CHIP_CORE_WINDOW)
}

// The description of a key stands beside its field.
func ExampleMatch() {
	for _, k := range must.Get(config.Match(config.Keys(), "chip.core.w*")) {
		fmt.Printf("%s [%s]: %s\n", k.Name, k.Unit, k.Doc)
	}
	// Output:
	// chip.core.width [instructions/cycle]: instructions dispatched and retired per cycle; 4 as in table 1 of the MRR paper
	// chip.core.window [instructions]: instructions in flight; 64 as in table 1 of the MRR paper
}
