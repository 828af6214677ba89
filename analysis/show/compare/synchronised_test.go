package compare

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

// TestSynchronisationIsTold: the head of a run says how recorded threads synchronise and whether their
// order is by line; a finding says how far replays of such programs are off. Studies of older versions
// say neither.
func TestSynchronisationIsTold(t *testing.T) {
	run := tables.Run{Workload: "w", WorkloadSource: "recorded", ExitState: tables.Finished}
	for _, c := range []struct {
		way, order   tables.Maybe[string]
		head, told   string
		kind         Kind
		linesAreTold bool
	}{
		{tables.Maybe[string]{}, tables.Maybe[string]{}, "", "", Note, false},
		{tables.Some(tables.ByLocks), tables.Some(tables.ByWord), "threads synchronise by locks (errors of ratios in replays: 1.0 % on average in RISC-V programs, up to 11.6 % in x86-64 programs)", "by locks (w)", Note, false},
		{tables.Some(tables.Mixed), tables.Some(tables.ByLine), "threads synchronise by flags, and by locks or counters (errors of ratios in replays: 0.7 % on average in RISC-V programs); order of threads by cache line, not by word, for which no error was measured", "a largest error of 10 %: execute the program", Warning, true},
		{tables.Some(tables.ByCounters), tables.Some(tables.ByWord), "threads synchronise by counters or queues of tasks (errors of ratios in replays: 2.1 % on average in RISC-V programs, up to 11.6 % in x86-64 programs)", "at most 5.3 % in such RISC-V programs, up to 11.6 % in x86-64 programs (", Note, false},
		{tables.Some(tables.ByAttempts), tables.Some(tables.ByWord), "threads synchronise by compare-and-swaps that they try again (errors of ratios in replays: 6.0 % on average in RISC-V programs)", "a largest error of 16 %", Warning, false},
		{tables.Some(tables.ByConditions), tables.Some(tables.ByWord), "threads synchronise by sleeping until others wake them (errors of ratios in replays: 9.1 % on average in RISC-V programs)", "a largest error of 25 %", Warning, false},
	} {
		run.Synchronisation, run.RecordedOrder = c.way, c.order
		if got := threadsOf(result.Runs{{Run: &run}}); got != c.head {
			t.Errorf("%q, want %q", got, c.head)
		}
		waits := result.Runs{{Run: &run, Cores: []tables.Core{{FinishCycle: 100, RecordedOrder: 51}}}}
		if head, _, _ := strings.Cut(c.head, " ("); !c.linesAreTold && threadsOf(waits) != head {
			t.Errorf("%q, want %q", threadsOf(waits), head)
		}
		rows := &tables.Rows{Runs: []tables.Run{run}}
		all, got := said(rows, nil, (*findings).synchronised, ""), said(rows, nil, (*findings).synchronised, c.kind)
		if !strings.Contains(got, c.told) || all != got || (got == "") != (c.told == "") {
			t.Errorf("%q and %q, want %q", all, got, c.told)
		}
		rows.Cores = waits[0].Cores // that wait for too long: a note would give errors that do not hold
		if got := said(rows, nil, (*findings).synchronised, Note); got != "" {
			t.Errorf("%q, although cores wait for recorded order", got)
		}
		if got := said(rows, nil, (*findings).byLine, Note); (got != "") != c.linesAreTold {
			t.Errorf("%s: %q", c.head, got)
		}
	}
}

// TestOneWayOfEachWorkload: of ways of equally many windows, the one whose replays are farthest off is said.
func TestOneWayOfEachWorkload(t *testing.T) {
	rows := &tables.Rows{}
	for i, way := range []string{tables.Rarely, tables.ByBarriers, tables.ByLocks} {
		rows.Runs = append(rows.Runs, tables.Run{RunKey: way, Workload: "w", WorkloadSource: "recorded", Window: uint64(i), ExitState: tables.Finished, Synchronisation: tables.Some(way)})
	}
	if got := said(rows, nil, (*findings).synchronised, ""); !strings.Contains(got, "by barriers (w)") || strings.Contains(got, "rarely") || strings.Contains(got, "locks") {
		t.Errorf("%q", got)
	}
}

