package result

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Ranking compares routers or other values of a study under one setting: in each application, and over all.
type Ranking struct {
	// Setting is what tells the comparison from others of the study, such as the protocol.
	Setting []experiment.Setting `json:"setting"`
	// By are the columns and axes whose values are compared, and Baseline is the row that the others are
	// divided by.
	By       []string `json:"compared"`
	Baseline string   `json:"baseline"`
	// Names are those of the rows, by their mean time, the fastest first. Those of which nothing is
	// known are last.
	Names        []string      `json:"routers"`
	Applications []Application `json:"applications"`
	// Mean has the geometric means over applications; nil where there is only one. Of an interrupted study they are
	// over the finished ones, or else over those that all rows have runs of.
	Mean *Application `json:"mean,omitempty"`

	Protocol string             `json:"-"` // of coherence, if all rows have one
	Named    bool               `json:"-"` // the network without contention is one of the routers that the study names
	Chosen   bool               `json:"-"` // the baseline need not be the fastest
	Numbers  map[string]float64 `json:"-"` // of rows that stand for one number each
	Planned  []string           `json:"-"` // names in the order of the plan
}

// Application ranks rows in one application, or over several.
type Application struct {
	Name    string `json:"workload"`
	Windows int    `json:"windows"` // that are measured
	Rows    []Row  `json:"routers"` // by time
	// Bound is the network without contention; nil where it has not been run.
	Bound *Bound `json:"bound,omitempty"`

	// Ideal is the row of the network without contention, if the study names it; it is not ranked.
	Ideal *Row            `json:"-"`
	Runs  map[string]Runs `json:"-"` // finished ones, by router
	Parts []*Application  `json:"-"` // of a mean
	// Missing is 0 if all runs are finished, 1 if an interrupted study lacks some, and AllOfRow.
	Missing int `json:"-"`
}

// AllOfRow stands for an application of which an interrupted study has no run of some row.
const AllOfRow = 2

// Row is one router, or what else is compared. Ratios are those of totals over the windows that both sides
// have.
type Row struct {
	Name string `json:"router"`
	Runs int    `json:"runs"` // finished ones
	// Time, Energy and ED2P are over those of the baseline, and Behind is the time over that of the
	// fastest. ED2P is the energy times the square of the time.
	Behind metrics.Estimate `json:"-"`
	Time   metrics.Estimate `json:"time"`
	Energy metrics.Estimate `json:"energy"`
	ED2P   metrics.Estimate `json:"ed2p"`
	// The break-even powers compare with the fastest row.
	EDBreakEven   BreakEven `json:"ed_break_even"`
	ED2PBreakEven BreakEven `json:"ed2p_break_even"`
	// Next is the time over that of the next row. Verdict is what it says, or the time over that of a
	// chosen baseline: faster, slower, or cannot tell.
	Next    metrics.Estimate `json:"time_over_next"`
	Verdict string           `json:"verdict,omitempty"`
	// Widened reports that much of the interval of one of the two times is systematic.
	Widened bool          `json:"widened,omitempty"`
	Means   tables.Object `json:"means,omitempty"` // by column, see tables.OfWideRun
}

// Bound is what a network without contention takes.
type Bound struct {
	Time metrics.Estimate `json:"time"` // over that of the fastest router
	// Beaten is a router that takes less time than the network without contention in a window, because
	// more requests race there and are repeated: then it bounds nothing. "" for none.
	Beaten string `json:"beaten_by,omitempty"`
}

// col has the columns of observations. The axes are those of traces and of programs that are executed.
var (
	col         = tables.Col
	axisTrace   = tables.AxisName("trace")
	axisProgram = tables.AxisName("program.path")
)

// programs are the columns and axes whose values are programs.
var programs = []tables.Name{axisTrace, axisProgram, col.Workload}

func isProgram(v tables.Name) bool { return slices.Contains(programs, v) }

// Program is the axis that tells the programs of a study apart, or else the column of workloads.
func Program(rows *tables.Rows) tables.Name {
	for _, v := range variedAxes(rows) {
		if isProgram(v) {
			return v
		}
	}
	return col.Workload
}

