package results

import (
	"errors"
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
