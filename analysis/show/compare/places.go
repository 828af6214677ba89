package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
)

// place is a workload under one setting of a study. A warning about times is about places: nothing is
// averaged over workloads, protocols or other settings.
type place struct {
	name    string      // such as "lu, token", or "lu, token, 1 of 8 runs" of an interrupted study
	runs    result.Runs // finished ones
	routers []result.Group
}

// placesOf sorts the finished runs of a study into places, in the order of the plan.
func placesOf(rows *tables.Rows) (list []place) {
	keys := slices.DeleteFunc(result.Settings(rows), func(v tables.Name) bool { return v == col.Protocol })
	for _, g := range tables.GroupBy(result.Of(rows), func(o *tables.Observation) string {
		c := result.Ranking{Setting: result.SettingOf(keys, o)}
		return strings.Join(some(result.Replayed(o), o.Run.Protocol, c.Title()), ", ")
	}) {
		runs, name := result.Runs(g.Records).Finished(), g.Key
		if all := len(g.Records); slices.ContainsFunc(g.Records, func(o tables.Observation) bool { return o.Run.ExitState == tables.Interrupted }) {
			name += fmt.Sprintf(", %d of %d runs", len(runs), all)
		}
		if len(runs) > 0 {
			list = append(list, place{name, runs, runs.By(col.Router)})
		}
	}
	return list
}

// onRouters writes a percentage of the routers of a place that are above a limit: "6 % on base and mrr", or
// "6 % on base, 8 % on mrr". most is the largest; 0 for none.
func (p *place) onRouters(least float64, format string, percent func(result.Runs) float64) (text string, most float64) {
	above := slices.DeleteFunc(slices.Clone(p.routers), func(g result.Group) bool { return percent(g.Runs) <= least })
	var parts []string
	for _, g := range tables.GroupBy(above, func(g *result.Group) string { return formatted(format, percent(g.Runs)) }) {
		var names []string
		for _, r := range g.Records {
			names, most = append(names, r.Values[0]), max(most, percent(r.Runs))
		}
		parts = append(parts, fmt.Sprintf("%s on %s", g.Key, enumerate(names)))
	}
	return strings.Join(parts, ", "), most
}

// shownPlaces is how many places a sentence names.
const shownPlaces = 3

// above names the places and routers of which something is above a percentage, the largest first:
// "lu, token (6 % on base, 8 % on mrr); is, token (5 % on mrr)".
func above(least float64, format string, percent func(result.Runs) float64) func(*findings, *result.Ranking) []words {
	return func(f *findings, _ *result.Ranking) []words {
		type found struct {
			text string
			most float64
		}
		var all []found
		for i := range f.places {
			if text, most := f.places[i].onRouters(least, format, percent); text != "" {
				all = append(all, found{fmt.Sprintf("%s (%s)", f.places[i].name, text), most})
			}
		}
		if all == nil {
			return nil
		}
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.most, a.most) })
		var texts []string
		for _, a := range all {
			texts = append(texts, a.text)
		}
		return []words{{"places": firstOf(texts)}}
	}
}

