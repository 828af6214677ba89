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

// Ranking compares the routers of a study under one setting: in each application, and over all.
type Ranking struct {
	// Setting is what tells the comparison from others of the study, such as the protocol.
	Setting []experiment.Setting `json:"setting"`
	// Routers are those compared, by their mean time, the fastest first. Those of which nothing is
	// known are last.
	Routers      []string      `json:"routers"`
	Applications []Application `json:"applications"`
	// Mean has the geometric means over applications; nil where there is only one.
	Mean *Application `json:"mean,omitempty"`

	Protocol string `json:"-"` // of coherence
	Named    bool   `json:"-"` // the network without contention is one of the routers that the study names
}

// Application ranks routers in one application, or over several.
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
	trace bool            // it is a value of the axis trace
}

// Row is one router. Ratios are those of totals over the windows that both sides have.
type Row struct {
	Router string `json:"router"`
	Runs   int    `json:"runs"` // finished ones
	// Time, Energy and ED2P are over those of the fastest router. ED2P is the energy times the
	// square of the time.
	Time   metrics.Estimate `json:"time"`
	Energy metrics.Estimate `json:"energy"`
	ED2P   metrics.Estimate `json:"ed2p"`
	// The break-even powers compare with the fastest router.
	EDBreakEven   BreakEven `json:"ed_break_even"`
	ED2PBreakEven BreakEven `json:"ed2p_break_even"`
	// Next is the time over that of the next row, and Verdict what it says: faster, slower, or cannot
	// tell.
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

// col has the columns of observations, and axisTrace is the axis of traces.
var (
	col       = tables.Col
	axisTrace = tables.AxisName("trace")
)

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
func Rank(rows *tables.Rows, bounds []tables.Run) (list []Ranking) {
	keys := Settings(rows)
	all := tables.Rows{Runs: slices.Concat(rows.Runs, bounds), Axes: rows.Axes, Cores: rows.Cores, Routers: rows.Routers}
	for _, setting := range Of(&all).By(keys...) {
		c := Ranking{Setting: SettingOf(keys, &setting.Runs[0]), Routers: setting.Distinct(col.Router), Protocol: setting.Runs[0].Run.Protocol}
		for _, program := range tables.GroupBy(setting.Runs, Replayed) {
			a := Application{Name: program.Key, trace: program.Records[0].Text(axisTrace) != "", Runs: map[string]Runs{}}
			for _, own := range Runs(program.Records).By(col.Router) {
				router, runs := own.Values[0], own.Finished()
				_, windows := runs.Count()
				a.Runs[router], a.Windows = runs, max(a.Windows, windows)
			}
			c.Applications = append(c.Applications, a)
		}
		if len(c.Routers) > 1 {
			c.Named = slices.ContainsFunc(rows.Runs, func(r tables.Run) bool { return r.Router == Ideal })
			c.Routers = slices.DeleteFunc(c.Routers, func(router string) bool { return router == Ideal })
		}
		c.rank()
		list = append(list, c)
	}
	return list
}

// Replayed is what a run replays: its trace, if that varies, or its workload.
func Replayed(o *tables.Observation) string { return cmp.Or(o.Text(axisTrace), o.Run.Workload) }

// SettingOf are the values of variables of a run.
func SettingOf(keys []tables.Name, o *tables.Observation) []experiment.Setting {
	list := []experiment.Setting{}
	for _, v := range keys {
		list = append(list, experiment.Setting{Key: v.String(), Value: o.Text(v)})
	}
	return list
}

// rank ranks the routers in all applications, and over them.
func (c *Ranking) rank() {
	if len(c.Applications) > 1 {
		c.Mean = &Application{Name: "geometric mean"}
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		a.rank(c.Routers)
		a.boundBy()
		if c.Named {
			a.nameIdeal()
		}
		if c.Mean != nil {
			c.Mean.Parts, c.Mean.Windows = append(c.Mean.Parts, a), c.Mean.Windows+a.Windows
		}
	}
	if c.Mean != nil {
		c.Mean.rank(c.Routers)
		if c.Named {
			c.Mean.nameIdeal()
		}
	}
	for i, row := range c.Overall().Rows {
		c.Routers[i] = row.Router
	}
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

// rank makes the rows of routers. They are sorted by the ratio of their times to that of the one with
// the most runs: interrupted studies have routers with fewer, or none, and these come last.
func (a *Application) rank(routers []string) {
	reference := slices.MaxFunc(routers, func(x, y string) int { return cmp.Compare(a.finished(x), a.finished(y)) })
	times := map[string]float64{}
	for _, r := range routers {
		times[r] = math.Inf(1)
		if e := a.Ratio(col.Cycles, r, reference); e.OK {
			times[r] = e.Mean
		}
	}
	routers = slices.SortedStableFunc(slices.Values(routers), func(x, y string) int { return cmp.Compare(times[x], times[y]) })
	best := routers[0]
	for i, r := range routers {
		row := a.row(r, best)
		if i+1 < len(routers) {
			row.Next = a.Ratio(col.Cycles, r, routers[i+1])
			row.Verdict = VerdictOf(row.Next)
		}
		row.Widened = row.Time.Widened() || row.Next.Widened()
		a.Rows = append(a.Rows, row)
	}
}

// row is a router over the fastest one.
func (a *Application) row(router, best string) Row {
	row := Row{Router: router, Runs: a.finished(router), Time: a.Ratio(col.Cycles, router, best), Energy: a.Ratio(col.EnergyJ, router, best), ED2P: a.Ratio(col.ED2PJs2, router, best)}
	row.EDBreakEven, row.ED2PBreakEven = a.BreakEven(router, best, 1), a.BreakEven(router, best, 2)
	if a.Parts == nil {
		for _, v := range (tables.OfRun | tables.OfWideRun).Names() {
			mean, _ := a.Runs[router].Mean(v).Numbers()
			row.Means.Set(v.String(), mean)
		}
	}
	return row
}

// nameIdeal makes the row of the network without contention.
func (a *Application) nameIdeal() {
	row := a.row(Ideal, a.Rows[0].Router)
	a.Ideal = &row
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
	bound := a.Runs[Ideal].Samples(col.Cycles)
	if len(bound) == 0 || a.Rows[0].Router == Ideal {
		return
	}
	a.Bound = &Bound{Time: a.Ratio(col.Cycles, Ideal, a.Rows[0].Router)}
	for _, r := range a.Rows {
		ratios := metrics.PairedRatios(a.Runs[r.Router].Samples(col.Cycles), bound)
		if slices.ContainsFunc(ratios, func(s metrics.Sample) bool { return s.Value < 1 }) {
			a.Bound.Beaten = r.Router
			return
		}
	}
}

// shownAxes are the axes whose values are those of columns, or what is replayed.
var shownAxes = []string{"routers", "chip.protocol", "topology", "workload", "trace"}

// Settings are the columns and axes that tell the comparisons of a study apart: of protocol, cores and
// topology those that have several values, and axes without those of routers and programs.
func Settings(rows *tables.Rows) []tables.Name {
	keys := append([]tables.Name{col.Protocol, col.Cores, col.Topology}, rows.AxisNames(shownAxes...)...)
	runs := Of(&tables.Rows{Runs: rows.Runs, Axes: rows.Axes})
	return slices.DeleteFunc(keys, func(v tables.Name) bool { return len(runs.Distinct(v)) < 2 })
}

// Title names a comparison by its setting; "" where the study has one.
func (c *Ranking) Title() string { return Title(c.Setting) }

// Title names a setting, such as "token, 64 cores".
func Title(setting []experiment.Setting) string {
	var parts []string
	for _, s := range setting {
		switch s.Key {
		case col.Router.String(), col.Workload.String(), col.Protocol.String(), col.Topology.String(), col.Pattern.String(), col.Scheme.String():
			parts = append(parts, s.Value)
		case col.Cores.String():
			parts = append(parts, s.Value+" cores")
		default:
			parts = append(parts, s.Key+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// Fastest are the first router and those that are not slower than it for certain.
func (a *Application) Fastest() (list []string) {
	if len(a.Rows) > 1 && !a.Rows[1].Time.OK { // of one that is compared with nothing, nothing is said
		return nil
	}
	for i := range a.Rows {
		if r := &a.Rows[i]; r.Time.OK && (i == 0 || VerdictOf(r.Time) == CannotTell) {
			list = append(list, r.Router)
		}
	}
	return list
}

// Contenders are the first router and those that it cannot be told from. Of the second one, the verdict
// of the table decides.
func (a *Application) Contenders() (list []string) {
	for i := range a.Rows {
		if r := &a.Rows[i]; i == 0 || i == 1 && a.Rows[0].Verdict == CannotTell || i > 1 && VerdictOf(r.Time) == CannotTell {
			list = append(list, r.Router)
		}
	}
	return list
}

// Programs are the traces of a study that are compared with each other: the one with the least time,
// and the others. nil where the axis trace does not vary: the workloads of a suite do different work.
func (c *Ranking) Programs() (least *Application, others []*Application) {
	if len(c.Applications) < 2 || slices.ContainsFunc(c.Applications, func(a Application) bool { return !a.trace }) {
		return nil, nil
	}
	others = slices.Clone(c.Mean.Parts)
	time := func(a *Application) float64 { return ProgramRatio(a, others[0], c.Routers[0]).Mean }
	least = slices.MinFunc(others, func(a, b *Application) int { return cmp.Compare(time(a), time(b)) })
	return least, slices.DeleteFunc(others, func(a *Application) bool { return a == least })
}

// ProgramRatio is the time of a program over that of another on a router: seed by seed where each is
// replayed whole, and otherwise of means over their own windows.
func ProgramRatio(a, b *Application, router string) metrics.Estimate {
	over, under := a.Runs[router].Samples(col.Cycles), b.Runs[router].Samples(col.Cycles)
	if a.Windows == 1 && b.Windows == 1 {
		return metrics.TotalRatio(over, under)
	}
	return metrics.Quotient(metrics.MeanValue(over).Scale(float64(a.Windows)), metrics.MeanValue(under).Scale(float64(b.Windows)))
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
