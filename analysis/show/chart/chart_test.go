package chart_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// col has the columns of records.
var col = tables.Col

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
	c := chart.Chart{Measure: chart.Measure{Column: col.Delivered}, Series: chart.By(col.Router), Group: chart.By(col.Pattern), Knee: 3}
	cells := d.Cells(&c)
	if len(cells) != 1 {
		t.Fatalf("%d cells", len(cells))
	}
	for router, want := range map[string]float64{"base": 0.2, "mrr": 0.3, "rr": 0.1, "ideal": 0.4} {
		if got := cells[0].Samples[router]; len(got) != 1 || got[0].Value != want {
			t.Errorf("%s is taken at %v, want %v", router, got, want)
		}
	}
}

// TestPricesLeaveTablesAlone: pricing a study again changes no key of its own tables, and each way of
// pricing has a name of its own.
func TestPricesLeaveTablesAlone(t *testing.T) {
	s := &openloop.Study{Routers: []string{"mrr"}, Loads: []float64{0.1}, Runs: 1, Seed: 1, Cycles: 200, Warmup: 100,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(2, 2)
	points := must.Get(s.Points())
	rows := must.Get(points[0].Run(context.Background(), func(experiment.Progress) {}))
	key := rows.Traffic[0].RunKey
	rows.Classes = []tables.Class{{RunKey: key}}
	d := chart.NewData(&rows, chart.Extent{})
	for _, p := range experiment.AllPrices() {
		d.At(p.Name)
	}
	if n := 1 + len(experiment.AllPrices()); d.Err != nil || len(d.Priced) != n { // as simulated, too
		t.Errorf("%d prices have names of their own, of %d: %v", len(d.Priced), n, d.Err)
	}
	own := &rows
	for what, got := range map[string]string{"classes": own.Classes[0].RunKey, "latency": own.Latency[0].RunKey,
		"traffic": own.Traffic[0].RunKey, "routers": own.Routers[0].RunKey, "links": own.Links[0].RunKey} {
		if got != key {
			t.Errorf("the key of %s is %s, was %s", what, got, key)
		}
	}
}

// runs are two seeds of base and mrr: mrr takes half the time of base, and seeds differ by a
// factor.
func runs() *tables.Rows {
	rows := new(tables.Rows)
	for seed := range uint64(2) {
		add(rows, "w", "base", 0, seed, 1000*(seed+1))
		add(rows, "w", "mrr", 0, seed, 500*(seed+1))
	}
	return rows
}

// Means over seeds, of each router.
func ExampleMeansOf() {
	for _, l := range chart.MeansOf(runs(), []tables.Name{col.Workload, col.Router}, tables.SummaryMeans.Columns()[:1]).Lines {
		fmt.Println(l.Labels, l.Runs, "runs:", l.Values[0].Mean, "cycles")
	}
	// Output:
	// [w base] 2 runs: 1500 cycles
	// [w mrr] 2 runs: 750 cycles
}

// TestMeansByAnAxis: lines follow the plan, and a run that has not finished does not count.
func TestMeansByAnAxis(t *testing.T) {
	rows := runs()
	rows.Runs = append(rows.Runs, tables.Run{Workload: "w", Router: "rr", Seed: 1, ExitState: tables.Interrupted})
	rows.Axes = []tables.Axis{{RunKey: "0", Key: "chip.x", Value: "1"}}
	if lines := chart.MeansOf(rows, []tables.Name{col.Router}, tables.SummaryMeans.Columns()[:1]).Lines; len(lines) != 3 || lines[2].Labels[0] != "rr" || lines[2].Runs != 0 || lines[2].Values[0].OK {
		t.Errorf("lines are %+v", lines)
	}
	if lines := chart.MeansOf(rows, []tables.Name{tables.AxisName("chip.x")}, nil).Lines; len(lines) != 2 || lines[0].Labels[0] != "1" || lines[1].Labels[0] != "" {
		t.Errorf("by an axis the lines are %+v", lines)
	}
}

// TestSummaryCountsSaturation: the points whose network was saturated, of those that have finished.
func TestSummaryCountsSaturation(t *testing.T) {
	rows := new(tables.Rows)
	for seed, state := range []string{tables.Saturated, tables.Unsaturated, tables.Saturated} {
		rows.Traffic = append(rows.Traffic, tables.Traffic{Router: "mrr", Offered: 0.3, Seed: uint64(seed), ExitState: tables.Finished, Saturated: tables.Some(state)})
	}
	lines := chart.MeansOf(rows, []tables.Name{col.Router, col.Offered}, nil).Lines
	if len(lines) != 1 || lines[0].Saturated != 2 || lines[0].Runs != 3 || lines[0].Labels[1] != "0.3" {
		t.Errorf("lines are %+v", lines)
	}
}

// add adds a finished run to rows.
func add(rows *tables.Rows, workload, router string, window int, seed, cycles uint64) *tables.Run {
	rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: workload, Router: router, Window: uint64(window), Seed: seed,
		ExitState: tables.Finished, Cycles: tables.Some(cycles)})
	return &rows.Runs[len(rows.Runs)-1]
}