// The verdicts on a ratio of two routers' times.
const (
	Faster     = "faster"
	Slower     = "slower"
	CannotTell = "cannot tell"
)

// VerdictOf says on which side of 1 a ratio is; "" where nothing is known about chance.
func VerdictOf(e metrics.Estimate) string {
	switch {
	case !e.OK || e.N < 2:
		return ""
	case e.Side(1) < 0:
		return Faster
	case e.Side(1) > 0:
		return Slower
	}
	return CannotTell
}

// Rank compares the routers of a study in every setting and application, in the order of the plan. bounds
// are runs of a network without contention that were made beside those of the study.
func Rank(rows *tables.Rows, bounds []tables.Run) []Ranking { return Routers.Rank(rows, bounds) }

// Rank compares in every setting and application, as the function of this name does.
func (by Comparison) Rank(rows *tables.Rows, bounds []tables.Run) (list []Ranking) {
	keys := by.Settings(rows)
	all := tables.Rows{Runs: slices.Concat(rows.Runs, bounds), Axes: rows.Axes, Cores: rows.Cores, Routers: rows.Routers}
	for _, setting := range Of(&all).By(keys...) {
		c := Ranking{Setting: SettingOf(keys, &setting.Runs[0]), By: tables.Texts(by.By...), Baseline: by.title, Chosen: by.Chosen(), Numbers: by.numbers(setting.Runs)}
		for _, g := range setting.By(by.By...) {
			c.Names = append(c.Names, by.name(&g.Runs[0]))
		}
		if len(setting.Distinct(col.Protocol)) == 1 {
			c.Protocol = setting.Runs[0].Run.Protocol
		}
		for _, program := range tables.GroupBy(setting.Runs, by.replayed(setting.Runs)) {
			a := Application{Name: program.Key, Runs: map[string]Runs{}}
			for _, own := range Runs(program.Records).By(by.By...) {
				runs := own.Finished()
				_, windows := runs.Count()
				if lacks := own.Where(func(o *tables.Observation) bool { return o.Run.ExitState == tables.Interrupted }); len(lacks) == len(own.Runs) {
					a.Missing = AllOfRow
				} else if len(lacks) > 0 {
					a.Missing = max(a.Missing, 1)
				}
				a.Runs[by.name(&own.Runs[0])], a.Windows = runs, max(a.Windows, windows)
			}
			c.Applications = append(c.Applications, a)
		}
		if len(c.Names) > 1 && by.ofRouters() {
			c.Named = slices.ContainsFunc(rows.Runs, func(r tables.Run) bool { return r.Router == Ideal })
			c.Names = slices.DeleteFunc(c.Names, func(name string) bool { return name == Ideal })
		}
		c.rank()
		list = append(list, c)
	}
	return list
}

// Replayed is what a run replays or executes: its trace or program, if that varies, or its workload.
func Replayed(o *tables.Observation) string {
	return cmp.Or(o.Text(axisTrace), o.Text(axisProgram), o.Run.Workload)
}

// SettingOf are the values of variables of a run.
func SettingOf(keys []tables.Name, o *tables.Observation) []experiment.Setting {
	list := []experiment.Setting{}
	for _, v := range keys {
		list = append(list, experiment.Setting{Key: v.String(), Value: o.Text(v)})
	}
	return list
}

// rank ranks the rows over all applications, and in each.
func (c *Ranking) rank() {
	if len(c.Applications) > 1 {
		c.Mean = &Application{Name: "geometric mean"}
		least := slices.MinFunc(c.Applications, func(a, b Application) int { return cmp.Compare(a.Missing, b.Missing) }).Missing
		for i := range c.Applications {
			if a := &c.Applications[i]; a.Missing == least {
				c.Mean.Parts, c.Mean.Windows = append(c.Mean.Parts, a), c.Mean.Windows+a.Windows
			}
		}
	}
	c.Planned = slices.Clone(c.Names)
	all := c.Overall()
	all.rank(c, c.Planned)
	for i, row := range all.Rows {
		c.Names[i] = row.Name
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		if c.Mean != nil {
			a.rank(c, c.Planned)
		}
		a.boundBy()
	}
}

// OfRouters reports whether only routers are compared.
func (c *Ranking) OfRouters() bool { return len(c.By) == 1 && c.By[0] == col.Router.String() }

