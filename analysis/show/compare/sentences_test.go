package compare

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/power"
)

// studies are small studies of which each rule says its sentence about at least one.
func studies() (list []findings) {
	add := func(rows tables.Rows, bounds ...tables.Run) {
		list = append(list, findings{rankings: result.Rank(&rows, bounds), rows: &rows})
	}
	run := tables.Run{RunKey: "a", Workload: "lu", Router: "mrr", Protocol: "token", ExitState: tables.Finished, Start: tables.Some(tables.WarmStart), Cycles: tables.Some(uint64(1000)),
		MissLatencyMean: tables.Some(10.0), PacketLatencyMean: tables.Some(20.0), Reissues: tables.Some(uint64(1)), TimeoutCycles: tables.Some(uint64(100))}
	with := func(key string, change func(*tables.Run)) tables.Run {
		r := run
		r.RunKey = key
		change(&r)
		return r
	}
	core := func(key string, finish uint64) tables.Core {
		return tables.Core{RunKey: key, FinishCycle: finish, Instructions: 10, Retiring: 500, Interface: 100, Flight: 200, Contention: finish - 950, Records: 2}
	}
	cold := with("b", func(r *tables.Run) {
		r.Router, r.Start, r.TimeoutCycles = "base", tables.Some(tables.ColdStart), tables.Some(uint64(10))
	})
	slow := with("c", func(r *tables.Run) { r.Router, r.Cycles = "base", tables.Some(uint64(2000)) })
	add(tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{core("a", 1000)}})
	add(tables.Rows{Runs: []tables.Run{cold}, Cores: []tables.Core{core("b", 1000)}})
	add(tables.Rows{Runs: []tables.Run{run, cold}})
	add(tables.Rows{Runs: []tables.Run{run, slow}, Cores: []tables.Core{core("a", 1000), core("c", 2000)}})
	for seeds := range 3 {
		rows := tables.Rows{}
		for _, program := range []string{"new", "old"} {
			for seed := range uint64(seeds + 1) {
				r := with(fmt.Sprint(program, seed), func(r *tables.Run) { r.Seed, r.Cycles, r.Start = seed, tables.Some(1000+seed), tables.Maybe[string]{} })
				if seeds == 2 { // in windows
					r.Window, r.Seed, r.TraceDigest, r.Instructions = seed, 0, program, r.Cycles
				}
				rows.Runs, rows.Axes = append(rows.Runs, r), append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "trace", Value: program})
			}
		}
		list = append(list, findings{rankings: result.ComparisonOf(&rows, "").Rank(&rows, nil), rows: &rows})
	}
	block := func(core uint64, read, written string) tables.HotBlock {
		return tables.HotBlock{RunKey: "a", Block: "0x40", Sharing: tables.FalseSharing, BlockMisses: 50, Core: core, Read: read, Written: written}
	}
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.L1Misses = tables.Some(uint64(100)) })}, HotBlocks: []tables.HotBlock{block(0, "0-7", "0-7"), block(1, "", "8-15")}})

	// Cores that end early, wait for the recorded order, execute more than others, or do nothing.
	early, more := core("a", 960), core("a", 5000)
	early.RecordedOrder, more.Instructions = 300, 90
	add(tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{{RunKey: "a", FinishCycle: 1000, RecordedOrder: 550, Records: 2}}})
	add(tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{early, early, core("a", 5000)}})
	add(tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{early, early, more}})
	add(tables.Rows{Runs: []tables.Run{run}, Cores: []tables.Core{core("a", 1000), {RunKey: "a", Core: 1}, {RunKey: "a", Core: 2}}})
	var storms []tables.Run
	for w := range uint64(8) {
		storms = append(storms, with(fmt.Sprint("w", w), func(r *tables.Run) {
			r.Window, r.FirstThirdPersistent, r.FirstThirdMisses = w, tables.Some(uint64(90)), tables.Some(uint64(10_000))
			r.PersistentRequests, r.L1Misses = tables.Some(uint64(270)), tables.Some(uint64(30_000))
			r.LastThirdPersistent, r.LastThirdMisses = tables.Some(uint64(40)), tables.Some(uint64(10_000))
		}))
	}
	add(tables.Rows{Runs: storms})
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.Barriers = tables.Some(0.5) })}})
	repeat := func(window uint64) func(*tables.Run) {
		return func(r *tables.Run) { r.Window, r.Digest = window, tables.Some("equal") }
	}
	add(tables.Rows{Runs: []tables.Run{with("a", repeat(0)), with("b", repeat(1))}})
	add(tables.Rows{Runs: []tables.Run{worked("base", 1000, 0, 0), worked("mrr", 1060, 10, 0)}})
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) {
		r.WorkloadSource, r.Synchronisation, r.RecordedOrder = "recorded", tables.Some(tables.Mixed), tables.Some(tables.ByLine)
	})}})
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.Synchronisation = tables.Some(tables.ByLocks) })}})
	ended := func(router, end, output string, instructions uint64) tables.Run {
		return with(router, func(r *tables.Run) {
			r.Router, r.ProgramEnd, r.ProgramOutput, r.Instructions = router, tables.Some(end), tables.Some(output), tables.Some(instructions)
		})
	}
	add(tables.Rows{Runs: []tables.Run{ended("mrr", "success", "one\n2\n", 10), ended("base", "success", "one\n2\n", 12)}})
	add(tables.Rows{Runs: []tables.Run{ended("mrr", "success", "1", 10), ended("base", "exit status 1", "2", 10)}})
	add(tables.Rows{Runs: []tables.Run{ended("mrr", "exit status 1", "wrong", 10)}})
	for _, limit := range []string{tables.ByInstructions, tables.ByCycles} {
		add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.Limit, r.Instructions = tables.Some(limit), tables.Some(uint64(5000)) })}})
	}

	// Times in windows, and the network without contention.
	add(*study("w", true, four...))
	add(*study("w", true, four[2:]...))
	add(*study("w", true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{101, 100}}, times{"base", []uint64{100, 102}}))
	add(*study("w", true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{110, 111}}, times{"base", []uint64{150, 151}}))
	for _, mrr := range []uint64{50, 30} {
		add(*study("w", true, times{"base", []uint64{100}}, times{"mrr", []uint64{mrr}}), study("w", true, times{"ideal", []uint64{40}}).Runs...)
	}
	seeds := study("lu", false, four...)
	for i := range seeds.Runs {
		seeds.Runs[i].TraceDigest = "d"
	}
	add(*seeds)
	list[len(list)-1].manifest = &experiment.Manifest{Given: map[string]string{"windows": "--windows"}, Traces: []experiment.TraceIdentity{{Digest: "d", Windows: 4}}}
	wide := study("w", true, four...)
	for _, r := range wide.Runs {
		early := r.Cycles.Value
		if r.Router == "base-mc" {
			early -= 200
		}
		wide.Cores = append(wide.Cores, tables.Core{RunKey: r.RunKey, FinishCycle: r.Cycles.Value}, tables.Core{RunKey: r.RunKey, FinishCycle: early})
	}
	add(*wide)
	// Energies. r is 1.1: (100 - 1.21 x 50) / 0.21 is 188, and / (1.331 - 1) is 119.
	saving := []tables.Run{chipRun("lu", "mrr", 1, 100), chipRun("lu", "base", 1.1, 50)}
	losing := []tables.Run{chipRun("bt", "mrr", 1, 100), chipRun("bt", "base", 1.1, 95)}
	add(tables.Rows{Runs: saving})
	add(tables.Rows{Runs: losing})
	add(tables.Rows{Runs: slices.Concat(losing, []tables.Run{chipRun("is", "mrr", 1, 100), chipRun("is", "base", 0.99, 95)})})
	unsure := slices.Concat(saving, []tables.Run{chipRun("lu", "mrr", 1, 100), chipRun("lu", "base", 0.95, 50)})
	unsure[2].Window, unsure[3].Window, unsure[2].RunKey, unsure[3].RunKey = 1, 1, "x", "y"
	add(tables.Rows{Runs: unsure})
	add(tables.Rows{Runs: slices.Concat(saving, losing)})
	add(tables.Rows{Runs: slices.Concat(saving, losing, []tables.Run{chipRun("is", "mrr", 1, 100), chipRun("is", "base", 1.2, 60)})})
	add(*study("w", true, times{"mrr", []uint64{100, 101}}, times{"rr", []uint64{110, 150}}))
	add(tables.Rows{Runs: saving[:1], Routers: []tables.Router{{RunKey: "lumrr", Parts: power.Breakdown{Leakage: 60, Clock: 40}}}})
	chip := slices.Clone(saving)
	for i := range chip {
		chip[i].ChipEnergy, chip[i].Technology = tables.Some(5000.0), 32
		chip[i].Power = tables.Some(`{"Profile":"O","TechNM":32,"Core":"medium","Cells":"hp","DRAM":"ddr3"}`)
	}
	nodes := tables.Rows{Runs: []tables.Run{chip[0], chip[0]}}
	for i, node := range []float64{32, 45} {
		r := &nodes.Runs[i]
		r.RunKey, r.Technology, r.PowerProfile = fmt.Sprint(node), node, []string{"S", "O"}[i]
		nodes.Axes = append(nodes.Axes, tables.Axis{RunKey: r.RunKey, Key: "power.tech_nm", Value: r.RunKey})
	}
	list = append(list, findings{rankings: result.ComparisonOf(&nodes, "").Rank(&nodes, nil), rows: &nodes})
	add(tables.Rows{Runs: chip})
	list[len(list)-1].band = []PriceBand{{"base", "mrr", 156, 40, 100, 0.9, 1.2, "small cores", "large cores", []string{"profile O, 65 nm", "profile O, 45 nm"}, []string{"profile S, 22 nm"}}}
	add(tables.Rows{Runs: saving})
	list[len(list)-1].unpriced = fmt.Errorf("column chip is damaged")
	add(tables.Rows{Runs: saving})
	list[len(list)-1].manifest = &experiment.Manifest{Given: map[string]string{"chip.clock_ghz": "--set"}, Configuration: map[string]any{"chip.clock_ghz": 1, "chip.memory.latency": 260}}
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.PacketLatencyMean, r.PacketIdleMean = tables.Some(600.0), tables.Some(60.0) })}})
	add(tables.Rows{Runs: []tables.Run{with("a", func(r *tables.Run) { r.MissLatencyMean = tables.Some(3000.0) })}},
		with("b", func(r *tables.Run) { r.Router, r.MissLatencyMean = result.Ideal, tables.Some(300.0) }))
	wormhole := with("w", func(r *tables.Run) {
		r.Router, r.Rules, r.ClassesPerChannel = "wormhole/qg", "3 channels that 2 classes share", tables.Some(uint64(2))
	})
	add(tables.Rows{Runs: []tables.Run{wormhole}})
	links := func(router string, bits int) tables.Run {
		return with(router, func(r *tables.Run) { r.Router, r.Hardware = router, tables.Some(fmt.Sprintf(`{"PhitBits":%d}`, bits)) })
	}
	add(tables.Rows{Runs: []tables.Run{links("mrr", 256), links("base", 128), links("rr", 256), links("ideal", 512)}})
	return list
}

