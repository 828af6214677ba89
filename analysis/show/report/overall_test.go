package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestAnswerOverPrograms: over programs in windows the answer is the geometric mean of what the
// table says of each program, without an interval where one has a single window.
func TestAnswerOverPrograms(t *testing.T) {
	for _, whole := range []bool{true, false} {
		rows := new(tables.Rows)
		add := func(workload, router string, window int, cycles uint64) {
			rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: workload, Router: router, Protocol: "token", Seed: 1,
				Window: uint64(window), ExitState: tables.Finished, Cycles: tables.Some(cycles)})
		}
		for window, cycles := range []uint64{1000, 3000, 2000, 5000} {
			if late := uint64(window*window) * 50; !whole || window == 0 {
				add("is", "base", window, 1000)
				add("is", "mrr", window, 740+late)
			}
			add("bt", "base", window, cycles)
			add("bt", "mrr", window, cycles*9/10-100*uint64(window))
		}
		m := manifest()
		m.Plan = nil
		s, err := Of("dir", rows, m, "", "")
		if err != nil {
			t.Fatal(err)
		}
		logs := 0.0
		for _, row := range s.Summary.Rows {
			var mean float64
			if n, _ := fmt.Sscanf(row[4], "%f", &mean); n > 0 && row[2] == "base" {
				logs += math.Log(mean) / 2
			}
		}
		var said, sure float64
		_, text, _ := strings.Cut(s.Answer[0], "base takes ")
		n, _ := fmt.Sscanf(text, "%f ± %f", &said, &sure)
		if mean := math.Exp(logs); math.Abs(said-mean) > 0.002 || (n == 2) == whole {
			t.Errorf("is whole: %v: the answer is %q; want %.3f", whole, s.Answer[0], mean)
		}
	}
}

// TestRepeatedRuns: a page says how many windows and seeds there are of each thing compared.
func TestRepeatedRuns(t *testing.T) {
	for _, c := range []struct {
		seeds uint64
		of    map[string]int // windows of workloads
		want  string
	}{
		{1, map[string]int{"is": 1}, "one run of each, so no confidence intervals"},
		{3, map[string]int{"is": 1}, "3 runs of each, with seeds 1 to 3"},
		{1, map[string]int{"bt": 8}, "8 windows of each"},
		{1, map[string]int{"bt": 8, "is": 1}, "1 to 8 windows of each"},
		{3, map[string]int{"bt": 8}, "3 runs of 8 windows of each, with seeds 1 to 3"},
	} {
		rows := new(tables.Rows)
		for workload, windows := range c.of {
			for i := range uint64(windows) * c.seeds {
				for _, router := range []string{"base", "mrr"} {
					rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(len(rows.Runs)), Workload: workload, Router: router, Seed: 1 + i%c.seeds, Window: i / c.seeds,
						ExitState: tables.Finished, Cycles: tables.Some(1000 + i)})
				}
			}
		}
		s, err := Of("dir", rows, manifest(), "", "")
		if err != nil || s.Compared[len(s.Compared)-1] != c.want {
			t.Errorf("%v: the page says %q; want %q", err, s.Compared, c.want)
		}
	}
}
