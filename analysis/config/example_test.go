package config_test

import (
	"errors"
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
	// 128 instructions in flight, given by set
	// 1 V, which follows from power.tech_nm
}

// A mistake is a KeyError, which names the key and where it was given.
func ExampleKeyError() {
	layer, err := config.Environment([]string{"CAROUSEL_CHIP_CORE_WINDOW=0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := config.New(layer)
	if err != nil {
		fmt.Println(err)
		return
	}
	var wrong *config.KeyError
	if errors.As(c.Check(), &wrong) {
		fmt.Println(wrong.Keys[0], wrong.Origin.Kind == config.FromEnvironment)
		fmt.Println(wrong)
	}
	// Output:
	// chip.core.window true
	// chip.core.window is 0; 1 to 1024 are allowed (given by environment variable CAROUSEL_CHIP_CORE_WINDOW)
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
