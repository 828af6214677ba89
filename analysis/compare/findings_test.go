package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// measured is what a router measured: its cycles in runs with consecutive seeds or in windows, and
// what all of these have in common.
type measured struct {
	router             string
	cycles             []uint64
	ed2p, miss, packet float64
}

// compared compares routers that replayed windows of a trace or, without them, ran with seeds.
func compared(windows bool, list ...measured) *Runs {
	study, rows := new(experiment.Study), new(tables.Rows)
	for _, m := range list {
		study.Routers = append(study.Routers, m.router)
		for i, cycles := range m.cycles {
			run := tables.Run{RunKey: fmt.Sprint(m.router, i), Workload: "w", Router: m.router, Seed: uint64(i), ExitState: tables.Finished,
				Cycles: tables.Some(cycles), EnergyED2P: tables.Some(m.ed2p), MissLatencyMean: tables.Some(m.miss), PacketLatencyMean: tables.Some(m.packet)}
			if windows {
				run.Seed, run.Window = 1, uint64(i)
			}
			if m.router == "base" {
				run.PersistentRequests = tables.Some(uint64(17))
			}
			rows.Runs = append(rows.Runs, run)
		}
	}
	return NewRuns(study, new(experiment.Manifest), rows, NotSaved)
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		report *Runs
		want   string
	}{
		{compared(false, measured{"base", []uint64{100}, 1, 300, 900}, measured{"mrr", []uint64{54}, 0.23, 100, 30}, measured{"base-mc", []uint64{56}, 0.18, 100, 40}),
			"mrr is fastest: 0.540 of the execution time of base. base-mc has the least ED2P: 0.180 of that of base. One run each: --runs 5 tells differences from chance.\n" +
				"base: packets take longer than misses, because a miss ends when its data come, while copies of its request still wait at the interface " +
				"that sends them one by one; 17 persistent requests on base add to the queue."},
		{compared(false, measured{"rr", []uint64{100, 100}, 1, 9, 8}, measured{"mrr", []uint64{99, 102}, 1.1, 9, 8}),
			"rr and mrr are fastest, equal as far as these runs can tell: 1.000 ± 0.000 of the execution time of rr. rr has the least ED2P: 1.000 ± 0.000 of that of rr."},
		{compared(false, measured{"rr", []uint64{100}, 1, 9, 8}), ""},
		// The spread of base is in the ratios to it, whose intervals overlap; rr always takes longer
		// than mrr.
		{compared(true, measured{"base", []uint64{1600, 2200, 1500, 2500}, 1, 9, 8}, measured{"rr", []uint64{1050, 1060, 1040, 1055}, 1, 9, 8}, measured{"mrr", []uint64{1000, 1008, 991, 1004}, 1, 9, 8}),
			"mrr is fastest: 0.513 ± 0.200 of the execution time of base. mrr has the least ED2P: 0.875 ± 0.133 of that of base."},
	} {
		if got := strings.Join(c.report.findings(), "\n"); got != c.want {
			t.Errorf("says\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestFastestWhateverTheBaseline: of two routers with ratios far from one in both directions, each
// is slower over the other on average, so that over a common baseline either can seem the faster.
func TestFastestWhateverTheBaseline(t *testing.T) {
	list := []measured{{"rr", []uint64{100, 400, 100, 400, 100, 400}, 1, 9, 8}, {"mrr", []uint64{400, 100, 400, 100, 400, 100}, 1, 9, 8},
		{"base-mc", []uint64{2000, 2000, 2000, 2000, 2000, 2000}, 2, 9, 8}}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		got := compared(false, list[order[0]], list[order[1]], list[order[2]]).findings()[0]
		if !strings.HasPrefix(got, "mrr and rr are fastest, equal as far as these runs can tell: ") || !strings.Contains(got, " mrr has the least ED2P: ") {
			t.Errorf("in the order %v it says %s", order, got)
		}
	}
}

// TestIdealNote: a network without contention bounds what routers win, unless one of them is
// faster.
func TestIdealNote(t *testing.T) {
	for mrr, want := range map[uint64]string{50: "0.400 of the time of base: no router can win more.", 30: "0.400 of the time of base: mrr takes less, "} {
		r := compared(false, measured{"base", []uint64{100}, 1, 9, 8}, measured{"mrr", []uint64{mrr}, 1, 9, 8})
		ideal := chart.EstimateOf([]float64{0.4})
		r.Ideal = &ideal
		if got := strings.Join(r.idealNote(), ""); !strings.Contains(got, want) {
			t.Errorf("with %d: %s", mrr, got)
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