// windows are three of a recording on two routers, with the same times in each of some seeds.
func windows(seeds int) *tables.Rows {
	rows := new(tables.Rows)
	for router, times := range map[string][]uint64{"base": {1000, 3000, 2000}, "mrr": {800, 2700, 2000}} {
		for window, cycles := range times {
			for seed := range uint64(seeds) {
				add(rows, "bt", router, window, seed+1, cycles)
			}
		}
	}
	return rows
}

var executionTime = chart.Chart{Name: "time", Measure: chart.Measure{Column: col.Cycles, Quantity: "execution time", Baseline: "base"}, Series: chart.By(col.Router), Label: chart.By(col.Workload)}

// estimates are what the table of means and the picture say of mrr, with a baseline or without.
func estimates(t *testing.T, rows *tables.Rows, baseline string) (summary, picture metrics.Estimate) {
	t.Helper()
	d := chart.NewData(rows, chart.Extent{})
	of := func(router string) result.Runs {
		return d.At(experiment.AsSimulated).Where(func(o *tables.Observation) bool { return o.Run.Router == router })
	}
	if summary = of("mrr").Mean(col.Cycles); baseline != "" {
		summary = of("mrr").Over(of(baseline), col.Cycles)
	}
	c := executionTime
	c.Baseline = baseline
	cells := d.Cells(&c)
	if len(cells) != 1 {
		t.Fatalf("%d cells", len(cells))
	}
	return summary, c.Estimate(&cells[0], "mrr")
}

// TestWindows: tables and pictures say the same. Seeds that all measure the same leave means, ratios and
// intervals as they are. Where a side has finished one window only, that one is compared with the same
// window of the other side, if that has it.
func TestWindows(t *testing.T) {
	for _, baseline := range []string{"base", ""} {
		want, _ := estimates(t, windows(1), baseline)
		summary, picture := estimates(t, windows(3), baseline)
		if want.N != 3 || want.HalfWidth() == 0 || summary.N != 3 || picture.N != 3 || summary.Text() != want.Text() || picture.Text() != want.Text() {
			t.Errorf("baseline %q: of three seeds the table says %+v, the picture %+v; want %+v", baseline, summary, picture, want)
		}
	}
	for _, one := range []string{"base", "mrr"} {
		for window, want := range []string{"0.800", "0.900", "1"} {
			rows := windows(1)
			for i := range rows.Runs {
				if r := &rows.Runs[i]; r.Router == one && r.Window != uint64(window) {
					r.ExitState = tables.Failed
				}
			}
			if summary, picture := estimates(t, rows, "base"); summary.Text() != want || picture.Text() != want {
				t.Errorf("with window %d of %s the table says %s, the picture %s; want %s", window, one, summary.Text(), picture.Text(), want)
			}
		}
	}
	rows := new(tables.Rows)
	add(rows, "bt", "base", 0, 1, 1000)
	add(rows, "bt", "mrr", 1, 1, 2700)
	if summary, picture := estimates(t, rows, "base"); summary.OK || picture.OK {
		t.Errorf("other windows are compared: %+v, %+v", summary, picture)
	}
}

// TestMeanBarOfWindows: behind a program that was replayed whole and one in windows stands the mean
// of what is printed of both, in either order; with confidence only if both have that.
func TestMeanBarOfWindows(t *testing.T) {
	for _, seeds := range []uint64{1, 2} {
		whole := new(tables.Rows)
		for seed := range seeds {
			add(whole, "is", "base", 0, seed, 1000)
			add(whole, "is", "mrr", 0, seed, 740+20*seed)
		}
		for _, runs := range [][]tables.Run{slices.Concat(whole.Runs, windows(1).Runs), slices.Concat(windows(1).Runs, whole.Runs)} {
			c := executionTime
			c.Mean = true
			f, err := c.Draw(chart.NewData(&tables.Rows{Runs: runs}, chart.Extent{}))
			if err != nil {
				t.Fatal(err)
			}
			value, half := map[string]float64{}, map[string]float64{}
			for _, p := range chart.Rows(f) {
				if p.Series == "mrr" {
					value[p.Label], half[p.Label] = p.Value, (p.High.Value-p.Low.Value)/2
				}
			}
			if math.Abs(value["mean"]-(value["is"]+value["bt"])/2) > 1e-12 || (half["mean"] > 0) != (seeds > 1) || half["mean"] > max(half["is"], half["bt"]) {
				t.Errorf("%d seeds of is: the values are %v ± %v", seeds, value, half)
			}
		}
	}
}