// OfPrograms reports whether programs are compared.
func (c *Ranking) OfPrograms() bool {
	return slices.ContainsFunc(programs, func(v tables.Name) bool { return slices.Contains(c.By, v.String()) })
}

// BaselineFirst are the names of the rows, that of the baseline before the others.
func (c *Ranking) BaselineFirst() []string {
	others := slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return name == c.Baseline })
	return slices.Insert(others, 0, c.Baseline)
}

// Overall are the rows that order the routers: of the only application, or of the means.
func (c *Ranking) Overall() *Application {
	if c.Mean != nil {
		return c.Mean
	}
	return &c.Applications[0]
}

// All are the rankings of all applications and, of several, that over them.
func (c *Ranking) All() []Application {
	if c.Mean != nil {
		return append(slices.Clone(c.Applications), *c.Mean)
	}
	return c.Applications
}

// Each lists the applications that a ranking is of.
func (a *Application) Each() []*Application {
	if a.Parts == nil {
		return []*Application{a}
	}
	return a.Parts
}

// Ratio is that of a column between two routers; over several applications the geometric mean, absent
// where one has none.
func (a *Application) Ratio(v tables.Name, router, other string) metrics.Estimate {
	if a.Parts == nil {
		return a.Runs[router].Over(a.Runs[other], v)
	}
	var each []metrics.Estimate
	for _, p := range a.Parts {
		each = append(each, p.Ratio(v, router, other))
	}
	return metrics.GeometricMeanOfEach(each)
}

// finished is how many runs of a router have finished.
func (a *Application) finished(router string) (n int) {
	for _, p := range a.Each() {
		n += len(p.Runs[router])
	}
	return n
}

// rank makes the rows. They are sorted by the ratio of their times to that of the one with the most
// runs: interrupted studies have routers with fewer, or none, and these come last. The fastest row of a
// ranking that has no baseline becomes it.
func (a *Application) rank(c *Ranking, names []string) {
	reference := slices.MaxFunc(names, func(x, y string) int { return cmp.Compare(a.finished(x), a.finished(y)) })
	times := map[string]float64{}
	for _, r := range names {
		times[r] = math.Inf(1)
		if e := a.Ratio(col.Cycles, r, reference); e.OK {
			times[r] = e.Mean
		}
	}
	names = slices.SortedStableFunc(slices.Values(names), func(x, y string) int { return cmp.Compare(times[x], times[y]) })
	c.Baseline = cmp.Or(c.Baseline, names[0])
	for i, r := range names {
		row := a.row(r, c.Baseline, names[0])
		if i+1 < len(names) {
			row.Next = a.Ratio(col.Cycles, r, names[i+1])
		}
		switch {
		case !c.Chosen:
			row.Verdict = VerdictOf(row.Next)
		case r != c.Baseline:
			row.Verdict = VerdictOf(row.Time)
		}
		row.Widened = row.Time.Widened() || row.Next.Widened()
		a.Rows = append(a.Rows, row)
	}
	if c.Named {
		row := a.row(Ideal, c.Baseline, names[0])
		a.Ideal = &row
	}
}

// row is one over the baseline.
func (a *Application) row(name, baseline, best string) Row {
	row := Row{Name: name, Runs: a.finished(name), Behind: a.Ratio(col.Cycles, name, best), Time: a.Ratio(col.Cycles, name, baseline),
		Energy: a.Ratio(col.EnergyJ, name, baseline), ED2P: a.Ratio(col.ED2PJs2, name, baseline)}
	row.EDBreakEven, row.ED2PBreakEven = a.BreakEven(name, best, 1), a.BreakEven(name, best, 2)
	if a.Parts == nil {
		for _, v := range (tables.OfRun | tables.OfWideRun).Names() {
			mean, _ := a.Runs[name].Mean(v).Numbers()
			row.Means.Set(v.String(), mean)
		}
	}
	return row
}

// ShownRows are the rows of a table: the ranked ones and, last, that of the network without contention.
func (a *Application) ShownRows() []Row {
	if a.Ideal == nil {
		return a.Rows
	}
	return append(slices.Clone(a.Rows), *a.Ideal)
}

