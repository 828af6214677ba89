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
		want  monitor.Update
	}{
		{experiment.Event{Index: 3}, monitor.Update{Index: 3, State: monitor.Running}},
		{experiment.Event{Index: 3, Progress: experiment.Progress{Share: 0.5}, Wall: time.Second}, monitor.Update{Index: 3, State: monitor.Running, Share: 0.5, Wall: time.Second}},
		{experiment.Event{Done: true, State: tables.Finished, Wall: time.Minute}, monitor.Update{State: monitor.Finished, Wall: time.Minute}},
		{experiment.Event{Done: true, State: tables.Finished, Earlier: true}, monitor.Update{State: monitor.Finished, Earlier: true}},
		{experiment.Event{Done: true, State: tables.Failed, Err: errors.New("full\n")}, monitor.Update{State: monitor.Failed, Reason: "full"}},
		{experiment.Event{Done: true, State: tables.Interrupted, Err: errors.New("stopped")}, monitor.Update{State: monitor.Interrupted}},
	} {
		if got := pointUpdate(c.event); got != c.want {
			t.Errorf("%+v is %+v, want %+v", c.event, got, c.want)
		}
	}
}
