package compare

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestInterrupted: what was not measured is "-" for people, empty in CSV and null in JSON, however
// far a study has come, and comes last.
func TestInterrupted(t *testing.T) {
	for finished := range 13 {
		var list []times
		left := finished
		for _, m := range four[:3] {
			one := times{m.router, make([]uint64, 4)}
			left -= copy(one.cycles, m.cycles[:min(max(left, 0), 4)])
			list = append(list, one)
		}
		r := NewStudy(new(experiment.Manifest), study("w", true, list...), Extra{}, "")
		for _, row := range Sheet(&r.Comparisons[0], true).Rows {
			ran := slices.ContainsFunc(list, func(m times) bool { return m.router == row[0] && m.cycles[0] > 0 })
			if numbers := row[1:3]; !ran && (row[1] != "-" || row[2] != "-" || row[4] != "-" || row[6] != "-") || ran && row[1] == "-" || slices.Contains(numbers, "0.000") {
				t.Errorf("%d finished: the row is %q", finished, row)
			}
		}
		if got := r.Comparisons[0].Applications[0].Fastest(); finished <= 8 && got != nil || finished > 8 && got == nil {
			t.Errorf("%d finished: the fastest are %q", finished, got)
		}
		for _, row := range r.Ranking().Rows {
			if row[2] == "0" && (row[5] != "" || row[7] != "" || row[14] != "") {
				t.Errorf("%d finished: CSV has %q", finished, row)
			}
		}
		text, err := json.Marshal(r)
		if err != nil || finished < 12 && !bytes.Contains(text, []byte(`{"mean":null,"ci95":null}`)) || bytes.Contains(text, []byte("NaN")) {
			t.Errorf("%d finished: JSON is %s, %v", finished, text, err)
		}
	}
}

// TestInterruptedSuite: of an interrupted study of several applications, means and the baseline are those of finished
// applications, and no sentence is about others. An application with some windows of all is named with its runs.
func TestInterruptedSuite(t *testing.T) {
	suite := func(sort, is []times) *Study {
		rows := study("lu", true, times{"base", []uint64{1500, 1501}}, times{"rr", []uint64{1200, 1201}}, times{"mrr", []uint64{1000, 1001}})
		rows.Runs = slices.Concat(rows.Runs, study("sort", true, sort...).Runs, study("is", true, is...).Runs)
		for i := range rows.Runs {
			rows.Runs[i].WorkloadSource, rows.Runs[i].Synchronisation = "recorded", tables.Some(tables.Mixed)
			rows.Cores = append(rows.Cores, tables.Core{RunKey: rows.Runs[i].RunKey, FinishCycle: rows.Runs[i].Cycles.Value, RecordedOrder: rows.Runs[i].Cycles.Value / 4, Records: 2})
		}
		return NewStudy(&experiment.Manifest{Coverage: experiment.Coverage{Points: 18, Finished: 9}}, rows, Extra{}, "")
	}
	none := []times{{"base", make([]uint64, 2)}, {"rr", make([]uint64, 2)}, {"mrr", make([]uint64, 2)}}
	some := []times{{"base", []uint64{1000, 0}}, {"rr", []uint64{2000, 0}}, {"mrr", []uint64{4000, 0}}}
	partial := []times{{"base", []uint64{1000, 0}}, none[1], none[2]}
	for want, list := range map[string][2][]times{
		"1 of 3: mrr is fastest over 1 application; rr takes 1.200 ± 0.":  {some, partial},
		"1 of 3: mrr is fastest over 1 application; rr takes 1.200 ± 0.0": {none, none},
	} {
		r := suite(list[0], list[1])
		sheets := r.Sheets(View{})
		last := sheets[0].Rows[len(sheets[0].Rows)-3]
		if got := sheets[0].Incomplete; !slices.Equal(got, []string{"incomplete: 9 of 18 points are finished; the baseline is the router that is fastest in them"}) {
			t.Errorf("%q", got)
		}
		said := strings.Join(append(slices.Clone(sheets[0].Warnings), sheets[0].After...), " ")
		before, answer, _ := strings.Cut(want, ": ")
		if c := r.Comparisons[0]; c.Baseline != "mrr" || last[0] != "mean time of "+before || !strings.Contains(said, answer) || strings.Contains(said, "another router is faster") {
			t.Errorf("%s: %q, %s", c.Baseline, last, said)
		}
		if strings.Contains(said, "sort, token, 3 of 6 runs (") != (list[0][0].cycles[0] > 0) || !strings.Contains(said, "lu, token (") {
			t.Errorf("places are %s", said)
		}
	}
	if got := NewStudy(&experiment.Manifest{Coverage: experiment.Coverage{Points: 6}}, study("lu", true, none...), Extra{}, "").Incomplete; got != "incomplete: 0 of 6 points are finished" {
		t.Errorf("%q", got)
	}
	rows := study("lu", true, partial...)
	if r := NewStudy(new(experiment.Manifest), rows, Extra{}, ""); slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind == Answer }) {
		t.Errorf("of one router it says %q", r.Findings)
	}
}
