package paper

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// entry finds one.
func entry(t *testing.T, id string) claim.Entry {
	t.Helper()
	e := must.Get(Lookup(id))
	return e
}

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
	n := len(rows.Runs) + len(rows.Traffic)
	return chart.Extent{Coverage: experiment.Coverage{Points: n, Finished: n}}
}

// routerValue gives every cell the same value for each router.
func routerValue(values map[string]float64) func(string, string, float64, uint64) float64 {
	return func(router, _ string, _ float64, _ uint64) float64 { return values[router] }
}

// TestIncompleteStudiesDecideNothing gives every claim about measurements a tenth of the points
// that its plan has.
func TestIncompleteStudiesDecideNothing(t *testing.T) {
	rows := grid(0.01, routerValue(map[string]float64{"base": 10, "base-mc": 5, "rr": 9, "mrr": 4}))
	few := chart.Extent{Coverage: experiment.Coverage{Points: 10 * len(rows.Traffic), Finished: len(rows.Traffic)}}
	for _, e := range Entries() {
		if e.Charts = nil; e.Plan == "" {
			continue
		}
		r := must.Get(e.Analyse(rows, few))
		for _, c := range r.Claims {
			if c.ID != "S1-07" && (c.Verdict != tables.Open || c.Measured.Known || c.CI.Known || c.Reason == "" ||
				!strings.Contains(c.Detail, few.String()) || !strings.Contains(c.Conditions, few.String())) {
				t.Errorf("a claim about a tenth of its points: %+v", c)
			}
		}
	}
	e := entry(t, "mrr.fig7")
	r := must.Get(e.Analyse(rows, few))
	if len(r.Figures) != 1 || !strings.Contains(r.Figures[0].Warning, few.String()) || !strings.Contains(r.Points[0].Warning.Value, few.String()) {
		t.Errorf("picture and table do not say that they are incomplete: %+v", r.Points[0])
	}
	if r = must.Get(e.Analyse(rows, whole(rows))); r.Figures[0].Warning != "" || r.Points[0].Warning.Known || r.Claims[1].Verdict != tables.Confirmed {
		t.Errorf("a whole study has a warning: %+v", r.Claims)
	}
}

// TestFigureIsNormalised: bars are ratios of runs with the same seed, in the plan's order, with
// labels.
func TestFigureIsNormalised(t *testing.T) {
	e := entry(t, "mrr.fig7")
	rows := grid(0.5, routerValue(map[string]float64{"base": 10, "base-mc": 5, "rr": 9, "mrr": 4}))
	r := must.Get(e.Analyse(rows, whole(rows)))
	f := r.Figures[0]
	if len(f.Panels) != 2 || f.Panels[0].Title != "multicasts to 8 nodes" || f.Panels[1].Title != "broadcasts" || f.Panels[0].Reference != 1 ||
		!slices.Equal(f.Series, []string{"base", "base-mc", "rr", "mrr"}) || len(f.Panels[0].Categories) != 6 ||
		f.Panels[0].Categories[3] != (figures.Category{Group: "bit-reversal", Label: "15 %"}) ||
		f.Panels[0].Label() != "latency / latency of base" || !strings.Contains(f.Note, "mean of the ratios over seeds") {
		t.Errorf("the figure is %+v", f)
	}
	// Seeds differ by half, but their ratios do not.
	if p := f.Panels[1].Series[1].Points[2]; p.Y != 0.5 || p.High-p.Low > 1e-9 {
		t.Errorf("the value is %+v", p)
	}
	if len(r.Points) != 48 || r.Points[6].Baseline != "base" || r.Points[6].Value != 0.5 || r.Points[6].Runs != 3 || r.Points[6].Unit != "" {
		t.Errorf("the table has %d rows, such as %+v", len(r.Points), r.Points[6])
	}
	if err := f.Render(&bytes.Buffer{}, figures.SVG); err != nil {
		t.Error(err)
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
		for i := range e.Claims {
			c := &e.Claims[i]
			ids[c.ID]++
			if c.Text == "" || c.Conditions == "" || c.Printed == "" || c.Criterion() == "" {
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
