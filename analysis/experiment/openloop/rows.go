package openloop

import (
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Describe adds the study to a manifest.
func (s *Study) Describe(m *experiment.Manifest) {
	m.Routers, m.Traces = s.Routers, []experiment.TraceIdentity{}
	for i := range s.Runs {
		m.Seeds = append(m.Seeds, s.Seed+uint64(i))
	}
}

// Search is what a search for the saturation load has found, and its evidence.
type Search struct {
	Router string `json:"router"`
	Seed   uint64 `json:"seed"`
	State  string `json:"exit_state"` // tables.Finished, Failed or Interrupted
	// Below is the largest load looked at that is carried, 0 if none was; Above the smallest one
	// that is not, which exists if Found.
	Below  float64          `json:"saturation_load"`
	Above  float64          `json:"-"`
	Found  bool             `json:"-"`
	Probes []tables.Traffic `json:"-"` // of a finished search, in their order
}

// Searches reads the searches of a study out of its rows.
func Searches(rows []tables.Traffic) []Search {
	var list []Search
	for i := range rows {
		row := &rows[i]
		if n := len(list); n == 0 || list[n-1].Router != row.Router || list[n-1].Seed != row.Seed {
			list = append(list, Search{Router: row.Router, Seed: row.Seed})
		}
		s := &list[len(list)-1]
		s.State = row.ExitState
		switch {
		case row.ExitState != tables.Finished:
			continue
		case row.Saturated.Value != tables.Saturated:
			s.Below = max(s.Below, row.Offered)
		case !s.Found || row.Offered < s.Above:
			s.Above, s.Found = row.Offered, true
		}
		s.Probes = append(s.Probes, *row)
	}
	return list
}
