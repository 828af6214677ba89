package main

import (
	"context"
	"fmt"
	"os"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

func main() {
	for _, path := range os.Args[2:] {
		f, err := traces.Open(path, traces.DefaultReaderConfig())
		if err != nil {
			fmt.Println(path, err)
			continue
		}
		model, _ := models.Lookup(os.Args[1])
		network, err := model.New(models.DefaultOptions())
		if err != nil {
			panic(err)
		}
		chip, err := cmp.New(cmp.Default(), network, f, 1)
		if err != nil {
			panic(err)
		}
		r, err := chip.Run(context.Background(), nil)
		if err != nil {
			fmt.Println(path, err)
			continue
		}
		var stalls [cmp.Stalls]uint64
		var total, retiring uint64
		for _, c := range r.Cores {
			total += uint64(r.Cycles)
			retiring += c.RetiringCycles
			for i, n := range c.StallCycles {
				stalls[i] += n
			}
		}
		p := func(n uint64) float64 { return 100 * float64(n) / float64(total) }
		fmt.Printf("%s: %d cycles, ipc %.2f; retire %.1f load %.1f store %.1f fetch %.1f ORDER %.1f sync %.1f; L1 miss %.2f%%, mem reads %d, l2 misses %d\n", path, r.Cycles, float64(r.Instructions)/float64(r.Cycles),
			p(retiring), p(stalls[0]), p(stalls[1]), p(stalls[2]), p(stalls[3]), p(stalls[4]), 100*float64(r.L1Misses)/float64(r.L1Hits+r.L1Misses), r.MemoryReads, r.L2Misses)
		for _, c := range r.Cores {
			fmt.Print(" ", c.FinishCycle*100/r.Cycles)
		}
		fmt.Println()
	}
}
