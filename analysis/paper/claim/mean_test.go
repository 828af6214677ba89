package claim_test

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// recordings are of programs on two routers: one whole, of two seeds, and three windows of another.
func recordings() *tables.Rows {
	rows := new(tables.Rows)
	add := func(workload, router string, window, seed, cycles uint64) {
		rows.Runs = append(rows.Runs, tables.Run{Workload: workload, Router: router, Window: window, Seed: seed, ExitState: tables.Finished, Cycles: tables.Some(cycles)})
	}
	for seed := range uint64(2) {
		add("is", "base", 0, seed, 1000)
		add("is", "mrr", 0, seed, 740+20*seed)
	}
	for window, cycles := range []uint64{1000, 3000, 2000} {
		add("bt", "base", uint64(window), 0, cycles)
		add("bt", "mrr", uint64(window), 0, cycles*9/10-100*uint64(window))
	}
	return rows
}

// TestMeansOverRecordings: where one of the programs is in windows, means are of what each
// program's own comparison says, whichever comes first.
func TestMeansOverRecordings(t *testing.T) {
	c := chart.Chart{Measure: "cycles", Series: "router", Label: "workload"}
	list, missing := claim.Compare(chart.NewData(recordings(), chart.Extent{}), &c, "mrr", "base", nil)
	if len(list) != 2 || missing != 0 {
		t.Fatalf("%d comparisons, %d missing", len(list), missing)
	}
	a, b := list[0].Estimate, list[1].Estimate
	relative := math.Hypot(a.HalfWidth()/a.Mean, b.HalfWidth()/b.Mean) / 2
	for range 2 {
		mean, overall := claim.Mean(list), claim.Overall(list)
		if math.Abs(mean.Mean-(0.75+0.85)/2) > 1e-12 || mean.N != 5 || mean.HalfWidth() > math.Hypot(a.HalfWidth(), b.HalfWidth())/2 {
			t.Errorf("the mean is %s", mean.Text())
		}
		if whole := math.Sqrt(0.75 * 0.85); math.Abs(overall.Mean-whole) > 1e-12 || overall.N != 5 || overall.High/whole > math.Exp(relative) {
			t.Errorf("the geometric mean is %s", overall.Text())
		}
		list[0], list[1] = list[1], list[0]
	}
}
