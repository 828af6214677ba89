package compare

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// compared makes a report of routers with samples of their time and ED2P ratios, and mean latencies
// of misses and packets.
func compared(baseline string, routers []string, times [][]float64, ed2p, miss, packet []float64) *Runs {
	r := &Runs{Baseline: baseline, rows: &tables.Rows{Runs: []tables.Run{{Router: "base", PersistentRequests: tables.Some(uint64(17))}}}}
	for i, name := range routers {
		one := func(v float64) chart.Estimate { return chart.EstimateOf([]float64{v}) }
		r.means.Lines = append(r.means.Lines, chart.Line{Labels: []string{"w", name}, Runs: len(times[i]),
			Values: []chart.Estimate{one(1), chart.EstimateOf(times[i]), one(ed2p[i]), one(1), one(1), one(miss[i]), one(packet[i])}})
	}
	return r
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		report *Runs
		want   string
	}{
		{compared("base", []string{"base", "mrr", "base-mc"}, [][]float64{{1}, {0.54}, {0.56}}, []float64{1, 0.23, 0.18}, []float64{300, 100, 100}, []float64{900, 30, 40}),
			"mrr is fastest: 0.540 of the execution time of base. base-mc has the least ED2P: 0.180 of that of base. One run each: --runs 5 tells differences from chance.\n" +
				"base: packets take longer than misses, because a miss ends when its data come, while copies of its request still wait at the interface " +
				"that sends them one by one; 17 persistent requests on base add to the queue."},
		{compared("rr", []string{"rr", "mrr"}, [][]float64{{1, 1}, {0.99, 1.02}}, []float64{1, 1.1}, []float64{9, 9}, []float64{8, 8}),
			"rr and mrr are fastest, equal as far as these runs can tell: 1.000 ± 0.000 of the execution time of rr. rr has the least ED2P: 1.000 of that of rr."},
		{compared("rr", []string{"rr"}, [][]float64{{1}}, []float64{1}, []float64{9}, []float64{8}), ""},
	} {
		if got := strings.Join(c.report.findings(), "\n"); got != c.want {
			t.Errorf("says\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestIdealNote: a network without contention bounds what routers win, unless one of them is
// faster.
func TestIdealNote(t *testing.T) {
	for mrr, want := range map[float64]string{0.5: "0.400 of the time of base: no router can win more.", 0.3: "0.400 of the time of base: mrr takes less, "} {
		r := compared("base", []string{"base", "mrr"}, [][]float64{{1}, {mrr}}, []float64{1, 1}, []float64{9, 9}, []float64{8, 8})
		ideal := chart.EstimateOf([]float64{0.4})
		r.Ideal = &ideal
		if got := strings.Join(r.idealNote(), ""); !strings.Contains(got, want) {
			t.Errorf("with %g: %s", mrr, got)
		}
	}
}

func TestWhereQuotes(t *testing.T) {
	for dir, want := range map[string]string{NotSaved: "tables: not saved", "a/b": "tables: a/b\nnext: carousel report a/b",
		"it's here": "tables: it's here\nnext: carousel report 'it'\\''s here'"} {
		if got := strings.Join(Where(dir), "\n"); got != want {
			t.Errorf("%s gives %s, want %s", dir, got, want)
		}
	}
}
