package compare

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// assumptionKey is the axis by which the runs of a band differ.
const assumptionKey = "assumption"

// Band is the range of one router's time over the assumptions.
type Band struct {
	Router   string   `json:"router"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	LowFrom  string   `json:"low_from"`
	HighFrom string   `json:"high_from"`
	// Assumptions are the ratios under each of them.
	Assumptions []AssumedTime `json:"assumptions"`
}

// AssumedTime is the time under one assumption, over that of the baseline; nil where it was not
// measured.
type AssumedTime struct {
	Assumption string   `json:"assumption"`
	Time       *float64 `json:"execution_time_normalized"`
}

// BandPoints lists the runs of a study under every assumption.
func BandPoints(s *experiment.Study) ([]experiment.Point, error) {
	variants, err := s.Band()
	if err != nil {
		return nil, err
	}
	var list []experiment.Point
	for i := range variants {
		points, err := variants[i].Points()
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			p.Axes = append(p.Axes, experiment.Setting{Key: assumptionKey, Value: variants[i].Name})
			if variants[i].Name != "" {
				p.Label += ", " + variants[i].Name
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// BandOf finds the range of each router's time over the baseline's.
func BandOf(rows *tables.Rows, routers []string) (list []Band) {
	base := chart.Baseline(routers)
	lines := chart.NewData(rows, chart.Extent{}).Summary([]string{assumptionKey, "router"}, "router",
		[]chart.Measure{timeOver(base)})
	for _, router := range routers {
		if router == base {
			continue
		}
		e := Band{Router: router}
		for i := range lines {
			l := &lines[i]
			if l.Labels[1] != router {
				continue
			}
			r := AssumedTime{Assumption: l.Labels[0]}
			if r.Assumption == "" {
				r.Assumption = "as configured"
			}
			if v := l.Values[0]; v.OK {
				mean := v.Mean
				r.Time = &mean
				if e.Low == nil || mean < *e.Low {
					e.Low, e.LowFrom = &mean, r.Assumption
				}
				if e.High == nil || mean > *e.High {
					e.High, e.HighFrom = &mean, r.Assumption
				}
			}
			e.Assumptions = append(e.Assumptions, r)
		}
		list = append(list, e)
	}
	return list
}

// bandNotes says the ratios with their intervals and ranges in words.
func (r *Runs) bandNotes() (notes []string) {
	for i := range r.Band {
		e := &r.Band[i]
		for k := range r.means.Lines {
			l := &r.means.Lines[k]
			v := l.Values[timeRatio]
			if l.Labels[1] != e.Router || !v.OK || e.Low == nil {
				continue
			}
			over := "runs"
			if l.Windows > 1 {
				over = "windows"
			}
			interval := ""
			if v.N > 1 {
				interval = fmt.Sprintf("%.3f to %.3f over %s; ", v.Low, v.High, over)
			}
			notes = append(notes, fmt.Sprintf("%s over %s %.3f (%s%.3f to %.3f over assumptions: %s, %s)",
				e.Router, r.Baseline, v.Mean, interval, *e.Low, *e.High, e.LowFrom, e.HighFrom))
		}
	}
	return notes
}
