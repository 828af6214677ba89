package paper

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// grid makes rows of a figure over patterns and shares, with the value that of gives each router;
// noise is what seeds differ by.
func grid(noise float64, of func(router, pattern string, share float64, destinations uint64) float64) *tables.Rows {
	rows := new(tables.Rows)
	for _, destinations := range []uint64{8, 63} {
		for _, pattern := range []string{"uniform", "bit-reversal", "tornado"} {
			for _, share := range []float64{0.01, 0.15} {
				for _, router := range []string{"base", "base-mc", "rr", "mrr"} {
					for seed := range uint64(3) {
						v := of(router, pattern, share, destinations) * (1 + noise*float64(seed))
						rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: fmt.Sprint(len(rows.Traffic)), Router: router, Pattern: pattern,
							MulticastFraction: share, MulticastDestinations: destinations, Seed: seed + 1, ExitState: tables.Finished,
							Accepted: tables.Some(v), Delivered: tables.Some(v), LatencyMean: tables.Some(v),
							PhitHops: tables.Some(uint64(1e6 * v)), PhitsDelivered: tables.Some(uint64(1e6))})
					}
				}
			}
		}
	}
	return rows
}

// whole is the extent of a study whose plan asks for these rows and no others.
func whole(rows *tables.Rows) chart.Extent {
	return chart.Extent{Coverage: new(experiment.Manifest).Covered(rows)}
}

// refuted holds the criteria that have failed on made-up data.
var refuted = map[string]bool{}

// noteRefuted notes a criterion that has failed.
func noteRefuted(criterion, verdict string) {
	refuted[criterion] = refuted[criterion] || verdict == tables.NotConfirmed
}

// TestMain asks, once all tests have run, whether the criterion of every claim about measurements
// has been seen to fail.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if filter := flag.Lookup("test.run").Value.String(); code == 0 && filter == "" && !testing.Short() {
		for _, e := range Entries() {
			for _, c := range e.Claims {
				if e.Plan != "" && !refuted[c.Criterion] {
					fmt.Printf("no made-up data refute %s of %s\n", c.ID, e.ID)
					code = 1
				}
			}
		}
	}
	os.Exit(code)
}

