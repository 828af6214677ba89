package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// longTimeouts is the share of core time above which a run warns that it measures its timer.
const longTimeouts = 0.05

// timeouts says which share of core time went into waiting for timeouts on each router, with a
// protocol that has any, and whether that is long on one.
func timeouts(rows *tables.Rows) (text []string, long bool) {
	cores := map[string]uint64{}
	for i := range rows.Cores {
		cores[rows.Cores[i].RunKey] += rows.Cores[i].FinishCycle
	}
	var routers, shares []string
	waited, all := map[string]uint64{}, map[string]uint64{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if !r.Reissues.Known || !r.TimeoutCycles.Known {
			continue
		}
		if _, known := all[r.Router]; !known {
			routers = append(routers, r.Router)
		}
		waited[r.Router], all[r.Router] = waited[r.Router]+r.TimeoutCycles.Value, all[r.Router]+cores[r.RunKey]
	}
	any := false
	for _, name := range routers {
		share := float64(waited[name]) / float64(max(all[name], 1))
		long, any = long || share > longTimeouts, any || waited[name] > 0
		shares = append(shares, fmt.Sprintf("%s %.1f %%", name, 100*share))
	}
	if !any {
		return nil, false
	}
	line := fmt.Sprintf("Share of core time spent waiting for timeouts: %s.", strings.Join(shares, ", "))
	if long {
		line += " The times therefore depend on the timeout; see carousel help concepts."
	}
	return []string{line}, long
}

// agreeWithin is how far the work of routers that replay the same recording may be apart.
const agreeWithin = 0.05

// works are what every router does for a recording, whatever its speed.
var works = []struct{ name, column string }{{"instructions", "instructions"}, {"instruction fetches", "fetches"}, {"L1 misses", "l1_misses"}}

// agreement names the workloads for which the routers did not do the same work, and says why.
func agreement(rows *tables.Rows) (notes []string) {
	runs := tables.Rows{Runs: rows.Runs}
	type done struct {
		router         string
		runs           int
		work, repeated float64
	}
	for _, workload := range chart.GroupBy(chart.Finished(runs.Records()), func(r *tables.Record) string { return r.Texts["workload"] }) {
		routers := chart.GroupBy(workload.Records, router)
		for _, w := range works {
			var list []done
			for _, g := range routers {
				of := done{router: g.Key, runs: len(g.Records)}
				for i := range g.Records {
					of.work, of.repeated = of.work+g.Records[i].Numbers[w.column], of.repeated+g.Records[i].Numbers["replays"]
				}
				list = append(list, of)
			}
			by := func(a, b done) int { return cmp.Compare(a.work, b.work) }
			least, most := slices.MinFunc(list, by), slices.MaxFunc(list, by)
			apart := most.work - least.work
			if least.runs != most.runs || apart <= agreeWithin*least.work {
				continue
			}
			why := "cores get locks, barriers and shared blocks in a different order"
			if repeated := most.repeated - least.repeated; repeated > 0 && 2*repeated >= apart {
				why = "loads are repeated more often"
			}
			notes = append(notes, fmt.Sprintf("%s: %s differ: %.0f on %s, %.0f on %s. The reason is that %s.", workload.Key, w.name, most.work, most.router, least.work, least.router, why))
		}
	}
	return notes
}

// programs says how executed programs ended and what they wrote. It is a reason to doubt the runs of
// a program if it failed or if runs differ.
func programs(rows *tables.Rows) (answers, warnings []string) {
	type ending struct{ end, output string }
	runs := tables.Rows{Runs: slices.DeleteFunc(slices.Clone(rows.Runs), func(r tables.Run) bool { return !r.ProgramEnd.Known })}
	for _, program := range chart.GroupBy(runs.Records(), func(r *tables.Record) string { return r.Texts["trace_digest"] }) {
		name := "Program " + program.Records[0].Texts["workload"]
		endings := chart.GroupBy(program.Records, func(r *tables.Record) ending {
			return ending{r.Texts["program_end"], r.Texts["program_output"]}
		})
		var texts []string
		for _, e := range endings {
			text := e.Key.end + " in all runs"
			if len(endings) > 1 {
				var routers []string
				for _, g := range chart.GroupBy(e.Records, router) {
					routers = append(routers, g.Key)
				}
				text = e.Key.end + " on " + enumerate(routers)
			}
			if line := lastLine(e.Key.output); line != "" {
				text += fmt.Sprintf("; the last line of its output is %q", line)
			}
			texts = append(texts, text)
		}
		switch first := endings[0].Key; {
		case len(endings) > 1:
			warnings = append(warnings, fmt.Sprintf("%s does not write the same in all runs: %s. The column program_output of the table runs has all of it.", name, strings.Join(texts[:2], ". In other runs: ")))
		case first.end != "success":
			warnings = append(warnings, fmt.Sprintf("%s: %s.", name, texts[0]))
		case first.output != "":
			answers = append(answers, fmt.Sprintf("%s: %s.", name, texts[0]))
		}
	}
	return answers, warnings
}

// lastLine returns the last line of a text that is not blank, without its end where it is long.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := []rune(text[strings.LastIndexByte(text, '\n')+1:])
	return string(line[:min(len(line), 200)])
}
