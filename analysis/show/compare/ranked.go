package compare

import (
	"fmt"
	"slices"
	"strings"

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
	widenedText = widened + " marks rows in which at least a third of the number after ± comes from cores that have ended before others or would wait at a barrier after the window. Longer windows reduce this part; more windows do not (carousel help accuracy)."
)

// acrossSheet has the times of settings over that of the first, on each router, or what else they change.
func (r *Study) acrossSheet() *sheet.Sheet {
	first, changed, quantity := &r.Across[0], r.Changed(), "time"
	s := sheet.New(strings.Join(first.By, ", "))
	for _, name := range first.Planned {
		s.Add(name)
	}
	if changed.Column != col.Cycles {
		quantity = changed.Quantity
	}
	for i := range r.Across {
		c := &r.Across[i]
		s.Column(fmt.Sprintf("%s / %s on %s", c.Quantity(quantity), c.Baseline, c.Title()), func(row int) any {
			return marked(c.Overall().Ratio(changed.Column, first.Planned[row], c.Baseline))
		})
	}
	return s
}

// Changed is a picture of what differs between settings: times, or energies if the key leaves all times as they are.
func (r *Study) Changed() *tables.Picture {
	for i := range tables.SettingPictures {
		p := &tables.SettingPictures[i]
		for k := range r.Across {
			c := &r.Across[k]
			if slices.ContainsFunc(c.Planned, func(name string) bool {
				e := c.Overall().Ratio(p.Column, name, c.Baseline)
				return e.OK && !e.Same()
			}) {
				return p
			}
		}
	}
	return &tables.SettingPictures[0]
}

// Sheet ranks for people what is compared: one row for each router or setting, or, of several applications, one row
// for each of these and the geometric means. wide adds the columns that a usual terminal has no room for.
func Sheet(c *result.Ranking, wide bool) *sheet.Sheet {
	of := suite
	if c.Mean == nil {
		of = ranked
	}
	s := of(c, wide)
	s.Title = c.Title()
	return s
}

// ranked has one row for each router or setting, by time. The network without contention is last.
func ranked(c *result.Ranking, wide bool) *sheet.Sheet {
	rows, base := c.Applications[0].ShownRows(), c.Baseline
	s := sheet.New(strings.Join(c.By, ", "), c.Quantity("time")+" / "+base, "verdict", c.Quantity("network ED2P")+" / "+base,
		c.Quantity("network energy")+" / "+base)
	for i, r := range rows {
		s.Add(named(r.Name, r.Widened), r.Time, verdict(c, i), r.ED2P, r.Energy)
	}
	for _, v := range (tables.OfRun | tables.OfWideRun).Columns() {
		if v.Views&tables.OfRun == 0 && !wide || v.Protocol != "" && v.Protocol != c.Protocol {
			continue
		}
		s.Column(v.Title, func(row int) any { return shownMean(&v, &rows[row]) })
	}
	if wide && !c.Chosen {
		s.Column("lower ED of chip", func(row int) any { return cell(&rows[row].EDBreakEven) })
		s.Column("lower ED2P of chip", func(row int) any { return cell(&rows[row].ED2PBreakEven) })
	}
	if wide {
		s.Column("runs", func(row int) any { return rows[row].Runs })
	}
	return s
}

// shownMean is the mean of a column, as people see it; nil where nothing was measured.
func shownMean(v *tables.Shown, r *result.Row) any {
	if n, ok := r.Means.Get(v.Column.String()).(float64); ok {
		return metrics.Value(n * v.Scale)
	}
	return nil
}

// measured has one row for each application, with what was measured on the only router.
func measured(c *result.Ranking) *sheet.Sheet {
	s := sheet.New("application", "windows")
	for i := range c.Applications {
		s.Add(c.Applications[i].Name, c.Applications[i].Windows)
	}
	for _, v := range (tables.OfRun | tables.OfWideRun).Columns() {
		if v.Protocol == "" && v.Views&tables.OfRun != 0 || slices.Contains([]tables.Name{col.Cycles, col.IPC, col.EnergyJ}, v.Column) {
			s.Column(v.Title, func(row int) any {
				if a := &c.Applications[row]; len(a.Rows) > 0 {
					return shownMean(&v, &a.Rows[0])
				}
				return nil
			})
		}
	}
	return s
}

