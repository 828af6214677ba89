package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/monitor"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// unusedAddress puts an address of this machine where nobody listens into a variable: unusedaddress NAME.
func unusedAddress(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], listener.Addr().String())
	ts.Check(listener.Close())
}

// fetch asks for a page until somebody answers, and keeps it: fetch URL FILE.
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	var last error
	for range 300 {
		answer, err := http.Get(args[0])
		if last = err; err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		content, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o644))
		return
	}
	ts.Fatalf("%s: %v", args[0], last)
}

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
