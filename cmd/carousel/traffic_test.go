package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
)

func TestTrafficProgress(t *testing.T) {
	var out bytes.Buffer
	p := &trafficProgress{statusLine: &statusLine{out: &out, columns: 100}, cycles: 200_000}
	p.observe(openloop.Event{Task: 1, Tasks: 4, Point: openloop.Point{Router: "mrr", Load: 0.3, Seed: 2}, Cycle: 50_000, Wall: time.Second})
	p.observe(openloop.Event{Task: 0, Tasks: 4, Done: true})
	if want := "1 of 4 done  mrr load 0.3 seed 2: 25%, 50 k cycles/s"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("drawn %q, want %q at the end", out.String(), want)
	}
	out.Reset()
	p.clear()
	if out.String() != "\r\x1b[K" {
		t.Errorf("cleared with %q", out.String())
	}
}
