package paper

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestComputed: every claim that needs a computation has one, and each is used.
func TestComputed(t *testing.T) {
	used := map[string]bool{}
	for _, e := range Entries() {
		for _, c := range e.Claims {
			for i := range c.Parts {
				if p := &c.Parts[i]; p.Judge == "computed" {
					if used[p.Of[0]] = true; computed[p.Of[0]] == nil {
						t.Errorf("claim %s: nothing computes %q", c.ID, p.Of[0])
					}
					if f := p.Find(chart.NewData(new(tables.Rows), chart.Extent{})); f.Verdict != tables.NotConfirmed || !f.Measured.Known {
						t.Errorf("claim %s: %+v", c.ID, f)
					}
				}
			}
		}
	}
	if len(used) != len(computed) {
		t.Errorf("claims use %v of %d computations", used, len(computed))
	}
	// Column-path takes two or three rounds here; a round costs 33 + 32 and the longest of up to 30 channels.
	if got := equation13(); got < 195 || got > 225 {
		t.Errorf("equation 13 gives %g cycles", got)
	}
	if got := algorithm2(); got != 0 {
		t.Errorf("algorithm 2 as printed finds a star for %g of the multicasts; its loops begin behind the only element that is set", got)
	}
}
