package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// times are the cycles of routers in runs with consecutive seeds or in windows.
type times struct {
	router string
	cycles []uint64
}

// study makes the runs of a workload; those with 0 cycles did not finish.
func study(workload string, windows bool, list ...times) *tables.Rows {
	rows := new(tables.Rows)
	for _, m := range list {
		for i, cycles := range m.cycles {
			r := tables.Run{RunKey: fmt.Sprint(workload, m.router, i), Workload: workload, Router: m.router, Protocol: "token", Seed: uint64(i), ExitState: tables.Finished,
				Cycles: tables.Some(cycles), Seconds: tables.Some(float64(cycles)), Energy: tables.Some(2 * float64(cycles)), MissLatencyMean: tables.Some(9.), PacketLatencyMean: tables.Some(8.)}
			r.EnergyED2P = tables.Some(r.Energy.Value * float64(cycles) * float64(cycles))
			if windows {
				r.Seed, r.Window = 1, uint64(i)
			}
			if cycles == 0 {
				r = tables.Run{RunKey: r.RunKey, Workload: workload, Router: m.router, Protocol: "token", Seed: r.Seed, Window: r.Window, ExitState: tables.Interrupted}
			}
			rows.Runs = append(rows.Runs, r)
		}
	}
	return rows
}

// TestClock: who sets the clock and not the latency of memory is told that it stays in cycles.
func TestClock(t *testing.T) {
	const clock, latency = "chip.clock_ghz", "chip.memory.latency"
	for _, c := range []struct {
		values map[string]any // of keys that are given
		axes   []string
		want   bool
	}{
		{nil, nil, false},
		{map[string]any{clock: 1}, nil, true},
		{map[string]any{clock: 4, latency: 260, latency + "_ns": 0}, nil, false}, // as in the manifest of a run
		{map[string]any{clock: 1, latency: 65}, nil, false},
		{map[string]any{clock: 1, latency + "_ns": 65}, nil, false},
		{nil, []string{clock}, true},
		{nil, []string{clock, latency}, false},
	} {
		m := &experiment.Manifest{Given: map[string]string{}, Plan: &experiment.PlanIdentity{}}
		values := map[string]any{latency: 260}
		for key, value := range c.values {
			values[key], m.Given[key] = value, "--set"
		}
		m.Configuration = values
		for _, key := range c.axes {
			m.Plan.Axes = append(m.Plan.Axes, experiment.PlanAxis{Key: key})
		}
		list := (&findings{rankings: nil, rows: study("w", true, four...), manifest: m}).all()
		const sentence = "The clock was changed, but the latency of memory is still 260 cycles, and its bandwidth is the same in bytes per cycle. Set chip.memory.latency_ns for a latency in ns."
		if got := slices.Contains(list, Finding{Warning, sentence}); got != c.want {
			t.Errorf("%+v: %+v", c, list)
		}
	}
}

// base varies most from window to window, and mrr takes less than rr in each.
var four = []times{{"base", []uint64{1600, 2200, 1500, 2500}}, {"base-mc", []uint64{1000, 1030, 970, 1010}}, {"rr", []uint64{1050, 1060, 1040, 1055}}, {"mrr", []uint64{1000, 1008, 991, 1004}}}

