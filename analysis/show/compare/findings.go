package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// Kind says what a finding is for.
type Kind string

// The kinds of findings, in the order in which they are shown.
const (
	Answer  Kind = "answer"  // what came out
	Warning Kind = "warning" // a reason to doubt it
	Note    Kind = "note"    // how it came about
)

// Finding is a sentence about a study. Command line, report and JSON show the same ones.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
}

// findings collects the sentences about the runs of a study.
type findings struct {
	rows   *tables.Rows
	list   []Finding
	before string // each sentence: the setting of the comparison that it is about
}

// say adds a sentence.
func (f *findings) say(kind Kind, format string, parts ...any) {
	f.list = append(f.list, Finding{kind, f.before + fmt.Sprintf(format, parts...)})
}

// Findings are the sentences about the runs of a study, the most important first. Those about a
// comparison start with its setting, where a study has several.
func Findings(list []Comparison, rows *tables.Rows) []Finding {
	f := &findings{rows: rows}
	for i := range list {
		c := &list[i]
		if f.before = c.Title(); f.before != "" {
			f.before += ": "
		}
		f.programTimes(c)
		f.order(c)
		f.energy(c)
		f.bound(c)
		f.reasons(c)
	}
	f.before = ""
	f.programs()
	if slices.ContainsFunc(list, func(c Comparison) bool {
		return slices.ContainsFunc(c.rankings(), func(a Application) bool { return a.widened() })
	}) {
		f.say(Warning, widenedText)
	}
	f.times()
	f.timeouts()
	f.falseSharing()
	f.agreement()
	for _, text := range traces.IdleNote(workingCores(rows.Cores)) {
		f.say(Note, "%s", text)
	}
	f.starts()
	f.slowPackets(list)
	if len(list) > 0 {
		f.parts(&list[0])
	}
	order := []Kind{Answer, Warning, Note}
	slices.SortStableFunc(f.list, func(a, b Finding) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	return f.list
}

// order says which router is fastest, and which neighbours the windows cannot tell apart.
func (f *findings) order(c *Comparison) {
	rows := slices.DeleteFunc(slices.Clone(c.ranking().Rows), func(r Row) bool { return !r.Time.OK })
	if len(rows) < 2 {
		return
	}
	var open []int // rows that cannot be told from the next one
	var pairs []string
	known := 0
	for i, r := range rows[:len(rows)-1] {
		if r.Verdict == cannotTell {
			open, pairs = append(open, i), append(pairs, fmt.Sprintf("%s from %s", r.Router, rows[i+1].Router))
		}
		if r.Verdict != "" {
			known++
		}
	}
	first, other, over := rows[0].Router, &rows[1], ""
	if c.Mean != nil {
		over = fmt.Sprintf(" over %d applications", len(c.Applications))
	}
	takes := func(than string) string {
		switch e := other.Time; {
		case e.Vague():
			return fmt.Sprintf("how %s compares is not known", other.Router)
		case e.N > 1 && e.Low == 1 && e.High == 1:
			return fmt.Sprintf("%s takes as long in every window", other.Router)
		}
		return fmt.Sprintf("%s takes %s of %s", other.Router, other.Time.Text(), than)
	}
	fastest := fmt.Sprintf("%s is fastest%s; %s", first, over, takes("its time"))
	if slices.Contains(open, 0) {
		fastest = fmt.Sprintf("%s or %s is fastest%s; %s", first, other.Router, over, takes("the time of "+first))
	}
	switch {
	case known == 0:
		f.say(Answer, "%s takes the least time%s; %s. One run of each gives no confidence interval: %s.", first, over, takes("that"), moreRuns)
	case len(open) == len(rows)-1 && len(rows) > 2:
		f.say(Answer, "These runs cannot tell the %d routers apart%s. %s", len(rows), over, c.needed(open[0]))
	case open != nil:
		f.say(Answer, "%s. These runs cannot tell %s. %s", fastest, strings.Join(pairs, " or "), c.needed(open[0]))
	case len(rows) > 2:
		f.say(Answer, "%s. Every router differs from the next with 95 %% confidence.", fastest)
	default:
		f.say(Answer, "%s.", fastest)
	}
}

// moreRuns says how to learn about chance.
const moreRuns = "use --runs 3, or a trace with several windows"

// needed says how many windows would tell the router of a row from that of the next one, and how to make
// them.
func (c *Comparison) needed(row int) string {
	a := c.ranking()
	r, apart := &a.Rows[row], fmt.Sprintf("would tell %s from %s", a.Rows[row].Router, a.Rows[row+1].Router)
	n, ok := r.Next.Needed(1)
	switch {
	case c.Mean != nil && ok:
		return fmt.Sprintf("About %.0f times as many windows of each %s.", math.Ceil(float64(n)/float64(r.Next.N)), apart)
	case r.Next.Limited(math.Abs(r.Next.Mean - 1)):
		return "No number of windows of this length would tell the two apart; longer windows may."
	case !ok && a.Windows > 1:
		return "No number of windows would tell the two apart."
	case !ok:
		return "No number of runs would tell the two apart."
	case a.Windows > 1:
		return fmt.Sprintf("About %d windows %s%s.", roundUp(n), apart, MakeWindows(a.Name, n))
	}
	return fmt.Sprintf("About %d runs %s.", n, apart)
}

// roundUp makes a number of windows one that people choose.
func roundUp(n int) int { return (n + 7) / 8 * 8 }

// MakeWindows is how to make so many windows of a workload; "" where that takes too long.
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

// energy names the router with the least ED2P.
func (f *findings) energy(c *Comparison) {
	rows := slices.DeleteFunc(slices.Clone(c.ranking().Rows), func(r Row) bool { return !r.ED2P.OK })
	if len(rows) < 2 {
		return
	}
	first, least := rows[0].Router, slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.ED2P.Mean, b.ED2P.Mean) })
	near := slices.IndexFunc(rows[1:], func(r Row) bool { return verdictOf(r.ED2P) == cannotTell })
	switch {
	case least.Router == first && near < 0:
		f.say(Answer, "%s also has the lowest ED2P.", first)
	case least.Router == first:
		f.say(Answer, "These runs cannot tell the ED2P of %s from that of %s.", first, rows[1+near].Router)
	case least.ED2P.Vague():
		f.say(Answer, "These runs cannot tell the ED2P of %s from that of %s.", least.Router, first)
	case verdictOf(least.ED2P) == cannotTell:
		f.say(Answer, "These runs cannot tell the ED2P of %s from that of %s (%s).", least.Router, first, least.ED2P.Text())
	default:
		f.say(Answer, "%s has the lowest ED2P: %s of that of %s.", least.Router, least.ED2P.Text(), first)
	}
}

