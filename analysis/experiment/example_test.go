package experiment_test

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// A comparison of two routers: four cores on an 8x8 torus take turns at eight blocks and read some
// of their own.
func Example() {
	streams := make([][]traces.Record, 4)
	for core := range streams {
		for i := range 200 {
			streams[core] = append(streams[core],
				traces.Record{Kind: traces.Store, Address: uint64(64 * (i % 8)), Instructions: 3, Size: 3},
				traces.Record{Kind: traces.Load, Address: uint64(0x10000*(core+1) + 64*i), Instructions: 5, Size: 3})
		}
	}
	turns := experiment.Workload{Name: "turns", Digest: "turns of four cores", Cores: len(streams),
		Open: func(int) (traces.Source, func() error, error) {
			return traces.NewMemory(streams, nil), func() error { return nil }, nil
		}}
	study := experiment.Study{Workloads: []experiment.Workload{turns}, Routers: []string{"base", "ideal"}, Runs: 2, Seed: 1,
		Chip: cmp.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	points := must.Get(study.Points())
	outcomes := must.Get(experiment.Run(context.Background(), points, experiment.Options{Jobs: 2, Log: zerolog.Nop()}))
	rows := must.Get(experiment.Collect(nil, outcomes))
	for _, r := range result.Rank(&rows, nil)[0].Overall().ShownRows() {
		fmt.Println(r.Name, "finished", r.Runs, "runs; faster than base:", r.Time.Mean < 1)
	}
	// Output:
	// base finished 2 runs; faster than base: false
	// ideal finished 2 runs; faster than base: true
}
