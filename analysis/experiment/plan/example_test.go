package plan_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
)

// A sweep: every combination of the axes' values is a point. With a store of package sweep as an
// option of Run, finished points are kept in a directory, and are not done again.
func Example() {
	p := &plan.Plan{
		Kind: plan.Traffic,
		Set: []plan.Setting{
			{Key: "topology", Value: "torus:4x4"},
			{Key: "traffic.cycles", Value: 3000},
			{Key: "traffic.warmup", Value: 1000},
		},
		Axes: []plan.Axis{
			{Key: "routers", Values: []any{"base", "mrr"}},
			{Key: "traffic.load", Values: []any{0.1, 0.2}},
		},
	}
	x, err := p.Expand(nil, nil)
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
	for _, r := range rows.Traffic {
		fmt.Printf("%s at %g: accepted %.2f\n", r.Router, r.Offered, r.Accepted.Value)
	}
	// Output:
	// base at 0.1: accepted 0.11
	// base at 0.2: accepted 0.21
	// mrr at 0.1: accepted 0.11
	// mrr at 0.2: accepted 0.21
}
