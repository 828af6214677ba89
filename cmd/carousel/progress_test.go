package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
)

func TestProgressLine(t *testing.T) {
	w := &experiment.Workload{Name: "w", Records: 1000}
	event := func(run int, router string, records, cycle uint64, wall time.Duration) experiment.Event {
		return experiment.Event{Run: run, Runs: 3, Point: experiment.Point{Workload: w, Router: router, Seed: 7},
			Progress: cmp.Progress{Cycle: noc.Cycle(cycle), Records: records}, Wall: wall}
	}
	var out bytes.Buffer
	p := &progress{statusLine: &statusLine{out: &out, columns: 200}}
	second := event(1, "rr", 0, 0, 0)
	first := event(0, "base", 250, 5_000_000, 2*time.Second)
	p.observe(second)
	p.observe(first)
	want := "0 of 3 runs done  base seed 7: 25%, 0:06 left, 2.5 M cycles/s  rr seed 7: starting"
	if got := p.line(3); got != want {
		t.Errorf("the line is\n%s\nwant\n%s", got, want)
	}
	first.Done = true
	p.observe(first)
	if got := p.line(3); got != "1 of 3 runs done  rr seed 7: starting" {
		t.Errorf("after the first run the line is %s", got)
	}
	if text := out.String(); !strings.HasSuffix(text, "\r\x1b[K1 of 3 runs done  rr seed 7: starting") {
		t.Errorf("drawn were %q", text)
	}
	if got := clip("abcdef", 4); got != "abcd" {
		t.Errorf("clipped to %s", got)
	}
}

// TestNoProgressWithoutTerminal: scripts and pipes must not see control characters.
func TestNoProgressWithoutTerminal(t *testing.T) {
	a := &app{stderr: &bytes.Buffer{}}
	line := a.statusLine()
	if line != nil {
		t.Error("a buffer is taken for a terminal")
	}
	line.draw(true, func() string { panic("a line that nobody sees is drawn") })
	line.clear()
}

func TestSheet(t *testing.T) {
	s := &sheet{header: []string{"router", "n"}, before: []string{"before"}, after: []string{"after"}}
	s.add("mrr", "12.5")
	s.add("base", "-")
	var out bytes.Buffer
	if err := s.align(&out); err != nil {
		t.Fatal(err)
	}
	if want := "before\nrouter     n\nmrr     12.5\nbase       -\nafter\n"; out.String() != want {
		t.Errorf("the sheet is\n%q\nwant\n%q", out.String(), want)
	}
}
