package config_test

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
)

// The configuration of carousel run --set chip.core.window=128 --set power.tech_nm=45. A program
// that also reads a file or the environment puts their layers in front.
func Example() {
	layer, err := config.Assignments([]string{"chip.core.window=128", "power.tech_nm=45"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := config.New(layer)
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Chip.Core.Window, "instructions in flight, given by", c.Origin("chip.core.window"))
	fmt.Println(c.Power.VoltageV, "V, which follows from", c.Origin("power.voltage_v"))
	// Output:
	// 128 instructions in flight, given by --set
	// 1 V, which follows from power.tech_nm
}

// An error names the key and where it was given.
func ExampleEffective_Check() {
	layer, err := config.Environment([]string{"CAROUSEL_CHIP_CORE_WINDOW=0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := config.New(layer)
	if err == nil {
		err = c.Check()
	}
	fmt.Println(err)
	// Output:
	// chip.core.window is 0; 1 to 1024 are allowed (given by CAROUSEL_CHIP_CORE_WINDOW)
}

// The description of a key stands beside its field.
func ExampleMatch() {
	keys, err := config.Match(config.Keys(), "chip.core.w*")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range keys {
		fmt.Printf("%s [%s]: %s\n", k.Name, k.Unit, k.Doc)
	}
	// Output:
	// chip.core.width [instructions/cycle]: instructions dispatched and retired per cycle
	// chip.core.window [instructions]: instructions in flight
}
