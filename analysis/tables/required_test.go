package tables

import (
	"slices"
	"testing"
)

// required are the columns without which the table of runs cannot be read. There must be no others:
// a column of a newer version is absent in the studies of older ones, which are read, too.
var required = []string{"run_key", "workload", "window", "protocol", "router", "seed", "topology", "trace_digest", "scheme", "cores",
	"exit_state", "power_profile", "technology_nm", "simulation_key", "workload_source", "rules", "trace_window"}

func TestOlderStudiesAreRead(t *testing.T) {
	for _, c := range Runs.Columns {
		if !c.Null && !slices.Contains(required, c.Name) {
			t.Errorf("column %s of runs is not in the studies of older versions; make it a Maybe", c.Name)
		}
	}
}
