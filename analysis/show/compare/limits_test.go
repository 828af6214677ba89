package compare

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestLimitOfCycles: runs that a limit of cycles ends take equal times. Routers are then compared by time, energy
// and ED2P per instruction, and the text says so. A limit of instructions leaves the ratios of time.
func TestLimitOfCycles(t *testing.T) {
	limited := func(limit string) (*tables.Rows, *Study) {
		rows := study("w", true, times{"base", []uint64{1000, 1000}}, times{"mrr", []uint64{1000, 1000}})
		for i := range rows.Runs {
			r := &rows.Runs[i]
			r.Limit, r.Instructions = tables.Some(limit), tables.Some(uint64(4000))
			if r.Router == "mrr" {
				r.Instructions.Value = 5000
			}
		}
		return rows, NewStudy(new(experiment.Manifest), rows, Extra{}, "")
	}
	rows, s := limited(tables.ByCycles)
	c := &s.Comparisons[0]
	sheet := Sheet(c, false)
	if sheet.Header[1] != "time per instruction / mrr" || !slices.Equal(sheet.Rows[1][:2], []string{"base", "1.250 ± 0.026"}) || sheet.Rows[1][3] != "1.953 ± 0.080" || sheet.Rows[1][4] != "1.250 ± 0.026" {
		t.Errorf("%q\n%q", sheet.Header, sheet.Rows)
	}
	if q := chart.Ranked(&tables.ChipPictures[0], s.Comparisons).Panels[0].Quantity; q != "execution time per instruction" {
		t.Errorf("the picture is of the %s", q)
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
