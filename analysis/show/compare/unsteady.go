package compare

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// mostlyUnsteady is the factor between the first and the last third of windows from which on they do not
// start in the state of the program.
const mostlyUnsteady = 2

// counted is what happened in a third of a run, and the misses that ended there.
type counted struct{ events, misses tables.Maybe[uint64] }

// thirds are the events that are compared.
var thirds = []struct {
	what string
	of   func(*tables.Run) (first, last counted)
}{
	{"Persistent requests", func(r *tables.Run) (first, last counted) {
		return counted{r.FirstThirdPersistent, r.FirstThirdMisses}, counted{r.LastThirdPersistent, r.LastThirdMisses}
	}},
	{"Repeated requests", func(r *tables.Run) (first, last counted) {
		return counted{r.FirstThirdRepeated, r.FirstThirdMisses}, counted{r.LastThirdRepeated, r.LastThirdMisses}
	}},
	{"Memory reads", func(r *tables.Run) (first, last counted) {
		if r.Start.Value != tables.WarmStart { // caches fill first
			return first, last
		}
		return counted{r.FirstThirdReads, r.FirstThirdMisses}, counted{r.LastThirdReads, r.LastThirdMisses}
	}},
}

// unsteady names the places whose windows start in another state than they end.
func (f *findings) unsteady(c *result.Ranking) (list []words) {
	for _, t := range thirds {
		for _, w := range above(mostlyUnsteady, "%.1f", func(runs result.Runs) float64 { return unsteady(runs, t.of) })(f, c) {
			w["what"] = t.what
			list = append(list, w)
		}
	}
	return list
}

// unsteady returns the factor between the events per miss of two thirds of the windows; 0 if chance explains
// it, if they are rare, or if there is one window: a whole program has phases.
func unsteady(runs result.Runs, thirds func(*tables.Run) (first, last counted)) float64 {
	if _, windows := runs.Count(); windows < 2 {
		return 0
	}
	var events, misses [2]float64
	of := make([][2]float64, len(runs)) // events
	for i := range runs {
		first, last := thirds(runs[i].Run)
		for k, c := range []counted{first, last} {
			of[i][k] = float64(c.events.Value)
			events[k] += of[i][k]
			misses[k] += float64(c.misses.Value)
		}
	}
	if min(misses[0], misses[1]) == 0 {
		return 0
	}
	first, last := events[0]/misses[0], events[1]/misses[1]
	difference, squares := 0.0, 0.0 // windows are independent of each other, events of one window are not
	for _, n := range of {
		d := n[0] - n[1]*misses[0]/misses[1]
		difference, squares = difference+d, squares+d*d
	}
	if max(first, last) < rareEvents || math.Abs(difference) < 2*math.Sqrt(squares) {
		return 0
	}
	return max(first, last) / max(min(first, last), 1/max(misses[0], misses[1]))
}

// rareEvents is how many events per miss are too few to change a time.
const rareEvents = 1e-4

// rareBarriers names what has barriers that windows are too short for.
func (f *findings) rareBarriers(*result.Ranking) []words { return f.those(result.Runs.RareBarriers) }

// equalWindows names what has windows that are equal.
func (f *findings) equalWindows(*result.Ranking) []words { return f.those(result.Runs.EqualWindows) }

// mostlyStarved is how many of a million misses need persistent requests in windows whose start may have caused them.
const mostlyStarved = 1000

// starved returns the persistent requests per million misses of windows without a warm-up; 0 of others. If all cores
// start to miss at once, misses can starve in the whole of a short window, so that thirds of it do not differ.
func starved(runs result.Runs) float64 {
	warm := func(o tables.Observation) bool { return o.Run.WarmUpCycles.Value > 0 }
	if _, windows := runs.Count(); windows < 2 || slices.ContainsFunc(runs, warm) {
		return 0
	}
	return 1e6 * runs.Sum(tables.Col.PersistentRequests) / max(runs.Sum(tables.Col.L1Misses), 1)
}
