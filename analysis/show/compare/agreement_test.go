package compare

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

func worked(router string, misses, replays, waited uint64) tables.Run {
	return tables.Run{RunKey: router, Workload: "is", Router: router, ExitState: tables.Finished, L1Misses: tables.Some(misses), Instructions: tables.Some(uint64(1000)),
		Replays: tables.Some(replays), Reissues: tables.Some(uint64(1)), TimeoutCycles: tables.Some(waited)}
}

// TestAgreement: routers whose misses are within 5 % did the same work; of others a run names both,
// and repeated loads if they are the reason.
func TestAgreement(t *testing.T) {
	for _, x := range []struct {
		runs []tables.Run
		want string
	}{
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1049, 0, 0)}, ""},
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1060, 10, 0)}, "is: L1 misses differ: 1060 on mrr, 1000 on base. The reason is that cores get locks,"},
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1060, 50, 0)}, "on base. The reason is that loads are repeated more often."},
	} {
		if got := strings.Join(agreement(&tables.Rows{Runs: x.runs}), " "); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestTimeouts: the share of core time is told, and is long above 5 %.
func TestTimeouts(t *testing.T) {
	for waited, want := range map[uint64]string{0: "", 40: "mrr 4.0 %.", 60: "mrr 6.0 %. The times therefore depend"} {
		rows := tables.Rows{Runs: []tables.Run{worked("mrr", 1, 0, waited)}, Cores: []tables.Core{{RunKey: "mrr", FinishCycle: 400}, {RunKey: "mrr", FinishCycle: 600}}}
		list, long := timeouts(&rows)
		if got := strings.Join(list, " "); !strings.Contains(got, want) || (got == "") != (want == "") || long != (waited > 50) {
			t.Errorf("%d cycles: %q, long %t; want %q", waited, got, long, want)
		}
	}
}

// TestProgramsEnd: a program that ended well in all runs has its last line shown. One that failed, or
// whose runs differ, is a warning that names the routers.
func TestProgramsEnd(t *testing.T) {
	run := func(router, output, end string) tables.Run {
		return tables.Run{Workload: "solver", TraceDigest: "d", Router: router, ProgramOutput: tables.Some(output), ProgramEnd: tables.Some(end)}
	}
	for _, x := range []struct {
		runs             []tables.Run
		answer, warnings string
	}{
		{[]tables.Run{{Workload: "a trace", Router: "mrr"}}, "", ""},
		{[]tables.Run{run("mrr", "", "success")}, "", ""},
		{[]tables.Run{run("mrr", "one\ntwo\n", "success"), run("base", "one\ntwo\n", "success")}, `Program solver: success in all runs; the last line of its output is "two".`, ""},
		{[]tables.Run{run("mrr", "wrong\n", "exit status 1")}, "", `Program solver: exit status 1 in all runs; the last line of its output is "wrong".`},
		{[]tables.Run{run("mrr", "1\n", "success"), run("base", "1\n", "success"), run("rr", "2\n", "exit status 1")}, "",
			`Program solver does not write the same in all runs: success on mrr and base; the last line of its output is "1". In other runs: exit status 1 on rr; the last line of its output is "2". ` +
				`The column program_output of the table runs has all of it.`},
	} {
		answers, warnings := programs(&tables.Rows{Runs: x.runs})
		if got := strings.Join(answers, " "); got != x.answer {
			t.Errorf("answers %q, want %q", got, x.answer)
		}
		if got := strings.Join(warnings, " "); got != x.warnings {
			t.Errorf("warnings %q, want %q", got, x.warnings)
		}
	}
}
