package plan_test

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/plan"
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

// A comparison of two networks under a program, as carousel run makes it.
func ExampleChips() {
	layer, err := config.Assignments([]string{"workload=producer-consumer", "synthetic.records=200", "routers=base,ideal"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := config.New(layer)
	if err != nil {
		fmt.Println(err)
		return
	}
	study, err := plan.Chips(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	points, err := study.Points()
	if err != nil {
		fmt.Println(err)
		return
	}
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	base, ideal := outcomes[0].Rows.Runs[0], outcomes[1].Rows.Runs[0]
	fmt.Println(base.Workload, "on", base.Cores, "cores:", base.ExitState, "and", ideal.ExitState)
	fmt.Println("a network without contention is faster:", ideal.Cycles.Value < base.Cycles.Value)
	// Output:
	// producer-consumer on 16 cores: finished and finished
	// a network without contention is faster: true
}
