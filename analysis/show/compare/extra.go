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
	comparisons := Of(rows, nil)
	for _, router := range routers[1:] {
		b := Band{Router: router, Over: routers[0]}
		for i := range comparisons {
			c := &comparisons[i]
			r := AssumedTime{Assumption: asConfigured}
			for _, s := range c.Setting {
				if s.Key == AssumptionKey && s.Value != "" {
					r.Assumption = s.Value
				}
			}
			if e := c.ranking().ratio("cycles", router, b.Over); e.OK {
				if r.Time = &e.Mean; b.Low == nil || e.Mean < *b.Low {
					b.Low, b.LowFrom = r.Time, r.Assumption
				}
				if b.High == nil || e.Mean > *b.High {
					b.High, b.HighFrom = r.Time, r.Assumption
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
	line := func(first string, cell func(b *Band) string) {
		text := fmt.Sprintf("  %-42s", first)
		for i := range r.Band {
			text += fmt.Sprintf("  %16s", cell(&r.Band[i]))
		}
		lines = append(lines, text)
	}
	if len(r.Band) == 0 {
		return nil
	}
	line("one assumption changed at a time", func(b *Band) string { return b.Router + " / " + b.Over })
	for k := range r.Band[0].Assumptions {
		line(r.Band[0].Assumptions[k].Assumption, func(b *Band) string {
			if v := b.Assumptions[k].Time; v != nil {
				return fmt.Sprintf("%.3f", *v)
			}
			return metrics.Absent
		})
	}
	return lines
}

// leastWindows is how many windows an interval is made of, at least, that decides whether more are
// replayed.
const leastWindows = 4

// Precision is how well the time of the fastest router of an application is known against that of the
// next one.
type Precision struct {
	application string
	Row
}

// LeastKnown returns the precision of the application that is known least.
func LeastKnown(rows *tables.Rows) (p Precision) {
	width := -1.0
	for _, c := range Of(rows, nil) {
		for _, a := range c.Applications {
			one := Precision{a.Name, a.Rows[0]}
			if w := one.Width(); one.next != "" && w > width {
				p, width = one, w
			}
		}
	}
	return p
}

// Width is half the width of the interval as a part of the ratio; 1 where it is not known yet, and 0
// where nothing is compared.
func (p *Precision) Width() float64 {
	switch {
	case p.next == "":
		return 0
	case !p.Next.OK || p.Next.N < leastWindows:
		return 1
	}
	return p.Next.HalfWidth() / p.Next.Mean
}

// Forecast says how well the ratio is known, and how many windows a width is expected to take; of is
// how many there are.
func (p *Precision) Forecast(width float64, of int) string {
	text := fmt.Sprintf("--until: after %d windows %s takes %s of the time of %s with %s", p.Next.N, p.Router, p.Next.Text(), p.next, p.application)
	n, ok := p.Next.NeededFor(width * p.Next.Mean)
	switch {
	case limited(&p.Next, width*p.Next.Mean):
		return fmt.Sprintf("%s. No number of windows of this length gives ±%.3g %%; longer windows may.", text, 100*width)
	case !ok:
		return fmt.Sprintf("%s. The number of windows that gives ±%.3g %% is not known.", text, 100*width)
	}
	text += fmt.Sprintf(". About %d would give ±%.3g %%, and the trace has %d", n, 100*width, of)
	if n > of {
		text += makeWindows(p.application, n)
	}
	return text + "."
}

// limited reports that the systematic error of a ratio alone is as large as half a width, which more
// windows do not change.
func limited(e *metrics.Estimate, half float64) bool {
	return e.Systematic != 0 && math.Abs(e.Systematic) >= half
}
