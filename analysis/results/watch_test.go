package results

import (
	"errors"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
	"github.com/carousel-sim/carousel/analysis/tables"
)

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
