package paper

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
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

// TestEnergyAtAllPrices: figure 10 is judged with the prices of the paper's tool, and says what it
// would be with the others and in the other reading; its pictures differ with them.
func TestEnergyAtAllPrices(t *testing.T) {
	e := mrr.Fig10()
	rows := loaded(t)
	r, err := e.Analyse(rows, whole(rows))
	if err != nil {
		t.Fatal(err)
	}
	prices := len(chart.AllPrices())
	c := r.Claims[0]
	if c.Verdict == tables.Open || !c.Measured.Known || !strings.HasPrefix(c.Detail, "Orion 1: mrr/base-mc: ") || !strings.Contains(c.Detail, "; profile O, sram, leakage x 1: ") ||
		strings.Count(c.Detail, fmt.Sprintf(" of %d", 2*prices)) != 3 ||
		!strings.Contains(c.Detail, "Orion 1 at 100 nm, the others at 65 nm, 1.1 V; 1 GHz, links of 2 mm, alpha 0.5; profile S is extrapolated to this technology") {
		t.Errorf("the claim is %+v", c)
	}
	values := map[float64]bool{}
	for _, p := range r.Points {
		if p.Series == "mrr" {
			values[p.Value] = true
		}
	}
	if len(r.Figures) != 2 || len(values) != 2*prices {
		t.Errorf("%d pictures; %d different values of MRR", len(r.Figures), len(values))
	}
}

// chips are made-up runs of three recordings: time and ED2P by router, the latter with each price.
func chips(time map[string]float64, ed2p func(workload, router, prices string) float64) *chart.Data {
	list := func(prices string) (records []tables.Record) {
		for _, workload := range []string{"is", "ft", "lu"} {
			for _, router := range []string{"base", "base-mc", "rr", "mrr"} {
				for seed := range 3 {
					v := time[router]
					if own, ok := time[workload+" "+router]; ok {
						v = own
					}
					records = append(records, tables.Record{Texts: map[string]string{"router": router, "workload": workload, "protocol": "token", "variant": "token coherence"},
						Seed: uint64(seed), Numbers: map[string]float64{"cores": 16, "cycles": v * (1 + 0.001*float64(seed)), "ed2p_js2": ed2p(workload, router, prices)}})
				}
			}
		}
		return records
	}
	d := chart.NewData(new(tables.Rows), chart.Extent{})
	d.Priced[chart.AsSimulated] = list(chart.AsSimulated)
	for _, p := range chart.AllPrices() {
		d.Priced[p.Name] = list(p.Name)
	}
	return d
}

// verdictOf is the finding of a claim of figure 11.
func verdictOf(t *testing.T, d *chart.Data, id string) claim.Finding {
	t.Helper()
	for _, c := range mrr.Fig11().Claims {
		if c.ID == id {
			f := c.Judge(d)
			noteRefuted(c.Criterion, f.Verdict)
			return f
		}
	}
	t.Fatalf("figure 11 has no claim %s", id)
	return claim.Finding{}
}

// TestChipClaims feeds the claims of figure 11 with the paper's picture, and each with what refutes
// it.
func TestChipClaims(t *testing.T) {
	usualTime := map[string]float64{"base": 200, "base-mc": 120, "rr": 125, "mrr": 100, "ft rr": 115, "ft base": 240}
	usualED2P := func(workload, router, prices string) float64 {
		if workload == "ft" && router == "base-mc" {
			return 1.1
		}
		return map[string]float64{"base": 2, "base-mc": 0.7, "rr": 1, "mrr": 0.5}[router]
	}
	changed := func(key string, v float64) map[string]float64 {
		m := map[string]float64{key: v}
		for k, old := range usualTime {
			if k != key {
				m[k] = old
			}
		}
		return m
	}
	ed2p := func(asked string, v float64) func(workload, router, prices string) float64 {
		return func(workload, router, prices string) float64 {
			if workload+" "+router == asked || router == asked {
				return v
			}
			return usualED2P(workload, router, prices)
		}
	}
	for id, d := range map[string]*chart.Data{
		"S2-01": chips(changed("rr", 105), usualED2P), "S2-02": chips(changed("base-mc", 105), usualED2P), "S2-05": chips(changed("base-mc", 130), usualED2P),
		"S2-24": chips(map[string]float64{"base": 130, "base-mc": 120, "rr": 125, "mrr": 100}, usualED2P), "S2-25": chips(changed("is mrr", 121), usualED2P),
		"S2-03": chips(usualTime, ed2p("mrr", 0.9)), "S2-04": chips(usualTime, ed2p("ft base-mc", 0.9)),
		"S2-26": chips(usualTime, ed2p("lu mrr", 0.8)), "S2-26 both": chips(usualTime, ed2p("base-mc", 0.95)),
	} {
		if f := verdictOf(t, chips(usualTime, usualED2P), id); f.Verdict != tables.Confirmed {
			t.Errorf("%s with the paper's picture: %s, %s", id, f.Verdict, f.Detail)
		}
		if f := verdictOf(t, d, id); f.Verdict != tables.NotConfirmed {
			t.Errorf("%s against it: %s, %s", id, f.Verdict, f.Detail)
		}
	}
	// Another application than FT with which RR is faster does not count.
	if f := verdictOf(t, chips(changed("ft rr", 125), ed2p("is base-mc", 1.3)), "S2-04"); f.Verdict != tables.NotConfirmed {
		t.Errorf("S2-04 without FT: %s, %s", f.Verdict, f.Detail)
	}
}

