package openloop

import (
	"encoding/json"
	"fmt"

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
	// that is not, nil if all are.
	Below      float64  `json:"saturation_load"`
	Above      *float64 `json:"saturated_at"`
	Resolution float64  `json:"resolution"`
	Probes     Probes   `json:"probes"` // of a finished search, in their order
}

// Probes are the loads that a search has looked at.
type Probes []tables.Traffic

// MarshalJSON implements json.Marshaler.
func (p Probes) MarshalJSON() ([]byte, error) { return json.Marshal(tables.TrafficObjects(p)) }

// Searches reads the searches of a study out of its rows. resolution is the least step between loads.
func Searches(rows []tables.Traffic, resolution float64) []Search {
	list := []Search{}
	for i := range rows {
		row := &rows[i]
		if n := len(list); n == 0 || list[n-1].Router != row.Router || list[n-1].Seed != row.Seed {
			list = append(list, Search{Router: row.Router, Seed: row.Seed, Resolution: resolution})
		}
		s := &list[len(list)-1]
		s.State = row.ExitState
		switch {
		case row.ExitState != tables.Finished:
			continue
		case row.Saturated.Value != tables.Saturated:
			s.Below = max(s.Below, row.Offered)
		case s.Above == nil || row.Offered < *s.Above:
			s.Above = &row.Offered
		}
		s.Probes = append(s.Probes, *row)
	}
	return list
}

// Text tells the result of a search.
func (s *Search) Text() string {
	about := fmt.Sprintf("%s, seed %d: ", s.Router, s.Seed)
	switch {
	case s.State != tables.Finished:
		return about + "the search did not finish"
	case s.Above == nil:
		return about + fmt.Sprintf("not saturated up to %g phits per node and cycle", s.Below)
	case s.Below == 0:
		return about + fmt.Sprintf("saturated from %g phits per node and cycle on", *s.Above)
	}
	return about + fmt.Sprintf("saturates between %g and %g phits per node and cycle", s.Below, *s.Above)
}