// chipRun is a run with its time in s and the energy of its network in J.
func chipRun(workload, router string, seconds, energy float64) tables.Run {
	return tables.Run{RunKey: workload + router, Workload: workload, Router: router, Protocol: "token", ExitState: tables.Finished,
		Cycles: tables.Some(uint64(seconds * 1e3)), Seconds: tables.Some(seconds), Energy: tables.Some(energy), EnergyED2P: tables.Some(energy * seconds * seconds), Technology: 65}
}

// TestRules: testdata/rules.txt has what each rule says, below the rule. A rule that says nothing about the
// studies above has no such text, and is named. UPDATE=1 writes the file again.
func TestRules(t *testing.T) {
	var b strings.Builder
	all := studies()
	show := func(list []subject, settings func(*findings) []*result.Ranking) {
		for i := range list {
			s, texts := &list[i], map[*rule]string{}
			for _, f := range all {
				f.places = placesOf(f.rows)
				for _, c := range settings(&f) {
					for _, w := range s.of(&f, c) {
						if r := s.first(w); r != nil && texts[r] == "" {
							texts[r] = r.text(w)
						}
					}
				}
			}
			for k := range s.rules {
				r := &s.rules[k]
				if text := texts[r]; text == "" || strings.Contains(text, "<nil>") || strings.Contains(text, "%!") {
					t.Errorf("no study shows what this rule says; add one to studies: %s: %s", r.sentence, text)
				}
				fmt.Fprintf(&b, "%s if %q: %s\n\t%s\n", r.kind, r.when, r.sentence, texts[r])
			}
		}
	}
	each := func(f *findings) []*result.Ranking { return pointers(f.rankings) }
	show(ofEachSetting, each)
	show(ofStudies, func(*findings) []*result.Ranking { return []*result.Ranking{nil} })
	show(ofPrices, func(*findings) []*result.Ranking { return []*result.Ranking{nil} })
	show(ofEnergies, each)
	show(ofFirstSetting, each)
	const golden = "testdata/rules.txt"
	if os.Getenv("UPDATE") != "" {
		must.Do(os.WriteFile(golden, []byte(b.String()), 0o666))
	}
	got, want := strings.Split(b.String(), "\n"), strings.Split(string(must.Get(os.ReadFile(golden))), "\n")
	for i := range max(len(got), len(want)) {
		if g, w := append(got, "")[min(i, len(got))], append(want, "")[min(i, len(want))]; g != w {
			t.Fatalf("line %d of %s is\n%s\nand the rules say\n%s\nIf that is intended: UPDATE=1 go test ./analysis/show/compare -run TestRules", i+1, golden, w, g)
		}
	}
}