// firstOf lists the first places or settings, whose names have commas.
func firstOf(texts []string) string {
	if more := len(texts) - shownPlaces; more > 0 {
		texts = append(slices.Clone(texts[:shownPlaces]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// The percentages of core time that waits for timeouts from which on a run warns that it measures its
// timer, and from which on a note gives them: less is printed as zero.
const (
	longTimeouts  = 5
	leastTimeouts = 0.05
)

// timeouts says which share of core time went into waiting for timeouts, with a protocol that has
// any, and whether that is long.
func (f *findings) timeouts(*result.Ranking) []words {
	for _, limit := range []struct {
		word  string
		least float64
	}{{"long", longTimeouts}, {"some", leastTimeouts}} {
		for _, w := range above(limit.least, "%.1f %%", timedOut)(f, nil) {
			return []words{{limit.word: w["places"]}}
		}
	}
	return nil
}

// timedOut is the percentage of core time that waits for timeouts.
func timedOut(runs result.Runs) float64 {
	var waited, all uint64
	for i := range runs {
		if r := runs[i].Run; r.Reissues.Known {
			waited += r.TimeoutCycles.Value
		}
		for _, c := range runs[i].Cores {
			all += c.FinishCycle
		}
	}
	return 100 * float64(waited) / float64(max(all, 1))
}

// The percentages of an execution above which a time says little about the program.
const (
	mostlyIdle    = 20 // of the time, with fewer than half of the cores at work
	mostlyOrdered = 5  // of the cores' time, waiting for recorded order
)

func late(runs result.Runs) float64    { late, _, _ := coreShares(runs); return 100 * late }
func few(runs result.Runs) float64     { _, few, _ := coreShares(runs); return 100 * few }
func ordered(runs result.Runs) float64 { _, _, ordered := coreShares(runs); return 100 * ordered }

// partlyOrdered is ordered where the errors of replays are known, and 0 where ratios should not be published.
func partlyOrdered(runs result.Runs) float64 {
	if share := ordered(runs); share <= measuredOrder {
		return share
	}
	return 0
}

// leastMisses is how many L1 misses a comparison of networks needs.
const leastMisses = 1000

// fewMisses is the number of misses in the windows of one seed if it is less than that, and -1 otherwise.
func fewMisses(runs result.Runs) float64 {
	misses := uint64(0)
	for _, o := range runs {
		if !o.Run.L1Misses.Known {
			return -1
		}
		if o.Run.Seed == runs[0].Run.Seed {
			misses += o.Run.L1Misses.Value
		}
	}
	if misses >= leastMisses {
		return -1
	}
	return float64(misses)
}

// muchMore is how many times the instructions of most cores the last one executes where the program
// has nothing to do for the others.
const muchMore = 2

// coreShares returns the shares of the time with fewer than half of the cores at work, because some
// are late, and because the program has more to do for some than for most; and the share of the
// cores' time that was waiting for recorded order.
func coreShares(runs result.Runs) (late, few, ordered float64) {
	var waited, all, total float64
	for i := range runs {
		var ends, instructions []uint64
		for _, c := range runs[i].Cores {
			waited, all = waited+float64(c.RecordedOrder), all+float64(c.FinishCycle)
			if c.Records > 1 {
				ends, instructions = append(ends, c.FinishCycle), append(instructions, c.Instructions)
			}
		}
		if len(ends) == 0 {
			continue
		}
		last := instructions[slices.Index(ends, slices.Max(ends))]
		slices.Sort(ends)
		slices.Sort(instructions)
		// With n cores fewer than half are left from the end of core n/2 on, counted from 0.
		half, end := len(ends)/2, float64(slices.Max(ends))
		total += end
		if left := end - float64(ends[half]); last > muchMore*instructions[half] {
			few += left
		} else {
			late += left
		}
	}
	return late / max(total, 1), few / max(total, 1), waited / max(all, 1)
}

// agreeWithin is how far the work of routers that replay the same recording may be apart.
const agreeWithin = 0.05

// agreement names the workloads for which the routers did not do the same work, and says why.
func (f *findings) agreement(*result.Ranking) (list []words) {
	places := map[[2]string][]string{} // by work and reason
	for _, p := range f.places {
		if p.runs[0].Run.Limit.Value == tables.ByCycles {
			continue
		}
		for _, work := range []struct {
			name string
			of   tables.Name
		}{{"instructions", col.Instructions}, {"instruction fetches", col.Fetches}, {"L1 misses", col.L1Misses}} {
			low, high := extremes(p.routers, func(g *result.Group) float64 { return g.Sum(work.of) })
			least, most := low.Sum(work.of), high.Sum(work.of)
			if len(low.Runs) != len(high.Runs) || most-least <= agreeWithin*least {
				continue
			}
			why := "cores get locks, barriers and shared blocks in a different order"
			if repeated := high.Sum(col.Replays) - low.Sum(col.Replays); repeated > 0 && 2*repeated >= most-least {
				why = "loads are repeated more often"
			}
			places[[2]string{work.name, why}] = append(places[[2]string{work.name, why}], fmt.Sprintf("%s (%s on %s, %s on %s)",
				p.name, sheet.Thousands(most), high.Values[0], sheet.Thousands(least), low.Values[0]))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(places), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		list = append(list, words{"work": key[0], "why": key[1], "places": firstOf(places[key])})
	}
	return list
}

// linkWidths names the routers of a place if their links have different widths.
func (f *findings) linkWidths(*result.Ranking) []words {
	var list []string
	for i := range f.places {
		text, _ := f.places[i].onRouters(0, "%.0f bits", phitBits)
		if strings.Count(text, " bits on ") > 1 && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if list == nil {
		return nil
	}
	return []words{{"widths": firstOf(list)}}
}

// phitBits is the width of the links of a router; 0 where it is not known, and of the network without contention.
func phitBits(runs result.Runs) float64 {
	var h struct{ PhitBits float64 }
	if r := runs[0].Run; r.Router == result.Ideal || !r.Hardware.Known || json.Unmarshal([]byte(r.Hardware.Value), &h) != nil {
		return 0
	}
	return h.PhitBits
}

// idle warns of workloads of which few cores access memory.
func (f *findings) idle(*result.Ranking) (list []words) {
	type text struct{ place, text string }
	var texts []text
	for _, p := range f.places {
		working := map[uint64]bool{} // in any window
		for _, o := range p.runs {
			for _, c := range o.Cores {
				working[c.Core] = working[c.Core] || c.Records > 1 // an end alone is nothing
			}
		}
		active := 0
		for _, works := range working {
			if works {
				active++
			}
		}
		for _, t := range traces.IdleNote(active, len(working)) {
			texts = append(texts, text{p.name, t})
		}
	}
	for _, g := range tables.GroupBy(texts, func(t *text) string { return t.text }) {
		where := ""
		if len(g.Records) < len(f.places) {
			where = sheet.Enumerate(tables.Keys(tables.GroupBy(g.Records, func(t *text) string { return t.place })), shownPlaces) + ": "
		}
		list = append(list, words{"where": where, "idle": g.Key})
	}
	return list
}