// judge analyses rows with the claims of an entry and gives the one with an identifier.
func judge(t *testing.T, e claim.Entry, rows *tables.Rows, id string) tables.Claim {
	t.Helper()
	e.Charts = nil // which claims do not look at
	r, err := e.Analyse(rows, whole(rows))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Claims {
		if (c.Reason == "") != (c.Verdict == tables.Confirmed) || strings.Count(c.Reason, "(") != strings.Count(c.Reason, ")") {
			t.Errorf("%s is %s; the reason is %q", c.ID, c.Verdict, c.Reason)
		}
		noteRefuted(c.Criterion, c.Verdict)
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("%s has no claim %s", e.ID, id)
	return tables.Claim{}
}

// routerValue gives every cell the same value for each router.
func routerValue(values map[string]float64) func(string, string, float64, uint64) float64 {
	return func(router, _ string, _ float64, _ uint64) float64 { return values[router] }
}

// TestOrderings: an ordering is confirmed when it holds everywhere, not confirmed when one cell
// contradicts it, and open when a cell does not decide or was not measured.
func TestOrderings(t *testing.T) {
	good := map[string]float64{"base": 10, "base-mc": 5, "rr": 9, "mrr": 4}
	c := judge(t, mrr.Fig7(), grid(0.01, routerValue(good)), "S2-15")
	if c.Verdict != tables.Confirmed || math.Abs(c.Measured.Value-0.9) > 1e-9 || !strings.Contains(c.Detail, "rr/base: 12 of 12 cells below 1") {
		t.Errorf("a claim that holds everywhere: %+v", c)
	}
	one := func(router, pattern string, share float64, destinations uint64) float64 {
		if router == "rr" && pattern == "tornado" && share == 0.15 && destinations == 8 {
			return 11
		}
		return good[router]
	}
	c = judge(t, mrr.Fig7(), grid(0.01, one), "S2-15")
	if c.Verdict != tables.NotConfirmed || !strings.Contains(c.Detail, "multicasts to 8 nodes, tornado, 15 %: 1.100") {
		t.Errorf("a claim that one cell contradicts: %+v", c)
	}
	noisy := grid(0.01, routerValue(good))
	for i := range noisy.Traffic {
		if r := &noisy.Traffic[i]; r.Router == "rr" && r.Pattern == "uniform" {
			r.LatencyMean.Value = 10 + 3*(float64(r.Seed)-2)
		}
	}
	if c = judge(t, mrr.Fig7(), noisy, "S2-15"); c.Verdict != tables.Open {
		t.Errorf("a claim that noise leaves undecided: %+v", c)
	}
	missing := grid(0.01, routerValue(good))
	for i := range missing.Traffic {
		if r := &missing.Traffic[i]; r.Router == "mrr" && r.Pattern == "uniform" {
			r.ExitState = tables.Failed
		}
	}
	if c = judge(t, mrr.Fig7(), missing, "S2-15"); c.Verdict != tables.Open || !strings.Contains(c.Detail, "4 not measured") {
		t.Errorf("a claim with missing cells: %+v", c)
	}
}

// TestIncompleteStudiesDecideNothing gives every claim about measurements a tenth of the points
// that its plan has. The judgements themselves are replaced by one that confirms whatever it sees,
// as a careless one would.
func TestIncompleteStudiesDecideNothing(t *testing.T) {
	rows := grid(0.01, routerValue(map[string]float64{"base": 10, "base-mc": 5, "rr": 9, "mrr": 4}))
	few := chart.Extent{Coverage: experiment.Coverage{Points: 10 * len(rows.Traffic), Finished: len(rows.Traffic)}}
	for _, e := range Entries() {
		for i := range e.Claims {
			e.Claims[i].Judge = func(d *chart.Data) claim.Finding {
				if e.Plan != "" {
					list, err := d.At(chart.AsSimulated)
					return claim.Fact(err == nil, float64(len(list)), "careless")
				}
				return claim.Fact(true, 1, "counted")
			}
		}
		e.Charts = nil
		r, err := e.Analyse(rows, few)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Claims {
			switch {
			case e.Plan == "" && c.Verdict != tables.Confirmed:
				t.Errorf("a claim that needs no plan: %+v", c)
			case e.Plan != "" && (c.Verdict != tables.Open || c.Measured.Known || c.CI.Known ||
				!strings.Contains(c.Detail, few.String()) || !strings.Contains(c.Conditions, few.String())):
				t.Errorf("a claim about a tenth of its points: %+v", c)
			}
		}
	}
	e := mrr.Fig7()
	r, err := e.Analyse(rows, few)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 1 || !strings.Contains(r.Figures[0].Warning, few.String()) || !strings.Contains(r.Points[0].Warning.Value, few.String()) {
		t.Errorf("picture and table do not say that they are incomplete: %+v", r.Points[0])
	}
	if r, err = e.Analyse(rows, whole(rows)); err != nil || r.Figures[0].Warning != "" || r.Points[0].Warning.Known || r.Claims[1].Verdict != tables.Confirmed {
		t.Errorf("a whole study has a warning: %+v (%v)", r.Claims, err)
	}
}

// TestNothingMeasuredIsOpen: no claim about a simulation is decided without one.
func TestNothingMeasuredIsOpen(t *testing.T) {
	for _, e := range Entries() {
		if e.Plan == "" {
			continue
		}
		r, err := e.Analyse(&tables.Rows{}, chart.Extent{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Figures) > 0 || len(r.Claims) != len(e.Claims) {
			t.Errorf("%s has %d figures and %d claims of nothing", e.ID, len(r.Figures), len(r.Claims))
		}
		for _, c := range r.Claims {
			if c.Verdict != tables.Open || c.Measured.Known || c.Detail == "" || !strings.Contains(c.Conditions, "quick") {
				t.Errorf("nothing measured: %+v", c)
			}
		}
	}
}

func TestGains(t *testing.T) {
	at := func(mean, half float64) chart.Estimate {
		return metrics.Estimate{Mean: mean, Low: mean - half, High: mean + half, N: 3, OK: true}
	}
	for _, c := range []struct {
		measured chart.Estimate
		printed  float64
		want     string
	}{
		{at(1.25, 0.01), 0.25, tables.Confirmed}, {at(1.13, 0.001), 0.25, tables.Confirmed}, {at(1.5, 0), 0.25, tables.Confirmed},
		{at(1.1, 0.01), 0.25, tables.NotConfirmed}, {at(1.6, 0.01), 0.25, tables.NotConfirmed}, {at(0.8, 0.1), 0.25, tables.NotConfirmed},
		{at(1.12, 0.1), 0.25, tables.Open}, {chart.Estimate{}, 0.25, tables.Open},
		{at(0.5, 0.1), -0.5, tables.Confirmed}, {at(0.2, 0.01), -0.5, tables.Confirmed}, {at(0.9, 0.01), -0.5, tables.NotConfirmed},
	} {
		if got := claim.Gain(c.measured, c.printed); got.Verdict != c.want {
			t.Errorf("%s against a printed %g: %s; want %s", c.measured.Text(), c.printed, got.Verdict, c.want)
		}
	}
}

// TestThroughputClaims feeds figure 8 with the paper's picture, and with its opposite.
func TestThroughputClaims(t *testing.T) {
	as := func(router, pattern string, share float64, destinations uint64) float64 {
		v := map[string]float64{"base": 1, "base-mc": 1.02, "rr": 1.3, "mrr": 1.5}[router]
		switch {
		case pattern == "tornado" && (router == "rr" || router == "mrr"):
			v *= 2
		case pattern == "bit-reversal" && router == "base-mc":
			v = 0.8
		case destinations == 63 && pattern == "uniform" && router == "mrr":
			v = 1.3 * 1.33
		}
		if router == "base-mc" {
			v *= 1 + share/10 + float64(destinations)/1e4
		}
		return v
	}
	want := map[string]string{"S2-16": tables.Confirmed, "S2-16 tree": tables.Confirmed, "S2-17": tables.Confirmed, "S2-18": tables.Confirmed, "S2-18 each": tables.Confirmed,
		"S2-19": tables.Confirmed, "S2-20": tables.Confirmed, "S2-29": tables.Confirmed, "S2-33": tables.Confirmed}
	opposite := func(router, pattern string, share float64, destinations uint64) float64 {
		return 1 / as(router, pattern, share, destinations)
	}
	for id, verdict := range want {
		if c := judge(t, mrr.Fig8(), grid(0, as), id); c.Verdict != verdict {
			t.Errorf("%s is %s: %s", id, c.Verdict, c.Detail)
		}
		if c := judge(t, mrr.Fig8(), grid(0, opposite), id); c.Verdict != tables.NotConfirmed {
			if id != "S2-20" { // there 1/as is below 1 in other patterns, too
				t.Errorf("the opposite of %s is %s: %s", id, c.Verdict, c.Detail)
			}
		}
	}
	// What counts is delivered load.
	for share, verdict := range map[float64]string{1: tables.Confirmed, 0.5: tables.NotConfirmed} {
		rows := grid(0, as)
		for i := range rows.Traffic {
			if r := &rows.Traffic[i]; r.Router == "mrr" {
				r.Accepted, r.Delivered = tables.Some(0.5*r.Accepted.Value), tables.Some(share*r.Delivered.Value)
			}
		}
		if c := judge(t, mrr.Fig8(), rows, "S2-16"); c.Verdict != verdict {
			t.Errorf("MRR accepts half and delivers %g of it: %s, %s", share, c.Verdict, c.Detail)
		}
	}
	none := judge(t, mrr.Fig8(), grid(0, routerValue(map[string]float64{"base": 1, "base-mc": 1.1, "rr": 1, "mrr": 1})), "S2-20")
	if none.Verdict != tables.NotConfirmed {
		t.Errorf("BASE-MC above BASE everywhere: %+v", none)
	}
}

// TestFigureIsNormalised: bars are ratios of runs with the same seed, in the plan's order, with
// labels.
func TestFigureIsNormalised(t *testing.T) {
	e := mrr.Fig7()
	rows := grid(0.5, routerValue(map[string]float64{"base": 10, "base-mc": 5, "rr": 9, "mrr": 4}))
	r, err := e.Analyse(rows, whole(rows))
	if err != nil {
		t.Fatal(err)
	}
	f := r.Figures[0]
	if len(f.Panels) != 2 || f.Panels[0].Title != "multicasts to 8 nodes" || f.Panels[1].Title != "broadcasts" || f.Panels[0].Reference != 1 ||
		!slices.Equal(f.Series, []string{"base", "base-mc", "rr", "mrr"}) || len(f.Panels[0].Categories) != 6 ||
		f.Panels[0].Categories[3] != (figures.Category{Group: "bit-reversal", Label: "15 %"}) ||
		f.Panels[0].YLabel != "latency / latency of base" || !strings.Contains(f.Note, "ratio to base with the same seed") {
		t.Errorf("the figure is %+v", f)
	}
	// Seeds differ by half, but their ratios do not.
	if p := f.Panels[1].Series[1].Points[2]; p.Y != 0.5 || p.High-p.Low > 1e-9 {
		t.Errorf("the value is %+v", p)
	}
	if len(r.Points) != 48 || r.Points[1].Baseline != "base" || r.Points[1].Value != 0.5 || r.Points[1].Runs != 3 || r.Points[1].Unit != "" {
		t.Errorf("the table has %d rows, such as %+v", len(r.Points), r.Points[1])
	}
	if err := f.Render(&bytes.Buffer{}, figures.SVG); err != nil {
		t.Error(err)
	}
}

// TestMeans: the mean of a group is that of its ratios.
func TestMeans(t *testing.T) {
	rows := new(tables.Rows)
	for w, name := range []string{"nas-is-s", "nas-sp-s", "producer-consumer"} {
		for _, router := range []string{"base", "mrr"} {
			for seed := range uint64(2) {
				cycles := uint64(1000 * (w + 1))
				if router == "mrr" {
					cycles = cycles * uint64(5+w) / 10
				}
				rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: name, Router: router, Protocol: "token",
					Seed: seed, ExitState: tables.Finished, Cycles: tables.Some(cycles)})
				rows.Axes = append(rows.Axes, tables.Axis{RunKey: fmt.Sprint(len(rows.Runs) - 1), Key: "variant", Value: "token coherence"})
			}
		}
	}
	e := mrr.Fig11()
	f, _, err := e.Charts[0].Draw(chart.NewData(rows, whole(rows)))
	if err != nil {
		t.Fatal(err)
	}
	want := []figures.Category{{Group: "recordings", Label: "nas-is-s"}, {Group: "recordings", Label: "nas-sp-s"}, {Group: "recordings", Label: "mean"},
		{Group: "synthetics", Label: "producer-consumer"}, {Group: "synthetics", Label: "mean"}}
	if !slices.Equal(f.Panels[0].Categories, want) || math.Abs(f.Panels[0].Series[1].Points[2].Y-0.55) > 1e-12 {
		t.Errorf("the panel is %+v", f.Panels[0])
	}
}

