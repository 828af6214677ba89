package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// The shares of an execution above which a time says little about the program.
const (
	mostlyIdle    = 0.2  // of the time, with fewer than half of the cores at work
	mostlyOrdered = 0.05 // of the cores' time, waiting for recorded order
)

// muchMore is how many times the instructions of most cores the last one executes where the program
// has nothing to do for the others.
const muchMore = 2

// windowNotes says how the runs began, how long few cores were at work, and how much time went into
// recorded order, over all runs of a comparison.
func windowNotes(rows *tables.Rows, windows int) (notes []string) {
	starts, replayed := map[string]bool{}, map[uint64]bool{}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState == tables.Finished {
			starts[r.Start.Value], replayed[r.Window] = true, true
		}
	}
	if windows > 1 {
		notes = append(notes, fmt.Sprintf("%d of %d windows; ratios of times are those of sums over windows, and their intervals hold those by whole windows, by the middle of windows and by the core with most to do. ED2P is that of the sums.", len(replayed), windows))
	}
	switch {
	case starts[tables.WarmStart] && starts[tables.ColdStart]:
		notes = append(notes, "some runs begin with the caches that the trace tells of, others with empty ones.")
	case starts[tables.WarmStart]:
		notes = append(notes, "caches begin with what the trace says they held (--cold empties them).")
	case starts[tables.ColdStart]:
		notes = append(notes, "caches begin empty.")
	}
	notes = append(notes, quarterNotes(rows)...)
	late, few, ordered := coreShares(rows)
	notes = append(notes, fmt.Sprintf("fewer than half of the cores were at work for %.0f %% of the time; %.0f %% of the cores' time was waiting for recorded order.", 100*(late+few), 100*ordered))
	if few > mostlyIdle {
		notes = append(notes, fmt.Sprintf("for %.0f %% of the time the program has work for few cores: the last ones execute more than twice as much as most.", 100*few))
	}
	if late > mostlyIdle {
		notes = append(notes, "warning: much of the time is that of a few late cores, and says little about the whole program; draw windows with carousel trace sample.")
	}
	if ordered > mostlyOrdered {
		notes = append(notes, "warning: cores wait for the recorded order of threads for a noticeable part of the time, which says little about the network; see --turn in carousel trace record --help.")
	}
	return notes
}

// unevenReads is the part by which misses to memory in the first and the last quarter of a window
// may differ.
const unevenReads = 0.1

// quarterNotes says in how many windows the misses to memory in the first and the last quarter
// differ by more than chance lets them, and why: a window that begins with too little in its caches
// has more at its begin.
func quarterNotes(rows *tables.Rows) []string {
	var uneven, all, few int
	var worst *tables.Run
	most, cold := 0.0, false
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if r.ExitState != tables.Finished || r.Router != rows.Runs[0].Router || r.Seed != rows.Runs[0].Seed {
			continue // the other routers replay the same windows
		}
		all++
		first, last := float64(r.FirstQuarterReads.Value), float64(r.LastQuarterReads.Value)
		apart := math.Abs(first - last)
		if apart <= unevenReads*max(first, last) {
			continue
		}
		if apart <= 2*math.Sqrt(first+last) { // two standard deviations of a difference of counts
			few++
			continue
		}
		uneven++
		if apart > most {
			most, worst, cold = apart, r, r.Start.Value == tables.ColdStart
		}
	}
	var notes []string
	if few > 0 {
		notes = append(notes, fmt.Sprintf("misses to memory in the first and last quarter differ by more than a tenth in %d of %d windows, but are so few that this is chance.", few, all))
	}
	if worst == nil {
		return notes
	}
	why := "caches begin with what they would hold, so the program itself goes to new data there, or returns to old"
	if cold {
		why = "caches begin empty, and filling them is a part of the time"
	}
	return append(notes, fmt.Sprintf("misses to memory in the first and last quarter differ by more than a tenth in %d of %d windows (window %d: %d and %d): %s.",
		uneven, all, worst.Window, worst.FirstQuarterReads.Value, worst.LastQuarterReads.Value, why))
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
