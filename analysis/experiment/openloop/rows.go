package openloop

import (
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest) (err error) {
	m.Routers, m.Traces = s.Routers, []experiment.TraceIdentity{}
	for i := range s.Runs {
		m.Seeds = append(m.Seeds, s.Seed+uint64(i))
	}
	m.Study, err = s.Key()
	return err
}

// Rows are the result tables of the study, in the order of its outcomes.
func (r *Result) Rows() tables.Rows {
	return rowsOf(r.Outcomes)
}

// Rows are the result tables of one task.
func (s *Search) Rows() tables.Rows { return rowsOf(s.Outcomes) }

func rowsOf(outcomes []Outcome) (rows tables.Rows) {
	for i := range outcomes {
		outcomes[i].append(&rows)
	}
	return rows
}

// append adds the rows of one outcome.
func (o *Outcome) append(rows *tables.Rows) {
	rows.Traffic = append(rows.Traffic, o.Row)
	rows.Routers, rows.Links = append(rows.Routers, o.Routers...), append(rows.Links, o.Links...)
	rows.Latency = append(rows.Latency, o.Latency...)
}

// Failure tells why a task did not finish: the error of the first point that did not.
func (s *Search) Failure() error {
	for i := range s.Outcomes {
		if err := s.Outcomes[i].Err; err != nil {
			return err
		}
	}
	return nil
}
