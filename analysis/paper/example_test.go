package paper_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// A figure of a paper, reproduced in its quick form, with runs that are shorter still: its points are done,
// and its claims judged.
func Example() {
	entry := must.Get(paper.Lookup("mrr.sec1"))
	shorter := must.Get(config.Assignments([]string{"traffic.cycles=15000", "traffic.warmup=3000", "traffic.step=0.05"}))
	x := must.Get(entry.Expand(true, nil, shorter))
	outcomes := must.Get(experiment.Run(context.Background(), x.Points, experiment.Options{Jobs: 2}))
	rows := must.Get(experiment.Collect(nil, outcomes))
	result := must.Get(entry.Analyse(&rows, chart.Extent{Quick: true, Coverage: experiment.CoverageOf(outcomes)}))
	for _, c := range result.Claims {
		fmt.Println(c.ID, c.Verdict)
	}
	// Output: S2-06 confirmed
}
