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

// Findings are the sentences about the runs of a study, the most important first. Those about a
// comparison start with its setting, where a study has several.
func Findings(list []Comparison, rows *tables.Rows) (all []Finding) {
	setting := ""
	add := func(kind Kind, texts ...string) {
		for _, t := range texts {
			all = append(all, Finding{kind, setting + t})
		}
	}
	for i := range list {
		c := &list[i]
		if setting = c.Title(); setting != "" {
			setting += ": "
		}
		add(Answer, c.ofPrograms()...)
		add(Answer, c.order()...)
		add(Answer, c.energy()...)
		add(Note, c.bound()...)
		add(Note, c.reasons()...)
	}
	setting = ""
	wrote, doubts := programs(rows)
	add(Answer, wrote...)
	add(Warning, doubts...)
	if slices.ContainsFunc(list, func(c Comparison) bool {
		return slices.ContainsFunc(c.rankings(), func(a Application) bool { return a.widened() })
	}) {
		add(Warning, widenedText)
	}
	add(Warning, timeWarnings(rows)...)
	text, long := timeouts(rows)
	add(map[bool]Kind{true: Warning, false: Note}[long], text...)
	add(Warning, falseSharing(rows)...)
	add(Warning, agreement(rows)...)
	add(Note, traces.IdleNote(workingCores(rows.Cores))...)
	add(Note, startNotes(rows)...)
	add(Note, slowPackets(list)...)
	if len(list) > 0 {
		add(Note, list[0].parts()...)
	}
	order := []Kind{Answer, Warning, Note}
	slices.SortStableFunc(all, func(a, b Finding) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	return all
}

// order says which router is fastest, and which neighbours the windows cannot tell apart.
func (c *Comparison) order() []string {
	a := c.ranking()
	rows := slices.DeleteFunc(slices.Clone(a.Rows), func(r Row) bool { return !r.Time.OK })
	if len(rows) < 2 {
		return nil
	}
	var open []*Row
	known := 0
	for i := range rows[:len(rows)-1] {
		r := &rows[i]
		if r.Verdict == cannotTell {
			open = append(open, r)
		}
		if r.Verdict != "" {
			known++
		}
	}
	first, over := rows[0].Router, ""
	if c.Mean != nil {
		over = fmt.Sprintf(" over %d applications", len(c.Applications))
	}
	second := func(than string) string {
		if rows[1].Time.Vague() {
			return fmt.Sprintf("how %s compares is not known", rows[1].Router)
		}
		if e := rows[1].Time; e.N > 1 && e.Low == 1 && e.High == 1 {
			return fmt.Sprintf("%s takes as long in every window", rows[1].Router)
		}
		return fmt.Sprintf("%s takes %s of %s", rows[1].Router, rows[1].Time.Text(), than)
	}
	if known == 0 {
		return []string{fmt.Sprintf("%s takes the least time%s; %s. One run of each gives no confidence interval: %s.", first, over, second("that"), moreRuns)}
	}
	if len(open) == len(rows)-1 && len(rows) > 2 {
		return []string{fmt.Sprintf("These runs cannot tell the %d routers apart%s. %s", len(rows), over, c.needed(open[0]))}
	}
	text := fmt.Sprintf("%s is fastest%s; %s", first, over, second("its time"))
	if slices.Contains(open, &rows[0]) {
		text = fmt.Sprintf("%s or %s is fastest%s; %s", first, rows[1].Router, over, second("the time of "+first))
	}
	if len(open) == 0 && len(rows) > 2 {
		text += ". Every router differs from the next with 95 % confidence"
	}
	if len(open) == 0 {
		return []string{text + "."}
	}
	var pairs []string
	for _, r := range open {
		pairs = append(pairs, fmt.Sprintf("%s from %s", r.Router, r.next))
	}
	return []string{fmt.Sprintf("%s. These runs cannot tell %s. %s", text, strings.Join(pairs, " or "), c.needed(open[0]))}
}

// moreRuns says how to learn about chance.
const moreRuns = "use --runs 3, or a trace with several windows"

// needed says how many windows would tell two routers apart, and how to make them.
func (c *Comparison) needed(r *Row) string {
	a, apart := c.ranking(), fmt.Sprintf("would tell %s from %s", r.Router, r.next)
	n, ok := r.Next.Needed(1)
	switch {
	case c.Mean != nil && ok:
		return fmt.Sprintf("About %.0f times as many windows of each %s.", math.Ceil(float64(n)/float64(r.Next.N)), apart)
	case limited(&r.Next, math.Abs(r.Next.Mean-1)):
		return "No number of windows of this length would tell the two apart; longer windows may."
	case !ok && a.Windows > 1:
		return "No number of windows would tell the two apart."
	case !ok:
		return "No number of runs would tell the two apart."
	case a.Windows > 1:
		return fmt.Sprintf("About %d windows %s%s.", roundUp(n), apart, makeWindows(a.Name, n))
	}
	return fmt.Sprintf("About %d runs %s.", n, apart)
}

// roundUp makes a number of windows one that people choose.
func roundUp(n int) int { return (n + 7) / 8 * 8 }

// makeWindows is how to make so many windows of a workload; "" where that takes too long.
func makeWindows(name string, n int) string {
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
func (c *Comparison) energy() []string {
	rows := slices.DeleteFunc(slices.Clone(c.ranking().Rows), func(r Row) bool { return !r.ED2P.OK })
	if len(rows) < 2 {
		return nil
	}
	first, least := rows[0].Router, slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.ED2P.Mean, b.ED2P.Mean) })
	near := slices.IndexFunc(rows[1:], func(r Row) bool { return verdictOf(r.ED2P) == cannotTell })
	other, value := first, ""
	switch cannot := verdictOf(least.ED2P) == cannotTell; {
	case least.Router == first && near < 0:
		return []string{first + " also has the lowest ED2P."}
	case least.Router == first:
		other = rows[1+near].Router
	case !least.ED2P.Vague() && !cannot:
		return []string{fmt.Sprintf("%s has the lowest ED2P: %s of that of %s.", least.Router, least.ED2P.Text(), first)}
	case !least.ED2P.Vague():
		value = fmt.Sprintf(" (%s)", least.ED2P.Text())
	}
	return []string{fmt.Sprintf("These runs cannot tell the ED2P of %s from that of %s%s.", least.Router, other, value)}
}

// bound says what a network without contention takes, and where it is a bound.
func (c *Comparison) bound() []string {
	var beaten []string
	best := c.Routers[0]
	for i := range c.Applications {
		a := &c.Applications[i]
		if a.Bound == nil {
			return nil
		}
		if a.Bound.Beaten != "" {
			beaten = append(beaten, fmt.Sprintf("%s in %s", a.Bound.Beaten, a.Name))
		}
	}
	e, time := c.ranking().ratio("cycles", boundRouter, best), "the time"
	if c.Mean != nil {
		time = "the mean time"
	}
	if !e.OK || e.Vague() {
		return nil
	}
	text := fmt.Sprintf("Without contention (%s), a run takes %s of %s of %s", boundRouter, e.Text(), time, best)
	if beaten == nil {
		return []string{text + ", a lower bound in these windows."}
	}
	return []string{text + fmt.Sprintf(". This is not a lower bound, because more requests race there than on %s.", enumerate(beaten))}
}

// slowPackets explains routers whose mean packet takes longer than the mean miss.
func slowPackets(list []Comparison) []string {
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
	if names == nil {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": packets take longer than misses. A miss ends when its data arrive, while copies of its request still wait at the interface."}
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
