package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
)

func TestLoadsOfASweep(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1:0.3:0.1": {0.1, 0.2, 0.3}, "0.05:0.2:0.1": {0.05, 0.15}, "0.5:0.5:1": {0.5}, "0.1:0.7:0.3": {0.1, 0.4, 0.7},
	} {
		if got, err := parseLoads(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0.1", "0.1:0.2", "0.1:0.2:0", "0:1:0.1", "0.2:0.1:0.1", "0.1:0.2:0.1:1", "NaN:1:1", "0.1:Inf:0.1", "1e-300:1e-300:1e-300"} {
		if got, err := parseLoads(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestAnySweep: a sweep is short, above 0, ascending and within its ends, or an error.
func TestAnySweep(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1e-300, 1e-9, 1e-6, 0.1, 5}))
	rapid.Check(t, func(t *rapid.T) {
		first, last, step := number.Draw(t, "first"), number.Draw(t, "last"), number.Draw(t, "step")
		list, err := parseLoads(fmt.Sprintf("%g:%g:%g", first, last, step))
		if err != nil {
			return
		}
		if len(list) == 0 || len(list) > maxLoads || list[0] <= 0 || list[len(list)-1] > last+1e-9 {
			t.Fatalf("%d loads: %v", len(list), list)
		}
		for i := range list[1:] {
			if !(list[i+1] > list[i]) {
				t.Fatalf("%g before %g", list[i], list[i+1])
			}
		}
	})
}

// TestTheStrongestWayOfLoadingCounts: of load, loads and saturation.
func TestTheStrongestWayOfLoadingCounts(t *testing.T) {
	for _, c := range []struct {
		origins    map[string]Origin
		loads      string
		saturation bool
		want       []float64 // nil searches
		wrong      bool
	}{
		{nil, "", false, []float64{0.3}, false},
		{map[string]Origin{"load": "flag --load"}, "", false, []float64{0.3}, false},
		{map[string]Origin{"load": "file a", "loads": "flag --loads"}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]Origin{"load": "flag --load", "loads": "file a"}, "0.1:0.2:0.1", false, []float64{0.3}, false},
		{map[string]Origin{"load": "file a", "loads": "file a"}, "0.1:0.2:0.1", false, []float64{0.1, 0.2}, false},
		{map[string]Origin{"load": "file a", "loads": "file a", "saturation": "file a"}, "", true, nil, false},
		{map[string]Origin{"load": "flag --load", "saturation": "file a"}, "", true, []float64{0.3}, false},
		{map[string]Origin{"load": "set", "saturation": "flag --saturation"}, "", true, nil, false},
		{map[string]Origin{"load": "set", "loads": "set"}, "0.1:0.2:0.1", false, nil, true},
		{map[string]Origin{"loads": "file a", "saturation": "file a"}, "0.1:0.2:0.1", true, nil, true},
		{map[string]Origin{"loads": "flag --loads", "saturation": "flag --saturation"}, "0.1:0.2:0.1", true, nil, true},
		{map[string]Origin{"load": "flag --load", "loads": "file a", "saturation": "file a"}, "0.1:0.2:0.1", true, []float64{0.3}, false},
	} {
		config := &Configuration{Settings: DefaultSettings(), Origins: map[string]Origin{}}
		config.Traffic.Loads, config.Traffic.Saturation = c.loads, c.saturation
		for name, origin := range c.origins {
			config.Origins["traffic."+name] = origin
		}
		got, err := config.loads()
		if (err != nil) != c.wrong || !slices.Equal(got, c.want) {
			t.Errorf("%v: loads %v, %v; want %v", c.origins, got, err, c.want)
		}
		if err == nil && config.Traffic.Saturation != (got == nil) {
			t.Errorf("%v: saturation is %v", c.origins, config.Traffic.Saturation)
		}
	}
}

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