// TestMeansOfPanels: a panel has one mean, also where its cells do not follow each other in the plan.
func TestMeansOfPanels(t *testing.T) {
	rows := new(tables.Rows)
	for i, workload := range []string{"bt", "is"} {
		for _, protocol := range []string{"token", "directory"} {
			add(rows, workload, "base", 0, 1, 1000).Protocol = protocol
			add(rows, workload, "mrr", 0, 1, 250+750*uint64(i)).Protocol = protocol
		}
	}
	c := executionTime
	c.Mean, c.Panel = true, chart.By(col.Protocol)
	f, err := c.Draw(chart.NewData(rows, chart.Extent{}))
	if err != nil || len(f.Panels) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, p := range f.Panels {
		if mrr := p.Series[1].Points; len(p.Categories) != 3 || p.Categories[2].Label != "mean" || mrr[2].Y != 0.625 {
			t.Errorf("%s has %v with %v", p.Title, p.Categories, mrr)
		}
	}
}

// TestNotesOfWindows: below a picture stands what its values are over, and that it has intervals. Stacks have none.
func TestNotesOfWindows(t *testing.T) {
	seeds := new(tables.Rows)
	for seed := range uint64(2) {
		add(seeds, "bt", "base", 0, seed, 1000)
		add(seeds, "bt", "mrr", 0, seed, 900+seed)
	}
	alone := executionTime
	alone.Baseline = ""
	for over, rows := range map[string]*tables.Rows{"windows": windows(2), "seeds": seeds} {
		for _, r := range rows.Runs {
			rows.Cores = append(rows.Cores, tables.Core{RunKey: r.RunKey, Retiring: r.Cycles.Value, FinishCycle: r.Cycles.Value})
		}
		d, ranking := chart.NewData(rows, chart.Extent{}), result.Rank(rows, nil)
		ratio, values := must.Get(executionTime.Draw(d)), must.Get(alone.Draw(d))
		for _, c := range []struct{ note, want string }{
			{ratio.Note, "totals over " + over + ", with 95 % confidence"}, {chart.Ranked(&tables.ChipPictures[0], ranking).Note, "totals over " + over + ", with 95 % confidence"},
			{chart.Ranked(&tables.ChipPictures[1], ranking).Note, "totals over " + over}, {values.Note, "mean over " + over + ", with 95 % confidence"},
		} {
			if c.note != c.want {
				t.Errorf("the note is %q; want %q", c.note, c.want)
			}
		}
	}
}

// TestSettingsAreCurves: values of a number are the points of one curve for each value of another key, whichever of the
// two the baseline names.
func TestSettingsAreCurves(t *testing.T) {
	rows := new(tables.Rows)
	for w, window := range []string{"32", "64", "128"} {
		for c, clock := range []string{"1", "1/2"} {
			for seed := range uint64(2) {
				r := add(rows, "bt", "mrr", 0, seed, uint64(1000*(c+1)-100*w)+seed)
				rows.Axes = append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "chip.network_clock", Value: clock}, tables.Axis{RunKey: r.RunKey, Key: "chip.core.window", Value: window})
			}
		}
	}
	for baseline, want := range map[string]string{
		"chip.core.window=32":  "[chip.network_clock 1 chip.network_clock 1/2] over chip.core.window: 32 64 128",
		"chip.network_clock=1": "[network_clock 1/2] over chip.core.window: 32 64 128",
	} {
		by := must.Get(result.Choose(rows, baseline))
		f := chart.Ranked(&tables.ChipPictures[0], by.Rank(rows, nil))
		if len(f.Panels) != 1 {
			t.Errorf("%s: there are %d panels", baseline, len(f.Panels))
			continue
		}
		p, at := f.Panels[0], map[float64]bool{}
		for _, s := range p.Series {
			for _, q := range s.Points {
				at[q.X] = true
			}
		}
		if got := fmt.Sprint(f.Series, " over ", p.XLabel, ": ") + strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(at))), "[]"); got != want {
			t.Errorf("%s: drawn is %s, want %s", baseline, got, want)
		}
	}
}

// TestRoutersAreSettings: if a baseline compares the values of a key, each router has a panel, also if the plan sets
// the routers without an axis.
func TestRoutersAreSettings(t *testing.T) {
	rows := new(tables.Rows)
	for i, router := range []string{"base", "mrr", "base", "mrr"} {
		r := tables.Traffic{RunKey: fmt.Sprint(i), Router: router, Offered: 0.3, ExitState: tables.Finished, LatencyMean: tables.Some(float64(10 * (i + 1)))}
		rows.Traffic = append(rows.Traffic, r)
		rows.Axes = append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "power.alpha", Value: fmt.Sprint(1 + i/2)})
	}
	n := chart.NetworksOf(rows, "power.alpha=1")
	if len(n.Settings) != 2 || n.Settings[0].Title != "base" || n.Settings[1].Title != "mrr" || len(n.Settings[0].Series) != 2 {
		t.Errorf("panels are %+v", n.Settings)
	}
}
