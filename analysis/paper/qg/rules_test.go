package qg

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail judges the example without its last destinations.
func TestCriteriaCanFail(t *testing.T) {
	r := qgExample()
	r.Destinations = r.Destinations[:25:25]
	q, err := multicast.QualifiedGroups(topology.Mesh(10, 10), r, multicast.DefaultGroupOptions())
	if err != nil {
		t.Fatal(err)
	}
	if f := exampleDivisor(q); f.Verdict != tables.NotConfirmed {
		t.Errorf("S4-01: %+v", f)
	}
	if f := exampleWeights(q); f.Verdict != tables.NotConfirmed {
		t.Errorf("S4-02: %+v", f)
	}
	if f := exampleSplit(q); f.Verdict != tables.NotConfirmed {
		t.Errorf("S4-04: %+v", f)
	}
}
