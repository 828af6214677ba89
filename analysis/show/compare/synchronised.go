package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// replayErrors are the mean and the largest error, in %, of ratios of routers in replays of programs
// that synchronise in these ways: those of the kernels of carousel validate replay. A test compares
// them with the table of carousel help accuracy.
var replayErrors = []struct {
	way, how    string
	kernels     []string
	mean, worst float64
}{
	{tables.Rarely, "rarely", []string{"static", "queue-coarse", "false-sharing"}, 0.7, 2.5},
	{tables.ByBarriers, "by barriers", []string{"barriers"}, 2.9, 5.4},
	{tables.ByLocks, "by locks", []string{"mutex"}, 2.3, 4.0},
	{tables.ByReaderWriter, "by reader-writer locks", []string{"reader-writer"}, 4.5, 7.7},
	{tables.ByCounters, "by counters or queues of tasks", []string{"queue-fine", "counter"}, 3.1, 8.0},
	{tables.ByFlags, "by flags", []string{"flags"}, 1.3, 2.5},
	{tables.Mixed, "by flags beside locks or counters", []string{"stealing"}, 8.2, 15.3},
}

// sourceOf says where the records of a run come from, and how recorded threads synchronise.
func sourceOf(run *tables.Run) string {
	text := run.WorkloadSource
	for _, e := range replayErrors {
		if run.Synchronisation == tables.Some(e.way) {
			text += fmt.Sprintf(", threads synchronise %s (mean error of replays %.1f %%)", e.how, e.mean)
		}
	}
	if run.RecordedOrder == tables.Some(tables.ByLine) {
		text += ", ordered by line"
	}
	return text
}

// synchronised says how recorded threads synchronise, and how far replays of such programs are off.
func (f *findings) synchronised(*result.Ranking) (list []words) {
	for _, e := range replayErrors {
		where := f.where(func(run *tables.Run) bool { return run.Synchronisation == tables.Some(e.way) })
		if where == "" {
			continue
		}
		w := words{"where": where, "how": e.how, "mean": e.mean, "worst": e.worst}
		if e.way == tables.ByCounters || e.way == tables.Mixed {
			w["contended"] = true
		}
		list = append(list, w)
	}
	return list
}

// byLine names the recordings whose order between threads is by line.
func (f *findings) byLine(*result.Ranking) []words {
	if where := f.where(func(run *tables.Run) bool { return run.RecordedOrder == tables.Some(tables.ByLine) }); where != "" {
		return []words{{"where": where}}
	}
	return nil
}

// where names the places with a run of a kind.
func (f *findings) where(is func(*tables.Run) bool) string {
	var names []string
	for _, p := range f.places {
		if slices.ContainsFunc(p.routers, func(g result.Group) bool {
			return slices.ContainsFunc(g.Runs, func(o tables.Observation) bool { return is(o.Run) })
		}) {
			names = append(names, p.name)
		}
	}
	return sheet.Enumerate(names, shownPlaces)
}
