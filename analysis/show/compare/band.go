package compare

import (
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
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

	estimate metrics.Estimate
}

// bandOf finds the range of each router's time over that of the first.
func bandOf(rows *tables.Rows, routers []string) (list []Band) {
	comparisons := result.Rank(rows, nil)
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
			if e := c.Overall().Ratio(col.Cycles, router, b.Over); e.OK {
				if r.Time, r.estimate = &e.Mean, e; b.Low == nil || e.Mean < *b.Low {
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

// bandSheet shows what each assumption makes of the ratios.
func (r *Study) bandSheet() *sheet.Sheet {
	s := sheet.New("one assumption changed at a time, in at most 4 windows")
	for _, a := range r.Band[0].Assumptions {
		s.Add(a.Assumption)
	}
	for _, b := range r.Band {
		s.Column(b.Router+" / "+b.Over, func(row int) any {
			return b.Assumptions[row].estimate
		})
	}
	return s
}
