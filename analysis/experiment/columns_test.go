package experiment

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestColumnsAreFilled: each column of the table runs has a value in some small run, or is named here because it
// needs a run that fails or executes a program. Zeros count as values where a column may also be absent.
func TestColumnsAreFilled(t *testing.T) {
	elsewhere := []string{"explanation", "program_output", "program_end", "classes_per_channel"}
	recording := small()
	recording.Chip.UntilCycles, recording.Workloads[0].Source, recording.Workloads[0].Windows = 2000, Recorded, 2
	recording.Workloads[0].CutsBarriers = true
	var runs []tables.Run
	for _, s := range []*Study{small(), recording} {
		_, rows := do(t, context.Background(), s, quiet(1))
		runs = append(runs, rows.Runs...)
	}
	for _, c := range tables.Runs.Columns {
		filled := slices.ContainsFunc(runs, func(r tables.Run) bool {
			cell := reflect.ValueOf(c.Cell(&r)).Elem()
			if cell.Kind() == reflect.Struct { // a Maybe
				return cell.FieldByName("Known").Bool()
			}
			return !cell.IsZero()
		})
		if filled == slices.Contains(elsewhere, c.Name) {
			t.Errorf("column %s is filled by a small run: %v; fill it in fillCounts or, if it needs another run, name it here", c.Name, filled)
		}
	}
}
