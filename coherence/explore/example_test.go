package explore_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/msi"
)

// Every state of a chip of two L1s and one block is visited, first with the protocol as it is, then
// with a mistake.
func ExampleRun() {
	for _, defect := range []string{"", "answer-early"} {
		model := explore.Model{Name: "two L1s", Cores: 2, Blocks: 1, Outstanding: 1, OrderedInFlight: 2,
			Accesses: []coherence.AccessKind{coherence.Load, coherence.Store}, Evictions: true,
			New: func(s coherence.System) coherence.Explorable {
				one := cache.Config{Sets: 1, Ways: 1}
				p := msi.New(s, one, one, 1)
				p.Seed(defect)
				return p
			}}
		result, err := explore.Run(context.Background(), model, explore.Options{})
		if err != nil {
			panic(err)
		}
		if v := result.Violation; v != nil {
			fmt.Println("broken:", v.Why)
			commands, _, _ := strings.Cut(v.Scenario(), "----")
			fmt.Print(commands)
			continue
		}
		fmt.Printf("%d states, complete: %t, always comes to rest: %t\n", result.States, result.Complete, result.Live)
	}
	// Output:
	// 481 states, complete: true, always comes to rest: true
	// broken: core 1 reads data of block 0 that is not the latest
	// load C0 X
	// store C1 X
	// deliver >B0 GetM
	// deliver >M0 MemRd
	// dram X
	// deliver >B0 MemData
	// deliver >C1 DataM
	// deliver >B0 Done
	// deliver >B0 GetS
	// deliver >C0 DataS
}
