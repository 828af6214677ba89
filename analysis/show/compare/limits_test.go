package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestLimitOfCycles: runs that a limit of cycles ends take equal times. Routers are then compared by time, energy
// and ED2P per instruction, and the text says so. A limit of instructions leaves the ratios of time.
func TestLimitOfCycles(t *testing.T) {
	limited := func(limit string) (*tables.Rows, *Study) {
		rows := study("w", true, times{"base", []uint64{1000, 1000}}, times{"mrr", []uint64{1000, 1000}})
		for i := range rows.Runs {
			r := &rows.Runs[i]
			r.Limit, r.Instructions, r.IPC = tables.Some(limit), tables.Some(uint64(4000)), tables.Some(4.0)
			if r.Router == "mrr" {
				r.Instructions.Value = 5000
			}
		}
		return rows, NewStudy(new(experiment.Manifest), rows, Extra{}, "")
	}
	rows, s := limited(tables.ByCycles)
	c := &s.Comparisons[0]
	sheet := Sheet(c, false)
	if sheet.Header[1] != "time per instruction / mrr" || sheet.Header[3] != "network ED2P per instruction / mrr" ||
		sheet.Header[4] != "network energy per instruction / mrr" || !slices.Equal(sheet.Rows[1][:2], []string{"base", "1.250 ± 0.026"}) || sheet.Rows[1][3] != "1.953 ± 0.121" || sheet.Rows[1][4] != "1.250 ± 0.026" {
		t.Errorf("%q\n%q", sheet.Header, sheet.Rows)
	}
	more, _ := limited(tables.ByCycles)
	for _, r := range more.Runs {
		r.Workload, r.RunKey = "v", "v"+r.RunKey
		more.Runs = append(more.Runs, r)
	}
	applications := Sheet(&NewStudy(new(experiment.Manifest), more, Extra{}, "").Comparisons[0], false)
	for i, want := range []string{"mean time per instruction", "mean network energy per instruction", "mean network ED2P per instruction"} {
		if got := applications.Rows[2+i][0]; got != want {
			t.Errorf("row %q of several applications, want %q", got, want)
		}
	}
	for column, want := range map[tables.Name][3]string{
		tables.Col.Cycles: {"quantity per instruction", "left is better", "totals over windows"},
		tables.Col.IPC:    {"quantity", "", "mean of the ratios over windows"},
	} {
		for _, draw := range []func(*tables.Picture, []result.Ranking) *figures.Figure{chart.Ranked, chart.Across} {
			f := draw(&tables.Picture{Column: column, Quantity: "quantity"}, s.Comparisons)
			if p := f.Panels[0]; p.Quantity != want[0] || p.Better != want[1] || !strings.HasPrefix(f.Note, want[2]) {
				t.Errorf("the picture of %s is of the %s, %s, %s", column, p.Quantity, p.Better, f.Note)
			}
		}
	}
	list := (&findings{rankings: s.Comparisons, rows: rows, manifest: nil}).all()
	for _, want := range []Finding{{Warning, "Runs have a limit of cycles: times, energies and ED2P are compared per instruction."}, {Answer, "mrr is fastest per instruction; base takes 1.250 ± 0.026 times as long."}} {
		if !slices.Contains(list, want) {
			t.Errorf("it does not say %q, but %q", want.Text, list)
		}
	}
	if slices.ContainsFunc(list, func(f Finding) bool { return f.Text != "" && f.Text[:2] == "w:" }) {
		t.Errorf("it wonders that work differs: %q", list)
	}
	_, s = limited(tables.ByInstructions)
	if sheet := Sheet(&s.Comparisons[0], false); sheet.Header[1] != "time / base" || sheet.Rows[1][1] != "1" {
		t.Errorf("%q\n%q", sheet.Header, sheet.Rows)
	}
}
