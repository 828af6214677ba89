package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
)

func TestSweepProgressLine(t *testing.T) {
	p := &sweepProgress{statusLine: &statusLine{out: &bytes.Buffer{}, columns: 80}}
	p.observe(sweep.Event{Index: 0, Points: 4, Label: "a", Done: true, Earlier: true})
	p.observe(sweep.Event{Index: 1, Points: 4, Label: "b"})
	p.observe(sweep.Event{Index: 1, Points: 4, Label: "b", Done: true})
	p.observe(sweep.Event{Index: 3, Points: 4, Label: "d", Share: 0.25})
	p.observe(sweep.Event{Index: 2, Points: 4, Label: "c", Share: 0.25})
	// One and a half of three points took 90 s.
	if got, want := p.line(4, 90*time.Second), "2 of 4 points done (1 earlier), 1:30 left  c: 25%  d: 25%"; got != want {
		t.Errorf("the line is %q; want %q", got, want)
	}
}
