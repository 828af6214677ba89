package compare

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// AssumptionKey is the axis by which the runs of a band differ.
const AssumptionKey = "assumption"

// asConfigured names the runs of a band without a changed assumption.
const asConfigured = "as configured"

// Band is the range of one router's time over that of the fastest, over the assumptions.
type Band struct {
	Router   string   `json:"router"`
	Over     string   `json:"over"` // the fastest router, as configured
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	LowFrom  string   `json:"low_from"`
	HighFrom string   `json:"high_from"`
	// Assumptions are the ratios under each of them.
	Assumptions []AssumedTime `json:"assumptions"`
}

// AssumedTime is the ratio of times under one assumption; nil where it was not measured.
type AssumedTime struct {
	Assumption string   `json:"assumption"`
	Time       *float64 `json:"execution_time_normalized"`
}

// bandOf finds the range of each router's time over that of the first.
func bandOf(rows *tables.Rows, routers []string) (list []Band) {
	comparisons, best := Of(rows, nil), routers[0]
	for _, router := range routers[1:] {
		b := Band{Router: router, Over: best}
		for i := range comparisons {
			c := &comparisons[i]
			r := AssumedTime{Assumption: asConfigured}
			for _, s := range c.Setting {
				if s.Key == AssumptionKey && s.Value != "" {
					r.Assumption = s.Value
				}
			}
			if e := c.ratio("cycles", router, best); e.OK {
				mean := e.Mean
				r.Time = &mean
				if b.Low == nil || mean < *b.Low {
					b.Low, b.LowFrom = &mean, r.Assumption
				}
				if b.High == nil || mean > *b.High {
					b.High, b.HighFrom = &mean, r.Assumption
				}
			}
			b.Assumptions = append(b.Assumptions, r)
		}
		list = append(list, b)
	}
	return list
}

// bandLines are a table of what each assumption makes of the ratios.
func (r *Study) bandLines() (lines []string) {
	if len(r.Band) == 0 {
		return nil
	}
	line := fmt.Sprintf("  %-42s", "one assumption changed at a time")
	for i := range r.Band {
		line += fmt.Sprintf("  %16s", r.Band[i].Router+" / "+r.Band[i].Over)
	}
	lines = append(lines, line)
	for k, a := range r.Band[0].Assumptions {
		line := fmt.Sprintf("  %-42s", a.Assumption)
		for i := range r.Band {
			ratio := metrics.Absent
			if v := r.Band[i].Assumptions[k].Time; v != nil {
				ratio = fmt.Sprintf("%.3f", *v)
			}
			line += fmt.Sprintf("  %16s", ratio)
		}
		lines = append(lines, line)
	}
	return lines
}

// leastWindows is how many windows an interval is made of, at least, that decides whether more are
// replayed.
const leastWindows = 4

// Precision is how well the time of the fastest router of an application is known against that of the
// next one.
type Precision struct {
	Application, Router, Next string
	Ratio                     metrics.Estimate
}

// LeastKnown returns the precision of the application that is known least.
func LeastKnown(rows *tables.Rows) (p Precision) {
	width := -1.0
	for _, c := range Of(rows, nil) {
		for i := range c.Applications {
			a := &c.Applications[i]
			if len(a.Rows) < 2 {
				continue
			}
			o := Precision{a.Name, a.Rows[0].Router, a.Rows[1].Router, a.Rows[0].Next}
			if w := o.Width(); w > width {
				p, width = o, w
			}
		}
	}
	return p
}

// Width is half the width of the interval as a part of the ratio; 1 where it is not known yet, and 0
// where nothing is compared.
func (p *Precision) Width() float64 {
	switch {
	case p.Router == "":
		return 0
	case !p.Ratio.OK || p.Ratio.N < leastWindows:
		return 1
	}
	return p.Ratio.HalfWidth() / p.Ratio.Mean
}

// Forecast says how well the ratio is known, and how many windows a width is expected to take; of is
// how many there are.
func (p *Precision) Forecast(width float64, of int) string {
	text := fmt.Sprintf("--until: after %d windows %s takes %s of the time of %s with %s", p.Ratio.N, p.Router, p.Ratio.Text(), p.Next, p.Application)
	n, ok := p.Ratio.NeededFor(width * p.Ratio.Mean)
	switch {
	case limited(&p.Ratio, width*p.Ratio.Mean):
		return fmt.Sprintf("%s. No number of windows of this length gives ±%.3g %%; longer windows may.", text, 100*width)
	case !ok:
		return fmt.Sprintf("%s. The number of windows that gives ±%.3g %% is not known.", text, 100*width)
	}
	text += fmt.Sprintf(". About %d would give ±%.3g %%, and the trace has %d", n, 100*width, of)
	if n > of {
		text += makeWindows(p.Application, n)
	}
	return text + "."
}

// limited reports that the systematic error of a ratio alone is as large as half a width, which more
// windows do not change.
func limited(e *metrics.Estimate, half float64) bool {
	return e.Systematic != 0 && math.Abs(e.Systematic) >= half
}
