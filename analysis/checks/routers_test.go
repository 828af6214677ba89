package checks

import (
	"context"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// deaf is a network that takes every second packet for lost.
type deaf struct {
	noc.Network
	noc.Checker
	offers int
}

func (d *deaf) Offer(p noc.Packet) bool {
	if d.offers++; d.offers%2 == 0 {
		return true
	}
	return d.Network.Offer(p)
}

// TestRouters: the suite passes each router of the table, also with packets longer than the suite sends. It names
// each law that a bad router breaks, and refuses one that cannot be built.
func TestRouters(t *testing.T) {
	o := models.DefaultOptions()
	o.Grid = topology.Torus(4, 4)
	bad, err := models.Lookup("ideal")
	if err != nil {
		t.Fatal(err)
	}
	good := bad.New
	bad.Name, bad.New = "deaf", func(o models.Options) (noc.Network, error) {
		n, err := good(o)
		return &deaf{Network: n, Checker: n.(noc.Checker)}, err
	}
	list := append(models.Table(), bad)
	r, err := Routers(context.Background(), list, []string{"ideal", "deaf"}, o, verify.Options{})
	if err != nil || r.Passed || len(r.Networks) != 2 || r.Networks[0].Violation != "" || r.Networks[1].Violation == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	broken := map[string]int{}
	for _, x := range r.Conformance {
		if x.Violation != "" {
			broken[x.Router]++
		}
	}
	if broken["ideal"] != 0 || broken["deaf"] < 3 {
		t.Errorf("violations: %v in %+v", broken, r.Conformance)
	}
	var text strings.Builder
	if err := r.Sheet().Write(&text, 0); err != nil || !strings.Contains(text.String(), "Deliveries/torus:4x4") {
		t.Error("the sheet has no row of the suite")
	}
	var names []string
	for _, m := range models.Table() {
		names = append(names, m.Name)
	}
	o.Rotary.SlotPhits, o.Rotary.InputStagePhits, o.Rotary.SegmentPhits, o.Rotary.OutputStagePhits = 8, 16, 32, 32
	r, err = Routers(context.Background(), list, names, o, verify.Options{})
	if err != nil || !r.Passed || len(r.Networks) != len(names) {
		t.Errorf("routers of the table: passed %v, %v", r.Passed, err)
	}
	for _, x := range r.Conformance {
		if x.Violation != "" {
			t.Errorf("%+v", x)
		}
	}
	if r, err := Routers(context.Background(), list, []string{"program:./nothere"}, o, verify.Options{}); r != nil || err == nil || !strings.Contains(err.Error(), "there is no program") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestOddGrids: sound routers pass on small grids of many dimensions, on a dimension of one router, and where all
// routers are neighbours. There the interfaces limit the load, not the links.
func TestOddGrids(t *testing.T) {
	for place, names := range map[string][]string{
		"torus:3x3x3":   {"wormhole", "wormhole-ideal"},
		"torus:2x2x2x2": {"wormhole-ideal"},
		"torus:3x3x3x3": {"rr-tree"},
		"mesh:1x5":      {"base", "mrr", "wormhole", "wormhole-ideal", "ideal"},
		"full:16:1":     {"wormhole"},
	} {
		layout, err := topology.Open(place)
		if err != nil {
			t.Fatal(err)
		}
		o, err := models.DefaultOptions().WithLinks(layout)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Routers(context.Background(), models.Table(), names, o, verify.Options{})
		if err != nil || !r.Passed {
			t.Errorf("%s: passed %v, %v", place, r.Passed, err)
		}
		for _, x := range r.Conformance {
			if x.Violation != "" {
				t.Errorf("%s: %+v", place, x)
			}
		}
	}
}
