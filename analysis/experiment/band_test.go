package experiment

import (
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
)

// TestBand: each variant changes one thing, what changes nothing is left out, and all are runs of
// their own.
func TestBand(t *testing.T) {
	s := small()
	s.Routers = []string{"ideal"}
	variants := must.Get(s.Band())
	keys := map[string]string{}
	for _, v := range variants {
		points, err := v.Points()
		if err != nil || len(points) != 1 {
			t.Fatalf("%s: %d points, %v", v.Name, len(points), err)
		}
		if other, twice := keys[points[0].Key]; twice {
			t.Errorf("%q and %q are the same run", v.Name, other)
		}
		keys[points[0].Key] = v.Name
		if v.Chip.Cold {
			t.Error("a trace that begins cold anyway has a variant that does")
		}
	}
	if variants[0].Name != "" || len(variants) != len(Assumptions())-3 {
		t.Errorf("%d variants of %d assumptions", len(variants), len(Assumptions()))
	}
	s.Chip.Protocol = "directory"
	others, err := s.Band()
	if err != nil || len(others) != len(variants)-1 {
		t.Errorf("without timeouts there are %d variants, %v", len(others), err)
	}
	for _, a := range Assumptions() {
		c := Study{Chip: cmp.Default(), Network: models.DefaultOptions(), Routers: []string{"base"}}
		if changed := a.Change(&c); changed && a.Change(&c) {
			t.Errorf("%s changes twice", a.Name)
		} else if err := errors.Join(c.Chip.Validate(), c.Network.Buffered.Validate(c.Network.Grid)); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}
