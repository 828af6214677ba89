package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/msi"
)

// TestTablesAgree: every protocol that a chip runs is checked, by checks of its own, and both rows
// are complete.
func TestTablesAgree(t *testing.T) {
	var names []string
	for _, p := range cmp.Protocols {
		names = append(names, p.Name)
		if p.Doc == "" || p.New == nil || p.Validate == nil || p.Harden == nil || p.WaitBound == nil {
			t.Errorf("the chip's row of %s has gaps", p.Name)
		}
	}
	if !slices.Equal(names, Names()) {
		t.Errorf("chips run %v, checked are %v", names, Names())
	}
	for _, p := range Protocols {
		if len(p.Defects()) == 0 || len(p.Explorations("")) == 0 || p.Stress(0, "").New == nil {
			t.Errorf("the row of %s has gaps", p.Name)
		}
		for _, e := range p.Explorations("") {
			if e.Protocol != p.Name {
				t.Errorf("exploration %q of %s says it is of %q", e.Name, p.Name, e.Protocol)
			}
		}
	}
}

// A protocol without a row is an error that lists the rows.
func TestUnknownProtocol(t *testing.T) {
	rows := With([]cmp.ProtocolEntry{{Name: "mine"}, {Name: "yours"}}, []Protocol{{Name: "yours", Defects: msi.Defects}})
	if n := len(Protocols); len(rows) != n+2 || rows[n].Name != "mine" || rows[n].Defects != nil || rows[n+1].Name != "yours" || rows[n+1].Defects == nil {
		t.Errorf("with two protocols of another module the rows are %+v", rows)
	}
	_, checks := Lookup("mesi")
	_, chip := cmp.LookupProtocol("mesi")
	for _, err := range []error{checks, chip} {
		if err == nil || !strings.Contains(err.Error(), `"mesi"`) || !strings.Contains(err.Error(), "token, directory") {
			t.Errorf("got %v", err)
		}
	}
}
