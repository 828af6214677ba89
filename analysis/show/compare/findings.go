package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
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
	rows     *tables.Rows
	manifest *experiment.Manifest // nil if it is not known
	places   []place
	list     []Finding
	before   string // each sentence: the setting of the comparison that it is about
}

// say adds a sentence.
func (f *findings) say(kind Kind, format string, parts ...any) {
	f.list = append(f.list, Finding{kind, f.before + fmt.Sprintf(format, parts...)})
}

// about makes the next sentences start with the setting of a comparison, if a study has several.
func (f *findings) about(c *result.Ranking) {
	if f.before = c.Title(); f.before != "" {
		f.before += ": "
	}
}

// Findings are the sentences about the runs of a study, the most important first. Those about a
// comparison start with its setting, where a study has several.
func Findings(list []result.Ranking, rows *tables.Rows, m *experiment.Manifest) []Finding {
	f := &findings{rows: rows, manifest: m, places: placesOf(rows)}
	for i := range list {
		c := &list[i]
		f.about(c)
		f.programTimes(c)
		f.order(c)
		f.energy(c)
		f.bound(c)
		f.reasons(c)
	}
	f.before = ""
	f.programs()
	if slices.ContainsFunc(list, func(c result.Ranking) bool {
		return slices.ContainsFunc(c.All(), func(a result.Application) bool { return a.Widened() })
	}) {
		f.say(Warning, widenedText)
	}
	f.times()
	f.timeouts()
	f.falseSharing()
	f.agreement()
	f.idle()
	f.starts()
	f.clock()
	f.slowPackets(list)
	if len(list) > 0 {
		f.about(&list[0])
		f.parts(&list[0])
		f.leakage(&list[0])
		f.share(&list[0])
	}
	order := []Kind{Answer, Warning, Note}
	slices.SortStableFunc(f.list, func(a, b Finding) int { return slices.Index(order, a.Kind) - slices.Index(order, b.Kind) })
	return f.list
}

