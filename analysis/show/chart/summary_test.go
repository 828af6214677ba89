package chart_test

import (
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// runs are two seeds of base and mrr: mrr takes half the time of base, and seeds differ by a
// factor.
func runs() *tables.Rows {
	rows := new(tables.Rows)
	for _, router := range []string{"base", "mrr"} {
		for seed := range uint64(2) {
			cycles := 1000 * (seed + 1)
			if router == "mrr" {
				cycles /= 2
			}
			rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: "w", Router: router, Seed: seed, ExitState: tables.Finished,
				Cycles: tables.Some(cycles)})
		}
	}
	return rows
}

// Means over seeds, and ratios to the baseline's run of the same seed.
func ExampleData_Means() {
	data := chart.NewData(runs(), chart.Extent{Coverage: experiment.Coverage{Points: 4, Finished: 4}})
	for _, l := range data.Means([]string{"workload", "router"}, "router", chart.Column{Measure: chart.Measure{Column: "cycles"}}, chart.Column{Measure: chart.Measure{Column: "cycles"}, Baseline: "base"}).Lines {
		fmt.Println(l.Labels, l.Runs, "runs:", l.Values[0].Mean, "cycles,", l.Values[1].Mean, "of base")
	}
	// Output:
	// [w base] 2 runs: 1500 cycles, 1 of base
	// [w mrr] 2 runs: 750 cycles, 0.5 of base
}

// TestSummaryPairsBySeed: what seeds have in common cancels out, and a run without a partner does
// not count.
func TestSummaryPairsBySeed(t *testing.T) {
	rows := runs()
	rows.Runs = append(rows.Runs, tables.Run{Workload: "w", Router: "rr", Seed: 1, ExitState: tables.Interrupted})
	rows.Axes = []tables.Axis{{RunKey: "0", Key: "chip.x", Value: "1"}}
	by := []string{"router"}
	ratio := chart.Column{Measure: chart.Measure{Column: "cycles"}, Baseline: "base"}
	lines := chart.NewData(rows, chart.Extent{}).Means(by, "router", ratio).Lines
	if len(lines) != 3 || lines[2].Labels[0] != "rr" || lines[2].Runs != 0 || lines[2].Values[0].OK {
		t.Fatalf("lines are %+v", lines)
	}
	if e := lines[1].Values[0]; !e.OK || e.N != 2 || e.Mean != 0.5 || e.HalfWidth() > 1e-12 {
		t.Errorf("the ratio is %+v", e)
	}
	rows.Runs[1].ExitState = tables.Failed
	if e := chart.NewData(rows, chart.Extent{}).Means(by, "router", ratio).Lines[1].Values[0]; e.N != 1 || e.Mean != 0.5 {
		t.Errorf("without one run of the baseline the ratio is %+v", e)
	}
	if lines = chart.NewData(rows, chart.Extent{}).Means([]string{"chip.x"}, "").Lines; len(lines) != 2 || lines[0].Labels[0] != "1" || lines[1].Labels[0] != "" {
		t.Errorf("by an axis the lines are %+v", lines)
	}
}

// TestSummaryCountsSaturation: the points whose network was saturated, of those that have finished.
func TestSummaryCountsSaturation(t *testing.T) {
	rows := new(tables.Rows)
	for seed, state := range []string{tables.Saturated, tables.Unsaturated, tables.Saturated} {
		rows.Traffic = append(rows.Traffic, tables.Traffic{Router: "mrr", Offered: 0.3, Seed: uint64(seed), ExitState: tables.Finished, Saturated: tables.Some(state)})
	}
	lines := chart.NewData(rows, chart.Extent{}).Means([]string{"router", "offered"}, "router").Lines
	if len(lines) != 1 || lines[0].Saturated != 2 || lines[0].Runs != 3 || lines[0].Labels[1] != "0.3" {
		t.Errorf("lines are %+v", lines)
	}
}
