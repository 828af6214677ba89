package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestFigure11 makes up two applications in windows of unequal length: MRR is faster than RR by a
// quarter in the sums, by less with an assumption in which only one of the windows was replayed.
func TestFigure11(t *testing.T) {
	rows := new(tables.Rows)
	add := func(variant, workload, router string, window, cycles uint64) {
		key := fmt.Sprint(len(rows.Runs))
		rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: workload, Router: router, Protocol: "token", Window: window,
			ExitState: tables.Finished, Cycles: tables.Some(cycles)})
		rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: "variant", Value: variant})
		rows.Cores = append(rows.Cores, tables.Core{RunKey: key, FinishCycle: cycles, Flight: cycles / 10, Retiring: cycles - cycles/10})
	}
	for _, workload := range []string{"apache", "ft"} {
		for window, long := range []uint64{1, 3} {
			add("token coherence", workload, "base", uint64(window), 2000*long)
			add("token coherence", workload, "rr", uint64(window), 1300*long-100) // 1.2 and 1.2667 of MRR's
			add("token coherence", workload, "mrr", uint64(window), 1000*long)
			add("token coherence", workload, "ideal", uint64(window), 800*long)
		}
		// In window 1 RR takes 1.2667 of MRR's time with the figure's assumptions, and 1.14 here: a
		// tenth less.
		add("chip.cold=true", workload, "base", 1, 6000)
		add("chip.cold=true", workload, "rr", 1, 3420)
		add("chip.cold=true", workload, "mrr", 1, 3000)
	}
	claims := mrr.Fig11().Claims
	r := claims[slices.IndexFunc(claims, func(c claim.Claim) bool { return c.ID == "S2-01" })].Judge(chart.NewData(rows, whole(rows)))
	if math.Abs(r.Measured.Value-1.25) > 1e-9 || r.Verdict == tables.NotConfirmed {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"1.250 ± ", "the mean is 1.125 to 1.250 over 1 assumptions (chip.cold=true, as in the figure)",
		"the fastest network, mostly the one without contention, is 1.562 times as fast as rr", "apache 1.250 ± ", "(1.125 to 1.250 over assumptions; at most 1.562)",
		"of 2 applications", "messages are on their way for 10 % of the cores' time"} {
		if !strings.Contains(r.Detail, want) {
			t.Errorf("the finding does not say %q: %s", want, r.Detail)
		}
	}
}

// TestFigure11GoesOverAllAssumptions: the plan has a variant for each assumption of a band, with
// just that setting.
func TestFigure11GoesOverAllAssumptions(t *testing.T) {
	e := mrr.Fig11()
	p, err := e.ParsePlan(false)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, a := range experiment.Assumptions() {
		if a.Name != "chip.core.dependences=keep" { // which they are
			want = append(want, a.Name)
		}
	}
	for _, v := range p.Variants[2:] {
		got = append(got, v.Name)
		if s := v.Set[0]; fmt.Sprintf("%s=%v", s.Key, s.Value) != v.Name || len(v.Set) != 2 || v.Set[1].Key != "windows" {
			t.Errorf("variant %s sets %v", v.Name, v.Set)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the plan has %q; want %q", got, want)
	}
}
