package relay

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// TestConformance holds the network to the laws of package noc.
func TestConformance(t *testing.T) {
	build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(g topology.Grid, _ uint64) (noc.Network, error) { return OnGrid(g, 6, everyCycle) }
	}
	noctest.Run(t, noctest.Subject{Build: build(false), EveryCycle: build(true), Classes: 6, Phits: longest})
}

// TestCrossbar does the same for one router that all nodes share.
func TestCrossbar(t *testing.T) {
	w, err := Star(20)
	if err != nil {
		t.Fatal(err)
	}
	build := func(everyCycle bool) func(topology.Grid, uint64) (noc.Network, error) {
		return func(topology.Grid, uint64) (noc.Network, error) { return New(w, nil, 6, everyCycle) }
	}
	noctest.Run(t, noctest.Subject{Build: build(false), EveryCycle: build(true), Classes: 6, Phits: longest, Wiring: w})
}

// TestComparison runs the network beside those of the table.
func TestComparison(t *testing.T) {
	s := &openloop.Study{Models: append(models.Table(), Model(), Crossbar()), Routers: []string{"ideal", "base", "relay", "crossbar"},
		Loads: []float64{0.1}, Runs: 1, Seed: 1, Cycles: 4000, Warmup: 1000,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(4, 4)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := experiment.Collect(nil, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	latency := map[string]float64{}
	for _, row := range rows.Traffic {
		latency[row.Router] = row.LatencyMean.Value
		t.Logf("%s: %.1f cycles", row.Router, row.LatencyMean.Value)
	}
	if len(latency) != 4 || latency["crossbar"] >= latency["relay"] || latency["ideal"] <= 0 || latency["relay"] <= latency["ideal"] {
		t.Errorf("mean latencies are %v", latency)
	}
}
