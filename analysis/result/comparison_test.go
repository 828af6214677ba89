package result

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// swept has a run for each protocol, router and seed. directory takes nine tenths of the time of token, and base
// twice the time of mrr.
func swept(routers ...string) *tables.Rows {
	rows := new(tables.Rows)
	for p, protocol := range []string{"token", "directory"} {
		for _, router := range routers {
			for seed := range uint64(3) {
				cycles := (1000 + 10*seed) * uint64(10-p)
				if router == "base" {
					cycles *= 2
				}
				key := fmt.Sprint(len(rows.Runs))
				rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: "w", Protocol: protocol, Router: router, Seed: seed, ExitState: tables.Finished, Cycles: tables.Some(cycles)})
				rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: "chip.protocol", Value: protocol}, tables.Axis{RunKey: key, Key: "routers", Value: router})
			}
		}
	}
	return rows
}

// TestBaselines: what is compared, what divides it, and which rankings there are.
func TestBaselines(t *testing.T) {
	for _, x := range []struct {
		routers, baseline string
		want              string // baseline, and settings with ratios of times
	}{
		{"mrr", "", "protocol=token; : directory 0.9, token 1"},
		{"mrr,base", "", "fastest; token: mrr 1, base 2; directory: mrr 1, base 2"},
		{"mrr,base", "router=base", "router=base; token: mrr 0.5, base 1; directory: mrr 0.5, base 1"},
		{"mrr,base", "chip.protocol=directory", "protocol=directory; mrr: directory 1, token 1.111; base: directory 1, token 1.111"},
		{"mrr,base", "router=mrr,protocol=token", "router=mrr,protocol=token; : directory on mrr 0.9, token on mrr 1, directory on base 1.8, token on base 2"},
		{"mrr,base", "fastest", "fastest; token: mrr 1, base 2; directory: mrr 1, base 2"},
	} {
		rows := swept(strings.Split(x.routers, ",")...)
		by, err := Choose(rows, x.baseline)
		if err != nil {
			t.Errorf("%s of %s: %v", x.baseline, x.routers, err)
			continue
		}
		got := by.String()
		for _, c := range by.Rank(rows, nil) {
			var ratios []string
			for _, row := range c.Overall().Rows {
				ratios = append(ratios, fmt.Sprintf("%s %.4g", row.Name, row.Time.Mean))
			}
			got += "; " + c.Title() + ": " + strings.Join(ratios, ", ")
		}
		if got != x.want {
			t.Errorf("%q of %s is %s\nwant %s", x.baseline, x.routers, got, x.want)
		}
	}
}

// TestClocks: of runs with other clocks the times are compared, and not the cycles.
func TestClocks(t *testing.T) {
	rows := swept("mrr")
	for i := range rows.Runs {
		r := &rows.Runs[i]
		ghz := map[string]float64{"token": 3e9, "directory": 1e9}[r.Protocol]
		r.Seconds = tables.Some(float64(r.Cycles.Value) / ghz)
		rows.Cores = append(rows.Cores, tables.Core{RunKey: r.RunKey, Retiring: r.Cycles.Value, FinishCycle: r.Cycles.Value})
	}
	a := ComparisonOf(rows, "protocol=token").Rank(rows, nil)[0].Overall()
	if e := a.Ratio(col.Cycles, "directory", "token"); math.Abs(e.Mean-2.7) > 1e-9 || a.Rows[0].Name != "token" {
		t.Errorf("directory takes %g of the time of token, and %s is fastest", e.Mean, a.Rows[0].Name)
	}
	if share := a.Breakdown(&tables.Cycles, "directory", "token")["retiring"]; math.Abs(share-2.7) > 1e-9 {
		t.Errorf("retiring takes %g of the time of token", share)
	}
}