// TestWarningsAreInManual: the table of warnings in carousel help results has a row for each warning, and no others.
func TestWarningsAreInManual(t *testing.T) {
	rows := []string{"saturated network", "saturated network", "program", "program", "limits", "limits", "limits", "polling", "ends of windows", "few misses", "one window",
		"idle cores", "idle cores", "recorded order", "recorded order", "synchronisation", "timeouts", "start of windows", "rare barriers", "no warm-up", "false sharing",
		"different work", "unused cores", "clock", "shared channels", "link widths", "energy profile", "leakage", "energy profile", "network energy", "network energy", "energy of the chip"}
	var warnings []*rule
	for _, list := range [][]subject{ofEachSetting, ofStudies, ofPrices, ofEnergies, ofFirstSetting} {
		for _, s := range list {
			for k := range s.rules {
				if s.rules[k].kind == Warning {
					warnings = append(warnings, &s.rules[k])
				}
			}
		}
	}
	if len(rows) != len(warnings) {
		t.Fatalf("there are %d warnings, and %d are named here; add a row for a new one to results.md, and its subject here", len(warnings), len(rows))
	}
	manual := string(must.Get(os.ReadFile("../../../cmd/carousel/manual/results.md")))
	_, manual, _ = strings.Cut(manual, "| subject | about |")
	manual, _, _ = strings.Cut(manual, "\n\n")
	for i, row := range rows {
		if !strings.Contains(manual, "\n| "+row+" | ") {
			t.Errorf("results.md has no row %q for the warning %q", row, warnings[i].sentence)
		}
	}
	if want := len(slices.Compact(slices.Sorted(slices.Values(rows)))); strings.Count(manual, "\n") != 1+want {
		t.Errorf("results.md has %d rows of warnings, want %d", strings.Count(manual, "\n")-1, want)
	}
}

