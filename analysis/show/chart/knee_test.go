package chart_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// TestChartAtTheKnee: of each router the value at the largest load is taken at which the latency is
// at most three times the lightest load's; a load beyond one that is not counts no more, nor does
// one without deliveries.
func TestChartAtTheKnee(t *testing.T) {
	rows := new(tables.Rows)
	for router, latencies := range map[string][]float64{
		"base": {10, 20, 31, 15}, "mrr": {10, 20, 30, 40}, "rr": {10, 0, 20, 20}, "ideal": {10, 10, 10, 10},
	} {
		for i, latency := range latencies {
			load := []float64{0.1, 0.2, 0.3, 0.4}[i]
			r := tables.Traffic{RunKey: fmt.Sprint(router, i), Router: router, Pattern: "uniform", Offered: load, Seed: 1, ExitState: tables.Finished, Delivered: tables.Some(load)}
			if latency > 0 {
				r.LatencyMean = tables.Some(latency)
			}
			rows.Traffic = append(rows.Traffic, r)
		}
	}
	d := chart.NewData(rows, chart.Extent{Coverage: experiment.Coverage{Points: 16, Finished: 16}})
	c := chart.Chart{Measure: chart.Measure{Column: "delivered"}, Series: chart.By("router"), Group: chart.By("pattern"), Knee: 3}
	cells, err := d.Cells(&c)
	if err != nil || len(cells) != 1 {
		t.Fatalf("%d cells: %v", len(cells), err)
	}
	for router, want := range map[string]float64{"base": 0.2, "mrr": 0.3, "rr": 0.1, "ideal": 0.4} {
		if got := cells[0].Samples[router]; len(got) != 1 || got[0].Value != want {
			t.Errorf("%s is taken at %v, want %v", router, got, want)
		}
	}
}

// TestPricesAreValid: every way of pricing can be built and has a name of its own.
func TestPricesAreValid(t *testing.T) {
	names := map[string]bool{}
	for _, p := range experiment.AllPrices() {
		if names[p.Name] || p.Name == experiment.AsSimulated {
			t.Errorf("the name %q is there twice", p.Name)
		}
		names[p.Name] = true
	}
	if !names[experiment.PaperPrices] || !names[experiment.UsualPrices] || experiment.AllPrices()[0].Name != experiment.PaperPrices {
		t.Errorf("the prices are %v", names)
	}
}

// TestPricesLeaveTablesAlone: pricing a study again changes no key of its own tables.
func TestPricesLeaveTablesAlone(t *testing.T) {
	s := &openloop.Study{Routers: []string{"mrr"}, Loads: []float64{0.1}, Runs: 1, Seed: 1, Cycles: 200, Warmup: 100,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(2, 2)
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := points[0].Run(context.Background(), func(experiment.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	key := rows.Traffic[0].RunKey
	rows.Classes = []tables.Class{{RunKey: key}}
	rows.Distributions = []tables.Distribution{{RunKey: key}}
	d := chart.NewData(&rows, chart.Extent{})
	for _, p := range experiment.AllPrices() {
		if _, err := d.At(p.Name); err != nil {
			t.Fatal(err)
		}
	}
	own := d.Tables()
	for what, got := range map[string]string{"classes": own.Classes[0].RunKey, "distributions": own.Distributions[0].RunKey, "latency": own.Latency[0].RunKey,
		"traffic": own.Traffic[0].RunKey, "routers": own.Routers[0].RunKey, "links": own.Links[0].RunKey} {
		if got != key {
			t.Errorf("the key of %s is %s, was %s", what, got, key)
		}
	}
}
