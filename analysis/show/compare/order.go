package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/workloads"
)

// order says which router is fastest, and which neighbours the windows cannot tell apart.
func (f *findings) order(c *result.Ranking) []words {
	rows := slices.DeleteFunc(slices.Clone(c.Overall().Rows), func(r result.Row) bool { return !r.Behind.OK })
	if len(rows) < 2 || c.Chosen || slices.ContainsFunc(c.Overall().Each(), func(a *result.Application) bool { return a.Missing == result.AllOfRow }) {
		return nil
	}
	first, second, may := rows[0].Name, &rows[1], c.Overall().Contenders()
	w := words{"first": first, "may": oneOf(may), "over": "", "Every": "Every"}
	if c.PerInstruction() {
		w["over"] = " per instruction"
	}
	if c.Mean != nil {
		w["over"], w["Every"] = fmt.Sprint(w["over"], " over ", sheet.Count(len(c.Mean.Parts), "application")), "In the mean, every"
	}
	switch e := second.Behind; {
	case e.Vague():
		w["takes"] = fmt.Sprintf("how %s compares is not known", second.Name)
	case e.N > 1 && e.Same():
		w["takes"] = second.Name + " takes as long in every window"
	case len(may) > 1:
		w["takes"] = fmt.Sprintf("%s takes %s times as long as %s", second.Name, e.Text(), first)
	default:
		w["takes"] = fmt.Sprintf("%s takes %s times as long", second.Name, e.Text())
	}
	var pairs []string // that cannot be told apart
	for i, r := range rows[:len(rows)-1] {
		if r.Verdict != result.CannotTell {
			continue
		}
		if pairs = append(pairs, fmt.Sprintf("%s from %s", r.Name, rows[i+1].Name)); len(pairs) == 1 {
			w["needed"] = f.needed(c, &r.Next, r.Name, rows[i+1].Name)
		}
	}
	switch {
	case !slices.ContainsFunc(rows[:len(rows)-1], func(r result.Row) bool { return r.Verdict != "" }):
		w["single"] = f.moreRuns(c)
	case len(pairs) == len(rows)-1 && len(rows) > 2 && len(may) == len(rows):
		w["alike"] = len(rows)
	case pairs != nil:
		w["pairs"] = strings.Join(pairs, " or ")
	case len(rows) > 2 && !slices.ContainsFunc(rows[:len(rows)-1], func(r result.Row) bool { return r.Verdict == "" }):
		w["apart"] = true
	}
	return []words{w}
}

// against says what share of the time of a chosen baseline each row takes.
func (f *findings) against(c *result.Ranking) []words {
	a, w := c.Overall(), words{"base": quoted(c.Baseline), "run": "a run", "over": "", "needed": ""}
	var list []string
	for _, name := range c.Planned {
		e := a.Ratio(col.Cycles, name, c.Baseline)
		if !c.Chosen || name == c.Baseline || !e.OK {
			continue
		}
		share := e.Text() + " times"
		switch {
		case e.Same():
			share = "exactly"
		case e.Vague():
			share = fmt.Sprintf("about %.2g times", e.Mean)
		}
		share += " as long with " + quoted(name)
		switch v := result.VerdictOf(e); {
		case v == "":
			w["single"] = f.moreRuns(c)
		case e.Same():
		case v == result.CannotTell && w["needed"] == "":
			w["needed"] = " " + f.needed(c, &e, name, c.Baseline)
			fallthrough
		default:
			share += " (" + v + ")"
		}
		list = append(list, share)
	}
	if list == nil {
		return nil
	}
	if c.PerInstruction() {
		w["run"] = "an instruction"
	}
	if w["rows"] = sheet.Enumerate(list, mostShares); c.Mean != nil {
		w["over"] = fmt.Sprintf(", mean over %d applications", len(c.Mean.Parts))
	}
	return []words{w}
}

// quoted is a name in quotation marks if it has several words.
func quoted(name string) string {
	if strings.Contains(name, " ") {
		return strconv.Quote(name)
	}
	return name
}

// mostShares is how many rows a sentence names.
const mostShares = 6

// oneOf joins names of which one is meant.
func oneOf(names []string) string {
	text := strings.Join(names, ", ")
	if last := strings.LastIndex(text, ", "); last >= 0 {
		text = text[:last] + " or " + text[last+2:]
	}
	return text
}

// leftOut is how many windows the trace of an application has, if the key windows left some of them
// out, and how to name this limit; otherwise 0.
func (f *findings) leftOut(a *result.Application) (windows int, limit string) {
	given := ""
	if f.manifest != nil {
		given = f.manifest.Given["windows"]
	}
	if given == "" {
		return 0, ""
	}
	if limit = given; limit != "--windows" {
		limit = fmt.Sprintf("the key windows (given by %s)", given)
	}
	one := a.Each()[0]
	for _, runs := range one.Runs {
		for _, t := range f.manifest.Traces {
			if len(runs) > 0 && t.Digest == runs[0].Run.TraceDigest && t.Windows > one.Windows {
				return t.Windows, limit
			}
		}
	}
	return 0, ""
}

