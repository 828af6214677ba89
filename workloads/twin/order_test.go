package twin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestOrderIsKept: a twin of the recording's length has its edges, and its accesses to chains, at the same records.
func TestOrderIsKept(t *testing.T) {
	const cores = 4
	recording := known(cores, 500)
	p, err := Fit(recording, traces.DefaultMetadata("known", cores), FitConfig{Slices: 8, Behaviours: 2})
	if err != nil {
		t.Fatal(err)
	}
	made := generator(t, p, Config{Seed: 1})
	recording.Rewind()
	for core := range cores {
		records, edges := tracetest.Drain(t, made, core, 100)
		original, want := tracetest.Drain(t, recording, core, 100)
		if !reflect.DeepEqual(edges, want) {
			t.Errorf("core %d: edges %v, want %v", core, edges, want)
		}
		first := core == 0 // its first atomic is no event: nobody has used the chain before
		for i, r := range original {
			if r.Kind != traces.Atomic {
				continue
			}
			if records[i].Kind != traces.Atomic && !first {
				t.Errorf("core %d: record %d is a %s, in the recording a %s", core, i, records[i].Kind, r.Kind)
			}
			first = false
		}
	}
}

// TestWaitsInACircle: parameters of which cores wait for one another for ever are refused.
func TestWaitsInACircle(t *testing.T) {
	p, err := Fit(known(2, 500), traces.DefaultMetadata("known", 2), FitConfig{Slices: 8, Behaviours: 2})
	if err != nil {
		t.Fatal(err)
	}
	p.Waits = [][][3]uint64{{{10, 1, 19}}, {{20, 0, 9}}}
	if err := p.Validate(); err != nil {
		t.Errorf("waits that can be met: %v", err)
	}
	p.Waits = [][][3]uint64{{{10, 1, 20}}, {{20, 0, 10}}}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "is never met") {
		t.Errorf("waits in a circle: %v", err)
	}
}