// TestPaperPricesDecide: a conclusion about energy is that of the paper's prices, and the others
// stand beside it.
func TestPaperPricesDecide(t *testing.T) {
	time := map[string]float64{"base": 200, "base-mc": 120, "rr": 125, "mrr": 100}
	at := func(paper, other float64) claim.Finding {
		return verdictOf(t, chips(time, func(_, router, prices string) float64 {
			switch {
			case router != "mrr":
				return 1
			case prices == chart.PaperPrices:
				return paper
			}
			return other
		}), "S2-03")
	}
	if f := at(0.5, 1.2); f.Verdict != tables.Confirmed || !strings.Contains(f.Detail, "; profile O, sram, leakage x 1: not confirmed: 1.200") ||
		!strings.Contains(f.Detail, "from 0.500 (Orion 1) to 1.200") || !strings.Contains(f.Detail, fmt.Sprintf("below 1 in 1 of %d", len(chart.AllPrices()))) {
		t.Errorf("half with the paper's prices alone: %s, %s", f.Verdict, f.Detail)
	}
	if f := at(0.9, 0.5); f.Verdict != tables.NotConfirmed {
		t.Errorf("half with all others: %s, %s", f.Verdict, f.Detail)
	}
}

// TestSensitivity: a router that is slower, or spends more, under one assumption refutes the side.
func TestSensitivity(t *testing.T) {
	for mrrAt, want := range map[float64]string{90: tables.Confirmed, 130: tables.NotConfirmed} {
		var list []tables.Record
		for variant, v := range map[string]float64{"as in the figure": 90, "17 tokens": mrrAt} {
			for router, cycles := range map[string]float64{"base": 200, "base-mc": 120, "rr": 125, "mrr": v} {
				list = append(list, tables.Record{Texts: map[string]string{"router": router, "workload": "is", "variant": variant},
					Seed: 1, Numbers: map[string]float64{"cycles": cycles, "ed2p_js2": cycles}})
			}
		}
		d := chart.NewData(new(tables.Rows), chart.Extent{})
		d.Priced[chart.AsSimulated] = list
		for _, p := range chart.AllPrices() {
			d.Priced[p.Name] = list
		}
		for _, c := range mrr.Sensitivity().Claims {
			f := c.Judge(d)
			noteRefuted(c.Criterion, f.Verdict)
			if f.Verdict != want {
				t.Errorf("%s with %g is %s: %s", c.ID, mrrAt, f.Verdict, f.Detail)
			}
		}
	}
}

// withoutCharts leaves out charts, which ask rows for the hardware that prices need.
func withoutCharts(e claim.Entry) claim.Entry {
	e.Charts = nil
	return e
}

