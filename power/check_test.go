package power

import (
	"os"
	"strings"
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

// small returns the reference file with one change.
func small(t testing.TB, old, new string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/reference_small.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("the reference file has no %q", old)
	}
	return strings.Replace(string(text), old, new, 1)
}

func TestCheckErrorsNameLineAndColumn(t *testing.T) {
	const row2 = "1,router,DSENT-0.91,45,LVT,1.0,1.0,5,128,1,5,"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty"},
		{"no rows", strings.SplitAfter(small(t, "", ""), "\n")[0], "no row of the file can be compared"},
		{"missing column", small(t, ",vdd_v,", ",voltage,"), `line 1: column "vdd_v" is missing`},
		{"voltage", small(t, row2, "1,router,DSENT-0.91,45,LVT,high,1.0,5,128,1,5,"), `line 2, column "vdd_v": "high" is not a number above 0`},
		{"no voltage", small(t, row2, "1,router,DSENT-0.91,45,LVT,,1.0,5,128,1,5,"), `line 2, column "vdd_v": "" is not`},
		{"technology", small(t, row2, "1,router,DSENT-0.91,45nm,LVT,1.0,1.0,5,128,1,5,"), `line 2, column "tech_nm": "45nm" is not a whole number`},
		{"ports", small(t, row2, "1,router,DSENT-0.91,45,LVT,1.0,1.0,0,128,1,5,"), `line 2, column "ports": "0" is not`},
		{"depth", small(t, row2, "1,router,DSENT-0.91,45,LVT,1.0,1.0,5,128,1,4.5,"), `line 2, column "depth_flits": "4.5" is not`},
		{"kind", small(t, row2, "1,routre,DSENT-0.91,45,LVT,1.0,1.0,5,128,1,5,"), `line 2, column "kind": "routre" is not router or link`},
		{"energy", small(t, "2.36286", "2.3628x"), `line 2, column "e_buf_write_pj": "2.3628x" is not a number`},
		{"infinite", small(t, "2.36286", "Inf"), `line 2, column "e_buf_write_pj": "Inf" is not a number`},
		{"negative", small(t, "1.97991", "-1"), `line 2, column "e_buf_read_pj": "-1" is not a number of at least 0`},
		{"late column", small(t, "7.52992", "7,52992"), "line 2, column 43: the row has 43 cells, the header 42"},
		{"quote", small(t, "DFF-RAM", `DFF"RAM`), "line 2, column"},
		{"impossible clock", small(t, row2, "1,router,DSENT-0.91,45,LVT,1.0,1000,5,128,1,5,"), "line 2: clock_ghz is 1000"},
	} {
		_, _, err := Check(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestCheckExcludesWhatNoProfileModels(t *testing.T) {
	const row2 = "1,router,DSENT-0.91,45,LVT,1.0,1.0,5,128,1,5,DFF-RAM,mux,matrix,matrix,"
	for _, c := range []struct{ name, old, new, reason string }{
		{"flag", "0.0571905,", "0.0571905,timing-limited", "flagged timing-limited"},
		{"context", "0.0571905,", "0.0571905,context-only", "flagged context-only"},
		{"tool", row2, strings.Replace(row2, "DSENT-0.91", "Orion-3.0", 1), `no profile models the tool "Orion-3.0"`},
		{"transistors", row2, strings.Replace(row2, "LVT", "HVT", 1), `profile S does not model vt "HVT"`},
		{"buffers", row2, strings.Replace(row2, "DFF-RAM", "latch", 1), `profile S does not model buffer_model "latch"`},
		{"technology", row2, strings.Replace(row2, "45", "65", 1), "profile S has no tolerance at 65 nm"},
		{"layer", "1.0,Global,1,5.16634", "1.0,Intermediate,1,5.16634", `profile S does not model wire_layer "Intermediate"`},
		{"spacing", "1.0,Global,1,5.16634", "1.0,Global,3,5.16634", "profile S does not model wire_spacing_mult 3"},
	} {
		groups, excluded, err := Check(strings.NewReader(small(t, c.old, c.new)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(excluded) != 1 || excluded[0] != (Excluded{c.reason, 1}) {
			t.Errorf("%s: excluded %v, want 1 row because %s", c.name, excluded, c.reason)
		}
		rows := 0
		for _, g := range groups {
			if g.Component == phitTotal.String() || g.Component == linkEnergy.String() {
				rows += g.Rows
			}
		}
		if rows != 41 {
			t.Errorf("%s: compared %d rows, want 41 of 42", c.name, rows)
		}
	}
}

// TestCheckFindsDeviations: a value of the reference that moves beyond its tolerance fails its
// group alone.
func TestCheckFindsDeviations(t *testing.T) {
	for _, c := range []struct{ old, new, component string }{
		{"22.9758", "23.3", "crossbar"}, // O 65, +1.4 per cent; the total of a phit moves by less than 1
		{"13.0203", "14.0", "buffer_write"},
		{"5.16634", "5.6", "link_energy"},
		{"0.881881", "0.80", "clock"},
	} {
		groups, _, err := Check(strings.NewReader(small(t, c.old, c.new)))
		if err != nil {
			t.Fatal(err)
		}
		var failed []string
		for _, g := range groups {
			if !g.Passed() {
				failed = append(failed, g.Component)
			}
			if g.MeanError > g.MaxError*(1+1e-12) {
				t.Errorf("%s: mean error %g exceeds the largest, %g", g.Component, g.MeanError, g.MaxError)
			}
		}
		if len(failed) != 1 || failed[0] != c.component {
			t.Errorf("%s for %s fails %v, want %s", c.new, c.old, failed, c.component)
		}
	}
}

// TestCheckComparesLeakageOfLinksAtOneClock: the number of repeaters is known at 1 GHz only.
func TestCheckComparesLeakageOfLinksAtOneClock(t *testing.T) {
	groups, _, err := Check(strings.NewReader(small(t, "link,DSENT-0.91,45,LVT,1.0,1.0,", "link,DSENT-0.91,45,LVT,1.0,3.0,")))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if g.TechNM == 45 && g.Profile == ProfileS {
			if g.Component == linkEnergy.String() && g.Rows != 2 || g.Component == linkLeak.String() && g.Rows != 1 {
				t.Errorf("%s compares %d rows", g.Component, g.Rows)
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	lines := strings.SplitAfter(small(f, "", ""), "\n")
	f.Add(lines[0] + lines[1] + lines[15] + lines[19] + lines[20])
	f.Add("kind,tool\nrouter,DSENT\n")
	f.Fuzz(func(t *testing.T, text string) {
		groups, _, err := Check(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, g := range groups {
			if g.Rows < 1 || !(g.MeanError >= 0) || !(g.MaxError >= g.MeanError*(1-1e-12)) || !(g.Tolerance > 0) {
				t.Errorf("group %+v", g)
			}
		}
	})
}
