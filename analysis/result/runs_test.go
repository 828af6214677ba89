package result

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestGroupsKeepValuesApart: values that are equal when they are joined make two groups.
func TestGroupsKeepValuesApart(t *testing.T) {
	runs := Of(&tables.Rows{Runs: []tables.Run{{Workload: "a\x00b", Router: "c"}, {Workload: "a", Router: "b\x00c"}, {Workload: "a\x00b", Router: "c"}}})
	groups := runs.By(tables.Col.Workload, tables.Col.Router)
	if len(groups) != 2 || len(groups[0].Runs) != 2 || groups[1].Values[1] != "b\x00c" {
		t.Errorf("groups are %+v", groups)
	}
}

// TestAxesAndColumns: an axis has a value as text and number, and a column is stronger than an axis of its
// name.
func TestAxesAndColumns(t *testing.T) {
	rows := tables.Rows{Traffic: []tables.Traffic{{RunKey: "1", Topology: "torus:8x8", Offered: 0.25}},
		Axes: []tables.Axis{{RunKey: "1", Key: "topology", Value: "other"}, {RunKey: "1", Key: "vcs", Value: "4"}}}
	o := rows.Observations()[0]
	if n, ok := o.Number(tables.AxisName("vcs")); !ok || n != 4 || o.Text(tables.AxisName("vcs")) != "4" || o.Text(tables.Col.Topology) != "torus:8x8" || o.Text(tables.Col.Offered) != "0.25" {
		t.Errorf("values are %v, %q, %q", n, o.Text(tables.Col.Topology), o.Text(tables.Col.Offered))
	}
	if _, ok := o.Number(tables.Col.LatencyMean); ok || o.Text(tables.Col.LatencyMean) != "" {
		t.Error("a latency that was not measured has a value")
	}
}

// TestAxisKeys: what the package takes for keys of axes are such keys.
func TestAxisKeys(t *testing.T) {
	for _, key := range append(slices.Clone(shownAxes), axisTrace.String()) {
		if !slices.Contains(plan.AxisKeys(), key) {
			t.Errorf("no axis has the key %q", key)
		}
	}
}
