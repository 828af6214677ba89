package results

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// TestWideSummary: one row per router and value of the axis, with means, ratios by seed and energy
// by part.
func TestWideSummary(t *testing.T) {
	rows := &tables.Rows{}
	for _, c := range []struct {
		key, router, window string
		seed, cycles        uint64
	}{{"a", "rr", "64", 1, 50}, {"b", "rr", "64", 2, 70}, {"c", "base", "64", 1, 100}, {"d", "base", "64", 2, 100}, {"e", "rr", "128", 1, 40}} {
		rows.Runs = append(rows.Runs, tables.Run{RunKey: c.key, Workload: "w", Router: c.router, Scheme: "of " + c.router, Cores: 16, Seed: c.seed, ExitState: tables.Finished,
			Cycles: tables.Some(c.cycles)})
		rows.Axes = append(rows.Axes, tables.Axis{RunKey: c.key, Key: "routers", Value: c.router}, tables.Axis{RunKey: c.key, Key: "chip.core.window", Value: c.window},
			tables.Axis{RunKey: c.key, Key: "chip.memory.kind", Value: "flat"})
		for range 2 {
			rows.Routers = append(rows.Routers, tables.Router{RunKey: c.key, Parts: power.Breakdown{Clock: 3}})
		}
	}
	table, list := summaryOf(rows, "router=base")
	if len(list) != 3 {
		t.Fatalf("there are %d rows", len(list))
	}
	first, third := table.Object(&list[0]), table.Object(&list[2])
	for name, want := range map[string]any{"workload": "w", "router": "rr", "protocol": nil, "pattern": nil, "offered": nil, "cores": 16.0,
		"chip_core_window": 64.0, "chip_memory_kind": "flat", "baseline": "base", "runs": 2.0, "cycles": 60.0, "cycles_ratio": 0.6,
		"energy_clock_j": 6.0, "ipc": nil, "ipc_ci95": nil} {
		if got := first.Get(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// Student's t for one degree of freedom times the standard error of 50 and 70.
	if half, _ := first.Get("cycles_ci95").(float64); math.Abs(half-127.06) > 0.01 {
		t.Errorf("the interval is %g", half)
	}
	if third.Get("chip_core_window") != 128.0 || third.Get("cycles_ci95") != nil || third.Get("cycles_ratio") != nil {
		t.Errorf("the row without a baseline is %v", third)
	}
	if n := len(table.Columns); n != len(tables.SummaryTable(nil).Columns)+2 {
		t.Errorf("there are %d columns", n)
	}
}

func TestWhereQuotes(t *testing.T) {
	for _, c := range []struct {
		d    Directory
		want string
	}{
		{Directory{unsaved: errors.New("full")}, "tables: not saved"},
		{Directory{Path: "a/b"}, "tables: a/b\nnext: carousel report a/b"},
		{Directory{Path: "it's here"}, "tables: it's here\nnext: carousel report 'it'\"'\"'s here'"},
	} {
		if got := strings.Join(c.d.Where(), "\n"); got != c.want {
			t.Errorf("%s gives %s, want %s", c.d.Path, got, c.want)
		}
	}
}

// TestRatiosOfTheNamedColumns: the value of each ratio is that of a column which its description names.
func TestRatiosOfTheNamedColumns(t *testing.T) {
	for _, rows := range []*tables.Rows{
		{Runs: []tables.Run{
			{RunKey: "a", Router: "base", ExitState: tables.Finished, Cycles: tables.Some[uint64](100), Energy: tables.Some(3.0), EnergyED2P: tables.Some(5.0)},
			{RunKey: "b", Router: "mrr", ExitState: tables.Finished, Cycles: tables.Some[uint64](70), Energy: tables.Some(2.0), EnergyED2P: tables.Some(2.5)},
		}},
		{Traffic: []tables.Traffic{
			{RunKey: "a", Router: "base", ExitState: tables.Finished, LatencyMean: tables.Some(30.0), Energy: tables.Some(3.0), ED2P: tables.Some(5.0)},
			{RunKey: "b", Router: "mrr", ExitState: tables.Finished, LatencyMean: tables.Some(20.0), Energy: tables.Some(2.0), ED2P: tables.Some(3.0)},
		}},
	} {
		table, list := summaryOf(rows, "router=base")
		base, other := table.Object(&list[0]), table.Object(&list[1])
		known := 0
		for _, c := range table.Columns {
			ratio, ok := other.Get(c.Name).(float64)
			if !ok || !strings.HasSuffix(c.Name, "_ratio") {
				continue
			}
			known++
			if !slices.ContainsFunc(table.Columns, func(named tables.Column[tables.Summary]) bool {
				a, both := other.Get(named.Name).(float64)
				b, _ := base.Get(named.Name).(float64)
				return both && slices.Contains(strings.FieldsFunc(c.Doc, func(r rune) bool { return strings.ContainsRune(" ():", r) }), named.Name) && math.Abs(a/b-ratio) < 1e-9
			}) {
				t.Errorf("%s is %g, which no column is that its description names: %s", c.Name, ratio, c.Doc)
			}
		}
		if known != 3 {
			t.Errorf("there are %d ratios, want 3", known)
		}
	}
}
