package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// bound says what a network without contention takes, and where it is a bound.
func (f *findings) bound(c *result.Ranking) []words {
	w := words{"best": c.Names[0], "time": "the time", "these": "these runs"}
	if c.Overall().Windows > len(c.Applications) {
		w["these"] = "these windows"
	}
	if c.Mean != nil {
		w["time"] = "the mean time"
	}
	var beaten []string
	for _, a := range c.Applications {
		if a.Bound == nil {
			return nil
		}
		if a.Bound.Beaten != "" {
			beaten = append(beaten, fmt.Sprintf("%s in %s", a.Bound.Beaten, a.Name))
		}
	}
	if beaten != nil {
		w["beaten"] = enumerate(beaten)
	}
	e := c.Overall().Ratio(col.Cycles, result.Ideal, c.Names[0])
	if !e.OK || e.Vague() {
		return nil
	}
	w["ratio"] = e.Text()
	return []words{w}
}

// saturatedTimes is how many times as long a packet or a miss takes on a saturated network as on one without contention.
const saturatedTimes = 10

// saturated names the routers whose network is saturated, of each application. Packets are compared with the same
// packets in the idle network, and misses with those on a network without contention.
func (f *findings) saturated(c *result.Ranking) (list []words) {
	for _, a := range c.Applications {
		for _, r := range a.Rows {
			runs := a.Runs[r.Name]
			for _, of := range []struct {
				what       string
				mean, idle metrics.Estimate
			}{
				{"packet", runs.Mean(col.PacketLatencyMean), runs.Mean(col.PacketIdleMean)},
				{"miss", runs.Mean(col.MissLatencyMean), a.Runs[result.Ideal].Mean(col.MissLatencyMean)},
			} {
				if of.idle.OK && of.mean.OK && of.mean.Mean >= saturatedTimes*of.idle.Mean {
					list = append(list, words{"router": r.Name, "name": a.Name, of.what: of.mean.Mean, "idle": of.idle.Mean})
					break
				}
			}
		}
	}
	return list
}

// mainReasons is how many parts of a difference are named, and leastReason the smallest one, as a
// share of the time.
const (
	mainReasons = 3
	leastReason = 0.005
)

// reasons says why the slowest router takes longer than the fastest: the parts of the time of cores
// that differ most, as shares of the fastest router's time.
func (f *findings) reasons(c *result.Ranking) []words {
	a, fast, slow := c.Overall(), c.Names[0], c.Names[len(c.Names)-1]
	if e := a.Ratio(col.Cycles, slow, fast); !e.OK || e.Mean <= 1 || len(c.Setting) > 1 {
		return nil
	}
	less, more := a.Breakdown(&tables.Cycles, fast, fast), a.Breakdown(&tables.Cycles, slow, fast)
	var parts []string
	for _, p := range tables.Cycles.Parts {
		if more[p.Name] -= less[p.Name]; more[p.Name] > leastReason {
			parts = append(parts, p.Name)
		}
	}
	if parts == nil {
		return nil
	}
	slices.SortStableFunc(parts, func(a, b string) int { return cmp.Compare(more[b], more[a]) })
	parts = parts[:min(mainReasons, len(parts))]
	for i, p := range parts {
		parts[i] = fmt.Sprintf("%s +%.0f", p, 100*more[p])
	}
	over := ""
	if c.Mean != nil {
		over = ", mean over applications"
	}
	return []words{{"slow": slow, "fast": fast, "over": over, "parts": enumerate(parts)}}
}

// timeParts says how the time of the fastest router divides.
func (f *findings) timeParts(c *result.Ranking) []words {
	w := percent(c.Overall().Breakdown(&tables.Cycles, c.Names[0], c.Names[0]))
	if w["retiring"] == 0. {
		return nil
	}
	most := ""
	for _, p := range tables.Cycles.Parts {
		if most == "" || w[p.Name].(float64) > w[most].(float64) {
			most = p.Name
		}
	}
	w["part"], w["most"] = most, w[most]
	w["router"], w["messages"] = c.Names[0], 0.
	for _, part := range []string{"interface", "flight", "contention"} { // the sum of what is printed
		w["messages"] = w["messages"].(float64) + math.Round(10*w[part].(float64))/10
	}
	return []words{w}
}

// programs says how executed programs ended and what they wrote. It is a reason to doubt the runs of
// a program if it failed or if runs differ.
func (f *findings) programs(*result.Ranking) (list []words) {
	for _, runs := range f.executed() {
		if runs = runs.Where(func(o *tables.Observation) bool { return o.Run.ProgramEnd.Value != tables.ProgramStopped }); len(runs) == 0 {
			continue // what they have written by then depends on the router
		}
		type ending struct{ end, output string }
		endings := tables.GroupBy(runs, func(o *tables.Observation) ending { return ending{o.Run.ProgramEnd.Value, o.Run.ProgramOutput.Value} })
		w := words{"name": runs[0].Run.Workload}
		for i, e := range endings[:min(len(endings), 2)] {
			where := "in all runs"
			if len(endings) > 1 {
				where = "on " + enumerate(result.Runs(e.Records).Distinct(col.Router))
			}
			text := e.Key.end + " " + where
			if line := lastLine(e.Key.output); line != "" {
				text += fmt.Sprintf("; the last line of its output is %q", line)
			}
			w[[]string{"end", "others"}[i]] = text
		}
		if first := endings[0].Key; first.end != "success" {
			w["failed"] = true
		} else if first.output != "" {
			w["output"] = true
		}
		list = append(list, w)
	}
	return list
}

