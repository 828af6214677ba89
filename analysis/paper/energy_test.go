package paper

import (
	"context"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
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
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 2, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := experiment.Collect(nil, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return &rows
}

// TestEnergyAtAllPrices: figure 10 is judged at each of the prices and in both readings, and its pictures
// differ with them.
func TestEnergyAtAllPrices(t *testing.T) {
	e := mrr.Fig10()
	rows := loaded(t)
	r, err := e.Analyse(rows, whole(rows))
	if err != nil {
		t.Fatal(err)
	}
	c := r.Claims[0]
	if c.Verdict == tables.Open || !c.Measured.Known || strings.Count(c.Detail, "mrr /base-mc") != 16 || !strings.Contains(c.Detail, "the sign against rr ") ||
		!strings.Contains(c.Detail, "of 8 per window, ") || !strings.Contains(c.Detail, "(65 nm, 1.1 V, 1 GHz, links of 2 mm, alpha 0.5; profile S is extrapolated to this technology)") {
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
	half := chart.Estimate{Interval: metrics.Interval{Mean: 0.5, Low: 0.5, High: 0.5, N: 1}, OK: true}
	if f := mrr.Robust(claim.Gain(half, -0.5), []mrr.PricedMean{{Prices: "dear", Mean: 0.5}, {Prices: "cheap", Mean: 0.7}}); f.Verdict != tables.Confirmed || !strings.Contains(f.Detail, "(dear: 0.500; cheap: 0.700)") {
		t.Errorf("where all agree: %+v", f)
	}
	if f := mrr.Robust(claim.Gain(half, -0.5), []mrr.PricedMean{{Prices: "dear", Mean: 0.5}, {Prices: "cheap", Mean: 1.2}}); f.Verdict != tables.NotConfirmed {
		t.Errorf("where they do not: %+v", f)
	}
}

// TestWhereRRWinsAtAllPrices: RR is faster than BASE-MC in one workload; the claim holds unless some prices
// give BASE-MC the better ED2P there.
func TestWhereRRWinsAtAllPrices(t *testing.T) {
	at := func(ratio float64) (list []tables.Record) { // of BASE-MC's ED2P to RR's
		for seed := range 3 {
			for _, r := range []struct {
				router     string
				time, ed2p float64
			}{{"base-mc", 110 + float64(seed), ratio}, {"rr", 100 + float64(seed), 1}} {
				list = append(list, tables.Record{Texts: map[string]string{"router": r.router, "workload": "nas-is-s", "protocol": "token"},
					Numbers: map[string]float64{"seed": float64(seed), "cycles": r.time, "ed2p_js2": r.ed2p}})
			}
		}
		return list
	}
	for ratio, want := range map[float64]string{1.1: tables.Confirmed, 0.9: tables.NotConfirmed} {
		d := chart.NewData(new(tables.Rows), chart.Extent{})
		d.Priced[chart.AsSimulated] = at(1)
		for _, p := range chart.AllPrices() {
			d.Priced[p.Name] = at(1.2)
		}
		odd := chart.AllPrices()[5].Name
		d.Priced[odd] = at(ratio)
		for _, c := range mrr.Fig11().Claims {
			if c.ID != "S2-04" {
				continue
			}
			f := c.Judge(d)
			if f.Verdict != want || strings.Contains(f.Detail, odd) != (ratio < 1) || strings.Contains(f.Detail, "none of the prices") != (ratio > 1) {
				t.Errorf("with a ratio of %g at %s: %+v", ratio, odd, f)
			}
		}
	}
}
