package compare

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

func worked(router string, misses, replays, waited uint64) tables.Run {
	return tables.Run{RunKey: router, Workload: "is", Router: router, ExitState: tables.Finished, L1Misses: tables.Some(misses), Instructions: tables.Some(uint64(1000)),
		Replays: tables.Some(replays), Reissues: tables.Some(uint64(1)), TimeoutCycles: tables.Some(waited)}
}

// said are the sentences of a kind that the rules about some words say of rows, and of a ranking; "" for
// all kinds.
func said(rows *tables.Rows, c *result.Ranking, of func(*findings, *result.Ranking) []words, kind Kind) string {
	f := &findings{rows: rows}
	if rows != nil {
		f.places = placesOf(rows)
	}
	var texts []string
	for _, s := range slices.Concat(ofEachSetting, ofStudies, ofPrices, ofEnergies, ofFirstSetting) {
		if reflect.ValueOf(s.of).Pointer() == reflect.ValueOf(of).Pointer() {
			for _, one := range s.say(f, c) {
				if kind == "" || one.Kind == kind {
					texts = append(texts, one.Text)
				}
			}
		}
	}
	return strings.Join(texts, " ")
}

// TestAgreement: routers whose misses are within 5 % did the same work; of others a run names both,
// and repeated loads if they are the reason.
func TestAgreement(t *testing.T) {
	for _, x := range []struct {
		runs []tables.Run
		want string
	}{
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1049, 0, 0)}, ""},
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1060, 10, 0)}, "Routers differ in the number of L1 misses because cores get locks, barriers and shared blocks in a different order: is (1,060 on mrr, 1,000 on base)."},
		{[]tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1060, 50, 0)}, "because loads are repeated more often: is (1,060 on mrr, 1,000 on base)."},
	} {
		if got := said(&tables.Rows{Runs: x.runs}, nil, (*findings).agreement, Warning); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestFewMisses: misses are those of one seed in all windows, on each router.
func TestFewMisses(t *testing.T) {
	run := func(router string, seed, window, misses uint64) tables.Run {
		r := worked(router, misses, 0, 0)
		r.RunKey, r.Seed, r.Window = fmt.Sprint(router, seed, window), seed, window
		return r
	}
	unknown := run("mrr", 1, 0, 0)
	unknown.L1Misses.Known = false
	for _, x := range []struct {
		runs []tables.Run
		want string
	}{
		{[]tables.Run{run("mrr", 1, 0, 500), run("mrr", 1, 1, 500)}, ""},
		{[]tables.Run{run("mrr", 1, 0, 500), run("mrr", 1, 1, 499)}, "in total: is (999 on mrr). A"},
		{[]tables.Run{run("mrr", 1, 0, 900), run("mrr", 2, 0, 910), run("base", 1, 0, 1200)}, "in total: is (900 on mrr). A"},
		{[]tables.Run{run("mrr", 1, 0, 0)}, "in total: is (0 on mrr). A"},
		{[]tables.Run{unknown}, ""},
	} {
		f := &findings{rows: &tables.Rows{Runs: x.runs}}
		got := ""
		for _, one := range f.all() {
			if one.Kind == Warning && strings.Contains(one.Text, "L1 misses in total") {
				got = one.Text
			}
		}
		if (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

// TestTimeouts: the share of core time is told if it is not printed as zero, and is long above 5 %.
func TestTimeouts(t *testing.T) {
	for _, x := range []struct {
		waited uint64
		kind   Kind
		want   string
	}{
		{0, Note, ""}, {5, Note, ""}, {6, Note, "is (0.1 % on mrr)."}, {400, Note, "is (4.0 % on mrr)."}, {500, Note, "is (5.0 % on mrr)."},
		{600, Warning, "is (6.0 % on mrr). The run times therefore depend"},
	} {
		rows := tables.Rows{Runs: []tables.Run{worked("mrr", 1, 0, x.waited)}, Cores: []tables.Core{{RunKey: "mrr", FinishCycle: 4000}, {RunKey: "mrr", FinishCycle: 6000}}}
		all, got := said(&rows, nil, (*findings).timeouts, ""), said(&rows, nil, (*findings).timeouts, x.kind)
		if !strings.Contains(got, x.want) || (got == "") != (x.want == "") || all != got {
			t.Errorf("%d cycles: %q and %q; want %q", x.waited, got, all, x.want)
		}
	}
}

// TestWarningsNamePlaces: a warning about times names each workload, protocol, setting and router that
// it is about, and no other. Nothing is averaged over them.
func TestWarningsNamePlaces(t *testing.T) {
	rows := &tables.Rows{}
	add := func(workload, protocol, router, size string, percent uint64) {
		key := workload + protocol + router + size
		rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: workload, Protocol: protocol, Router: router, ExitState: tables.Finished, WorkloadSource: "recorded",
			Reissues: tables.Some(uint64(1)), TimeoutCycles: tables.Some(percent), Instructions: tables.Some(uint64(1000)), L1Misses: tables.Some(uint64(100))})
		if percent > 0 {
			rows.Runs[len(rows.Runs)-1].Synchronisation = tables.Some(tables.ByCounters)
		}
		rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: "chip.l1.sets", Value: size})
		rows.HotBlocks = append(rows.HotBlocks, tables.HotBlock{RunKey: key, Block: "0x40", Sharing: tables.FalseSharing, BlockMisses: percent, Written: "0-7"})
		for core, ends := range []uint64{30, 30 - min(percent, 30), 30, 10} { // of 100 cycles
			rows.Cores = append(rows.Cores, tables.Core{RunKey: key, Core: uint64(core), Records: 2, Instructions: 10, FinishCycle: ends, RecordedOrder: percent / 4})
		}
	}
	for _, size := range []string{"16", "32"} {
		for _, protocol := range []string{"token", "directory"} {
			add("lu", protocol, "base", size, 0)
			add("lu", protocol, "mrr", size, map[string]uint64{"token": 48}[protocol])
			add("is", protocol, "mrr", size, 0)
		}
	}
	add("is", "token", "base", "32", 20)
	for name, about := range map[string]string{"timeouts": "wait for timeouts", "order": "recorded order", "false sharing": "False sharing causes"} {
		got := ""
		for _, f := range (&findings{rankings: nil, rows: rows, manifest: nil}).all() {
			if f.Kind == Warning && strings.Contains(f.Text, about) {
				got += f.Text
			}
		}
		for _, place := range []string{"lu, token, chip.l1.sets 16", "lu, token, chip.l1.sets 32", "is, token, chip.l1.sets 32"} {
			if !strings.Contains(got, place) {
				t.Errorf("%s: %q does not name %q", name, got, place)
			}
		}
		if strings.Contains(got, "directory") || strings.Contains(got, "is, token, chip.l1.sets 16") || strings.Contains(got, "and mrr") {
			t.Errorf("%s: %q names a place or a router that it is not about", name, got)
		}
	}
	// How threads synchronise is a matter of the recording, whatever the setting.
	if got := (&findings{rankings: nil, rows: rows, manifest: nil}).all(); !slices.ContainsFunc(got, func(f Finding) bool {
		return strings.Contains(f.Text, "synchronise by counters or queues of tasks (lu and is).")
	}) {
		t.Errorf("it says %q", got)
	}
	want := "lu, token, chip.l1.sets 16 (68.6 % on mrr); lu, token, chip.l1.sets 32 (68.6 % on mrr); is, token, chip.l1.sets 32 (25.0 % on base)."
	if got := said(rows, nil, (*findings).timeouts, Warning); !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWarningsOfSettings: a warning that holds in several settings of a sweep is one sentence with their number, the
// first of their names and the range of its numbers, whichever setting is the first.
func TestWarningsOfSettings(t *testing.T) {
	warnings := func(baseline string, sizes int, leaks ...int) (list []string) {
		rows := tables.Rows{}
		for size := range sizes {
			r := chipRun("lu", "mrr", 1, 100)
			r.RunKey, r.Protocol, r.ChipEnergy = fmt.Sprint(size), "msi", tables.Some(200.0)
			rows.Runs, rows.Axes = append(rows.Runs, r), append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "chip.l1.sets", Value: fmt.Sprint(size)})
			parts := power.Breakdown{Clock: 100}
			if slices.Contains(leaks, size) {
				parts = power.Breakdown{Leakage: 50 + float64(size), Clock: 50 - float64(size)}
			}
			rows.Routers = append(rows.Routers, tables.Router{RunKey: r.RunKey, Parts: parts})
		}
		for _, f := range Open(&experiment.Manifest{Baseline: baseline}, &rows, nil).Findings {
			if f.Kind == Warning {
				list = append(list, f.Text)
			}
		}
		return list
	}
	const public = " Public models of leakage differ by a factor of 40 (carousel help energy)."
	all := make([]int, 40)
	for i := range all {
		all[i] = i
	}
	for want, got := range map[string][]string{
		"chip.l1.sets 1: Leakage is 51 % of the network energy of mrr.":                                                                       warnings(result.Fastest, 2, 1),
		"In 2 of 3 settings (chip.l1.sets 1; chip.l1.sets 2): Leakage is 51 to 52 % of the network energy of mrr.":                            warnings(result.Fastest, 3, 1, 2),
		"In 40 of 40 settings (chip.l1.sets 0; chip.l1.sets 1; chip.l1.sets 2; 37 more): Leakage is 50 to 89 % of the network energy of mrr.": warnings(result.Fastest, 40, all...),
		"Leakage is 51 to 52 % of the network energy of sets 1 and sets 2.":                                                                   warnings("chip.l1.sets=0", 3, 1, 2),
	} {
		if !slices.Equal(got, []string{want + public}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestProgramsEnd: a program that ended well in all runs has its last line shown. One that failed, or
// whose runs differ, is a warning that names the routers.
func TestProgramsEnd(t *testing.T) {
	run := func(router, output, end string) tables.Run {
		return tables.Run{Workload: "solver", TraceDigest: "d", Router: router, ProgramOutput: tables.Some(output), ProgramEnd: tables.Some(end)}
	}
	executes := func(router string, instructions uint64) tables.Run {
		r := run(router, "", "success")
		r.Instructions = tables.Some(instructions)
		return r
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
		{[]tables.Run{executes("mrr", 1040), executes("base", 1000), executes("rr", 1050)}, "", ""},
		{[]tables.Run{executes("mrr", 1100), executes("mrr", 1300), executes("base", 1000), executes("rr", 1100)}, "",
			"Program solver executes 20 % more instructions on mrr than on base: its threads wait longer. The ratio of times includes this waiting (carousel help live)."},
	} {
		rows := &tables.Rows{Runs: x.runs}
		if answers, warnings := said(rows, nil, (*findings).programs, Answer), strings.TrimSpace(said(rows, nil, (*findings).programs, Warning)+" "+said(rows, nil, (*findings).work, Warning)); answers != x.answer || warnings != x.warnings {
			t.Errorf("answers %q, want %q; warnings %q, want %q", answers, x.answer, warnings, x.warnings)
		}
	}
}

// TestCoreShares: time with few cores at work counts as late where all execute about as much, and
// as the program's where the last one executes far more; a core without records is none.
func TestCoreShares(t *testing.T) {
	core := func(run string, finish, instructions, waited uint64) tables.Core {
		return tables.Core{RunKey: run, FinishCycle: finish, Instructions: instructions, Records: instructions + 1, RecordedOrder: waited}
	}
	rows := &tables.Rows{Runs: []tables.Run{{RunKey: "late"}, {RunKey: "few"}}, Cores: []tables.Core{
		core("late", 60, 100, 0), core("late", 70, 110, 30), core("late", 100, 120, 0), core("late", 0, 0, 0),
		core("few", 30, 10, 0), core("few", 40, 10, 0), core("few", 100, 90, 10)}}
	late, few, ordered := coreShares(result.Of(rows))
	for name, v := range map[string][2]float64{"late": {late, 30. / 200}, "few": {few, 60. / 200}, "ordered": {ordered, 0.1}} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, v[0], v[1])
		}
	}
}

