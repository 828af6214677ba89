package compare

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestCoreShares: time with few cores at work counts as late where all execute about as much, and
// as the program's where the last one executes far more; a core without records is none.
func TestCoreShares(t *testing.T) {
	core := func(run string, finish, instructions, waited uint64) tables.Core {
		return tables.Core{RunKey: run, FinishCycle: finish, Instructions: instructions, Records: instructions + 1, StallDependence: waited}
	}
	rows := &tables.Rows{Cores: []tables.Core{
		core("late", 60, 100, 0), core("late", 70, 110, 30), core("late", 100, 120, 0), core("late", 0, 0, 0),
		core("few", 30, 10, 0), core("few", 40, 10, 0), core("few", 100, 90, 10)}}
	late, few, ordered := coreShares(rows)
	for name, v := range map[string][2]float64{"late": {late, 30. / 200}, "few": {few, 60. / 200}, "ordered": {ordered, 0.1}} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, v[0], v[1])
		}
	}
}

// Recordings with many atomics in recorded order are named as a class whose replays may be far off.
func TestContendedRecordingsAreNamed(t *testing.T) {
	for source, want := range map[string]int{"recorded": 1, "synthetic": 0, "program": 0} {
		rows := tables.Rows{Runs: []tables.Run{{WorkloadSource: source, ExitState: tables.Finished, Atomics: tables.Some(uint64(20)), Instructions: tables.Some(uint64(10_000))}}}
		if got := timeWarnings(&rows); len(got) != want {
			t.Errorf("%s: %v; want %d warnings", source, got, want)
		}
	}
}
