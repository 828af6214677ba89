package paper_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// A figure of a paper, reproduced in its quick form: its points are done, and its claims judged.
func Example() {
	entry := must(paper.Lookup("qg.fig14"))
	x := must(entry.Expand(true, nil, nil))
	outcomes := must(experiment.Run(context.Background(), x.Points, experiment.Options{Jobs: 2}))
	rows := must(experiment.Collect(nil, outcomes))
	result := must(entry.Analyse(&rows, chart.Extent{Quick: true, Coverage: experiment.CoverageOf(outcomes)}))
	for _, c := range result.Claims {
		fmt.Println(c.ID, c.Verdict)
	}
	// Output: S4-21 confirmed
}

// must stands for what a program does about errors.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
