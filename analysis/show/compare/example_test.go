package compare_test

import (
	"context"
	"fmt"
	"log"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/compare"
)

// A comparison of two networks under a program, as carousel run makes it. Its Sheet is what the
// command prints; package results keeps its tables in a directory.
func Example() {
	layer, err := config.Assignments([]string{"workload=producer-consumer", "synthetic.records=200", "routers=base,ideal"})
	must(err)
	c, err := config.New(layer)
	must(err)
	study, err := plan.Chips(context.Background(), c)
	must(err)
	points, err := study.Points()
	must(err)
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 2})
	must(err)
	rows, err := experiment.Collect(nil, outcomes)
	must(err)
	manifest := experiment.Program()
	manifest.Describe(study)

	comparison := compare.NewStudy(&manifest, &rows, compare.Extra{}, "nowhere")
	fmt.Println(comparison.Sheets(compare.View{Config: c})[0].Before[0])
	bound := comparison.Comparisons[0].Applications[0].Bound
	fmt.Println("a network without contention is faster than base:", bound.Time.Mean < 1)
	// Output:
	// workload producer-consumer, 16 cores on 64 routers, torus:8x8, protocol token, seed 1; synthetic accesses
	// a network without contention is faster than base: true
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