// TestWarningsComeFirst: no answer or note stands before a warning, whatever a study says.
func TestWarningsComeFirst(t *testing.T) {
	for _, f := range studies() {
		list := f.all()
		answer := slices.IndexFunc(list, func(f Finding) bool { return f.Kind != Warning })
		note := slices.IndexFunc(list, func(f Finding) bool { return f.Kind == Note })
		for i, one := range list {
			if answer >= 0 && i > answer && one.Kind == Warning || note >= 0 && i > note && one.Kind != Note {
				t.Errorf("%+v", list)
			}
		}
	}
}

// TestUnder: what was not simulated stands between warnings and answers. Answers and warnings always stand under a table,
// and notes only where there is room.
func TestUnder(t *testing.T) {
	all := []Finding{{Warning, "b"}, {Answer, "a"}, {Note, "c"}, {Note, "d"}}
	under := func(all []Finding, earlier []string, verbose bool) []string {
		warnings, texts := Under(all, earlier, verbose)
		return append(warnings, texts...)
	}
	if got := under(all, []string{"4 runs reused"}, false); !slices.Equal(got, []string{"b", "4 runs reused", "a", "2 more notes: use --verbose or carousel report."}) {
		t.Errorf("it shows %q", got)
	}
	if got := under(all, nil, false); got[len(got)-1] != "1 more note: use --verbose or carousel report." {
		t.Errorf("it shows %q", got)
	}
	if got := under(all, nil, true); len(got) != 4 {
		t.Errorf("all are %q", got)
	}
	doubts := []Finding{{Warning, "c"}, {Warning, "d"}, {Answer, "a"}, {Answer, "b"}, {Note, "e"}}
	if got := under(doubts, []string{"reused"}, false); !slices.Equal(got, []string{"c", "d", "reused", "a", "b", "1 more note: use --verbose or carousel report."}) {
		t.Errorf("of several warnings it shows %q", got)
	}
	many := make([]Finding, 30)
	for i := range many {
		many[i] = Finding{Answer, fmt.Sprint(i)}
	}
	if got := under(append(many, all...), nil, false); len(got) != 1+24+1 || got[25] != "7 more answers and 2 more notes: use --verbose or carousel report." {
		t.Errorf("of many answers it shows %q", got)
	}
}

// TestAnswersOfSettings: an answer that is the same in several settings is one sentence, which names them; others keep
// theirs. Settings are in the order of the plan.
func TestAnswersOfSettings(t *testing.T) {
	rows := new(tables.Rows)
	for i, rr := range []uint64{120, 130, 120} {
		for _, r := range study("w", true, times{"mrr", []uint64{100, 100}}, times{"rr", []uint64{rr, rr}}).Runs {
			r.RunKey = fmt.Sprint(r.RunKey, i)
			rows.Runs, rows.Axes = append(rows.Runs, r), append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "chip.l1.sets", Value: fmt.Sprint(64 << i)})
		}
	}
	rankings := result.Rank(rows, nil)
	var got []string
	for _, s := range ofEachSetting[1:2] {
		for _, one := range s.say(&findings{rows: rows}, pointers(rankings)...) {
			before, _, _ := strings.Cut(one.Text, " times")
			got = append(got, before)
		}
	}
	if want := []string{"In 2 of 3 settings (chip.l1.sets 64; chip.l1.sets 256): mrr is fastest; rr takes 1.200 ± 0.022",
		"chip.l1.sets 128: mrr is fastest; rr takes 1.300 ± 0.029"}; !slices.Equal(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
