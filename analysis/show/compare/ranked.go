package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The marks of tables, and what people are told of the second one.
const (
	certain     = "*" // a ratio that differs from 1 with 95 % confidence
	widened     = "~" // a row with a time of which much of the interval is systematic, see metrics.Estimate
	widenedText = widened + " marks rows in which at least a third of an interval comes from waits at the ends of windows. Longer windows make it narrower, more windows do not; see carousel help accuracy."
)

// Sheet ranks routers for people: one row for each router, or, of several applications, one row for
// each of these and the geometric means. wide adds the columns that a usual terminal has no room for.
func (c *Comparison) Sheet(wide bool) *sheet.Sheet {
	if c.Mean == nil {
		return c.Applications[0].sheet(wide, c.protocol)
	}
	return c.suite()
}

// sheet has one row for each router, by time.
func (a *Application) sheet(wide bool, protocol string) *sheet.Sheet {
	best := a.Rows[0].Router
	s := sheet.New("router", "time / "+best, "time / next", "verdict", "ED2P / "+best, "energy / "+best)
	var shown []tables.Screen
	for _, c := range tables.ShownRuns() {
		if (wide || !c.Wide) && (c.Protocol == "" || c.Protocol == protocol) {
			shown = append(shown, c)
			s.Header = append(s.Header, c.Title)
		}
	}
	if wide {
		s.Header = append(s.Header, "runs")
	}
	for i := range a.Rows {
		r := &a.Rows[i]
		row := []string{named(r.Router, r.Widened), r.Time.Text(), r.Next.Text(), orNone(r.Verdict), r.ED2P.Text(), r.Energy.Text()}
		for _, c := range shown {
			value := metrics.Estimate{}
			if v, ok := r.Means.Get(c.Column).(float64); ok {
				value = metrics.Value(v * c.Scale)
			}
			row = append(row, value.Text())
		}
		if wide {
			row = append(row, fmt.Sprint(r.Runs))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// orNone is a text, or what stands for an absent one.
func orNone(text string) string {
	if text == "" {
		return sheet.None
	}
	return text
}

// named is the name of a row, with a mark where it is widened.
func named(name string, wide bool) string {
	if wide {
		return name + " " + widened
	}
	return name
}

// suite has one row for each application: the time of each router over that of the first, and which
// routers may be the fastest.
func (c *Comparison) suite() *sheet.Sheet {
	best := c.Routers[0]
	s := sheet.New("application", "windows")
	for _, r := range c.Routers[1:] {
		s.Header = append(s.Header, r+" / "+best)
	}
	s.Header = append(s.Header, "fastest")
	for i := range c.Applications {
		a := &c.Applications[i]
		row := []string{named(a.Name, a.widened()), fmt.Sprint(a.Windows)}
		for _, r := range c.Routers[1:] {
			row = append(row, marked(a.ratio("cycles", r, best)))
		}
		s.Rows = append(s.Rows, append(row, strings.Join(a.fastest(), ", ")))
	}
	for _, mean := range [][2]string{{"mean time", "cycles"}, {"mean energy", "energy_j"}, {"mean ED2P", "ed2p_js2"}} {
		row := []string{named(mean[0], mean[1] == "cycles" && c.Mean.widened()), ""}
		for _, r := range c.Routers[1:] {
			row = append(row, marked(c.ratio(mean[1], r, best)))
		}
		s.Rows = append(s.Rows, append(row, ""))
	}
	s.Rows[len(c.Applications)][len(s.Header)-1] = strings.Join(c.Mean.fastest(), ", ")
	return s
}

// marked is a ratio with a mark where it is not 1 for certain.
func marked(e metrics.Estimate) string {
	if v := verdictOf(e); v == faster || v == slower {
		return e.Text() + " " + certain
	}
	return e.Text() + "  "
}

// fastest are the first router and those that are not slower than it for certain.
func (a *Application) fastest() (list []string) {
	if len(a.Rows) > 1 && !a.Rows[1].Time.OK { // of one that is compared with nothing, nothing is said
		return nil
	}
	for i := range a.Rows {
		if r := &a.Rows[i]; r.Time.OK && (i == 0 || verdictOf(r.Time) == cannotTell) {
			list = append(list, r.Router)
		}
	}
	return list
}

// programs are the traces of a study that are compared with each other: the one with the least time,
// and the others. nil where the axis trace does not vary: the workloads of a suite do different work.
func (c *Comparison) programs() (least *Application, others []*Application) {
	if len(c.Applications) < 2 || slices.ContainsFunc(c.Applications, func(a Application) bool { return !a.trace }) {
		return nil, nil
	}
	for i := range c.Applications {
		others = append(others, &c.Applications[i])
	}
	time := func(a *Application) float64 { return programRatio(a, others[0], c.Routers[0]).Mean }
	least = slices.MinFunc(others, func(a, b *Application) int { return cmp.Compare(time(a), time(b)) })
	return least, slices.DeleteFunc(others, func(a *Application) bool { return a == least })
}

// Programs compares the programs of a study, each of which is a trace of its own: a row for each
// router, and the time of each program over that of the one with the least. nil where there are none.
func (c *Comparison) Programs() *sheet.Sheet {
	least, others := c.programs()
	if least == nil {
		return nil
	}
	s := sheet.New("router")
	for _, a := range others {
		s.Header = append(s.Header, fmt.Sprintf("time of %s / %s", a.Name, least.Name))
	}
	for _, r := range c.Routers {
		row := []string{r}
		for _, a := range others {
			row = append(row, marked(programRatio(a, least, r)))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// ofPrograms says how the times of programs compare on each router.
func (c *Comparison) ofPrograms() (texts []string) {
	least, others := c.programs()
	for _, a := range others {
		var each []string
		for _, r := range c.Routers {
			if e := programRatio(a, least, r); e.OK && !e.Vague() {
				each = append(each, fmt.Sprintf("%s on %s", e.Text(), r))
			}
		}
		if each != nil {
			texts = append(texts, fmt.Sprintf("The time of %s over that of %s is %s.", a.Name, least.Name, enumerate(each)))
		}
	}
	return texts
}

// programRatio is the time of a program over that of another on a router: seed by seed where each is
// replayed whole, and otherwise of means over their own windows.
func programRatio(a, b *Application, router string) metrics.Estimate {
	over, under := chart.Samples(a.runs[router], "cycles"), chart.Samples(b.runs[router], "cycles")
	if a.Windows == 1 && b.Windows == 1 {
		return metrics.TotalRatio(over, under)
	}
	return metrics.Quotient(metrics.MeanValue(over).Scale(float64(a.Windows)), metrics.MeanValue(under).Scale(float64(b.Windows)))
}
