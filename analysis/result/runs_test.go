package result

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/metrics"
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

// TestCurve: the knee lies between two positions by a straight line, and what was not measured is beyond
// it; a network saturates between two positions.
func TestCurve(t *testing.T) {
	value := func(x, v float64, saturated bool) At { return At{x, metrics.Value(v), saturated} }
	c := NewCurve([]At{value(0.3, 40, true), value(0.1, 10, false), value(0.2, 20, false), {X: 0.4, Saturated: true}})
	if x, ok := c.Knee(3); !ok || math.Abs(x-0.25) > 1e-9 {
		t.Errorf("the knee is %g, %v", x, ok)
	}
	for times, want := range map[float64]float64{1: 0.1, 2: 0.2, 3: 0.2, 5: 0.3} {
		if x, ok := c.Below(times); !ok || x != want {
			t.Errorf("the last position below %g times is %g, %v; want %g", times, x, ok, want)
		}
	}
	if _, ok := c[:2].Knee(3); ok {
		t.Error("a curve without a knee has one")
	}
	if _, ok := c[3:].Below(3); ok {
		t.Error("a curve without values is below its knee")
	}
	if below, first := c.Saturation(); below == nil || *below != 0.2 || *first != 0.3 {
		t.Errorf("it saturates between %v and %v", below, first)
	}
	if below, first := c[2:].Saturation(); below != nil || *first != 0.3 {
		t.Errorf("from the first position on it saturates between %v and %v", below, first)
	}
	if most, left := NewCurve([]At{value(1, 4, false), value(2, 8, false), value(3, 6, false)}).Best(); most != 8 || left != 0.75 {
		t.Errorf("the best is %g, of which %g is left", most, left)
	}
}

// TestRareBarriers: barriers are rare if windows that do not go from one to another have fewer than one on average. Only
// then samples of times have what each core did.
func TestRareBarriers(t *testing.T) {
	for _, x := range []struct {
		barriers []tables.Maybe[float64]
		rare     bool
	}{
		{[]tables.Maybe[float64]{tables.Some(0.), tables.Some(1.5)}, true},
		{[]tables.Maybe[float64]{tables.Some(0.), tables.Some(2.)}, false},
		{[]tables.Maybe[float64]{{}, {}}, false},
	} {
		var rows tables.Rows
		for i, b := range x.barriers {
			key := string(rune('a' + i))
			rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Window: uint64(i), Cycles: tables.Some(uint64(100)), Barriers: b})
			rows.Cores = append(rows.Cores, tables.Core{RunKey: key, FinishCycle: 90, Instructions: 40, StallSync: 7})
		}
		runs := Of(&rows)
		cores := runs.Samples(tables.Col.Cycles)[1].Cores
		if runs.RareBarriers() != x.rare || (len(cores) == 1) != x.rare || x.rare && cores[0] != (metrics.Work{Time: 90, Instructions: 40, Waited: 7}) {
			t.Errorf("%v: %t, %v", x.barriers, runs.RareBarriers(), cores)
		}
	}
}