// TestWaysOfWindows: the way of most windows is that of the recording, unless another one has the largest errors
// and says to execute the program.
func TestWaysOfWindows(t *testing.T) {
	for want, ways := range map[string][]string{
		"by flags (w)":               {tables.ByFlags, tables.ByBarriers, tables.ByFlags},
		"by barriers (w)":            {tables.ByFlags, tables.ByBarriers},
		"by reader-writer locks (w)": {tables.Mixed, tables.ByReaderWriter, tables.ByReaderWriter},
		"by sleeping until others w": {tables.ByFlags, tables.ByConditions, tables.ByFlags},
	} {
		rows := &tables.Rows{}
		for i, way := range ways {
			rows.Runs = append(rows.Runs, tables.Run{RunKey: fmt.Sprint(i), Workload: "w", WorkloadSource: "recorded", Window: uint64(i), ExitState: tables.Finished, Synchronisation: tables.Some(way)})
		}
		if got := said(rows, nil, (*findings).synchronised, ""); !strings.Contains(got, want) || strings.Count(got, "synchronise") != 1 {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRecordedOrder: where cores wait for recorded order for more than half of their time, a run says what the
// manual says of publishing such replays; below that, only how long they wait.
func TestRecordedOrder(t *testing.T) {
	for share, publish := range map[uint64]bool{5: true, 6: true, 50: true, 51: false, 84: false} {
		rows := &tables.Rows{Runs: []tables.Run{{RunKey: "a", Workload: "w", Router: "mrr", Protocol: "token", WorkloadSource: "recorded", ExitState: tables.Finished}},
			Cores: []tables.Core{{RunKey: "a", FinishCycle: 100, RecordedOrder: share}}}
		var got string
		for _, f := range (&findings{rows: rows}).all() {
			if f.Kind == Warning && strings.Contains(f.Text, "recorded order") {
				got += f.Text
			}
		}
		if said := fmt.Sprintf("w, token (%d %% on mrr)", share); strings.Count(got, said) > 1 || strings.Contains(got, said) != (share > 5) ||
			strings.Contains(got, "Do not publish") == publish || strings.Contains(got, "run --program") == publish {
			t.Errorf("%d %%: %q", share, got)
		}
	}
}

// TestReplayErrors: the errors are those of the manual, and so is whether a run warns. Every kernel is in one class,
// whose mean is that of its kernels.
func TestReplayErrors(t *testing.T) {
	manual := string(must.Get(os.ReadFile("../../../cmd/carousel/manual/accuracy.md")))
	var named []string
	for _, e := range replayErrors {
		warns := "no"
		if e.execute {
			warns = "yes"
		}
		row := fmt.Sprintf("\n| `%s` | %.1f %% | %.2g %% | %s |", e.way, e.mean, e.worst, warns)
		if !strings.Contains(manual, row) {
			t.Errorf("the manual does not have the row %q", row)
		}
		sum := 0.0
		for _, k := range e.kernels {
			row := regexp.MustCompile(`\n\| ` + k + ` \| ([\d.]+) % \| .* \| ` + e.how + ` \|\n`).FindStringSubmatch(manual)
			if row == nil {
				t.Fatalf("%s is not in the manual", k)
			}
			var mean float64
			must.Get(fmt.Sscan(row[1], &mean))
			sum += mean
		}
		if mean := sum / float64(len(e.kernels)); e.kernels != nil && math.Abs(mean-e.mean) > 0.051 || e.worst < e.mean {
			t.Errorf("%s: the mean error is %.2f %%, and %.1f %% is said; the largest %.1f %%", e.way, mean, e.mean, e.worst)
		}
		named = append(named, e.kernels...)
	}
	for _, k := range kernels.Table {
		if !slices.Contains(named, k.Name) {
			t.Errorf("%s is in no class", k.Name)
		}
	}
}
