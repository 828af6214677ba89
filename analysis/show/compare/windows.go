package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// The shares of an execution above which a time says little about the program.
const (
	mostlyIdle    = 0.2  // of the time, with fewer than half of the cores at work
	mostlyOrdered = 0.05 // of the cores' time, waiting for recorded order
)

// contended is how many atomics per instruction in recorded order make a class of programs whose
// replays are far from the program: of the kernels of carousel validate replay, those below are off
// by up to 10 % in ratios of routers, and those above by up to 65 %.
const contended = 0.001

// muchMore is how many times the instructions of most cores the last one executes where the program
// has nothing to do for the others.
const muchMore = 2

// startNotes says how caches start.
func startNotes(rows *tables.Rows) []string {
	starts := map[string]bool{}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState == tables.Finished {
			starts[r.Start.Value] = true
		}
	}
	switch {
	case starts[tables.WarmStart] && starts[tables.ColdStart]:
		return []string{"Caches start warm in some runs, and empty in others."}
	case starts[tables.WarmStart]:
		return []string{"Caches start warm (--cold empties them)."}
	case starts[tables.ColdStart]:
		return []string{"Caches start empty."}
	}
	return nil
}

// timeWarnings say where much of the time tells little about the network: few cores are at work, or
// cores wait for the recorded order.
func timeWarnings(rows *tables.Rows) (warnings []string) {
	late, few, ordered := coreShares(rows)
	if few > mostlyIdle {
		warnings = append(warnings, fmt.Sprintf("for %.0f %% of the time fewer than half of the cores work, because one core executes more than twice the instructions of most.", 100*few))
	}
	if late > mostlyIdle {
		warnings = append(warnings, fmt.Sprintf("for %.0f %% of the time fewer than half of the cores work; choose longer or other windows (carousel trace sample).", 100*late))
	}
	if ordered > mostlyOrdered {
		warnings = append(warnings, fmt.Sprintf("cores wait for the recorded order of threads for %.0f %% of their time. This time says little about the network; see carousel help traces.", 100*ordered))
	}
	if share := atomicShare(rows); share > contended {
		warnings = append(warnings, fmt.Sprintf("%.1f atomic accesses per 1,000 instructions keep their recorded order. Replays of such programs were off by up to 65 %% in ratios of routers: execute the program if you can (--program; see carousel help accuracy).", 1000*share))
	}
	return warnings
}

// atomicShare returns how many atomics per instruction the recorded workloads have.
func atomicShare(rows *tables.Rows) float64 {
	var atomics, instructions float64
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.WorkloadSource == "recorded" && r.ExitState == tables.Finished {
			atomics += float64(r.Atomics.Value)
			instructions += float64(r.Instructions.Value)
		}
	}
	if instructions == 0 {
		return 0
	}
	return atomics / instructions
}

// coreShares returns the shares of the time with fewer than half of the cores at work, because some
// are late, and because the program has more to do for some than for most; and the share of the
// cores' time that was waiting for recorded order.
func coreShares(rows *tables.Rows) (late, few, ordered float64) {
	cores := map[string][]*tables.Core{}
	var waited, all, total float64
	for i := range rows.Cores {
		c := &rows.Cores[i]
		if c.Records > 1 {
			cores[c.RunKey] = append(cores[c.RunKey], c)
		}
		waited += float64(c.StallDependence)
		all += float64(c.FinishCycle)
	}
	for _, list := range cores {
		slices.SortFunc(list, func(a, b *tables.Core) int { return cmp.Compare(a.FinishCycle, b.FinishCycle) })
		// With n cores fewer than half are left from the end of core n/2 on, counted from 0.
		half, last := list[len(list)/2], list[len(list)-1]
		total += float64(last.FinishCycle)
		left := float64(last.FinishCycle - half.FinishCycle)
		slices.SortFunc(list, func(a, b *tables.Core) int { return cmp.Compare(a.Instructions, b.Instructions) })
		if last.Instructions > muchMore*list[len(list)/2].Instructions {
			few += left
		} else {
			late += left
		}
	}
	if total > 0 {
		late, few = late/total, few/total
	}
	if all > 0 {
		ordered = waited / all
	}
	return late, few, ordered
}
