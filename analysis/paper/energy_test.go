package paper

import (
	"context"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// loaded is a small network at full load, simulated: prices need real counts.
func loaded(t *testing.T) *tables.Rows {
	t.Helper()
	s := &openloop.Study{Routers: []string{"base", "base-mc", "rr", "mrr"}, Loads: []float64{1}, Runs: 1, Seed: 1, Cycles: 1500, Warmup: 500,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(4, 4)
	s.Traffic.MulticastFraction, s.Traffic.MulticastDestinations = 0.1, 8
	result, err := openloop.Run(context.Background(), s, openloop.Options{Jobs: 2, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	rows := result.Rows()
	return &rows
}

// TestEnergyAtAllPrices: figure 10 is judged at each of the prices and in both readings, and its pictures
// differ with them.
func TestEnergyAtAllPrices(t *testing.T) {
	e := mrrFig10()
	r, err := e.Analyse(loaded(t), false)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Claims[0]
	if c.Verdict == tables.Open || !c.Measured.Known || strings.Count(c.Detail, "mrr /base-mc") != 16 || !strings.Contains(c.Detail, "the sign against rr ") {
		t.Errorf("the claim is %+v", c)
	}
	values := map[float64]bool{}
	for _, p := range r.Points {
		if p.Series == "mrr" {
			values[p.Value] = true
		}
	}
	if len(r.Figures) != 4 || len(values) != 16 {
		t.Errorf("%d pictures; %d different values of MRR", len(r.Figures), len(values))
	}
}

// TestPricesDecide: a conclusion about energy that depends on the prices is not confirmed.
func TestPricesDecide(t *testing.T) {
	half := estimate{metrics.Interval{Mean: 0.5, Low: 0.5, High: 0.5, N: 1}, true}
	if f := gain(half, -0.5).robust(true, []float64{0.5, 0.7}); f.Verdict != tables.Confirmed || !strings.Contains(f.Detail, "0.500, 0.700") {
		t.Errorf("where all agree: %+v", f)
	}
	if f := gain(half, -0.5).robust(false, []float64{0.5, 1.2}); f.Verdict != tables.NotConfirmed {
		t.Errorf("where they do not: %+v", f)
	}
}