// TestEntriesAreWhole: every entry has a plan that exists, and every claim says what it says and
// how it is judged.
func TestEntriesAreWhole(t *testing.T) {
	ids := map[string]int{}
	names := map[string]bool{}
	for _, e := range Entries() {
		if names[e.ID] || e.Paper == "" || e.Figure == "" || e.Title == "" {
			t.Errorf("entry %q is there twice or lacks a text", e.ID)
		}
		names[e.ID] = true
		if text, err := e.ReadPlan(); err != nil || (len(text) == 0) != (e.Plan == "") {
			t.Errorf("%s: plan %q: %v", e.ID, e.Plan, err)
		}
		charts := map[string]bool{}
		for _, c := range e.Charts {
			if charts[c.Name] || !strings.HasPrefix(c.Name, e.ID) || c.Title == "" || c.Quantity == "" || (c.Unit == "") == (c.Baseline == "") {
				t.Errorf("%s: chart %+v", e.ID, c)
			}
			charts[c.Name] = true
		}
		for _, c := range e.Claims {
			ids[c.ID]++
			if c.Text == "" || c.Conditions == "" || c.Printed == "" || c.Criterion == "" || c.Judge == nil {
				t.Errorf("%s: claim %s lacks a text", e.ID, c.ID)
			}
		}
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("claim %s is there %d times", id, n)
		}
	}
	if _, err := Lookup("mrr.fig99"); err == nil || !strings.Contains(err.Error(), "mrr.fig11") {
		t.Errorf("Lookup of nothing: %v", err)
	}
}