// order says which router is fastest, and which neighbours the windows cannot tell apart.
func (f *findings) order(c *result.Ranking) {
	rows := slices.DeleteFunc(slices.Clone(c.Overall().Rows), func(r result.Row) bool { return !r.Time.OK })
	if len(rows) < 2 {
		return
	}
	var open []int // rows that cannot be told from the next one
	var pairs []string
	known := 0
	for i, r := range rows[:len(rows)-1] {
		if r.Verdict == result.CannotTell {
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
	takes := func(as string) string {
		switch e := other.Time; {
		case e.Vague():
			return fmt.Sprintf("how %s compares is not known", other.Router)
		case e.N > 1 && e.Low == 1 && e.High == 1:
			return fmt.Sprintf("%s takes as long in every window", other.Router)
		}
		return fmt.Sprintf("%s takes %s times as long%s", other.Router, other.Time.Text(), as)
	}
	fastest, may := fmt.Sprintf("%s is fastest%s; %s", first, over, takes("")), c.Overall().Contenders()
	if len(may) > 1 {
		fastest = fmt.Sprintf("%s is fastest%s; %s", oneOf(may), over, takes(" as "+first))
	}
	switch {
	case known == 0:
		f.say(Answer, "%s takes the least time%s; %s. One run of each gives no confidence interval: %s.", first, over, takes(""), f.moreRuns(c))
	case len(open) == len(rows)-1 && len(rows) > 2 && len(may) == len(rows):
		f.say(Answer, "These runs cannot tell the %d routers apart%s. %s", len(rows), over, f.needed(c, open[0]))
	case open != nil:
		f.say(Answer, "%s. These runs cannot tell %s. %s", fastest, strings.Join(pairs, " or "), f.needed(c, open[0]))
	case len(rows) > 2:
		f.say(Answer, "%s. Every router differs from the next with 95 %% confidence.", fastest)
	default:
		f.say(Answer, "%s.", fastest)
	}
}

// oneOf joins names of which one is meant.
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
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
		limit = fmt.Sprintf("windows (given by %s)", given)
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
	if n, limit := f.leftOut(c.Overall()); n > 0 {
		return fmt.Sprintf("drop %s, because the trace has %d windows, or use --runs 3", limit, n)
	}
	return "use --runs 3, or a trace with several windows"
}

// needed says how many windows would tell the router of a row from that of the next one, and how to get
// them: from the trace, if some of its windows were left out, or by making more.
func (f *findings) needed(c *result.Ranking, row int) string {
	a := c.Overall()
	left, limit := f.leftOut(a)
	r, apart := &a.Rows[row], fmt.Sprintf("would tell %s from %s", a.Rows[row].Router, a.Rows[row+1].Router)
	n, ok := r.Next.Needed(1)
	switch {
	case c.Mean != nil && ok && left > 0:
		return fmt.Sprintf("About %.0f times as many windows of each %s: drop or raise %s.", math.Ceil(float64(n)/float64(r.Next.N)), apart, limit)
	case c.Mean != nil && ok:
		return fmt.Sprintf("About %.0f times as many windows of each %s.", math.Ceil(float64(n)/float64(r.Next.N)), apart)
	case r.Next.Limited(math.Abs(r.Next.Mean - 1)):
		return "No number of windows of this length would tell the two apart; longer windows may."
	case !ok && a.Windows > 1:
		return "No number of windows would tell the two apart."
	case !ok:
		return "No number of runs would tell the two apart."
	case a.Windows > 1 && n <= left:
		return fmt.Sprintf("About %d windows %s: drop or raise %s, because the trace has %d windows.", n, apart, limit, left)
	case a.Windows > 1 && left > 0:
		return fmt.Sprintf("About %d windows %s. Drop %s to replay all %d of the trace, or make more%s.", roundUp(n), apart, limit, left, MakeWindows(a.Name, n))
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

// energy says for which chips a router has the lower ED2P. Where times in seconds are not known, it names the
// router whose network has the least, and those of which the runs cannot tell it.
func (f *findings) energy(c *result.Ranking) {
	a := c.Overall()
	rows := slices.DeleteFunc(slices.Clone(a.Rows), func(r result.Row) bool { return !r.ED2P.OK })
	if len(rows) < 2 || f.chips(c) {
		return
	}
	first, least := rows[0].Router, slices.MinFunc(rows, func(a, b result.Row) int { return cmp.Compare(a.ED2P.Mean, b.ED2P.Mean) })
	var rivals []string
	for _, r := range rows {
		if r.Router != least.Router && result.VerdictOf(a.Ratio(col.ED2PJs2, r.Router, least.Router)) == result.CannotTell {
			rivals = append(rivals, r.Router)
		}
	}
	ratio := ""
	if least.Router != first && !least.ED2P.Vague() {
		ratio = fmt.Sprintf("%s of that of %s", least.ED2P.Text(), first)
	}
	switch {
	case rivals == nil && ratio == "" && rows[1].ED2P.N < 2:
		f.say(Answer, "%s has the lowest ED2P in these runs.", least.Router)
	case rivals == nil && least.Router == first && len(a.Contenders()) == 1:
		f.say(Answer, "%s also has the lowest ED2P.", first)
	case rivals == nil && ratio == "":
		f.say(Answer, "%s has the lowest ED2P.", least.Router)
	case rivals == nil:
		f.say(Answer, "%s has the lowest ED2P: %s.", least.Router, ratio)
	case ratio == "":
		f.say(Answer, "These runs cannot tell the ED2P of %s from that of %s.", least.Router, enumerate(rivals))
	default:
		f.say(Answer, "These runs cannot tell the ED2P of %s from that of %s (it is %s).", least.Router, enumerate(rivals), ratio)
	}
}

// bound says what a network without contention takes, and where it is a bound.
func (f *findings) bound(c *result.Ranking) {
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
	e, time := c.Overall().Ratio(col.Cycles, result.Ideal, best), "the time"
	if c.Mean != nil {
		time = "the mean time"
	}
	text := fmt.Sprintf("Without contention (%s), a run takes %s of %s of %s", result.Ideal, e.Text(), time, best)
	switch {
	case !e.OK || e.Vague():
	case beaten == nil:
		f.say(Note, "%s, a lower bound in these windows.", text)
	default:
		f.say(Note, "%s. This is not a lower bound, because more requests race there than on %s.", text, enumerate(beaten))
	}
}

// slowPackets explains routers whose mean packet takes longer than the mean miss.
func (f *findings) slowPackets(list []result.Ranking) {
	var names []string
	for _, c := range list {
		for _, a := range c.Applications {
			for _, r := range a.Rows {
				miss, packet := a.Runs[r.Router].Mean(col.MissLatencyMean), a.Runs[r.Router].Mean(col.PacketLatencyMean)
				if miss.OK && packet.OK && packet.Mean > miss.Mean && !slices.Contains(names, r.Router) {
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

// shownLines is how many lines may stand under a table before notes are left out.
const shownLines = 3

// Under are the findings that stand under a table: all answers and warnings, and the notes for which
// there is room, or all where verbose. earlier says how many points were not simulated again, and comes
// first.
func Under(all []Finding, earlier []string, verbose bool) []string {
	texts, left := slices.Clone(earlier), 0
	for _, f := range all {
		switch {
		case f.Kind == Warning:
			texts = append(texts, "warning: "+f.Text)
		case f.Kind == Answer || verbose || len(texts) < shownLines:
			texts = append(texts, f.Text)
		default:
			left++
		}
	}
	switch left {
	case 0:
	case 1:
		texts = append(texts, "1 more note: use --verbose or carousel report.")
	default:
		texts = append(texts, fmt.Sprintf("%d more notes: use --verbose or carousel report.", left))
	}
	return texts
}
