package power

import (
	"os"
	"testing"
)

func TestReferenceRowsAreWithinTolerance(t *testing.T) {
	file, err := os.Open("testdata/reference_small.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	groups, excluded, err := Check(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range excluded {
		t.Errorf("%d rows are excluded: %s", e.Rows, e.Reason)
	}
	rows := map[string]int{}
	for _, g := range groups {
		t.Logf("%-10s %d %s %-13s %2d rows  mean %8.5f%%  max %8.5f%%  of %4.1f%%", g.Tool, g.TechNM, g.Profile,
			g.Component, g.Rows, 100*g.MeanError, 100*g.MaxError, 100*g.Tolerance)
		if !g.Passed() {
			t.Errorf("%s at %d nm, %s: largest error %.4g exceeds %.4g", g.Tool, g.TechNM, g.Component, g.MaxError, g.Tolerance)
		}
		if g.Component == "phit_total" || g.Component == "link_energy" {
			rows[g.Tool] += g.Rows
		}
	}
	if rows["DSENT-0.91"] != 18 || rows["Orion-2.0"] != 24 {
		t.Errorf("compared rows %v, want all 18 of DSENT and 24 of Orion", rows)
	}
}