// TestTrafficOfProtocols feeds the claims about messages with shares as printed, and with others.
func TestTrafficOfProtocols(t *testing.T) {
	rows := func(many, slow, persistent uint64) *tables.Rows {
		r := new(tables.Rows)
		for i, protocol := range []string{"token", "directory"} {
			for k, router := range []string{"base", "mrr"} {
				key := fmt.Sprint(i, k)
				r.Runs = append(r.Runs, tables.Run{RunKey: key, Workload: "ft", Protocol: protocol, Router: router, ExitState: tables.Finished, Cycles: tables.Some(uint64(1)),
					PacketsUnicast: tables.Some(uint64(100) - many), PacketsMulticast: tables.Some(many), PacketsBroadcast: tables.Some(uint64(0))})
				r.Latency = append(r.Latency, tables.Latency{RunKey: key, Cast: "unicast", Count: 90, Sum: 900}, tables.Latency{RunKey: key, Cast: "multicast", Count: 10, Sum: slow * 100})
				r.Classes = append(r.Classes, tables.Class{RunKey: key, Class: "PERS", Phits: persistent}, tables.Class{RunKey: key, Class: "TREQ", Phits: 100 - persistent})
			}
		}
		return r
	}
	for _, c := range []struct {
		id                     string
		many, slow, persistent uint64
		want                   string
		measured               float64
	}{
		{"S2-23", 4, 2, 1, tables.Confirmed, 0.04}, {"S2-23", 4, 1, 1, tables.NotConfirmed, 0.04}, {"S2-23", 20, 2, 1, tables.NotConfirmed, 0.2},
		{"S2-27", 4, 2, 1, tables.Confirmed, 0.01}, {"S2-27", 4, 2, 9, tables.NotConfirmed, 0.09},
		{"S2-32", 4, 2, 0, tables.Confirmed, 0}, {"S2-32", 4, 2, 1, tables.NotConfirmed, 0.01},
	} {
		if got := judge(t, withoutCharts(mrr.Fig11()), rows(c.many, c.slow, c.persistent), c.id); got.Verdict != c.want || math.Abs(got.Measured.Value-c.measured) > 1e-9 {
			t.Errorf("%s of %d messages, %d times slower, %d persistent: %s %v, %s", c.id, c.many, c.slow, c.persistent, got.Verdict, got.Measured.Value, got.Detail)
		}
	}
}

// maximumLoad are made-up values of figure 10, with a ratio of MRR to BASE-MC by seed.
func maximumLoad(seeds int, ratio func(pattern, share, destinations string, seed int) float64) *chart.Data {
	var list []tables.Record
	for _, destinations := range []string{"8", "63"} {
		for _, pattern := range []string{"uniform", "tornado"} {
			for _, share := range []string{"0.01", "0.15"} {
				for seed := range seeds {
					for router, v := range map[string]float64{"base": 1, "base-mc": 0.8, "rr": 0.9, "mrr": 0.8 * ratio(pattern, share, destinations, seed)} {
						list = append(list, tables.Record{Texts: map[string]string{"router": router, "pattern": pattern, "multicast_fraction": share, "multicast_destinations": destinations},
							Seed: uint64(seed), Numbers: map[string]float64{"ed2p": v, "ed2p_per_phit": v}})
					}
				}
			}
		}
	}
	d := chart.NewData(new(tables.Rows), chart.Extent{})
	for _, p := range chart.AllPrices() {
		d.Priced[p.Name] = list
	}
	return d
}

// TestEnergyAtMaximumLoad feeds figure 10 with the paper's picture, with one cell in which MRR
// spends most, and with an advantage that is small for few multicasts, too.
func TestEnergyAtMaximumLoad(t *testing.T) {
	paper := func(_, share, destinations string) float64 {
		if share == "0.15" && destinations == "63" {
			return 0.95
		}
		return 0.5
	}
	cell := func(pattern, share, destinations string) float64 {
		if pattern == "tornado" && share == "0.01" {
			return 1.1
		}
		return paper(pattern, share, destinations)
	}
	few := func(_, share, destinations string) float64 {
		if share == "0.01" && destinations == "8" {
			return 0.97
		}
		return paper("", share, destinations)
	}
	for i, x := range []struct {
		ratio       func(pattern, share, destinations string) float64
		best, small string
	}{{paper, tables.Confirmed, tables.Confirmed}, {cell, tables.NotConfirmed, tables.Confirmed}, {few, tables.Confirmed, tables.NotConfirmed}} {
		claims := mrr.Fig10().Claims
		for k, want := range []string{x.best, x.small} {
			f := claims[k].Judge(maximumLoad(1, func(pattern, share, destinations string, _ int) float64 { return x.ratio(pattern, share, destinations) }))
			noteRefuted(claims[k].Criterion, f.Verdict)
			if f.Verdict != want {
				t.Errorf("picture %d: %s is %s, %s", i, claims[k].ID, f.Verdict, f.Detail)
			}
		}
	}
}