// executed are the runs of each executed program.
func (f *findings) executed() (list []result.Runs) {
	for _, g := range result.Of(f.rows).Where(func(o *tables.Observation) bool { return o.Run.ProgramEnd.Known }).By(col.TraceDigest) {
		list = append(list, g.Runs)
	}
	return list
}

// limits says which limits end runs, and what the comparison is of.
func (f *findings) limits(*result.Ranking) []words {
	w := words{}
	for i := range f.rows.Runs {
		if r := &f.rows.Runs[i]; r.Limit.Known {
			w[r.Limit.Value] = float64(r.Instructions.Value)
		}
	}
	for _, c := range slices.Concat(f.rankings, f.across) {
		if c.PerInstruction() {
			w["windows"] = true
		}
	}
	if len(w) == 0 {
		return nil
	}
	return []words{w}
}

// unequal is how much more instructions an executed program may take on one router than on another.
const unequal = 1.05

// work warns of programs that execute many more instructions on one router than on another.
func (f *findings) work(*result.Ranking) (list []words) {
	for _, runs := range f.executed() {
		if runs[0].Run.Limit.Known {
			continue
		}
		mean := func(g *result.Group) float64 { return g.Sum(col.Instructions) / float64(len(g.Runs)) }
		least, most := extremes(runs.By(col.Router), mean)
		if few, many := mean(least), mean(most); few > 0 && many > unequal*few {
			list = append(list, words{"name": runs[0].Run.Workload, "more": 100 * (many/few - 1), "most": most.Values[0], "least": least.Values[0]})
		}
	}
	return list
}

// extremes are the groups with the least and the most of something.
func extremes(groups []result.Group, of func(*result.Group) float64) (least, most *result.Group) {
	by := func(a, b result.Group) int { return cmp.Compare(of(&a), of(&b)) }
	low, high := slices.MinFunc(groups, by), slices.MaxFunc(groups, by)
	return &low, &high
}

// lastLine returns the last line of a text that is not blank, without its end where it is long.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := []rune(text[strings.LastIndexByte(text, '\n')+1:])
	return string(line[:min(len(line), 200)])
}

// widened says what the mark of rows means, if one has it.
func (f *findings) widened(*result.Ranking) []words {
	for i := range f.rankings {
		if slices.ContainsFunc(f.rankings[i].All(), func(a result.Application) bool { return a.Widened() }) {
			return []words{{}}
		}
	}
	return nil
}

// oneWindow names the workloads of which the key windows leaves one window, so that intervals are those of seeds.
func (f *findings) oneWindow(*result.Ranking) []words {
	var where []string
	limit := ""
	for i := range f.rankings {
		for _, a := range f.rankings[i].Applications {
			seeds := slices.ContainsFunc(slices.Collect(maps.Values(a.Runs)), func(r result.Runs) bool { return len(r) > 1 })
			if windows, given := f.leftOut(&a); windows > 0 && a.Windows == 1 && seeds && !slices.Contains(where, a.Name) {
				where, limit = append(where, a.Name), given
			}
		}
	}
	if where == nil {
		return nil
	}
	return []words{{"where": sheet.Enumerate(where, shownPlaces), "limit": limit}}
}

// starts says how caches start.
func (f *findings) starts(*result.Ranking) []words {
	w := words{}
	for i := range f.rows.Runs {
		if r := &f.rows.Runs[i]; r.ExitState == tables.Finished {
			w[r.Start.Value] = true
		}
	}
	if w[tables.WarmStart] != nil && w[tables.ColdStart] != nil {
		w["both"] = true
	}
	return []words{w}
}

// clock says that the latency of memory stays in cycles if a study sets the clock and not the latency.
func (f *findings) clock(*result.Ranking) []words {
	if f.manifest == nil {
		return nil
	}
	const clock, latency = "chip.clock_ghz", "chip.memory.latency"
	settings := f.manifest.Settings()
	set := func(key, usual string) bool {
		return f.manifest.Plan.Varies(key) || f.manifest.Given[key] != "" && settings[key] != usual
	}
	if !set(clock, "4") || set(latency, "260") || set(latency+"_ns", "0") {
		return nil
	}
	return []words{{"latency": settings[latency]}}
}

// channelsOf says for a header which classes use the virtual channels of a router, if all that have
// channels have the same.
func channelsOf(runs []tables.Run) (text string) {
	for _, r := range runs {
		if here := r.Router + ": " + r.Rules; r.ClassesPerChannel.Known && here != text {
			if text != "" {
				return ""
			}
			text = here
		}
	}
	return text
}

// channels warns where message classes share the virtual channels of routers.
func (f *findings) channels(*result.Ranking) []words {
	var list []string
	for _, r := range f.rows.Runs {
		if text := r.Router + " has " + r.Rules; r.ClassesPerChannel.Value > 1 && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if list == nil {
		return nil
	}
	return []words{{"channels": firstOf(list)}}
}

// slowPackets explains routers whose mean packet takes longer than the mean miss.
func (f *findings) slowPackets(*result.Ranking) []words {
	var names []string
	for _, c := range f.rankings {
		for _, a := range c.Applications {
			for _, r := range a.Rows {
				miss, packet := a.Runs[r.Name].Mean(col.MissLatencyMean), a.Runs[r.Name].Mean(col.PacketLatencyMean)
				if miss.OK && packet.OK && packet.Mean > miss.Mean && !slices.Contains(names, r.Name) {
					names = append(names, r.Name)
				}
			}
		}
	}
	if names == nil {
		return nil
	}
	return []words{{"routers": strings.Join(names, ", ")}}
}
