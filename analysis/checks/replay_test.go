package checks

import (
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
