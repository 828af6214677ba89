package compare

import (
	"fmt"

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
