package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// The shares of an execution above which a time says little about the program.
const (
	mostlyIdle    = 0.2 // of the time, with fewer than half of the cores at work
	mostlyOrdered = 0.3 // of the cores' time, waiting for recorded order
)

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
		notes = append(notes, fmt.Sprintf("%d of %d windows; ratios of times are those of the sums over windows.", len(replayed), windows))
	}
	switch {
	case starts[tables.WarmStart] && starts[tables.ColdStart]:
		notes = append(notes, "some runs begin with the caches that the trace tells of, others with empty ones.")
	case starts[tables.WarmStart]:
		notes = append(notes, "caches begin with what the trace says they held (--cold empties them).")
	case starts[tables.ColdStart]:
		notes = append(notes, "caches begin empty.")
	}
	idle, ordered := coreShares(rows)
	notes = append(notes, fmt.Sprintf("fewer than half of the cores were at work for %.0f %% of the time; %.0f %% of the cores' time was waiting for recorded order.", 100*idle, 100*ordered))
	if idle > mostlyIdle {
		notes = append(notes, "warning: much of the time is that of a few late cores, and says little about the whole program; draw windows with carousel trace sample.")
	}
	if ordered > mostlyOrdered {
		notes = append(notes, "warning: much of the time follows from the order in which the program was recorded, and says little about the network.")
	}
	return notes
}

// coreShares returns the share of the time with fewer than half of the cores at work, and the share
// of the cores' time that was waiting for recorded order.
func coreShares(rows *tables.Rows) (idle, ordered float64) {
	finishes := map[string][]uint64{}
	var waited, all, late, total float64
	for i := range rows.Cores {
		c := &rows.Cores[i]
		if c.Records > 1 {
			finishes[c.RunKey] = append(finishes[c.RunKey], c.FinishCycle)
		}
		waited += float64(c.StallDependence)
		all += float64(c.FinishCycle)
	}
	for _, list := range finishes {
		slices.Sort(list)
		last := list[len(list)-1]
		total += float64(last)
		// With n cores fewer than half are left from the end of core n/2 on, counted from 0.
		late += float64(last - list[len(list)/2])
	}
	if total > 0 {
		idle = late / total
	}
	if all > 0 {
		ordered = waited / all
	}
	return idle, ordered
}