// Widened reports whether a row is.
func (a *Application) Widened() bool {
	return slices.ContainsFunc(a.Rows, func(r Row) bool { return r.Widened })
}

// boundBy compares with the network without contention, if that has run beside others.
func (a *Application) boundBy() {
	bound := a.Runs[Ideal].work(col.Cycles, true)
	if len(bound) == 0 || a.Rows[0].Name == Ideal {
		return
	}
	a.Bound = &Bound{Time: a.Ratio(col.Cycles, Ideal, a.Rows[0].Name)}
	for _, r := range a.Rows {
		ratios := metrics.PairedRatios(a.Runs[r.Name].work(col.Cycles, true), bound)
		if slices.ContainsFunc(ratios, func(s metrics.Sample) bool { return s.Value < 1 }) {
			a.Bound.Beaten = r.Name
			return
		}
	}
}

// PerInstruction reports whether times and energies are compared per instruction, because a limit of cycles
// ends the runs, or because they are windows of different programs.
func (c *Ranking) PerInstruction() bool {
	return slices.ContainsFunc(c.Overall().Each(), func(a *Application) bool {
		return slices.ContainsFunc(c.Names, func(r string) bool { return a.Runs[r].ByCycles() || a.Runs[r].unlike(a.Runs[c.Baseline]) })
	})
}

// Quantity names a time or energy that is compared.
func (c *Ranking) Quantity(name string) string {
	if c.PerInstruction() {
		return name + " per instruction"
	}
	return name
}

// Title names a comparison by its setting; "" where the study has one.
func (c *Ranking) Title() string { return Title(c.Setting) }

// Title names a setting, such as "token, 64 cores".
func Title(setting []experiment.Setting) string {
	var parts []string
	for _, s := range setting {
		switch s.Key {
		case axisTrace.String(), axisProgram.String(), "variant", col.Router.String(), col.Workload.String(), col.Protocol.String(), col.Topology.String(), col.Pattern.String(), col.Scheme.String():
			parts = append(parts, s.Value)
		case col.Cores.String():
			parts = append(parts, s.Value+" cores")
		default:
			parts = append(parts, s.Key+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// Fastest are the first router and those that are not slower than it, or than another one, for certain.
func (a *Application) Fastest() (list []string) {
	// Nothing is said of an application in which nothing is compared.
	if a.Missing == AllOfRow || len(a.Rows) > 1 && !a.Rows[1].Behind.OK {
		return nil
	}
	for i := range a.Rows {
		r := &a.Rows[i]
		// The ratio of the baseline to the fastest may be less sure than that of the fastest to the baseline.
		beaten := r.Time.Same() && VerdictOf(a.Rows[0].Time) == Faster
		if r.Behind.OK && (i == 0 || VerdictOf(r.Behind) == CannotTell) && !beaten && !a.slower(r.Name) {
			list = append(list, r.Name)
		}
	}
	return list
}

// slower reports whether a router is slower than another one for certain.
func (a *Application) slower(name string) bool {
	return slices.ContainsFunc(a.Rows, func(r Row) bool {
		return r.Name != name && VerdictOf(a.Ratio(col.Cycles, name, r.Name)) == Slower
	})
}

// Contenders are the first row and those that it cannot be told from. Of the second one, its time over
// that of the next decides.
func (a *Application) Contenders() (list []string) {
	for i := range a.Rows {
		if r := &a.Rows[i]; i == 0 || i == 1 && VerdictOf(a.Rows[0].Next) == CannotTell || i > 1 && VerdictOf(r.Behind) == CannotTell && !a.slower(r.Name) {
			list = append(list, r.Name)
		}
	}
	return list
}

// Breakdown is the shares of the parts of a time or energy, by name.
type Breakdown map[string]float64

// Breakdown divides the time or energy of a router into shares of the whole of another, mean over
// applications.
func (a *Application) Breakdown(p *tables.Parts, router, of string) Breakdown {
	b, each := Breakdown{}, a.Each()
	for _, part := range p.Parts {
		for _, one := range each {
			b[part.Name] += one.Runs[router].Share(p.Column(part.Name), one.Runs[of], p.Whole).Mean / float64(len(each))
		}
	}
	return b
}
