package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/power"
)

// TestChipSentences: little leakage is no reason for a warning, and several windows give an interval.
func TestChipSentences(t *testing.T) {
	texts := func(rows tables.Rows) (list []string) {
		for _, f := range (&findings{rankings: result.Rank(&rows, nil), rows: &rows, manifest: nil}).all() {
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
	// Of two windows the second differs.
	windows := func(seconds, energy float64) []tables.Run {
		list := slices.Concat(saving, []tables.Run{chipRun("lu", "mrr", 1, 100), chipRun("lu", "base", seconds, energy)})
		list[2].Window, list[3].Window, list[2].RunKey, list[3].RunKey = 1, 1, "x", "y"
		return list
	}
	for want, rows := range map[string][]tables.Run{
		"together need less than 100 W. It has a higher one if they need more than 160 W. Between these limits it depends on how much of the power is static. The 95 % interval of the limits is 0 to 550 W.": windows(1.1, 60),
		"together need less than 620 to 940 W, depending on how much of the power is static. This is not reliable: the 95 % interval of the limits includes every power.":                                     windows(0.95, 50),
		"No router gives the chip a significantly lower ED2P than mrr. These runs cannot tell mrr from base.":                                                                                                 windows(1.3, 90),
		"In one run of each, the chip with mrr has the lowest ED2P, whatever its cores, caches and memory need.":                                                                                              append(windows(1.3, 95)[2:], windows(1.31, 95)[2:]...)[:2],
	} {
		if got := texts(tables.Rows{Runs: rows}); !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, want) }) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	// JSON has no infinite numbers: an interval without an upper end has none.
	for want, list := range map[string][]tables.Run{
		`"interval_high_w":null,"interval_low_w":0,`: windows(0.95, 50), `"interval_high_w":null,"interval_low_w":null,`: saving,
		`"interval_low_w":0,"static_power_w":10`: windows(1.1, 60),
	} {
		rows := tables.Rows{Runs: list}
		if text := string(must.Get(json.Marshal(result.Rank(&rows, nil)))); !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}
