package checks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// Verdicts follow from what both forms of a program say of two routers.
func TestFidelities(t *testing.T) {
	run := func(workload, router string, cycles ...uint64) (list []tables.Run) {
		for i, n := range cycles {
			list = append(list, tables.Run{Workload: workload, Router: router, Seed: uint64(i), Cycles: tables.Some(n)})
		}
		return list
	}
	for _, c := range []struct {
		verdict      string
		live, replay []uint64 // on the second router; the first takes 1000
	}{
		{Agrees, []uint64{800, 802, 801}, []uint64{801, 803, 800}},
		{Differs, []uint64{800, 802, 801}, []uint64{701, 703, 700}},
		{Hides, []uint64{800, 802, 801}, []uint64{1001, 999, 1000}},
		{Invents, []uint64{1001, 999, 1000}, []uint64{800, 802, 801}},
		{Reverses, []uint64{800, 802, 801}, []uint64{1100, 1101, 1099}},
		{"not measured", nil, []uint64{1}},
	} {
		var runs []tables.Run
		for form, cycles := range map[string][]uint64{" live": c.live, " replay": c.replay} {
			runs = append(runs, run("p"+form, "base", 1000, 1000, 1000)...)
			runs = append(runs, run("p"+form, "mrr", cycles...)...)
		}
		list := Fidelities([]string{"p"}, []string{"base", "mrr"}, " live", " replay", runs)
		if len(list) != 3 || list[2].Quantity != "mrr/base" || list[2].Verdict != c.verdict {
			t.Errorf("live %v, replay %v: %+v; want the verdict %q", c.live, c.replay, list[len(list)-1], c.verdict)
		}
	}
}

// An error is shown with its interval. Programs with a wide one run with more seeds, up to a limit.
func TestErrorsHaveIntervals(t *testing.T) {
	var runs []tables.Run
	for seed, live := range []uint64{800, 1000, 900} {
		for program, cycles := range map[string]uint64{"noisy live": live, "noisy replay": 900, "calm live": 900, "calm replay": 909} {
			runs = append(runs, tables.Run{Workload: program, Router: "base", Seed: uint64(seed), Cycles: tables.Some(uint64(1000))},
				tables.Run{Workload: program, Router: "mrr", Seed: uint64(seed), Cycles: tables.Some(cycles)})
		}
	}
	list := Fidelities([]string{"noisy", "calm"}, []string{"base", "mrr"}, " live", " replay", runs)
	noisy, calm := list[2], list[5]
	if noisy.Seeds != 3 || noisy.HalfWidth == nil || *noisy.HalfWidth < wide || noisy.Percent != fmt.Sprintf("0 ± %.1f %%", 100**noisy.HalfWidth) || calm.Percent != "+1.0 ± 0.0 %" {
		t.Errorf("%+v, %+v", noisy, calm)
	}
	if more := Wide(list, 4); !slices.Equal(more, []string{"noisy"}) {
		t.Errorf("more seeds for %v", more)
	}
	if more := Wide(list, 3); more != nil {
		t.Errorf("more than 3 seeds for %v", more)
	}
	notes := strings.Join(FidelitySheet(list).After, " ")
	for _, part := range []string{"1 of 2 errors of ratios are within", "in 0 of 2", "0.5 %"} {
		if !strings.Contains(strings.ToLower(notes), part) {
			t.Errorf("%q is not in %q", part, notes)
		}
	}
}
