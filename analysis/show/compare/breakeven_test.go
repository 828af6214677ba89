package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// TestChipSentences: what is said about the chip around a network.
func TestChipSentences(t *testing.T) {
	// Times in s and energies in J of two routers, in applications.
	run := func(workload, router string, seconds, energy float64) tables.Run {
		return tables.Run{RunKey: workload + router, Workload: workload, Router: router, Protocol: "token", ExitState: tables.Finished,
			Cycles: tables.Some(uint64(seconds * 1e3)), Seconds: tables.Some(seconds), Energy: tables.Some(energy),
			EnergyED2P: tables.Some(energy * seconds * seconds), Technology: 65}
	}
	texts := func(rows tables.Rows) (list []string) {
		for _, f := range Findings(result.Rank(&rows, nil), &rows, nil) {
			list = append(list, f.Text)
		}
		return list
	}
	// r is 1.1: (100 - 1.21 x 50) / 0.21 is 188, and / (1.331 - 1) is 119.
	saving := []tables.Run{run("lu", "mrr", 1, 100), run("lu", "base", 1.1, 50)}
	losing := []tables.Run{run("bt", "mrr", 1, 100), run("bt", "base", 1.1, 95)}
	leaks := tables.Rows{Runs: slices.Clone(saving[:1]), Routers: []tables.Router{{RunKey: "lumrr", Parts: power.Breakdown{Leakage: 60, Clock: 40}}}}
	chip := tables.Rows{Runs: slices.Clone(saving)}
	for i := range chip.Runs {
		chip.Runs[i].ChipEnergy = tables.Some(5000.0)
		chip.Runs[i].Power = tables.Some(`{"Profile":"O","TechNM":32,"Core":"medium","Cells":"hp","DRAM":"ddr3"}`)
		chip.Runs[i].Technology = 32
	}
	for want, rows := range map[string]tables.Rows{
		"base has a lower ED2P than mrr if cores, caches and memory need less than 120 to 190 W; else mrr has.":                                                         {Runs: saving},
		"mrr has the lowest ED2P, whatever cores, caches and memory need.":                                                                                              {Runs: losing},
		"base has a lower ED2P than mrr in 1 of 2 applications if cores, caches and memory need little: less than 120 to 190 W (lu) up to less than 120 to 190 W (lu).": {Runs: slices.Concat(saving, losing)},
		"mrr has the lowest ED2P in all applications, whatever cores, caches and memory need.":                                                                          {Runs: slices.Concat(losing, []tables.Run{run("is", "mrr", 1, 100), run("is", "base", 1.5, 95)})},
		"Leakage is 60 % of the network energy of mrr; public models of it differ by a factor of 40 (carousel help energy).":                                            leaks,
		"With medium cores at 32 nm, the network takes 2 % of the energy of the chip on mrr: the ED2P of the chip repeats the verdict on time (carousel help energy).":  chip,
	} {
		if got := texts(rows); !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if got := texts(chip); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "Below 65 nm, profile O leaks more") }) {
		t.Errorf("the trend of profile O is not among %q", got)
	}
	leaks.Routers[0].Parts.Clock, leaks.Runs[0].Energy = 200, tables.Some(260.0)
	if got := texts(leaks); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "Leakage is") }) {
		t.Errorf("little leakage is warned of: %q", got)
	}
	windows := slices.Concat(saving, slices.Clone(saving))
	windows[2].Window, windows[3].Window, windows[2].RunKey, windows[3].RunKey = 1, 1, "x", "y"
	windows[3].Energy = tables.Some(60.0)
	if got := texts(tables.Rows{Runs: windows}); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "W (95 % interval ") }) {
		t.Errorf("there is no interval among %q", got)
	}
}
