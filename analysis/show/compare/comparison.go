package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Comparison ranks the routers of a study under one setting: in each application, and over all.
type Comparison struct {
	// Setting is what tells the comparison from others of the study, such as the protocol.
	Setting []experiment.Setting `json:"setting"`
	// Routers are those compared, by their mean time, the fastest first. Those of which nothing is
	// known are last.
	Routers      []string      `json:"routers"`
	Applications []Application `json:"applications"`
	// Mean has the geometric means over applications; nil where there is only one.
	Mean *Application `json:"mean,omitempty"`

	protocol string // of coherence
	named    bool   // the network without contention is one of the routers that the study names
}

// Application ranks routers in one application, or over several.
type Application struct {
	Name    string `json:"workload"`
	Windows int    `json:"windows"` // that are measured
	Rows    []Row  `json:"routers"` // by time
	// Bound is the network without contention; nil where it has not been run.
	Bound *Bound `json:"bound,omitempty"`

	ideal *Row                   // of the network without contention, if the study names it; it is not ranked
	runs  map[string]result.Runs // finished ones, by router
	trace bool                   // it is a value of the axis trace
	parts []*Application         // of a mean
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

// col has the columns of records, and axisTrace is the axis of traces.
var (
	col       = tables.Col
	axisTrace = tables.AxisName("trace")
)

// The verdicts on a ratio of two routers' times.
const (
	faster     = "faster"
	slower     = "slower"
	cannotTell = "cannot tell"
)

// verdictOf says on which side of 1 a ratio is; "" where nothing is known about chance.
func verdictOf(e metrics.Estimate) string {
	switch {
	case !e.OK || e.N < 2:
		return ""
	case e.Side(1) < 0:
		return faster
	case e.Side(1) > 0:
		return slower
	}
	return cannotTell
}

// Of ranks the routers of a study in every setting and application, in the order of the plan. bounds
// are runs of a network without contention that were made beside those of the study.
func Of(rows *tables.Rows, bounds []tables.Run) (list []Comparison) {
	keys := settings(rows)
	all := tables.Rows{Runs: slices.Concat(rows.Runs, bounds), Axes: rows.Axes, Cores: rows.Cores, Routers: rows.Routers}
	for _, setting := range result.Of(&all).By(keys...) {
		c := Comparison{Setting: settingOf(keys, &setting.Runs[0]), Routers: setting.Distinct(col.Router), protocol: setting.Runs[0].Run.Protocol}
		for _, program := range tables.GroupBy(setting.Runs, application) {
			a := Application{Name: program.Key, trace: program.Records[0].Text(axisTrace) != "", runs: map[string]result.Runs{}}
			for _, own := range result.Runs(program.Records).By(col.Router) {
				router, runs := own.Values[0], own.Finished()
				_, windows := runs.Count()
				a.runs[router], a.Windows = runs, max(a.Windows, windows)
			}
			c.Applications = append(c.Applications, a)
		}
		if len(c.Routers) > 1 {
			c.named = slices.ContainsFunc(rows.Runs, func(r tables.Run) bool { return r.Router == result.Ideal })
			c.Routers = slices.DeleteFunc(c.Routers, func(router string) bool { return router == result.Ideal })
		}
		c.rank()
		list = append(list, c)
	}
	return list
}

// application is what a run replays: its trace, if that varies, or its workload.
func application(o *tables.Observation) string { return cmp.Or(o.Text(axisTrace), o.Run.Workload) }

// settingOf are the values of variables of a run.
func settingOf(keys []tables.Name, o *tables.Observation) []experiment.Setting {
	list := []experiment.Setting{}
	for _, v := range keys {
		list = append(list, experiment.Setting{Key: v.String(), Value: o.Text(v)})
	}
	return list
}

// rank ranks the routers in all applications, and over them.
func (c *Comparison) rank() {
	if len(c.Applications) > 1 {
		c.Mean = &Application{Name: "geometric mean"}
	}
	for i := range c.Applications {
		a := &c.Applications[i]
		a.rank(c.Routers)
		a.boundBy()
		if c.named {
			a.nameIdeal()
		}
		if c.Mean != nil {
			c.Mean.parts, c.Mean.Windows = append(c.Mean.parts, a), c.Mean.Windows+a.Windows
		}
	}
	if c.Mean != nil {
		c.Mean.rank(c.Routers)
		if c.named {
			c.Mean.nameIdeal()
		}
	}
	for i, row := range c.ranking().Rows {
		c.Routers[i] = row.Router
	}
}

// ranking are the rows that order the routers: of the only application, or of the means.
func (c *Comparison) ranking() *Application {
	if c.Mean != nil {
		return c.Mean
	}
	return &c.Applications[0]
}

// rankings are those of all applications and, of several, that over them.
func (c *Comparison) rankings() []Application {
	if c.Mean != nil {
		return append(slices.Clone(c.Applications), *c.Mean)
	}
	return c.Applications
}

// each lists the applications that a ranking is of.
func (a *Application) each() []*Application {
	if a.parts == nil {
		return []*Application{a}
	}
	return a.parts
}

// ratio is that of a column between two routers; over several applications the geometric mean, absent
// where one has none.
func (a *Application) ratio(v tables.Name, router, other string) metrics.Estimate {
	if a.parts == nil {
		return a.runs[router].Over(a.runs[other], v)
	}
	var each []metrics.Estimate
	for _, p := range a.parts {
		each = append(each, p.ratio(v, router, other))
	}
	return metrics.GeometricMeanOfEach(each)
}

// finished is how many runs of a router have finished.
func (a *Application) finished(router string) (n int) {
	for _, p := range a.each() {
		n += len(p.runs[router])
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
		if e := a.ratio(col.Cycles, r, reference); e.OK {
			times[r] = e.Mean
		}
	}
	routers = slices.SortedStableFunc(slices.Values(routers), func(x, y string) int { return cmp.Compare(times[x], times[y]) })
	best := routers[0]
	for i, r := range routers {
		row := a.row(r, best)
		if i+1 < len(routers) {
			row.Next = a.ratio(col.Cycles, r, routers[i+1])
			row.Verdict = verdictOf(row.Next)
		}
		row.Widened = row.Time.Widened() || row.Next.Widened()
		a.Rows = append(a.Rows, row)
	}
}

// row is a router over the fastest one.
func (a *Application) row(router, best string) Row {
	row := Row{Router: router, Runs: a.finished(router), Time: a.ratio(col.Cycles, router, best), Energy: a.ratio(col.EnergyJ, router, best), ED2P: a.ratio(col.ED2PJs2, router, best)}
	if a.parts == nil {
		for _, v := range (tables.OfRun | tables.OfWideRun).Names() {
			mean, _ := a.runs[router].Mean(v).Numbers()
			row.Means.Set(v.String(), mean)
		}
	}
	return row
}

// nameIdeal makes the row of the network without contention.
func (a *Application) nameIdeal() {
	row := a.row(result.Ideal, a.Rows[0].Router)
	a.ideal = &row
}

// shownRows are the rows of a table: the ranked ones and, last, that of the network without contention.
func (a *Application) shownRows() []Row {
	if a.ideal == nil {
		return a.Rows
	}
	return append(slices.Clone(a.Rows), *a.ideal)
}

// widened reports that a row is.
func (a *Application) widened() bool {
	return slices.ContainsFunc(a.Rows, func(r Row) bool { return r.Widened })
}

// boundBy compares with the network without contention, if that has run beside others.
func (a *Application) boundBy() {
	bound := a.runs[result.Ideal].Samples(col.Cycles)
	if len(bound) == 0 || a.Rows[0].Router == result.Ideal {
		return
	}
	a.Bound = &Bound{Time: a.ratio(col.Cycles, result.Ideal, a.Rows[0].Router)}
	for _, r := range a.Rows {
		ratios := metrics.PairedRatios(a.runs[r.Router].Samples(col.Cycles), bound)
		if slices.ContainsFunc(ratios, func(s metrics.Sample) bool { return s.Value < 1 }) {
			a.Bound.Beaten = r.Router
			return
		}
	}
}

// shownAxes are the axes whose values are those of columns, or what is replayed.
var shownAxes = []string{"routers", "chip.protocol", "topology", "workload", "trace"}

// settings are the columns and axes that tell the comparisons of a study apart: of protocol, cores and
// topology those that have several values, and axes without those of routers and programs.
func settings(rows *tables.Rows) []tables.Name {
	keys := append([]tables.Name{col.Protocol, col.Cores, col.Topology}, rows.AxisNames(shownAxes...)...)
	runs := result.Of(&tables.Rows{Runs: rows.Runs, Axes: rows.Axes})
	return slices.DeleteFunc(keys, func(v tables.Name) bool { return len(runs.Distinct(v)) < 2 })
}

// Title names a comparison by its setting, such as "token, 64 cores"; "" where the study has one.
func (c *Comparison) Title() string {
	var parts []string
	for _, s := range c.Setting {
		switch s.Key {
		case col.Protocol.String(), col.Topology.String():
			parts = append(parts, s.Value)
		case col.Cores.String():
			parts = append(parts, s.Value+" cores")
		default:
			parts = append(parts, s.Key+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}
