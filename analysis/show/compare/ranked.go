package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The marks of tables, and what people are told of the second one.
const (
	certain     = "*" // a ratio that differs from 1 with 95 % confidence
	widened     = "~" // a row with a time of which much of the interval is systematic, see metrics.Estimate
	widenedText = widened + " marks rows in which at least a third of an interval comes from waits at the ends of windows. Longer windows make it narrower, more windows do not; see carousel help accuracy."
)

// Sheets are what people see of a comparison: a ranking of the routers, and, where traces are compared,
// before it a row for each router with the time of each program over that of the one with the least.
func (c *Comparison) Sheets(wide bool) []*sheet.Sheet {
	ranking := c.Sheet(wide)
	ranking.Title = c.Title()
	least, others := c.programs()
	if least == nil {
		return []*sheet.Sheet{ranking}
	}
	programs := sheet.New("router")
	programs.Title = ranking.Title
	for _, r := range c.Routers {
		programs.Add(r)
	}
	for _, a := range others {
		programs.Column(fmt.Sprintf("time of %s / %s", a.Name, least.Name), func(row int) any { return marked(programRatio(a, least, c.Routers[row])) })
	}
	return []*sheet.Sheet{programs, ranking}
}

// Sheet ranks routers for people: one row for each router, or, of several applications, one row for
// each of these and the geometric means. wide adds the columns that a usual terminal has no room for.
func (c *Comparison) Sheet(wide bool) *sheet.Sheet {
	if c.Mean == nil {
		return c.Applications[0].sheet(wide, c.protocol)
	}
	return c.suite()
}

// sheet has one row for each router, by time. The network without contention is last.
func (a *Application) sheet(wide bool, protocol string) *sheet.Sheet {
	rows := a.shownRows()
	best := rows[0].Router
	s := sheet.New("router", "time / "+best, "time / next", "verdict", "ED2P / "+best, "energy / "+best)
	for _, r := range rows {
		s.Add(named(r.Router, r.Widened), r.Time, r.Next, cmp.Or(r.Verdict, sheet.None), r.ED2P, r.Energy)
	}
	for _, c := range (tables.OfRun | tables.OfWideRun).Columns() {
		if c.Views&tables.OfRun == 0 && !wide || c.Protocol != "" && c.Protocol != protocol {
			continue
		}
		s.Column(c.Title, func(row int) any {
			if v, ok := rows[row].Means.Get(c.Column.String()).(float64); ok {
				return metrics.Value(v * c.Scale)
			}
			return nil
		})
	}
	if wide {
		s.Column("runs", func(row int) any { return rows[row].Runs })
	}
	return s
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
	s, best, others := sheet.New("application", "windows"), c.Routers[0], c.Routers[1:]
	if c.named {
		others = append(slices.Clone(others), result.Ideal)
	}
	for _, r := range others {
		s.Header = append(s.Header, r+" / "+best)
	}
	s.Header = append(s.Header, "fastest")
	add := func(a *Application, name string, v tables.Name, windows, fastest any) {
		row := []any{name, windows}
		for _, r := range others {
			row = append(row, marked(a.ratio(v, r, best)))
		}
		s.Add(append(row, fastest)...)
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		add(a, named(a.Name, a.widened()), col.Cycles, a.Windows, a.fastest())
	}
	add(c.Mean, named("mean time", c.Mean.widened()), col.Cycles, "", c.Mean.fastest())
	add(c.Mean, "mean energy", col.EnergyJ, "", "")
	add(c.Mean, "mean ED2P", col.ED2PJs2, "", "")
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

// contenders are the first router and those that it cannot be told from. Of the second one, the verdict
// of the table decides.
func (a *Application) contenders() (list []string) {
	for i := range a.Rows {
		if r := &a.Rows[i]; i == 0 || i == 1 && a.Rows[0].Verdict == cannotTell || i > 1 && verdictOf(r.Time) == cannotTell {
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
	others = slices.Clone(c.Mean.parts)
	time := func(a *Application) float64 { return programRatio(a, others[0], c.Routers[0]).Mean }
	least = slices.MinFunc(others, func(a, b *Application) int { return cmp.Compare(time(a), time(b)) })
	return least, slices.DeleteFunc(others, func(a *Application) bool { return a == least })
}

// programTimes says how the times of programs compare on each router.
func (f *findings) programTimes(c *Comparison) {
	least, others := c.programs()
	for _, a := range others {
		var each []string
		for _, r := range c.Routers {
			if e := programRatio(a, least, r); e.OK && !e.Vague() {
				each = append(each, fmt.Sprintf("%s on %s", e.Text(), r))
			}
		}
		if each != nil {
			f.say(Answer, "The time of %s over that of %s is %s.", a.Name, least.Name, enumerate(each))
		}
	}
}

// programRatio is the time of a program over that of another on a router: seed by seed where each is
// replayed whole, and otherwise of means over their own windows.
func programRatio(a, b *Application, router string) metrics.Estimate {
	over, under := a.runs[router].Samples(col.Cycles), b.runs[router].Samples(col.Cycles)
	if a.Windows == 1 && b.Windows == 1 {
		return metrics.TotalRatio(over, under)
	}
	return metrics.Quotient(metrics.MeanValue(over).Scale(float64(a.Windows)), metrics.MeanValue(under).Scale(float64(b.Windows)))
}
