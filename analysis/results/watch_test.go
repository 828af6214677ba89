package results

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	topo "github.com/carousel-sim/carousel/noc/topology"
)

// TestLook: a network is drawn on the grid of its topology if it has a router at each place of it.
func TestLook(t *testing.T) {
	for topology, columns := range map[string]int{"torus:4x2": 4, "torus:8x8": 0, "lattice:8:1": 0} {
		n := must.Get(ideal.New(topo.Torus(4, 2), ideal.Default()))
		l := lookAt(n, 7, &tables.Rows{Runs: []tables.Run{{Topology: topology}}})
		if l.Phits.Columns != columns || len(l.Phits.Nodes) != 8 || l.Cycle != 7 {
			t.Errorf("%s: %+v", topology, l.Phits)
		}
	}
}

// TestWatchedBaseline: the page divides as the final table does, also before the baseline has finished.
func TestWatchedBaseline(t *testing.T) {
	labels := []string{"token", "directory"}
	points := make([]experiment.Point, len(labels))
	for i, protocol := range labels {
		points[i] = experiment.Point{Label: protocol, Axes: []experiment.Setting{{Key: "chip.protocol", Value: protocol}}}
	}
	d := Directory{Path: "somewhere", Manifest: &experiment.Manifest{Baseline: "protocol=token"}}
	board, observe := d.Watch("protocols", points)
	finish := func(i int, cycles uint64) []string {
		rows := tables.Rows{Runs: []tables.Run{{RunKey: labels[i], Workload: "w", Router: "mrr", Protocol: labels[i], ExitState: tables.Finished, Cycles: tables.Some(cycles)}}}
		observe(experiment.Event{Index: i, Done: true, State: tables.Finished, Rows: rows})
		r := board.Status().Results
		return append(r.Header[:2:2], r.Rows[0][:2]...)
	}
	if got := finish(1, 90); !slices.Equal(got, []string{"workload", "router", "w", "mrr"}) { // there is nothing to compare
		t.Errorf("of one point it shows %q", got)
	}
	if got := finish(0, 100); !slices.Equal(got, []string{"protocol", "time / token", "directory", "0.900"}) {
		t.Errorf("of both it shows %q", got)
	}
}

// TestPointUpdates: what becomes of a point is on the page as it is in the tables.
func TestPointUpdates(t *testing.T) {
	for _, c := range []struct {
		event experiment.Event
		want  monitor.Point
	}{
		{experiment.Event{Index: 3}, monitor.Point{Index: 3, State: monitor.Running}},
		{experiment.Event{Index: 3, Progress: experiment.Progress{Share: 0.5}, Wall: time.Second}, monitor.Point{Index: 3, State: monitor.Running, Share: 0.5, Elapsed: 1}},
		{experiment.Event{Done: true, State: tables.Finished, Wall: time.Minute}, monitor.Point{State: monitor.Finished, Elapsed: 60}},
		{experiment.Event{Done: true, State: tables.Finished, Earlier: true}, monitor.Point{State: monitor.Finished, Earlier: true}},
		{experiment.Event{Done: true, State: tables.Failed, Err: errors.New("full\n")}, monitor.Point{State: monitor.Failed, Reason: "full"}},
		{experiment.Event{Done: true, State: tables.Interrupted, Err: errors.New("stopped")}, monitor.Point{State: monitor.Interrupted}},
	} {
		if got := pointUpdate(c.event); got != c.want {
			t.Errorf("%+v is %+v, want %+v", c.event, got, c.want)
		}
	}
}
