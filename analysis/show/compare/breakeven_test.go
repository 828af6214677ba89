package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// TestChipSentences: little leakage is no reason for a warning, and several windows give an interval.
func TestChipSentences(t *testing.T) {
	texts := func(rows tables.Rows) (list []string) {
		for _, f := range Findings(result.Rank(&rows, nil), &rows, nil) {
			list = append(list, f.Text)
		}
		return list
	}
	saving := []tables.Run{chipRun("lu", "mrr", 1, 100), chipRun("lu", "base", 1.1, 50)}
	leaks := tables.Rows{Runs: slices.Clone(saving[:1]), Routers: []tables.Router{{RunKey: "lumrr", Parts: power.Breakdown{Leakage: 60, Clock: 40}}}}
	leaks.Routers[0].Parts.Clock, leaks.Runs[0].Energy = 200, tables.Some(260.0)
	if got := texts(leaks); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "Leakage is") }) {
		t.Errorf("little leakage is warned of: %q", got)
	}
	windows := slices.Concat(saving, slices.Clone(saving))
	windows[2].Window, windows[3].Window, windows[2].RunKey, windows[3].RunKey = 1, 1, "x", "y"
	windows[3].Energy = tables.Some(60.0)
	if got := texts(tables.Rows{Runs: windows}); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "W (95 % interval ") }) {
		t.Errorf("there is no interval among %q", got)
	}
}
