package verify

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/msi"
)

// TestTablesAgree: every protocol that a chip runs is checked, by checks of its own, and both rows
// are complete.
func TestTablesAgree(t *testing.T) {
	var names, checked []string
	for _, p := range cmp.Protocols {
		names = append(names, p.Name)
		if p.Doc == "" || p.New == nil || p.Validate == nil || p.Harden == nil {
			t.Errorf("the chip's row of %s has gaps", p.Name)
		}
	}
	for _, p := range Protocols {
		checked = append(checked, p.Name)
		if len(p.Defects()) == 0 || len(p.Explorations("")) == 0 || p.Stress(0, "").New == nil {
			t.Errorf("the row of %s has gaps", p.Name)
		}
		for _, e := range p.Explorations("") {
			if e.Protocol != p.Name {
				t.Errorf("exploration %q of %s says it is of %q", e.Name, p.Name, e.Protocol)
			}
		}
	}
	if !slices.Equal(names, checked) {
		t.Errorf("chips run %v, checked are %v", names, checked)
	}
}

// TestWith: a protocol of another module has a row, with the checks that its module brings.
func TestWith(t *testing.T) {
	rows := With([]cmp.ProtocolEntry{{Name: "mine"}, {Name: "yours"}}, []Protocol{{Name: "yours", Defects: msi.Defects}})
	if n := len(Protocols); len(rows) != n+2 || rows[n].Name != "mine" || rows[n].Defects != nil || rows[n+1].Name != "yours" || rows[n+1].Defects == nil {
		t.Errorf("with two protocols of another module the rows are %+v", rows)
	}
}