// bound says what a network without contention takes, and where it is a bound.
func (f *findings) bound(c *Comparison) {
	var beaten []string
	best := c.Routers[0]
	for _, a := range c.Applications {
		if a.Bound == nil {
			return
		}
		if a.Bound.Beaten != "" {
			beaten = append(beaten, fmt.Sprintf("%s in %s", a.Bound.Beaten, a.Name))
		}
	}
	e, time := c.ranking().ratio("cycles", boundRouter, best), "the time"
	if c.Mean != nil {
		time = "the mean time"
	}
	text := fmt.Sprintf("Without contention (%s), a run takes %s of %s of %s", boundRouter, e.Text(), time, best)
	switch {
	case !e.OK || e.Vague():
	case beaten == nil:
		f.say(Note, "%s, a lower bound in these windows.", text)
	default:
		f.say(Note, "%s. This is not a lower bound, because more requests race there than on %s.", text, enumerate(beaten))
	}
}

// slowPackets explains routers whose mean packet takes longer than the mean miss.
func (f *findings) slowPackets(list []Comparison) {
	var names []string
	for _, c := range list {
		for _, a := range c.Applications {
			for _, r := range a.Rows {
				miss, known := r.Means.Get("miss_latency_mean").(float64)
				if packet, both := r.Means.Get("packet_latency_mean").(float64); known && both && packet > miss && !slices.Contains(names, r.Router) {
					names = append(names, r.Router)
				}
			}
		}
	}
	if names != nil {
		f.say(Note, "%s: packets take longer than misses. A miss ends when its data arrive, while copies of its request still wait at the interface.", strings.Join(names, ", "))
	}
}

// enumerate joins names for people.
func enumerate(names []string) string { return sheet.Enumerate(names, len(names)) }

// shownNotes is how many findings stand under a table unless all are asked for.
const shownNotes = 3

// Under are the findings that stand under a table: the first ones, or all where verbose. earlier says
// how many points were not simulated again, and comes first.
func Under(all []Finding, earlier []string, verbose bool) []string {
	texts := slices.Clone(earlier)
	for _, f := range all {
		if f.Kind == Warning {
			texts = append(texts, "warning: "+f.Text)
		} else {
			texts = append(texts, f.Text)
		}
	}
	if left := len(texts) - shownNotes; left > 0 && !verbose {
		notes := map[bool]string{true: "note", false: "notes"}[left == 1]
		texts = append(texts[:shownNotes], fmt.Sprintf("%d more %s: use --verbose or carousel report.", left, notes))
	}
	return texts
}
