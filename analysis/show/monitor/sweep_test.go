package monitor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// study is a plan whose points do next to nothing, and of which every seventh fails.
func study() (points []experiment.Point, labels []string) {
	for i := range 40 {
		labels = append(labels, fmt.Sprint("point ", i))
		points = append(points, experiment.Point{Key: fmt.Sprintf("key%02d", i), Label: labels[i], Run: func(_ context.Context, report func(experiment.Progress)) (rows tables.Rows, err error) {
			for share := range 10 {
				report(experiment.Progress{Share: float64(share) / 10})
			}
			row := tables.Traffic{RunKey: fmt.Sprintf("key%02d", i), Router: "base", Seed: uint64(i), ExitState: tables.Finished}
			if i%7 == 3 {
				return rows, errors.New("broken")
			}
			return tables.Rows{Traffic: []tables.Traffic{row}}, nil
		}})
	}
	return points, labels
}

// do does the study with a board or without one and gives its tables.
func do(t *testing.T, board *monitor.Board) string {
	t.Helper()
	store, err := sweep.Open(t.TempDir(), sweep.Builds{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	points, _ := study()
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 4, Store: store, Log: zerolog.Nop(), Observe: func(e experiment.Event) {
		if board == nil {
			return
		}
		u := monitor.Update{Index: e.Index, State: monitor.Running, Share: e.Share, Wall: e.Wall, Earlier: e.Earlier}
		if e.Done {
			u.State = monitor.State(e.State)
		}
		if e.Err != nil {
			u.Reason = e.Err.Error()
		}
		board.Update(u)
	}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := experiment.Collect(store, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(rows.Traffic)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestWatchedSweep: a sweep whose page is asked for all the time gives the results of one that
// nobody watches, and every answer adds up. With the race detector it also shows that updates and
// requests do not meet.
func TestWatchedSweep(t *testing.T) {
	_, labels := study()
	board := monitor.NewBoard("study", "results", labels)
	server := httptest.NewServer(board)
	defer server.Close()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for _, path := range []string{"/", "/status.json"} {
		readers.Go(func() {
			for asked := 0; ; asked++ {
				answer, err := http.Get(server.URL + path)
				if err != nil {
					t.Error(err)
					return
				}
				var s monitor.Status
				if path != "/" {
					if err := json.NewDecoder(answer.Body).Decode(&s); err != nil {
						t.Error(err)
					}
					if sum := s.Finished + s.Failed + s.Running + s.Left + s.Interrupted; sum != len(labels) {
						t.Errorf("%d points of %d: %+v", sum, len(labels), s)
					}
				}
				answer.Body.Close()
				select {
				case <-stop:
					if asked > 0 {
						return
					}
				default:
				}
			}
		})
	}
	watched := do(t, board)
	close(stop)
	readers.Wait()
	if alone := do(t, nil); watched != alone {
		t.Errorf("watched: %s\nalone: %s", watched, alone)
	}
	s := board.Status()
	if s.Finished != 34 || s.Failed != 6 || s.Left != 0 || s.Running != 0 || len(s.Errors) != 6 || s.Errors[0].Reason != "broken" {
		t.Errorf("at the end the board says %+v", s)
	}
}