// moreRuns says how to learn about chance.
func (f *findings) moreRuns(c *result.Ranking) string {
	seeds, trace := moreSeeds(f.manifest), "a trace"
	if f.manifest != nil && f.manifest.Plan != nil {
		trace = "use a trace"
	}
	executed := slices.ContainsFunc(runsOf(c, c.Names...), func(o tables.Observation) bool { return o.Run.ProgramEnd.Known })
	if executed || c.OfPrograms() { // which windows do not compare
		return seeds
	}
	if n, limit := f.leftOut(c.Overall()); n > 0 {
		windows := fmt.Sprintf("the trace has %d", n)
		if len(c.Applications) > 1 {
			windows = "the traces have several"
		}
		return fmt.Sprintf("leave out %s, because %s windows, or %s", limit, windows, seeds)
	}
	return fmt.Sprintf("%s, or %s with several windows", seeds, trace)
}

// moreSeeds says how to run each point several times.
func moreSeeds(m *experiment.Manifest) string {
	if m != nil && m.Plan != nil {
		return "write `seeds: 3` in the plan"
	}
	return "use --runs 3"
}

// needed says how many windows would tell a row from another one, and how to get them.
func (f *findings) needed(c *result.Ranking, e *metrics.Estimate, name, other string) string {
	a := c.Overall()
	left, limit := f.leftOut(a)
	workload := a.Name
	if f.manifest != nil && f.manifest.Given["trace"] != "" { // a trace of the user, whose name may be that of an application
		workload = ""
	}
	name, other = quoted(name), quoted(other)
	apart := fmt.Sprintf("would tell %s from %s", name, other)
	n, ok := e.Needed(1)
	times, most, things := math.Ceil(float64(n)/float64(e.N)), n, "runs" // most is what an application needs
	for _, one := range a.Each() {
		if one.Windows > 1 {
			things = "windows"
		}
		if c.Mean != nil {
			most = max(most, int(times)*one.Windows)
		}
	}
	switch {
	case ok && most > max(MostWindows, left):
		return fmt.Sprintf("More %s will not tell %s from %s: it takes more than %s.", things, name, other, sheet.Thousands(MostWindows))
	case c.Mean != nil && ok && left > 0:
		return fmt.Sprintf("About %.0f times as many windows of each %s: leave out %s or raise it.", times, apart, limit)
	case c.Mean != nil && ok:
		return fmt.Sprintf("About %.0f times as many windows of each %s.", times, apart)
	case e.Limited(math.Abs(e.Mean - 1)):
		return fmt.Sprintf("No number of windows of this length %s; longer windows or the whole program may.", apart)
	case !ok && e.Same() && c.OfRouters() && unicastsOnly(runsOf(c, name)):
		return fmt.Sprintf("%s and %s do the same, because no multicast was sent.", name, other)
	case !ok:
		return fmt.Sprintf("No number of %s %s.", things, apart)
	case a.Windows > 1 && n <= left:
		return fmt.Sprintf("About %s windows %s: leave out %s or raise it; the trace has %s windows.", sheet.Thousands(n), apart, limit, sheet.Thousands(left))
	case a.Windows > 1 && left > 0:
		return fmt.Sprintf("About %s windows %s. Leave out %s to replay all %d of the trace, or make more%s.", sheet.Thousands(roundUp(n)), apart, limit, left, MakeWindows(workload, n))
	case a.Windows > 1:
		return fmt.Sprintf("About %s windows %s%s.", sheet.Thousands(roundUp(n)), apart, MakeWindows(workload, n))
	}
	return fmt.Sprintf("About %d runs %s.", n, apart)
}

// unicastsOnly reports whether a network has sent packets, and none for several nodes.
func unicastsOnly(runs result.Runs) bool {
	return runs.Sum(col.PacketsUnicast) > 0 && runs.Sum(col.PacketsMulticast)+runs.Sum(col.PacketsBroadcast) == 0
}

// MostWindows bounds the number of windows or runs that is advised.
const MostWindows = 1000

// roundUp makes a number of windows one that people choose.
func roundUp(n int) int { return (n + 7) / 8 * 8 }

// MakeWindows says how to make n windows of a workload; "" where that takes too long.
func MakeWindows(name string, n int) string {
	const most = 256
	if n = roundUp(n); n > most {
		return ""
	}
	if _, err := workloads.FindApplication(name); err == nil {
		return fmt.Sprintf(": carousel workload make %s --windows %d", name, n)
	}
	return fmt.Sprintf(": carousel trace sample --windows %d", n)
}
