package paper

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/qg"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// says holds the reason of a claim: texts that it has, and texts that it has not.
func says(t *testing.T, what string, c *tables.Claim, with, without []string) {
	t.Helper()
	for _, text := range with {
		if !strings.Contains(c.Reason, text) {
			t.Errorf("%s: the reason of %s does not say %q: %s", what, c.ID, text, c.Reason)
		}
	}
	for _, text := range without {
		if strings.Contains(c.Reason, text) {
			t.Errorf("%s: the reason of %s says %q: %s", what, c.ID, text, c.Reason)
		}
	}
}

// TestVariationReasons: the reason of a table that is missed names the cells that miss it, with the
// measured and the printed value, and no other.
func TestVariationReasons(t *testing.T) {
	s := variationStudy(1, 1)
	for i := range s.Batches {
		switch r := &s.Traffic[i/4]; {
		case r.Topology == "mesh:16x16" && r.Scheme == "qg-cut" && r.MulticastDestinations == 20:
			s.Batches[i].ArrivalCVHeader.Value = 0.2
		case r.Topology == "mesh:16x16" && r.Scheme == "multi-path" && r.MulticastDestinations == 60:
			s.Batches[i].ArrivalCVHeader.Value *= 1.1 // within a tenth or not, the batches do not tell
		case r.Topology == "mesh:32x32" && r.Scheme == "multi-path" && r.MulticastDestinations == 40:
			s.Batches[i].ArrivalCVHeader.Value = 0.6
		}
	}
	small, large := judge(t, qg.Table4(), &s.Rows, "S4-22"), judge(t, qg.Table4(), &s.Rows, "S4-24")
	says(t, "made up", &small, []string{"1 of 16", "qg-cut at 20: 0.200", "printed 0.264"}, []string{"column-path", "dual-path", "multi-path", "above"})
	says(t, "made up", &large, []string{"1 of 16", "multi-path at 40: 0.600", "printed 0.494"}, []string{"column-path", "dual-path", "qg"})
	for _, c := range []*tables.Claim{&small, &large} {
		if c.Verdict != tables.NotConfirmed {
			t.Errorf("%s is %s", c.ID, c.Verdict)
		}
	}
	for i := range s.Batches {
		if r := &s.Traffic[i/4]; r.Topology == "mesh:16x16" && r.Scheme == "qg-cut" && r.MulticastDestinations == 20 {
			s.Batches[i].ArrivalCVHeader.Value = 0.264
		}
	}
	open := judge(t, qg.Table4(), &s.Rows, "S4-22")
	if says(t, "at the limit", &open, []string{"may be", "multi-path at 60"}, nil); open.Verdict != tables.Open {
		t.Errorf("%s is %s: %s", open.ID, open.Verdict, open.Detail)
	}
}
