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

// col has the columns of observations.
var col = tables.Col

// The marks of tables, and what people are told of the second one.
const (
	certain     = "*" // a ratio that differs from 1 with 95 % confidence
	widened     = "~" // a row with a time of which much of the interval is systematic, see metrics.Estimate
	widenedText = widened + " marks rows in which at least a third of an interval comes from waits at the ends of windows. Longer windows make it narrower, more windows do not; see carousel help accuracy."
)

// Sheets are what people see of a comparison: a ranking of the routers, and, where traces are compared,
// before it a row for each router with the time of each program over that of the one with the least.
func Sheets(c *result.Ranking, wide bool) []*sheet.Sheet {
	ranking := Sheet(c, wide)
	ranking.Title = c.Title()
	least, others := c.Programs()
	if least == nil {
		return []*sheet.Sheet{ranking}
	}
	programs := sheet.New("router")
	programs.Title = ranking.Title
	for _, r := range c.Routers {
		programs.Add(r)
	}
	for _, a := range others {
		programs.Column(fmt.Sprintf("time of %s / %s", a.Name, least.Name), func(row int) any { return marked(result.ProgramRatio(a, least, c.Routers[row])) })
	}
	return []*sheet.Sheet{programs, ranking}
}

// Sheet ranks routers for people: one row for each router, or, of several applications, one row for
// each of these and the geometric means. wide adds the columns that a usual terminal has no room for.
func Sheet(c *result.Ranking, wide bool) *sheet.Sheet {
	if c.Mean == nil {
		return ranked(&c.Applications[0], wide, c.Protocol)
	}
	return suite(c)
}

// ranked has one row for each router, by time. The network without contention is last.
func ranked(a *result.Application, wide bool, protocol string) *sheet.Sheet {
	rows := a.ShownRows()
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
		s.Column("lower ED of chip", func(row int) any { return cell(&rows[row].EDBreakEven) })
		s.Column("lower ED2P of chip", func(row int) any { return cell(&rows[row].ED2PBreakEven) })
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
func suite(c *result.Ranking) *sheet.Sheet {
	s, best, others := sheet.New("application", "windows"), c.Routers[0], c.Routers[1:]
	if c.Named {
		others = append(slices.Clone(others), result.Ideal)
	}
	for _, r := range others {
		s.Header = append(s.Header, r+" / "+best)
	}
	s.Header = append(s.Header, "fastest")
	add := func(a *result.Application, name string, v tables.Name, windows, fastest any) {
		row := []any{name, windows}
		for _, r := range others {
			row = append(row, marked(a.Ratio(v, r, best)))
		}
		s.Add(append(row, fastest)...)
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		add(a, named(a.Name, a.Widened()), col.Cycles, a.Windows, a.Fastest())
	}
	add(c.Mean, named("mean time", c.Mean.Widened()), col.Cycles, "", c.Mean.Fastest())
	add(c.Mean, "mean energy", col.EnergyJ, "", "")
	add(c.Mean, "mean ED2P", col.ED2PJs2, "", "")
	return s
}

// marked is a ratio with a mark where it is not 1 for certain.
func marked(e metrics.Estimate) sheet.Marked {
	if v := result.VerdictOf(e); v == result.Faster || v == result.Slower {
		return sheet.Marked{Estimate: e, Mark: " " + certain}
	}
	return sheet.Marked{Estimate: e, Mark: "  "}
}
