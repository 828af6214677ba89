package claim

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Value is the mean of a series in the first cell that keep keeps, with its interval.
func Value(d *chart.Data, c *chart.Chart, series string, keep func(*chart.Cell) bool) chart.Estimate {
	cells, err := d.Cells(c)
	if err != nil {
		return chart.Estimate{}
	}
	for i := range cells {
		if len(cells[i].Samples[series]) > 0 && (keep == nil || keep(&cells[i])) {
			return c.Estimate(&cells[i], series)
		}
	}
	return chart.Estimate{}
}

// Within judges a printed range, such as a confidence interval: confirmed when the whole interval
// of the measurement lies in it, not confirmed when all of it lies outside, open in between.
func Within(e chart.Estimate, low, high float64) Finding {
	if !e.OK {
		return Nothing("nothing was measured")
	}
	f := Finding{Verdict: tables.Open, Detail: fmt.Sprintf("%s; printed range %g to %g", e.Text(), low, high)}
	f.Reason = fmt.Sprintf("%s, where %g to %g is printed", e.Text(), low, high)
	f.Some(e)
	switch {
	case e.Low >= low && e.High <= high:
		f.Verdict = tables.Confirmed
	case e.High < low || e.Low > high:
		f.Verdict = tables.NotConfirmed
	}
	return f
}

// PrintedValue is a number of a table and what it is about.
type PrintedValue struct {
	Series  string
	X       float64
	Printed float64
}

// NearPrinted judges printed numbers by measured ones over them: all within tolerance with
// confidence confirms, one outside with confidence refutes. The measured value is the geometric
// mean of the ratios.
func NearPrinted(d *chart.Data, c *chart.Chart, panel string, list []PrintedValue, tolerance float64) Finding {
	var n Sides
	var ratios []float64
	var beyond, near []string // cells outside with confidence, and cells that may be
	for _, p := range list {
		e := Value(d, c, p.Series, func(in *chart.Cell) bool { return in.Panel == panel && in.X == p.X })
		if !e.OK {
			n.Missing++
			continue
		}
		text := fmt.Sprintf("%s at %g: %s, printed %g", p.Series, p.X, e.Text(), p.Printed)
		e = e.Scale(1 / p.Printed)
		ratios = append(ratios, e.Mean)
		switch {
		case e.Low >= 1-tolerance && e.High <= 1+tolerance:
			n.Hold++
		case e.High < 1-tolerance || e.Low > 1+tolerance:
			n.Contradict++
			beyond = append(beyond, text)
		default:
			n.Undecided++
			near = append(near, text)
		}
	}
	if len(ratios) == 0 {
		return Nothing("nothing was measured")
	}
	f := Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%s: %d of %d within %.0f %%", panel, n.Hold, len(list), 100*tolerance)}
	switch {
	case n.Contradict > 0:
		f.Reason = fmt.Sprintf("%d of %d values are further than %.0f %% from the printed ones (%s)", n.Contradict, len(list), 100*tolerance, ShortList(beyond))
	case n.Undecided > 0:
		f.Reason = fmt.Sprintf("%d of %d values may be further than %.0f %% from the printed ones (%s)", n.Undecided, len(list), 100*tolerance, ShortList(near))
	}
	if m, ok := metrics.GeometricMean(ratios); ok {
		f.Measured = tables.Some(m)
		f.Detail += fmt.Sprintf(", measured over printed %.3f on average", m)
	}
	if far := append(beyond, near...); len(far) > 0 {
		f.Detail += " (" + strings.Join(far, "; ") + ")"
	}
	return f
}