// twoPrograms has runs of two programs on two routers with two seeds, told apart by an axis or by their names only.
// fixed takes half the time of bug.
func twoPrograms(axis string) *tables.Rows {
	rows := new(tables.Rows)
	for i, program := range []string{"bug", "fixed"} {
		for _, router := range []string{"base", "mrr"} {
			for seed := range uint64(2) {
				key := fmt.Sprint(len(rows.Runs))
				run := tables.Run{RunKey: key, Workload: "w", TraceDigest: program, Router: router, Seed: seed, ExitState: tables.Finished, Cycles: tables.Some((1000 + 10*seed) / uint64(i+1))}
				if axis == "program.path" { // executed regions start warm
					run.Start, run.ProgramEnd = tables.Some(tables.WarmStart), tables.Some("success")
				}
				if axis == "workload" {
					run.Workload = program
				} else {
					rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: axis, Value: program})
				}
				rows.Runs = append(rows.Runs, run)
			}
		}
	}
	return rows
}

// TestPrograms: whole executions of programs are compared with each other, whatever key names them. Other
// comparisons take them for applications.
func TestPrograms(t *testing.T) {
	for _, axis := range []string{"trace", "program.path", "workload"} {
		rows := twoPrograms(axis)
		by, err := Choose(rows, axis+"=bug")
		if err != nil {
			t.Errorf("%s: %v", axis, err)
			continue
		}
		list := by.Rank(rows, nil)
		if len(list) != 2 || list[1].Title() != "mrr" || list[0].Mean != nil {
			t.Fatalf("the rankings of %s are %+v", axis, list)
		}
		c := &list[0]
		if e := c.Overall().Ratio(col.Cycles, "fixed", "bug"); math.Abs(e.Mean-0.5) > 1e-9 || e.N != 2 || c.PerInstruction() || c.Baseline != "bug" || c.Applications[0].Name != "bug, fixed" {
			t.Errorf("%s: in %s fixed takes %+v of the time of %s", axis, c.Applications[0].Name, e, c.Baseline)
		}
		groups := Of(rows).By(col.Workload, col.Router, tables.AxisName(axis))
		bases, _ := by.Bases(rows, groups, []tables.Name{col.Workload, col.Router, tables.AxisName(axis)})
		if e := groups[3].Over(bases[3], col.Cycles); math.Abs(e.Mean-0.5) > 1e-9 {
			t.Errorf("the table summary of %s has %+v", axis, e)
		}
		if groups := Of(rows).By(Program(rows)); len(groups) != 2 || groups[1].Values[0] != "fixed" {
			t.Errorf("%s: the programs are %+v", axis, groups)
		}
		if routers := Rank(rows, nil); len(routers) != 1 || len(routers[0].Applications) != 2 {
			t.Errorf("%s: the rankings of routers are %+v", axis, routers)
		}
	}
}

// TestProgramsInWindows: windows of one program match none of another and do not show how long it runs, so the ratio
// is that of the means per instruction.
func TestProgramsInWindows(t *testing.T) {
	rows := new(tables.Rows)
	for program, windows := range map[string][]uint64{"bug": {100, 110, 90, 100}, "fixed": {50, 52}} {
		for window, cycles := range windows {
			key := fmt.Sprint(program, window)
			rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: "w", TraceDigest: program, Router: "mrr", Window: uint64(window), ExitState: tables.Finished,
				Cycles: tables.Some(cycles), Instructions: tables.Some(cycles / 2 * uint64(len(windows))), EnergyED2P: tables.Some(1.0)})
			rows.Axes = append(rows.Axes, tables.Axis{RunKey: key, Key: "trace", Value: program})
		}
	}
	list := ComparisonOf(rows, "trace=bug").Rank(rows, nil)
	if len(list) != 1 || list[0].Mean != nil || list[0].Names[1] != "fixed" {
		t.Fatalf("the rankings are %+v", list)
	}
	if e := list[0].Overall().Rows[1].Time; math.Abs(e.Mean-2) > 1e-9 || e.N < 2 || !list[0].PerInstruction() {
		t.Errorf("fixed takes %+v of the time of bug", e)
	}
	if e := list[0].Overall().Rows[1].ED2P; e.OK {
		t.Errorf("the ED2P of programs in windows is %+v", e)
	}
}

