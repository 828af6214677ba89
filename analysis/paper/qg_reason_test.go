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

// TestLowerBounds: a scheme that was never saturated completes at least what it did, which decides
// where that lies beyond the interval of the other, and nowhere else.
func TestLowerBounds(t *testing.T) {
	level := map[string]float64{"dual-path": 1.1, "multi-path": 1, "column-path": 4, "qg": 2, "qg-multi": 2}
	for what, c := range map[string]struct {
		column, others float64
		unsaturated    string
		verdict        string
	}{
		"own bound above":     {3, 2, "column-path", tables.Confirmed},
		"own bound at it":     {2, 2, "column-path", tables.Open},
		"own bound below":     {2, 3, "column-path", tables.Open},
		"other's bound above": {2, 3, "multi-path dual-path", tables.NotConfirmed},
		"other's bound at it": {2, 2, "multi-path dual-path", tables.Open},
		"other's bound below": {3, 2, "multi-path", tables.Open},
		"both are bounds":     {3, 2, "column-path multi-path dual-path", tables.Open},
	} {
		s := loadStudy(map[string]float64{"dual-path": c.others, "multi-path": c.others, "column-path": c.column, "qg": 4, "qg-multi": 4}, level, 1)
		for i := range s.Traffic {
			if strings.Contains(c.unsaturated, s.Traffic[i].Scheme) {
				s.Traffic[i].Saturated = tables.Some(tables.Unsaturated)
			}
		}
		expect(t, what, qg.Fig15(), s, map[string]string{"S4-33 less sensitive": c.verdict})
		if got := judge(t, qg.Fig15(), &s.Rows, "S4-33 less sensitive"); c.verdict != tables.Confirmed {
			says(t, what, &got, []string{" or more"}, []string{"0 of 0"})
		}
	}
}

// TestLoadReasons: the reason has the panel or the load that decides, and not the first.
func TestLoadReasons(t *testing.T) {
	level := map[string]float64{"dual-path": 1.1, "multi-path": 1, "column-path": 4, "qg": 2, "qg-multi": 2}
	s := loadStudy(map[string]float64{"dual-path": 2, "multi-path": 2, "column-path": 3, "qg": 4, "qg-multi": 4}, level, 1.5)
	for i := range s.Batches {
		switch r := &s.Traffic[i/4]; {
		case r.Scheme == "column-path" && r.Topology == "mesh:16x16":
			s.Batches[i].Accepted.Value /= 2
		case r.Scheme == "column-path" && r.MulticastDestinations == 20 && r.Offered == 2:
			s.Batches[i].MulticastLatencyMean.Value /= 2
		}
	}
	less := judge(t, qg.Fig15(), &s.Rows, "S4-33 less sensitive")
	says(t, "fewer on 16x16", &less, []string{"in 2 of 4 comparisons", "in mesh:16x16", "1.5045 ± 0.0062"}, []string{"mesh:10x10"})
	grows := judge(t, qg.Fig19(), &s.only(on("mesh:10x10")).Rows, "S4-36")
	says(t, "fast at 2", &grows, []string{"in 1 of 3 comparisons", "(at 2: 0.125 with 10, 0.167 with 20)"}, []string{"at 1"})
}
