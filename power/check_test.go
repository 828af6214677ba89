package power

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// check compares the rows of a file.
func check(file io.Reader) ([]Group, []Excluded, error) {
	c, err := Compare(file)
	if err != nil {
		return nil, nil, err
	}
	return c.Groups, c.Excluded, nil
}

func TestReferenceRowsAreWithinTolerance(t *testing.T) {
	file := must.Get(os.Open("testdata/reference_small.csv"))
	defer file.Close()
	groups, excluded, err := check(file)
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
	text := must.Get(os.ReadFile("testdata/reference_small.csv"))
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
		_, _, err := check(strings.NewReader(c.text))
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
		groups, excluded, err := check(strings.NewReader(small(t, c.old, c.new)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(excluded) != 1 || excluded[0] != (Excluded{c.reason, 1}) {
			t.Errorf("%s: excluded %v, want 1 row because %s", c.name, excluded, c.reason)
		}
		rows := 0
		for _, g := range groups {
			if g.Component == phitTotal || g.Component == linkEnergy {
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
		{"0.0571905", "0.0541", "area"},
		{"1.7934,", "1.82,", "area"},
	} {
		groups, _, err := check(strings.NewReader(small(t, c.old, c.new)))
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
	groups, _, err := check(strings.NewReader(small(t, "link,DSENT-0.91,45,LVT,1.0,1.0,", "link,DSENT-0.91,45,LVT,1.0,3.0,")))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if g.TechNM == 45 && g.Profile == ProfileS {
			if g.Component == linkEnergy && g.Rows != 2 || g.Component == linkLeak && g.Rows != 1 {
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
		groups, _, err := check(strings.NewReader(text))
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

// TestPublishedChips: silicon whose figures were read, not remembered, is within a factor of
// three in both profiles, and what was remembered within four.
func TestPublishedChips(t *testing.T) {
	list := must.Get(Compare(strings.NewReader(small(t, "", "")))).Chips
	judged := 0
	for _, c := range list {
		t.Logf("%-26s %d nm %s %-10s published %.3g to %.3g, model %.3g to %.3g pJ/bit: factor %.2f", c.Name, c.TechNM, c.Profile, c.FIFO,
			c.Low, c.High, c.ModelLow, c.ModelHigh, c.Factor)
		if !c.Passed() || c.Factor > 4 {
			t.Errorf("%s, profile %s with %s: a factor of %.2f", c.Name, c.Profile, c.FIFO, c.Factor)
		}
		if c.Judged {
			judged++
		}
	}
	if judged != 9 {
		t.Errorf("%d comparisons are judged, want three chips in three organisations", judged)
	}
	far := Chip{Low: 1, High: 1, ModelLow: 3.1, ModelHigh: 3.1, Factor: 3.1, Judged: true}
	if far.Passed() {
		t.Error("a chip that is 3.1 times away passes")
	}
}

// TestChipByHand: all five ports of the SCC router in every cycle, profile S: 128 bits written
// and read in banks of 3, eight banks multiplexed, a crossbar of 5, arbiters of 8 and 5, at 1.1 V
// and 2 GHz.
func TestChipByHand(t *testing.T) {
	c := configured(ProfileS, 45, FIFOBanked)
	c.VoltageV, c.ClockGHz, c.LinkMM = 1.1, 2, 5.4
	const square, bits = 1.1 * 1.1, 128.0
	phit := square * (bits*((10.95+1.509*3)+(8.17+1.506*3)+1.373*8+(-0.6+1.285*5)+(3.74+1.373*5)) + 6.60*(8*7+5*4)) // fF V^2
	tree := square * (195.9 + 1.184*5*bits)
	leak := 1.1 * (2.357*5*8*3*bits + 3*1.628*5*bits + 0.651*bits*(20+40) + 2.51*5*(8*7+5*4)) // uW
	want := (phit + (tree+leak*1e-6/2e9*1e15)/5) * 1e-3 / bits                                // pJ per bit
	var low, high float64
	if err := readReferences(strings.NewReader(publishedFile), func(r *reference) (err error) {
		if r.text("chip") == "Intel SCC, mesh router" {
			low, high, err = r.bitEnergy(c)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	near(t, "SCC, router alone", low, want, 1e-9)
	// Four of five phits go over 5.4 mm, with two repeaters, which leak on four links.
	wire := 0.8*0.5*(cellTables()[45].LinkWire.total()*5.4e-3*1e15+2*4.5)*square/2 + 4*1.1*0.43*2*1e-6/2e9*1e15/5
	near(t, "SCC, links", high-low, wire*1e-3, 1e-9)
}

// TestDoubtsOfAPriceList: defaults are within the ranges of silicon (rule 14), and what is not says so.
func TestDoubtsOfAPriceList(t *testing.T) {
	doubts := func(c Config, h noc.Hardware) string {
		l := must.Get(PriceListOf(h, c))
		return strings.Join(l.Doubts, "; ")
	}
	for _, c := range []Config{
		Default(), configured(ProfileO, 45, FIFOSRAM), configured(ProfileO, 32, FIFOSRAM), configured(ProfileO, 22, FIFOUsual),
		configured(ProfileO, 65, FIFORegisterPointer), configured(ProfileS, 45, FIFOBanked), configured(ProfileS, 45, FIFOSingleRAM),
		configured(ProfileS, 32, FIFOSingleRAM), configured(ProfileS, 22, FIFOSingleRAM),
	} {
		for _, h := range []noc.Hardware{baseHardware(), rotaryHardware()} {
			if text := doubts(c, h); text != "" {
				t.Errorf("profile %s at %d nm: %s", c.Profile, c.TechNM, text)
			}
		}
	}
	still := configured(ProfileS, 45, FIFOBanked)
	still.Alpha = 0
	if text := doubts(still, baseHardware()); !strings.Contains(text, "per bit and hop") || !strings.Contains(text, "mm of link in pJ is 0, outside the 0.03 to 0.25") {
		t.Errorf("a network whose wires never change: %q", text)
	}
	leaking := Default()
	leaking.StaticScale = 100
	if text := doubts(leaking, baseHardware()); !strings.Contains(text, "share of clock and leakage") {
		t.Errorf("a network that leaks a hundred times as much: %q", text)
	}
	fast := Default()
	fast.ClockGHz = 4
	if fast.ClockTested() || !Default().ClockTested() {
		t.Error("tools were compared at 1 GHz, not at 4")
	}
	if text := doubts(still, noc.Hardware{Ports: 5, PhitBits: 128}); text != "" {
		t.Errorf("wires without routers: %q", text)
	}
}