// TestTable: what users see. Rows are sorted by time, each is compared with the next one by matched
// pairs, and ED2P is energy times the square of time.
func TestTable(t *testing.T) {
	r := NewStudy(new(experiment.Manifest), study("w", true, four...), Extra{}, "")
	s := Sheet(&r.Comparisons[0], false)
	want := [][]string{
		{"mrr", "1", "-", "1", "1"},
		{"base-mc", "1.002 ± 0.028", "cannot tell from mrr", "1.005 ± 0.085", "1.002 ± 0.028"},
		{"rr", "1.050 ± 0.010", "4.9 ± 3.0 % slower than base-mc", "1.159 ± 0.034", "1.050 ± 0.010"},
		{"base", "1.949 ± 0.748", "85 ± 71 % slower than rr", "not known", "1.949 ± 0.748"},
	}
	compared := []string{"router", "time / mrr", "verdict", "network ED2P / mrr", "network energy / mrr"}
	if got := slices.Concat(compared, shownBy(tables.OfRun, "token")); !slices.Equal(s.Header, got) {
		t.Errorf("the header is %q, want %q", s.Header, got)
	}
	latency := slices.Index(s.Header, "miss latency")
	for i, row := range s.Rows {
		if !slices.Equal(row[:5], want[i]) || row[latency] != "9" {
			t.Errorf("row %d is\n%q, want\n%q and a miss latency of 9", i, row, want[i])
		}
	}
	for _, protocol := range []string{"token", "directory"} {
		r.Comparisons[0].Protocol = protocol
		all := slices.Concat(compared, shownBy(tables.OfRun|tables.OfWideRun, protocol), []string{"lower ED of chip", "lower ED2P of chip", "runs"})
		if got := Sheet(&r.Comparisons[0], true).Header; !slices.Equal(got, all) || slices.Contains(got, "repeated requests") != (protocol == "token") {
			t.Errorf("with %s all columns are %q, want %q", protocol, got, all)
		}
	}
}

// shownBy lists the titles of the columns that views show of a protocol.
func shownBy(v tables.View, protocol string) (titles []string) {
	for _, c := range v.Columns() {
		if c.Protocol == "" || c.Protocol == protocol {
			titles = append(titles, c.Title)
		}
	}
	return titles
}

