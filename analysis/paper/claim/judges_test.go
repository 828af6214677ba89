package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// made reads one claim about made-up records: of series a and b, in panels p and q, at loads 1 to
// 6.
func made(t *testing.T, parts string) *Claim {
	t.Helper()
	entries, err := Read("made.yaml", []byte(`
figures:
- id: f
  conditions: made up
  sources:
  - {name: v, measure: latency_mean, series: router, panel: pattern, x: load}
  claims:
  - {id: c, text: text, printed: printed, parts: [`+parts+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return &entries[0].Claims[0]
}

// The columns of made-up tables.
var (
	col      = tables.Col
	axisLoad = tables.AxisName("load")
)

// values are those of a series in a panel, at a load.
type values func(series, panel string, load float64) float64

// study makes the data of values, with three equal seeds; a value of 0 is missing.
func study(saturated bool, value values) *chart.Data {
	d := chart.NewData(new(tables.Rows), chart.Extent{Coverage: experiment.Coverage{Points: 1, Finished: 1}})
	var list result.Runs
	for _, panel := range []string{"p", "q"} {
		for load := 1.0; load <= 6; load++ {
			for _, series := range []string{"a", "b"} {
				for seed := 1.0; seed <= 3; seed++ {
					v := value(series, panel, load)
					if v <= 0 {
						continue
					}
					r := tables.Observation{Axes: map[tables.Name]string{col.Router: series, col.Pattern: panel, axisLoad: fmt.Sprint(load), col.LatencyMean: fmt.Sprint(v)}, Pair: metrics.Pair{Seed: uint64(seed)}}
					if saturated {
						r.Axes[col.Saturated] = tables.Saturated
					}
					list = append(list, r)
				}
			}
		}
	}
	d.Priced[experiment.AsSimulated] = list
	return d
}

// TestJudges: what decides each kind of part, beside the plain cases of TestClaimsCanBeDecided.
func TestJudges(t *testing.T) {
	is := func(a, b float64) values {
		return func(series, _ string, _ float64) float64 { return map[string]float64{"a": a, "b": b}[series] }
	}
	// but has other values of a where something holds.
	but := func(of values, a float64, where func(panel string, load float64) bool) values {
		return func(series, panel string, load float64) float64 {
			if series == "a" && where(panel, load) {
				return a
			}
			return of(series, panel, load)
		}
	}
	corner := func(panel string, load float64) bool { return panel == "q" && load == 6 }
	inQ := func(panel string, _ float64) bool { return panel == "q" }
	heavy := func(_ string, load float64) bool { return load > 3 }
	for _, c := range []struct {
		what, parts string
		saturated   bool
		value       values
		want        string
	}{
		{"one cell contradicts", "{judge: ratio, of: a, over: b, below: 1}", true, but(is(0.5, 1), 2, corner), tables.NotConfirmed},
		{"a mean in spite of one cell", "{judge: mean, mean: geometric, of: a, over: b, below: 1}", true, but(is(0.5, 1), 2, corner), tables.Confirmed},
		{"the mean of a panel", "{judge: mean, mean: geometric, by: panel, of: a, over: b, below: 1}", true, but(is(0.5, 1), 2, inQ), tables.NotConfirmed},
		{"both parts must hold", "{judge: ratio, of: a, over: b, below: 1}, {judge: ratio, of: b, over: a, below: 1}", true, is(0.5, 1), tables.NotConfirmed},
		{"a gain of half the printed one", "{judge: largest, of: a, over: b, gain: 0.4}", true, is(1.21, 1), tables.Confirmed},
		{"less than half of it", "{judge: largest, of: a, over: b, gain: 0.4}", true, is(1.19, 1), tables.NotConfirmed},
		{"a reduction by a quarter where half is printed", "{judge: largest, of: a, over: b, gain: -0.5}", true, is(0.74, 1), tables.Confirmed},
		{"a tie of two cells", "{judge: order, of: a, over: b, where: {panel: q}, start: {panel: p}, tie: true, above: 1}", true, but(is(1, 1), 1.004, inQ), tables.NotConfirmed},
		{"a tie of two loads", "{judge: throughput, of: a, over: b, seeds: true, tie: true, above: 1}", true, is(0.1004, 0.1), tables.NotConfirmed},
		{"the same difference without ties", "{judge: throughput, of: a, over: b, seeds: true, above: 1}", true, is(0.1004, 0.1), tables.Confirmed},
		{"loads that were never saturated", "{judge: throughput, of: a, over: b, above: 1}", false, is(2, 1), tables.Open},
		{"loads of another panel", "{judge: throughput, of: a, over: a, where: {panel: q}, instead: {q: p}, above: 1}", true, but(is(1, 1), 2, inQ), tables.Confirmed},
		{"knees where nodes consume all", "{judge: throughput, of: a, over: b, knee: v, seeds: true, above: 1}", true, func(series, _ string, load float64) float64 {
			return 1 + load*load/map[string]float64{"a": 16, "b": 4}[series]
		}, tables.Confirmed},
		{"seven of twelve cells", "{judge: most, of: a, over: b, share: 0.5, below: 1}", true,
			but(is(1, 1), 0.5, func(panel string, load float64) bool { return panel == "q" || load == 1 }), tables.Confirmed},
		{"six of twelve cells", "{judge: most, of: a, over: b, share: 0.5, below: 1}", true, but(is(2, 1), 0.5, inQ), tables.NotConfirmed},
		{"loads that one series does not carry", "{judge: ratio, of: a, over: b, where: {load: carried}, below: 1}", false, func(series, _ string, load float64) float64 {
			return map[bool]float64{true: 0.5, false: map[bool]float64{true: 1}[load <= 3]}[series == "a"]
		}, tables.Confirmed},
		{"light loads alone", "{judge: ratio, of: a, over: b, where: {load: light}, below: 1}", false, but(is(0.5, 1), 9, heavy), tables.Confirmed},
		{"the heaviest load alone", "{judge: ratio, of: a, over: b, where: {load: heaviest}, below: 1}", false,
			but(is(0.5, 1), 9, func(_ string, load float64) bool { return load < 6 }), tables.Confirmed},
		{"all points complete", "{judge: completes}", true, is(1, 1), tables.Confirmed},
		{"a network that nothing saturates", "{judge: completes}", false, is(1, 1), tables.Open},
		{"a point that stops", "{judge: completes}", true, but(is(1, 1), 0, corner), tables.NotConfirmed},
	} {
		f := made(t, c.parts).find(study(c.saturated, c.value))
		if f.Verdict != c.want || (f.Reason == "") != (c.want == tables.Confirmed) {
			t.Errorf("%s: %s, want %s: %s (%s)", c.what, f.Verdict, c.want, f.Detail, f.Reason)
		}
	}
}

// TestCarriedLoads: a load at which a network is saturated is not carried, whatever was measured
// there.
func TestCarriedLoads(t *testing.T) {
	for _, load := range []string{"carried", "heaviest"} {
		for last, want := range map[float64]string{6: tables.NotConfirmed, 3: tables.Confirmed} {
			d := study(false, func(_, _ string, load float64) float64 { return 4 / max(load, 3) })
			for _, r := range d.Priced[experiment.AsSimulated] {
				if load, _ := r.Number(axisLoad); load > last && r.Axes[col.Router] == "b" && r.Seed == 2 {
					r.Axes[col.Saturated] = tables.Saturated
				}
			}
			if f := made(t, "{judge: value, of: [a, b], where: {load: "+load+"}, above: 1}").find(d); f.Verdict != want {
				t.Errorf("%s up to %g: %s, want %s: %s", load, last, f.Verdict, want, f.Detail)
			}
		}
	}
}

// TestPairsOfSeeds: cells with the same seeds are compared seed by seed, so that noise that they
// share does not count; with other seeds it does.
func TestPairsOfSeeds(t *testing.T) {
	c := made(t, "{judge: order, of: a, over: b, where: {panel: q}, start: {panel: p}, below: 1}")
	for shift, want := range map[uint64]string{0: tables.Confirmed, 10: tables.Open} {
		d := study(true, func(series, panel string, _ float64) float64 {
			if series == "a" && panel == "q" {
				return 0.95
			}
			return 1
		})
		for i := range d.Priced[experiment.AsSimulated] {
			r := &d.Priced[experiment.AsSimulated][i]
			if r.Axes[col.Router] == "a" {
				v, _ := r.Number(col.LatencyMean)
				r.Axes[col.LatencyMean] = fmt.Sprint(v * (1 + 0.2*(float64(r.Seed)-2)))
			}
			if r.Axes[col.Pattern] == "q" {
				r.Seed += shift
			}
		}
		if f := c.find(d); f.Verdict != want {
			t.Errorf("seeds %d apart: %s, want %s: %s", shift, f.Verdict, want, f.Detail)
		}
	}
}

// TestBoundedLoads: a series that was never saturated carries as much as it did or more, which
// decides where it is beyond the bound already.
func TestBoundedLoads(t *testing.T) {
	for _, c := range []struct {
		saturated string // the other was not
		a         float64
		bound     string
		want      string
	}{
		{"b", 2, "above: 1", tables.Confirmed}, {"b", 2, "below: 1", tables.NotConfirmed}, {"b", 0.5, "above: 1", tables.Open}, {"b", 0.5, "below: 1", tables.Open},
		{"a", 0.5, "below: 1", tables.Confirmed}, {"a", 0.5, "above: 1", tables.NotConfirmed}, {"a", 2, "above: 1", tables.Open},
		{"b", 0.9, "above: 0.8, below: 1", tables.Open}, {"b", 1.1, "above: 0.8, below: 1", tables.NotConfirmed}, {"a", 0.7, "above: 0.8, below: 1", tables.NotConfirmed},
	} {
		d := study(false, func(series, _ string, _ float64) float64 { return map[string]float64{"a": c.a, "b": 1}[series] })
		for _, r := range d.Priced[experiment.AsSimulated] {
			if r.Axes[col.Router] == c.saturated {
				r.Axes[col.Saturated] = tables.Saturated
			}
		}
		if f := made(t, "{judge: throughput, of: a, over: b, "+c.bound+"}").find(d); f.Verdict != c.want {
			t.Errorf("%+v: %s: %s", c, f.Verdict, f.Detail)
		}
	}
}

// TestReadIsStrict: what a file of claims has that is not known is an error with its line.
func TestReadIsStrict(t *testing.T) {
	const head = "figures:\n- id: f\n  conditions: c\n  sources:\n  - {name: v, measure: latency_mean, series: router}\n  claims:\n  - id: x\n    text: t\n    printed: p\n    parts:\n    - {"
	for part, want := range map[string]string{
		"judge: ratio, of: a, over: b, below: 1, abvoe: 2":                    "line 11: field abvoe not found",
		"judge: ratoi, of: a, over: b, below: 1":                              `made.yaml:7: x: there is no judge "ratoi"`,
		"judge: ratio, of: a, below: 1":                                       "judge ratio needs series: over",
		"judge: ratio, of: a, over: b":                                        "judge ratio needs a bound",
		"judge: ratio, data: w, of: a, over: b, below: 1":                     `f has no source "w"`,
		"judge: mean, of: a, over: b, below: 1":                               "judge mean needs mean",
		"judge: mean, mean: both, of: a, over: b, below: 1":                   "arithmetic or geometric",
		"judge: mean, mean: geometric, of: a, over: a, below: 1":              "of names a, which is compared with no series of over",
		"judge: ratio, of: [a, b], over: b, below: 1":                         "of names b, which is compared with no series of over",
		"judge: ratio, of: [a, a], over: b, below: 1":                         "of names a series twice: a, a",
		"judge: largest, of: [a, b], over: c, below: 1":                       "made.yaml:7: x: judge largest uses one series, but of names 2: a, b",
		"judge: order, of: a, over: [b, c], below: 1, start: {x: 1}":          "judge order uses one series, but over names 2: b, c",
		"judge: throughput, of: [a, b], over: a, instead: {p: q}, below: 1":   "of names b, which is compared with no series of over",
		"judge: throughput, of: a, over: b, knee: v, below: 1":                "knee has an effect only with seeds: true",
		"judge: throughput, of: a, over: b, where: {from: 2}, below: 1":       "judge throughput does not use where.from",
		"judge: ratio, of: a, over: b, below: .nan":                           "a bound is not a number",
		"judge: ratio, of: a, over: b, below: 1, gain: 0.5":                   "gain sets both bounds",
		"judge: most, of: a, over: b, below: 1, share: 50":                    "share is 50; it must be",
		"judge: ratio, of: a, over: b, below: 1, where: {load: all}":          "where.load is \"all\"; it can be carried or light or wide or heaviest",
		"judge: printed, at: [1, 2], printed: {a: [1]}, below: 1":             "a has 1 printed values for 2 positions",
		"judge: class, class: REQ, of: a, below: 1}\n  like:\n  - {figure: g": `there is no figure "g"`,
	} {
		if _, err := Read("made.yaml", []byte(head+part+"}\n")); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "made.yaml:") {
			t.Errorf("%s: %v, want %q", part, err, want)
		}
	}
}

// TestUnknownColumns: a name that is neither a column nor an axis is an error with the figure's
// line and a near name, wherever it stands.
func TestUnknownColumns(t *testing.T) {
	const good = `
figures:
- id: f
  conditions: c
  sources: [{name: v, measure: latency_mean, series: router, x: load, only: {topology: [a]}}]
  pictures: [{measure: accepted, panel: pattern & scheme, series_names: {"router=a": b}, panels: [{measure: delivered}]}]
  each: [{only: {chip.protocol: [token]}}]
  like: [{figure: f, only: {variant: [x]}}]
`
	if _, err := Read("made.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"latency_mean", "router", "load", "topology", "accepted", "scheme", `router=a`, "delivered", "chip.protocol", "variant"} {
		at := strings.LastIndex(good, name)
		wrong := good[:at] + "x" + good[at:]
		name, _, _ = strings.Cut(name, "=")
		want := fmt.Sprintf("made.yaml:3: f: there is no column or axis %q; did you mean %q?", "x"+name, name)
		if _, err := Read("made.yaml", []byte(wrong)); err == nil || err.Error() != want {
			t.Errorf("x%s: %v, want %s", name, err, want)
		}
	}
}

// TestCriteria: every judge serves a claim, and every claim says what decides it.
func TestCriteria(t *testing.T) {
	used := map[string]bool{}
	eachClaim(t, func(e *Entry, c *Claim) {
		for i := range c.Parts {
			used[c.Parts[i].Judge] = true
		}
		if c.Criterion() == "" {
			t.Errorf("%s, %s: no criterion", e.ID, c.ID)
		}
	})
	for _, j := range judges {
		if !used[j.name] {
			t.Errorf("no claim is judged by %s", j.name)
		}
	}
	got := made(t, "{judge: ratio, of: a, over: b, where: {panel: p, from: 2}, below: 1}").Criterion()
	if want := "latency mean of a / b below 1 in every cell (p, x from 2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if names := slices.Sorted(func(yield func(string) bool) {
		for _, j := range judges {
			if !yield(j.name) {
				return
			}
		}
	}); len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("two judges share a name: %v", names)
	}
}
