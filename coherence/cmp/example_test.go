package cmp_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// A chip of two cores on a network without contention replays a small trace: core 0 writes a word,
// which core 1 may read only when the write is visible.
func ExampleSystem() {
	streams := [][]traces.Record{
		{{Kind: traces.Store, Address: 0x1000, Size: 3, Instructions: 1}, {Kind: traces.End}},
		{{Kind: traces.Load, Address: 0x1000, Size: 3, Instructions: 1}, {Kind: traces.End}},
	}
	edges := [][]traces.Edge{1: {{At: 0, Producer: 0, Position: 0}}}

	model, err := models.Lookup("ideal")
	if err != nil {
		panic(err)
	}
	network, err := model.New(models.DefaultOptions())
	if err != nil {
		panic(err)
	}
	config := cmp.Default()
	config.Protocol, config.Perturb = "msi", 0
	chip, err := cmp.New(config, network, traces.NewMemory(streams, edges), 1)
	if err != nil {
		panic(err)
	}
	result, err := chip.Run(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	for i, core := range result.Cores {
		fmt.Printf("core %d: %d record, finished in cycle %d\n", i, core.Records-1, core.FinishCycle)
	}
	fmt.Printf("%d L1 misses, %d read of memory, %d cycles\n", result.L1Misses, result.MemoryReads, result.Cycles)
	// Output:
	// core 0: 1 record, finished in cycle 297
	// core 1: 1 record, finished in cycle 356
	// 2 L1 misses, 1 read of memory, 356 cycles
}
