package compare

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// replayErrors are the mean and the largest error, in %, of ratios of routers in replays of programs
// that synchronise in these ways: those of the kernels of carousel validate replay, and of the other
// programs of carousel help accuracy. Where execute is set, some of the programs should be executed.
var replayErrors = []struct {
	way, how    string
	kernels     []string
	mean, worst float64
	execute     bool
}{
	{tables.Rarely, "rarely", []string{"static", "queue-coarse", "false-sharing"}, 0.9, 3.1, false},
	{tables.ByBarriers, "by barriers", []string{"barriers"}, 1.8, 2.9, false},
	{tables.ByLocks, "by locks", []string{"mutex"}, 1.0, 1.5, false},
	{tables.ByReaderWriter, "by reader-writer locks", []string{"reader-writer"}, 4.1, 8.4, false},
	{tables.ByCounters, "by counters or queues of tasks", []string{"queue-fine", "counter"}, 2.1, 5.3, false},
	{tables.ByAttempts, "by compare-and-swaps that they try again", nil, 6.0, 16, true},
	{tables.ByConditions, "by sleeping until others wake them", nil, 9.1, 25, true},
	{tables.ByFlags, "by flags", []string{"flags"}, 1.3, 2.3, false},
	{tables.Mixed, "by flags, and by locks or counters", []string{"stealing"}, 0.7, 10, true},
}

// x86 is the largest error of ratios in replays of x86-64 programs. Too few were measured for an error of each way, and
// none of those that should be executed.
func x86(way int) string {
	if replayErrors[way].execute {
		return ""
	}
	return ", up to 11.6 % in x86-64 programs"
}

// measuredOrder is the percentage of the cores' time in recorded order up to which these errors hold.
const measuredOrder = 50

// synchronisation is the way in which recorded threads synchronise in some runs: that of most of their windows, as
// few events make the way of a window another one than that of the recording. Of equals, and where programs should
// be executed, it is the one whose replays are farthest off. It is -1 if nothing was recorded.
func synchronisation(runs result.Runs) int {
	way, most, worst := -1, 0, -1
	for i, e := range replayErrors {
		n := 0
		for _, o := range runs {
			if o.Run.Synchronisation == tables.Some(e.way) {
				n++
			}
		}
		if n > most || n == most && n > 0 && e.mean > replayErrors[way].mean {
			way, most = i, n
		}
		if n > 0 && (worst < 0 || e.mean > replayErrors[worst].mean) {
			worst = i
		}
	}
	if worst >= 0 && replayErrors[worst].execute {
		return worst
	}
	return way
}

// threadsOf says how the recorded threads of runs of one workload synchronise; "" where that is not known.
func threadsOf(runs result.Runs) (text string) {
	if way := synchronisation(runs); way >= 0 {
		text = "threads synchronise " + replayErrors[way].how
		if ordered(runs) <= measuredOrder {
			text += fmt.Sprintf(" (errors of ratios in replays: %.1f %% on average in RISC-V programs%s)", replayErrors[way].mean, x86(way))
		}
	}
	if runs[0].Run.RecordedOrder == tables.Some(tables.ByLine) {
		text += "; order of threads by cache line, not by word, for which no error was measured"
	}
	return text
}

// synchronised says how recorded threads synchronise, and how far replays of such programs are off where that is known.
func (f *findings) synchronised(*result.Ranking) (list []words) {
	for i, e := range replayErrors {
		where := f.where(func(r result.Runs) bool { return synchronisation(r) == i && (e.execute || ordered(r) <= measuredOrder) })
		if where != "" {
			w := words{"where": where, "how": e.how, "mean": e.mean, "worst": e.worst, "x86": x86(i)}
			if e.execute {
				w["execute"] = true
			}
			list = append(list, w)
		}
	}
	return list
}

// byLine names the recordings whose order between threads is by line.
func (f *findings) byLine(*result.Ranking) []words {
	byLine := func(o tables.Observation) bool { return o.Run.RecordedOrder == tables.Some(tables.ByLine) }
	return f.those(func(runs result.Runs) bool { return slices.ContainsFunc(runs, byLine) })
}

// those names what is replayed by runs of a kind, if there are any.
func (f *findings) those(are func(result.Runs) bool) []words {
	if where := f.where(are); where != "" {
		return []words{{"where": where}}
	}
	return nil
}

// where names what is replayed by runs of a kind.
func (f *findings) where(are func(result.Runs) bool) string {
	var names []string
	for _, p := range f.places {
		if name := result.Replayed(&p.runs[0]); are(p.runs) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return sheet.Enumerate(names, shownPlaces)
}
