package report

import (
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// chipStudy is a run of two routers, of which the slower one has the network that leaks less.
func chipStudy(t *testing.T) *tables.Rows {
	t.Helper()
	run := func(router string, cycles uint64) tables.Run {
		return tables.Run{RunKey: router, SimulationKey: router, Workload: "lu", Router: router, Protocol: "token", ExitState: tables.Finished, Cycles: tables.Some(cycles),
			Seconds: tables.Some(float64(cycles) / 4e9), Instructions: tables.Some(uint64(100_000)), Loads: tables.Some(uint64(30_000)),
			Hardware: tables.Some(`{"Ports":5,"PhitBits":128,"VirtualChannels":6,"Crossbar":true,"FIFOs":[30,0,0,0],"Depth":[10,0,0,0]}`),
			Chip:     tables.Some(`{"Cores":16,"L1KB":32,"L1Ways":2,"L2KB":64,"L2Ways":16,"Banks":256,"Controllers":8,"StateBits":10}`),
			Power:    tables.Some(`{"Profile":"O","TechNM":65,"ClockGHz":4,"Alpha":0.5,"LinkMM":2,"WireSpacing":1,"RingMM":0.2,"StaticScale":1,"ClockGating":true}`)}
	}
	rows := &tables.Rows{Runs: []tables.Run{run("mrr", 20_000), run("base-mc", 20_600)}}
	for router, count := range map[string]int{"mrr": 64, "base-mc": 8} {
		rows.Cores = append(rows.Cores, tables.Core{RunKey: router, Retiring: 5000, FinishCycle: 20_000})
		for range count {
			rows.Routers = append(rows.Routers, tables.Router{RunKey: router})
		}
	}
	if err := experiment.Reprice(rows, func(c power.Config) (power.Config, error) { return c.Effective(), nil }); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestChipFigures: the pictures show the ED2P that the tables have, and the verdict turns at the break-even power.
func TestChipFigures(t *testing.T) {
	rows := chipStudy(t)
	list, err := chipFigures(rows, result.Rank(rows, nil))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d figures, %v", len(list), err)
	}
	value := func(p *figures.Panel, series string, at int) figures.Point {
		for _, s := range p.Series {
			if s.Name == series {
				return s.Points[at]
			}
		}
		t.Fatalf("there is no series %q", series)
		return figures.Point{}
	}
	sizes, verdict := &list[0].Panels[0], &list[1].Panels[0]
	if len(sizes.Categories) != 3 || value(sizes, "mrr", 0).Y != 1 {
		t.Errorf("%+v", sizes)
	}
	a, b := &rows.Runs[0], &rows.Runs[1] // with large cores
	if got, want := value(sizes, "base-mc", 2).Y, b.ChipED2P.Value/a.ChipED2P.Value; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the ratio with large cores is %g, want %g", got, want)
	}
	turn := b.ED2PStatic.Value
	for _, s := range verdict.Series {
		for _, q := range s.Points {
			if s.Name == "base-mc" && math.Abs(q.X-turn) > 1e-6 && (q.Y < 1) != (q.X < turn) {
				t.Errorf("at %g W the ratio is %g; it should turn at %g W", q.X, q.Y, turn)
			}
		}
	}
	if note := list[1].Note; !strings.HasPrefix(note, "if this power is the same with all routers; ") {
		t.Errorf("the note does not state what the curves assume: %q", note)
	}
	if len(verdict.Series) != 1 || len(verdict.Knees) != 3 {
		t.Errorf("%d series, %d marks", len(verdict.Series), len(verdict.Knees))
	}
	rows.Runs[0].ChipEnergy = tables.Maybe[float64]{}
	if list, _ := chipFigures(rows, result.Rank(rows, nil)); list != nil {
		t.Error("runs without a chip have pictures of it")
	}
}