// TestUnknownBaseline: one that names no point is refused with the reason, and with what there is.
func TestUnknownBaseline(t *testing.T) {
	window := swept("mrr")
	for i := range window.Axes {
		if a := &window.Axes[i]; a.Key == "chip.protocol" {
			a.Key, a.Value = "chip.core.window", map[string]string{"token": "16", "directory": "64"}[a.Value]
		}
	}
	apart := swept("mrr", "base")
	for i := range apart.Runs {
		apart.Runs[i].Router = map[string]string{"token": "mrr", "directory": "base"}[apart.Runs[i].Protocol]
	}
	both, windows := swept("mrr", "base"), " The study has router=mrr, chip.core.window=16|64"
	const has = " The study has router=mrr|base, protocol=token|directory"
	for _, x := range []struct {
		rows           *tables.Rows
		baseline, want string
	}{
		{both, "protocol=msi", `no run has the value "msi" of protocol.` + has},
		{both, "protocol=tokn", `no run has the value "tokn" of protocol; did you mean "token"?` + has},
		{both, "chip.clock_ghz=2", `the study does not vary "chip.clock_ghz".` + has},
		{both, "chip.protocl=token", `the study does not vary "chip.protocl"; did you mean "chip.protocol"?` + has},
		{both, "token", `"token" is not KEY=VALUE with a key of its own; did you mean protocol=token?` + has},
		{both, "foo", `"foo" is not KEY=VALUE with a key of its own.` + has},
		{both, "protocol=token,protocol=directory", `"protocol=directory" is not KEY=VALUE with a key of its own.` + has},
		{both, "router=rr", `no run has the value "rr" of router; did you mean "mrr"?` + has},
		{apart, "router=mrr,protocol=directory", `no run has all of these values.` + has},
		{both, "seed=1", `the study does not vary "seed".` + has},
		{window, "chip.core.windo=64", `the study does not vary "chip.core.windo"; did you mean "chip.core.window"?` + windows},
		{window, "window=64", `the study does not vary "window"; did you mean "chip.core.window"?` + windows},
		{window, "chip.core.window=32", `no run has the value "32" of chip.core.window.` + windows},
		{window, "fastest", `fastest compares routers, and the study has only mrr; give a value of another key, such as chip.core.window=16.` + windows},
	} {
		if _, err := Choose(x.rows, x.baseline); err == nil || strings.TrimPrefix(err.Error(), x.baseline+": ") != x.want {
			t.Errorf("%s: %v\nwant %s", x.baseline, err, x.want)
		}
	}
}

// TestAcross: the only axis beside that of routers is compared on each router.
func TestAcross(t *testing.T) {
	if other := Routers.Across(swept("mrr", "base")); other == nil || other.String() != "protocol=token" {
		t.Errorf("it compares %+v", other)
	}
	if other := Routers.Across(swept("mrr")); other != nil {
		t.Errorf("of one router it compares %+v", other)
	}
}

// TestAxisKeys: what the package takes for keys of axes are such keys.
func TestAxisKeys(t *testing.T) {
	if keys := fmt.Sprint(plan.AxisKeys()); !strings.Contains(keys, axisTrace.String()) {
		t.Errorf("no axis has the key %q", axisTrace)
	}
}

// TestBasesOfColumns: an axis that a column shows is compared under either name.
func TestBasesOfColumns(t *testing.T) {
	rows := swept("mrr")
	groups := Of(rows).By(tables.AxisName("chip.protocol"))
	bases, titles := ComparisonOf(rows, "chip.protocol=token").Bases(rows, groups, []tables.Name{tables.AxisName("chip.protocol")})
	for i := range groups {
		if len(bases[i]) != 3 || bases[i][0].Run.Protocol != "token" || titles[i] != "token" {
			t.Errorf("%v is divided by %d runs of %s", groups[i].Values, len(bases[i]), titles[i])
		}
	}
}
