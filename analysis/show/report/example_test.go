package report_test

import (
	"bytes"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/report"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// A page of two runs. A program that has simulated takes rows and manifest from package experiment.
func Example() {
	rows := tables.Rows{Runs: []tables.Run{
		{RunKey: "a", Workload: "sort", Router: "base", Seed: 1, ExitState: tables.Finished, Cycles: tables.Some[uint64](2000)},
		{RunKey: "b", Workload: "sort", Router: "mrr", Seed: 1, ExitState: tables.Finished, Cycles: tables.Some[uint64](1500)},
	}}
	manifest := experiment.Program()
	manifest.Coverage = experiment.Coverage{Points: 2, Finished: 2}
	study, err := report.Of("results/sort", &rows, nil, &manifest, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range study.Points {
		fmt.Println(p.Figure, p.Series, p.Value)
	}
	page := report.Page{Title: "Two routers", Studies: []report.Study{study}}
	var html bytes.Buffer
	fmt.Println(page.Write(&html), html.Len() > 10_000)
	// Output:
	// time mrr 1
	// time base 1.3333333333333333
	// <nil> true
}