// TestOrder: whether two routers differ is a matter of their own matched pairs, where the spread of base
// is not, and of no order.
func TestOrder(t *testing.T) {
	mrr := times{"mrr", []uint64{1000, 1008, 991, 1004}}
	for want, rr := range map[string]times{
		"mrr is fastest; rr takes 1.050 ± 0.010 times as long. Every router differs from the next with 95 % confidence.":                                                                      four[2],
		"mrr or rr is fastest; rr takes 1.010 ± 0.046 times as long as mrr. These runs cannot tell mrr from rr. About 80 windows would tell mrr from rr: carousel trace sample --windows 80.": {"rr", []uint64{1050, 990, 1001, 1004}},
	} {
		for _, list := range [][]times{{rr, mrr, four[0]}, {mrr, rr, four[0]}} {
			c := result.Rank(study("sort", true, list...), nil)
			if got := said(nil, &c[0], (*findings).order, Answer); got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
	}
}

// TestFastest: what is said of the fastest router, for each certainty.
func TestFastest(t *testing.T) {
	sure := []uint64{100, 101, 100, 101}
	for _, x := range []struct {
		rr   []uint64
		want string
	}{
		{[]uint64{120, 121, 121, 120}, "mrr is fastest; rr takes 1.199 ± 0.026 times as long."},
		{[]uint64{90, 115, 92, 117}, "mrr or rr is fastest; rr takes 1.030 ± 0.220 times as long as mrr. These runs cannot tell mrr from rr. About 184 windows would tell mrr from rr: carousel trace sample --windows 184."},
		// One of the two ratios has 1 in its interval, and its inverse has not.
		{[]uint64{112, 163, 117, 139}, "mrr is fastest; rr takes 1.321 ± 0.360 times as long."},
		{[]uint64{120}, "mrr takes the least time; rr takes 1.200 times as long. One run of each gives no confidence interval: use --runs 3, or a trace with several windows."},
	} {
		c := result.Rank(study("w", true, times{"mrr", sure[:len(x.rr)]}, times{"rr", x.rr}), nil)
		if got := said(nil, &c[0], (*findings).order, Answer); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestFastestOfThree: a router that the fastest cannot be told from is named, wherever it stands.
func TestFastestOfThree(t *testing.T) {
	c := result.Rank(study("w", true, times{"mrr", []uint64{100, 101, 100, 101}}, times{"rr", []uint64{102, 103, 102, 103}}, times{"base", []uint64{92, 116, 93, 117}}), nil)
	got := said(nil, &c[0], (*findings).order, Answer)
	if want := "mrr or base is fastest; rr takes 1.0199 ± 0.0062 times as long as mrr. These runs cannot tell rr from base. "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	c = result.Rank(study("w", true, times{"mrr", []uint64{100, 101, 100, 101}}, times{"rr", []uint64{101, 103, 100, 101}}, times{"base", []uint64{102, 103, 102, 103}}), nil)
	if got := said(nil, &c[0], (*findings).order, Answer); strings.Contains(got, "cannot tell the 3 routers apart") {
		t.Errorf("base is slower than mrr, but %q", got)
	}
}

// TestWindowsLeftOut: if --windows left out windows of the trace, the advice is to raise it; other
// windows are made only if those of the trace are too few.
func TestWindowsLeftOut(t *testing.T) {
	for _, x := range []struct {
		given   string
		windows int // of the trace
		cycles  []uint64
		want    string
	}{
		{"--windows", 4, []uint64{101}, "One run of each gives no confidence interval: leave out --windows, because the trace has 4 windows, or use --runs 3."},
		{"--windows", 1, []uint64{101}, "use --runs 3, or a trace with several windows."},
		{"", 4, []uint64{101}, "use --runs 3, or a trace with several windows."},
		{"plan.yaml:3", 1, []uint64{101}, "write `seeds: 3` in the plan, or use a trace with several windows."},
		{"--windows", 64, []uint64{100, 105, 98, 106}, "About 34 windows would tell mrr from rr: leave out --windows or raise it; the trace has 64 windows."},
		{"plan.yaml:3", 64, []uint64{100, 105, 98, 106}, "leave out the key windows (given by plan.yaml:3) or raise it; the trace"},
		{"--windows", 6, []uint64{100, 105, 98, 106}, "About 40 windows would tell mrr from rr. Leave out --windows to replay all 6 of the trace, or make more: carousel workload make lu --windows 40."},
		{"--windows", 2000, []uint64{1000, 1046, 956, 1016}, "About 1,752 windows would tell mrr from rr: leave out --windows or raise it; the trace has 2,000 windows."},
		{"--windows", 40, []uint64{1000, 1046, 956, 1016}, "More windows will not tell mrr from rr: it takes more than 1,000."},
		{"", 1, []uint64{1000, 1046, 956, 1016}, "More windows will not tell mrr from rr: it takes more than 1,000."},
		{"--windows", 4, []uint64{100, 105, 98, 106}, "About 40 windows would tell mrr from rr: carousel workload make lu --windows 40."},
	} {
		mrr := []uint64{100, 101, 100, 101}
		if x.cycles[0] == 1000 {
			mrr = []uint64{1000, 1001, 1000, 1001}
		}
		rows := study("lu", true, times{"mrr", mrr[:len(x.cycles)]}, times{"rr", x.cycles})
		for i := range rows.Runs {
			rows.Runs[i].TraceDigest = "d"
		}
		m := &experiment.Manifest{Given: map[string]string{}, Traces: []experiment.TraceIdentity{{Digest: "other", Windows: 900}, {Digest: "d", Windows: x.windows}}}
		if x.given != "" {
			m.Given["windows"] = x.given
		}
		if strings.HasPrefix(x.given, "plan") {
			m.Plan = new(experiment.PlanIdentity)
		}
		if got := (&findings{rankings: result.Rank(rows, nil), rows: rows, manifest: m}).all()[0].Text; !strings.Contains(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestMoreRunsOfPrograms: an executed program has no trace, so more seeds are the advice.
func TestMoreRunsOfPrograms(t *testing.T) {
	rows := study("p", false, times{"mrr", []uint64{100}}, times{"rr", []uint64{101}})
	for i := range rows.Runs {
		rows.Runs[i].ProgramEnd = tables.Some("success")
	}
	if got := said(rows, &result.Rank(rows, nil)[0], (*findings).order, Answer); !strings.HasSuffix(got, "One run of each gives no confidence interval: use --runs 3.") {
		t.Errorf("it says %q", got)
	}
}

// TestTooManyWindows: no advice names more windows than anybody can replay, for several applications, too.
func TestTooManyWindows(t *testing.T) {
	rows := new(tables.Rows)
	for _, w := range []string{"lu", "is"} {
		rows.Runs = append(rows.Runs, study(w, true, times{"mrr", []uint64{1000, 1001, 1000, 1001}}, times{"rr", []uint64{1000, 1046, 956, 1016}}).Runs...)
	}
	if got := (&findings{rankings: result.Rank(rows, nil), rows: rows}).all()[0].Text; !strings.HasSuffix(got, "More windows will not tell mrr from rr: it takes more than 1,000.") {
		t.Error(got)
	}
}

// TestWidened: the interval of a router whose cores end early in its windows is wider, its row has a mark
// on screen and in JSON, and one sentence says what the mark means.
func TestWidened(t *testing.T) {
	rows := study("w", true, four...)
	for i := range rows.Runs {
		r := &rows.Runs[i]
		early := r.Cycles.Value
		if r.Router == "base-mc" {
			early -= 200
		}
		for core, end := range []uint64{r.Cycles.Value, early} {
			rows.Cores = append(rows.Cores, tables.Core{RunKey: r.RunKey, Core: uint64(core), FinishCycle: end, Records: 2})
		}
	}
	r := NewStudy(new(experiment.Manifest), rows, Extra{}, "")
	s := Sheet(&r.Comparisons[0], false)
	if base, mc := s.Rows[3], s.Rows[1]; base[0] != "base" || mc[0] != "base-mc ~" || mc[1] != "1.002 ± 0.128" || base[1] != "1.949 ± 0.748" {
		t.Errorf("the rows are %q and %q", base, mc)
	}
	text, err := json.Marshal(r)
	said := bytes.Count(text, []byte(widenedText))
	if row := r.Comparisons[0].Applications[0].Rows[1]; err != nil || said != 1 || !row.Widened || !bytes.Contains(text, []byte(`"systematic":-0.0999`)) {
		t.Errorf("of %+v it says %d times what the mark means: %s, %v", row, said, text, err)
	}
	if r := NewStudy(new(experiment.Manifest), study("w", true, four...), Extra{}, ""); r.Comparisons[0].Overall().Widened() {
		t.Error("a row is marked where nothing is known of cores")
	}
}

// TestLargeSeeds: ratios are the same whatever the seeds are.
func TestLargeSeeds(t *testing.T) {
	want := ""
	for _, first := range []uint64{1, 1<<53 + 1, 1 << 60, math.MaxUint64 - 3} {
		rows := study("w", false, four...)
		for i := range rows.Runs {
			rows.Runs[i].Seed += first
		}
		got := fmt.Sprint(Sheet(&result.Rank(rows, nil)[0], false).Rows)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("from seed %d on it is %s, want %s", first, got, want)
		}
	}
}

// TestUseless: an interval that says nothing is no equality. Of a router that measures 3.5 times the
// time of another and may take no time at all, nothing is said.
func TestUseless(t *testing.T) {
	c := result.Rank(study("w", true, times{"ideal", []uint64{10, 11, 12, 13}}, times{"base", []uint64{50, 51, 52, 53}}, times{"mrr", []uint64{10, 10, 700, 10}}), nil)
	s := Sheet(&c[0], false)
	if s.Rows[0][0] != "base" || s.Rows[1][1] != "not known" || s.Rows[1][2] != "cannot tell from base" {
		t.Errorf("the table is %q", s.Rows)
	}
	for _, f := range (&findings{rankings: c, rows: study("w", true), manifest: nil}).all() {
		if strings.Contains(f.Text, "equal") || strings.Contains(f.Text, "lowest ED2P") {
			t.Errorf("it says %s", f.Text)
		}
	}
	vague := result.Rank(study("w", true, times{"base", []uint64{50, 51, 52, 53}}, times{"ideal", []uint64{10, 10, 700, 10}}), nil)
	for _, f := range (&findings{rankings: vague, rows: study("w", true), manifest: nil}).all() {
		if strings.Contains(f.Text, "bound") {
			t.Errorf("of a bound that is not known it says %s", f.Text)
		}
	}
}

// TestOneRun: a verdict of one run says so, and has three significant digits.
func TestOneRun(t *testing.T) {
	for cycles, want := range map[uint64]string{11038: "10.4 % slower than mrr (one run)", 10000: "same time as mrr (one run)"} {
		c := result.Rank(study("w", true, times{"mrr", []uint64{10000}}, times{"base", []uint64{cycles}}), nil)
		if got := Sheet(&c[0], false).Rows[1][2]; got != want {
			t.Errorf("%q", got)
		}
	}
}

// TestOneRouter: a run of several applications on one router shows what was measured, and compares nothing.
func TestOneRouter(t *testing.T) {
	rows := study("lu", true, times{"mrr", []uint64{1000, 1200}})
	rows.Runs = append(rows.Runs, study("is", true, times{"mrr", []uint64{500}}).Runs...)
	for i := range rows.Runs {
		r := &rows.Runs[i]
		r.MissLatencyMean, r.Energy, r.IPC = tables.Some(10.0), tables.Some(2e-6), tables.Some(0.5)
	}
	s := Sheet(&result.Rank(rows, nil)[0], false)
	if got := strings.Join(s.Header, ", "); got != "application, windows, miss latency, packet latency, cycles, energy [uJ], IPC of chip" || len(s.Rows) != 2 {
		t.Errorf("%s: %q", got, s.Rows)
	}
	if got := fmt.Sprint(s.Rows[0]); got != "[lu 2 10 8 1100 2 0.500]" {
		t.Errorf("%s", got)
	}
}

// TestBound: ideal is no contestant, and a bound only where no router takes less.
func TestBound(t *testing.T) {
	for mrr, want := range map[uint64]string{50: "takes 0.800 of the time of mrr. This is a lower bound in these runs.", 30: "takes 1.333 of the time of mrr. This is not a lower bound, because requests lose more races there than on mrr in w."} {
		c := result.Rank(study("w", true, times{"base", []uint64{100}}, times{"mrr", []uint64{mrr}}), study("w", true, times{"ideal", []uint64{40}}).Runs)
		if got := said(nil, &c[0], (*findings).bound, Note); !strings.HasSuffix(got, want) || slices.Contains(c[0].Names, "ideal") {
			t.Errorf("with %d it says %q", mrr, got)
		}
	}
}

// TestNamedIdeal: the network without contention has the last row if the study names it, and none if it was
// run beside the study. It is not ranked either way.
func TestNamedIdeal(t *testing.T) {
	ideal := study("w", true, times{"ideal", []uint64{40, 41}})
	rows := study("w", true, times{"base", []uint64{100, 101}}, times{"mrr", []uint64{50, 51}})
	beside := NewStudy(new(experiment.Manifest), rows, Extra{Bounds: ideal.Runs}, "")
	rows.Runs = append(ideal.Runs, rows.Runs...)
	named := NewStudy(new(experiment.Manifest), rows, Extra{}, "")
	got := Sheet(&named.Comparisons[0], false).Rows
	if len(got) != 3 || got[2][0] != "ideal" || got[2][1] != "0.802 ± 0.030" || got[2][2] != "-" || got[2][5] != "9" {
		t.Errorf("the rows are %q", got)
	}
	if plain := Sheet(&beside.Comparisons[0], false).Rows; len(plain) != 2 || !slices.Equal(plain[0], got[0]) || !slices.Equal(plain[1], got[1]) {
		t.Errorf("the rows are %q beside it, %q with it", plain, got)
	}
	if a, b := len(beside.Ranking().Rows), len(named.Ranking().Rows); a != 2 || b != 3 {
		t.Errorf("CSV has %d and %d rows", a, b)
	}
	rows.Runs = append(rows.Runs, study("v", true, times{"ideal", []uint64{40, 41}}, times{"base", []uint64{100, 101}}, times{"mrr", []uint64{50, 51}}).Runs...)
	if s := Sheet(&result.Rank(rows, nil)[0], false); strings.Join(s.Header, ", ") != "application, windows, base / mrr, latency base, ideal / mrr, latency ideal, may be fastest" || s.Rows[0][6] != "mrr" {
		t.Errorf("the table is %q, %q", s.Header, s.Rows)
	}
}

// TestSuite: one row for each application, over the router with the least mean time, and the means.
func TestSuite(t *testing.T) {
	rows := study("a", true, four...)
	rows.Runs = append(rows.Runs, study("b", true, times{"base", []uint64{30, 31, 30, 29}}, times{"base-mc", []uint64{21, 20, 22, 20}}, times{"rr", []uint64{25, 26, 24, 26}}, times{"mrr", []uint64{20, 20, 21, 19}}).Runs...)
	c := result.Rank(rows, nil)[0]
	s := Sheet(&c, false)
	if got := strings.Join(s.Header, ", "); got != "application, windows, base-mc / mrr, latency base-mc, rr / mrr, latency rr, base / mrr, latency base, may be fastest" {
		t.Errorf("the header is %s", got)
	}
	if a, b := s.Rows[0], s.Rows[1]; a[8] != "mrr, base-mc" || b[2] != "1.0375 ± 0.0446  " && !strings.HasPrefix(b[2], "1.038 ± ") || !strings.HasSuffix(b[6], " *") {
		t.Errorf("the rows are %q, %q", a, b)
	}
	e := c.Mean.Rows[3].Time
	if want := math.Sqrt(7800. / 4003 * 120 / 80); math.Abs(e.Mean-want) > 1e-12 || s.Rows[2][0] != "mean time" || !strings.HasPrefix(s.Rows[2][6], fmt.Sprintf("%.3f", want)) {
		t.Errorf("the mean of base is %+v, and the row %q; want %.3f", e, s.Rows[2], want)
	}
}

// TestPrograms: two traces of a plan are compared with each other on each router.
func TestPrograms(t *testing.T) {
	rows := study("bug", false, times{"base", []uint64{680, 681}}, times{"mrr", []uint64{680, 681}})
	rows.Runs = append(rows.Runs, study("fixed", false, times{"base", []uint64{100, 101}}, times{"mrr", []uint64{100, 101}}).Runs...)
	for i := range rows.Runs {
		r := &rows.Runs[i]
		rows.Axes = append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "trace", Value: r.Workload})
		r.Workload = "w"
	}
	r := NewStudy(new(experiment.Manifest), rows, Extra{}, "")
	if len(r.Comparisons) != 1 {
		t.Fatalf("%d comparisons", len(r.Comparisons))
	}
	sheets, _ := r.Results(false)
	if s := sheets[0]; s.Header[1] != "time / bug on base" || s.Rows[1][0] != "fixed" || !strings.HasPrefix(s.Rows[1][1], "0.1477") {
		t.Errorf("the table is %q, %q", s.Header, s.Rows)
	}
	if r.Findings[0].Text != "In 2 of 2 settings (base; mrr): Compared with bug, a run takes 0.1477 ± 0.0080 times as long with fixed (faster)." {
		t.Errorf("it says %q", r.Findings)
	}
}
