package chart_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

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

var executionTime = chart.Chart{Name: "time", Measure: chart.Measure{Column: "cycles", Quantity: "execution time"}, Series: chart.By("router"), Label: chart.By("workload"), Baseline: "base"}

// estimates are what the table of means and the picture say of mrr, with a baseline or without.
func estimates(t *testing.T, rows *tables.Rows, baseline string) (summary, picture chart.Estimate) {
	t.Helper()
	d := chart.NewData(rows, chart.Extent{})
	for _, l := range d.Means([]string{"router"}, "router", chart.Column{Measure: chart.Measure{Column: "cycles"}, Baseline: baseline}).Lines {
		if l.Labels[0] == "mrr" {
			summary = l.Values[0]
		}
	}
	c := executionTime
	c.Baseline = baseline
	cells, err := d.Cells(&c)
	if err != nil || len(cells) != 1 {
		t.Fatalf("%d cells (%v)", len(cells), err)
	}
	return summary, c.Estimate(&cells[0], "mrr")
}

// TestSeedsOfWindows: seeds that all measure the same leave means, ratios and intervals as they
// are, in tables as in pictures.
func TestSeedsOfWindows(t *testing.T) {
	for _, baseline := range []string{"base", ""} {
		want, _ := estimates(t, windows(1), baseline)
		if want.N != 3 || want.HalfWidth() == 0 {
			t.Fatalf("of three windows: %+v", want)
		}
		for _, seeds := range []int{1, 3} {
			summary, picture := estimates(t, windows(seeds), baseline)
			for where, e := range map[string]chart.Estimate{"the table": summary, "the picture": picture} {
				if e.N != want.N || e.Text() != want.Text() {
					t.Errorf("%d seeds, baseline %q: %s says %s of %d; want %s of %d", seeds, baseline, where, e.Text(), e.N, want.Text(), want.N)
				}
			}
		}
	}
}

// TestOneWindowOfASide: where a side has finished one window only, that one is compared with the
// same window of the other side, if that has it.
func TestOneWindowOfASide(t *testing.T) {
	for _, one := range []string{"base", "mrr"} {
		for window, want := range []string{"0.800", "0.900", "1"} {
			rows := windows(1)
			for i := range rows.Runs {
				if r := &rows.Runs[i]; r.Router == one && r.Window != uint64(window) {
					r.ExitState = tables.Failed
				}
			}
			summary, picture := estimates(t, rows, "base")
			if summary.Text() != want || picture.Text() != want {
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
	whole := func(rows *tables.Rows, seeds uint64) *tables.Rows {
		for seed := range seeds {
			add(rows, "is", "base", 0, seed, 1000)
			add(rows, "is", "mrr", 0, seed, 740+20*seed)
		}
		return rows
	}
	for _, seeds := range []uint64{1, 2} {
		after, before := whole(windows(1), seeds), whole(new(tables.Rows), seeds)
		before.Runs = append(before.Runs, windows(1).Runs...)
		for _, rows := range []*tables.Rows{after, before} {
			c := executionTime
			c.Mean = chart.PlainMean
			_, points, err := c.Draw(chart.NewData(rows, chart.Extent{}))
			if err != nil {
				t.Fatal(err)
			}
			value, half := map[string]float64{}, map[string]float64{}
			for _, p := range points {
				if p.Series == "mrr" {
					value[p.Label], half[p.Label] = p.Value, (p.High.Value-p.Low.Value)/2
				}
			}
			most := math.Hypot(half["is"], half["bt"]) / 2 // with the quantiles of so few values
			if seeds == 1 {
				most = 0
			}
			if math.Abs(value["mean"]-(value["is"]+value["bt"])/2) > 1e-12 || half["mean"] > most || seeds > 1 && half["mean"] == 0 {
				t.Errorf("%d seeds of is: the values are %v ± %v", seeds, value, half)
			}
		}
	}
}

// TestNotesOfWindows: below a picture stands what its intervals are over.
func TestNotesOfWindows(t *testing.T) {
	const sums, totals = "totals over windows, divided by those of base", "totals over seeds, divided by those of base"
	seeds := new(tables.Rows)
	for seed := range uint64(2) {
		add(seeds, "bt", "base", 0, seed, 1000)
		add(seeds, "bt", "mrr", 0, seed, 900+seed)
	}
	alone, parts := executionTime, executionTime
	alone.Baseline, parts.Column = "", ""
	for _, c := range []struct {
		rows                 *tables.Rows
		chart, stack, values string
	}{
		{windows(1), sums, sums, "mean over windows"},
		{windows(2), sums, sums, "mean over windows"},
		{seeds, totals, totals, "mean over seeds"},
	} {
		for _, r := range c.rows.Runs {
			c.rows.Cores = append(c.rows.Cores, tables.Core{RunKey: r.RunKey, Retiring: r.Cycles.Value, FinishCycle: r.Cycles.Value})
		}
		stack := chart.Stack{Chart: parts, Parts: chart.Cycles}
		for drawn, want := range map[interface {
			Draw(*chart.Data) (*figures.Figure, []tables.FigurePoint, error)
		}]string{&executionTime: c.chart, &stack: c.stack, &alone: c.values} {
			f, _, err := drawn.Draw(chart.NewData(c.rows, chart.Extent{}))
			if err != nil || f.Note != want+", with 95 % confidence" {
				t.Errorf("%v: the note is %q; want %q", err, f.Note, want)
			}
		}
	}
}