// TestFalseSharingIsTold: a block that is shared falsely in all runs is named with the bytes of its
// cores, if it has enough of all misses; one that is shared truly in one run is not.
func TestFalseSharingIsTold(t *testing.T) {
	row := func(run, block, sharing string, misses, core uint64, bytes string) tables.HotBlock {
		return tables.HotBlock{RunKey: run, Block: block, Sharing: sharing, BlockMisses: misses, Core: core, Misses: misses / 2, Read: bytes, Written: bytes}
	}
	rows := &tables.Rows{HotBlocks: []tables.HotBlock{
		row("a", "0x40", tables.FalseSharing, 30, 0, "0-7"), row("a", "0x40", tables.FalseSharing, 30, 1, "8-15"),
		row("b", "0x40", tables.FalseSharing, 20, 0, "0-7"), row("b", "0x40", tables.FalseSharing, 20, 1, "8-15"),
		row("a", "0x80", tables.TrueSharing, 90, 0, "0-7"), row("b", "0x80", tables.FalseSharing, 1, 1, "8-15"),
	}}
	rows.HotBlocks[0].Symbols = tables.Some("counters")
	told := func(misses uint64) string {
		rows.Runs = []tables.Run{{RunKey: "a", Workload: "x", Router: "mrr", L1Misses: tables.Some(misses), ExitState: tables.Finished},
			{RunKey: "b", Workload: "x", Router: "mrr", ExitState: tables.Finished}}
		return said(rows, nil, (*findings).falseSharing, Warning)
	}
	if got := told(999); !strings.Contains(got, "False sharing causes this share of the misses: x (5 % on mrr)") || !strings.Contains(got, "block 0x40 (counters)") ||
		!strings.Contains(got, "core 0 reads and writes bytes 0-7, core 1 reads and writes bytes 8-15") {
		t.Errorf("%q", got)
	}
	if got := told(1000); got != "" {
		t.Errorf("below a twentieth of the misses: %q", got)
	}
	hot := HotBlocks(result.Of(rows))
	if len(hot) != 2 || hot[0].Block != "0x80" || hot[0].Misses != 91 || hot[0].FalseSharing || hot[1].Misses != 50 || len(hot[1].Cores) != 2 {
		t.Errorf("%+v", hot)
	}
}

// TestIdleCores: a core that works in one window is not idle, as the windows of a recording are its parts.
func TestIdleCores(t *testing.T) {
	rows := &tables.Rows{}
	for window := range uint64(4) {
		key := fmt.Sprint(window)
		rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: "w", Router: "mrr", Window: window, ExitState: tables.Finished})
		for core := range uint64(4) {
			c := tables.Core{RunKey: key, Core: core, FinishCycle: 10}
			if core == window || core == 0 {
				c.Records = 5
			}
			rows.Cores = append(rows.Cores, c)
		}
	}
	if got := said(rows, nil, (*findings).idle, ""); got != "" {
		t.Errorf("%q", got)
	}
	first := &tables.Rows{Runs: rows.Runs[:1], Cores: rows.Cores[:4]}
	if got := said(first, nil, (*findings).idle, Warning); !strings.Contains(got, "only 1 of 4 cores accesses memory") {
		t.Errorf("%q", got)
	}
}
