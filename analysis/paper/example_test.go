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
	entry, err := paper.Lookup("qg.fig14")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := entry.Expand(true, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	outcomes, err := experiment.Run(context.Background(), x.Points, experiment.Options{Jobs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := experiment.Collect(nil, outcomes)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := entry.Analyse(&rows, chart.Extent{Quick: true, Coverage: experiment.CoverageOf(outcomes)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Claims {
		fmt.Println(c.ID, c.Verdict)
	}
	// Output: S4-21 confirmed
}