// verdict says in words how a row compares with the row before it, or with a chosen baseline.
func verdict(c *result.Ranking, row int) string {
	a := &c.Applications[0]
	if row == len(a.Rows) { // the network without contention
		return sheet.None
	}
	name, other, than := a.Rows[row].Name, c.Baseline, ""
	if !c.Chosen && row > 0 {
		other = a.Rows[row-1].Name
		than = " than " + other
	}
	if name == other {
		return sheet.None
	}
	return change(a.Ratio(col.Cycles, name, other), than)
}

// change says a ratio of times in words.
func change(e metrics.Estimate, than string) string {
	if e.OK && e.N < 2 {
		than += " (one run)"
	}
	switch {
	case !e.OK:
		return sheet.None
	case result.VerdictOf(e) == result.CannotTell:
		return result.CannotTell + strings.Replace(than, "than", "from", 1)
	case e.Mean == 1:
		return "same time" + strings.Replace(than, "than", "as", 1)
	case e.Mean < 1:
		return e.Change() + " less time" + than
	default:
		return e.Change() + " slower" + than
	}
}

// named is the name of a row, with a mark where it is widened.
func named(name string, wide bool) string {
	if wide {
		return name + " " + widened
	}
	return name
}

// suite has one row for each application: the time and the mean latency of misses of each router or setting over
// those of the baseline, and which may be the fastest.
func suite(c *result.Ranking, _ bool) *sheet.Sheet {
	s, best := sheet.New("application", "windows"), c.Baseline
	others := c.BaselineFirst()[1:]
	if c.Named {
		others = append(others, result.Ideal)
	}
	if len(others) == 0 {
		return measured(c)
	}
	for _, r := range others {
		s.Header = append(s.Header, r+" / "+best, "latency "+r)
	}
	s.Header = append(s.Header, fastestOf(c))
	add := func(a *result.Application, name string, v tables.Name, windows, fastest any) {
		row := []any{name, windows}
		for _, r := range others {
			row = append(row, marked(a.Ratio(v, r, best)), "")
			if latency := a.Ratio(col.MissLatencyMean, r, best); v == col.Cycles && latency.OK {
				row[len(row)-1] = metrics.Value(latency.Mean)
			}
		}
		s.Add(append(row, fastest)...)
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		add(a, named(a.Name, a.Widened()), col.Cycles, a.Windows, a.Fastest())
	}
	of := ""
	if n := len(c.Mean.Parts); n < len(c.Applications) {
		of = fmt.Sprintf(" of %d of %d", n, len(c.Applications))
	}
	add(c.Mean, named(c.Quantity("mean time")+of, c.Mean.Widened()), col.Cycles, "", c.Mean.Fastest())
	add(c.Mean, c.Quantity("mean network energy")+of, col.EnergyJ, "", "")
	add(c.Mean, c.Quantity("mean network ED2P")+of, col.ED2PJs2, "", "")
	return s
}

// fastestOf is the title of the column of fastest routers: without an interval there is only a least time.
func fastestOf(c *result.Ranking) string {
	for i := range c.Applications {
		if rows := c.Applications[i].Rows; len(rows) > 1 && rows[1].Behind.N > 1 {
			return "may be fastest"
		}
	}
	return "least time"
}

// marked is a ratio with a mark where it is not 1 for certain.
func marked(e metrics.Estimate) sheet.Marked {
	if v := result.VerdictOf(e); v == result.Faster || v == result.Slower {
		return sheet.Marked{Estimate: e, Mark: " " + certain}
	}
	return sheet.Marked{Estimate: e, Mark: "  "}
}
