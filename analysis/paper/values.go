package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// value is the mean of a series in the first cell that keep keeps, with its interval.
func (d *Data) value(c *Chart, series string, keep func(*cell) bool) estimate {
	cells, err := d.cells(c)
	if err != nil {
		return estimate{}
	}
	for i := range cells {
		if len(cells[i].samples[series]) > 0 && (keep == nil || keep(&cells[i])) {
			return estimateOf(c.values(&cells[i], series))
		}
	}
	return estimate{}
}

// within judges a printed range, such as a confidence interval: confirmed when the whole interval of the
// measurement lies in it, not confirmed when all of it lies outside, open in between.
func within(e estimate, low, high float64) Finding {
	if !e.ok {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: tables.Open, Detail: fmt.Sprintf("%s; printed range %g to %g", e.text(), low, high)}
	f.some(e)
	switch {
	case e.Low >= low && e.High <= high:
		f.Verdict = tables.Confirmed
	case e.High < low || e.Low > high:
		f.Verdict = tables.NotConfirmed
	}
	return f
}

// printedValue is a number of a table and what it is about.
type printedValue struct {
	series  string
	x       float64
	printed float64
}

// nearPrinted judges printed numbers by measured ones over them: all within tolerance with confidence
// confirms, one outside with confidence refutes. The measured value is the geometric mean of the ratios.
func (d *Data) nearPrinted(c *Chart, panel string, list []printedValue, tolerance float64) Finding {
	var n count
	var ratios []float64
	var far []string
	for _, p := range list {
		e := d.value(c, p.series, func(in *cell) bool { return in.panel == panel && in.x == p.x })
		if !e.ok {
			n.missing++
			continue
		}
		e.Interval = metrics.Interval{Mean: e.Mean / p.printed, Low: e.Low / p.printed, High: e.High / p.printed, N: e.N}
		ratios = append(ratios, e.Mean)
		switch {
		case e.Low >= 1-tolerance && e.High <= 1+tolerance:
			n.hold++
			continue
		case e.High < 1-tolerance || e.Low > 1+tolerance:
			n.contradict++
		default:
			n.undecided++
		}
		far = append(far, fmt.Sprintf("%s at %g: %.3f, printed %g", p.series, p.x, e.Mean*p.printed, p.printed))
	}
	if len(ratios) == 0 {
		return nothing("nothing was measured")
	}
	f := Finding{Verdict: n.verdict(), Detail: fmt.Sprintf("%s: %d of %d within %.0f %%", panel, n.hold, len(list), 100*tolerance)}
	if m, ok := metrics.GeometricMean(ratios); ok {
		f.Measured = tables.Some(m)
		f.Detail += fmt.Sprintf(", measured over printed %.3f on average", m)
	}
	if len(far) > 0 {
		f.Detail += " (" + strings.Join(far, "; ") + ")"
	}
	return f
}
