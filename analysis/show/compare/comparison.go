package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
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
}

// Application ranks routers in one application.
type Application struct {
	Name    string `json:"workload"`
	Windows int    `json:"windows"` // that are measured
	Rows    []Row  `json:"routers"` // by time
	// Bound is the network without contention; nil where it has not been run.
	Bound *Bound `json:"bound,omitempty"`

	runs  map[string][]tables.Record // finished ones, by router
	trace bool                       // it is a value of the axis trace
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
	Means   tables.Object `json:"means,omitempty"` // by column, see tables.ShownRuns

	next string // router of the next row
}

// Bound is what a network without contention takes.
type Bound struct {
	Time metrics.Estimate `json:"time"` // over that of the fastest router
	// Beaten is a router that takes less time than the network without contention in a window, because
	// more requests race there and are repeated: then it bounds nothing. "" for none.
	Beaten string `json:"beaten_by,omitempty"`
}

// boundRouter has no contention. It is no contestant.
const boundRouter = "ideal"

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
	s := settingsOf(&tables.Rows{Runs: rows.Runs, Axes: rows.Axes})
	all := tables.Rows{Runs: slices.Concat(rows.Runs, bounds), Axes: rows.Axes, Cores: rows.Cores, Routers: rows.Routers}
	for _, setting := range chart.GroupBy(chart.Records(&all), s.key) {
		c := Comparison{Setting: s.of(&setting.Records[0]), protocol: setting.Records[0].Texts["protocol"]}
		for _, program := range chart.GroupBy(setting.Records, application) {
			a := Application{Name: program.Key, trace: program.Records[0].Texts["trace"] != "", runs: map[string][]tables.Record{}}
			for _, own := range chart.GroupBy(program.Records, router) {
				a.runs[own.Key] = chart.Finished(own.Records)
				if own.Key != boundRouter && !slices.Contains(c.Routers, own.Key) {
					c.Routers = append(c.Routers, own.Key)
				}
			}
			c.Applications = append(c.Applications, a)
		}
		if len(c.Routers) == 0 { // it stands alone
			c.Routers = []string{boundRouter}
		}
		c.rank()
		list = append(list, c)
	}
	return list
}

// router is that of a run.
func router(r *tables.Record) string { return r.Texts["router"] }

// application is what a run replays: its trace, if that varies, or its workload.
func application(r *tables.Record) string { return cmp.Or(r.Texts["trace"], r.Texts["workload"]) }

// ratio is that of a column between two routers.
func (a *Application) ratio(column, router, other string) metrics.Estimate {
	return chart.Ratio(a.runs[router], a.runs[other], column)
}

// sorted orders routers by a ratio of their times to that of the one with the most windows.
// Interrupted studies have routers with fewer of them, or none: these come last.
func sorted(routers []string, runs func(string) int, over func(router, other string) metrics.Estimate) []string {
	reference := slices.MaxFunc(routers, func(a, b string) int { return cmp.Compare(runs(a), runs(b)) })
	ratio := map[string]metrics.Estimate{}
	for _, r := range routers {
		ratio[r] = over(r, reference)
	}
	return slices.SortedStableFunc(slices.Values(routers), func(a, b string) int {
		x, y := ratio[a], ratio[b]
		switch {
		case x.OK != y.OK:
			return map[bool]int{true: -1, false: 1}[x.OK]
		case !x.OK:
			return 0
		}
		return cmp.Compare(x.Mean, y.Mean)
	})
}

// rank fills the rows of a comparison.
func (c *Comparison) rank() {
	for i := range c.Applications {
		a := &c.Applications[i]
		for _, runs := range a.runs {
			_, windows := chart.Count(runs)
			a.Windows = max(a.Windows, windows)
		}
		a.Rows = rank(c.Routers, a.finished, a.ratio)
		for k := range a.Rows {
			row := &a.Rows[k]
			for _, shown := range tables.ShownRuns() {
				mean, _ := metrics.MeanValue(chart.Samples(a.runs[row.Router], shown.Column)).Numbers()
				row.Means.Set(shown.Column, mean)
			}
		}
		a.boundBy()
	}
	if len(c.Applications) > 1 {
		c.Mean = &Application{Name: "geometric mean", Rows: rank(c.Routers, c.finished, c.ratio)}
		for i := range c.Applications {
			c.Mean.Windows += c.Applications[i].Windows
		}
	}
	for i, row := range c.ranking().Rows {
		c.Routers[i] = row.Router
	}
}

// rank makes the rows of routers, sorted by time.
func rank(routers []string, finished func(router string) int, ratio func(column, router, other string) metrics.Estimate) (rows []Row) {
	routers = sorted(routers, finished, func(router, other string) metrics.Estimate { return ratio("cycles", router, other) })
	best := routers[0]
	for i, r := range routers {
		row := Row{Router: r, Runs: finished(r), Time: ratio("cycles", r, best), Energy: ratio("energy_j", r, best), ED2P: ratio("ed2p_js2", r, best)}
		if i+1 < len(routers) {
			row.next, row.Next = routers[i+1], ratio("cycles", r, routers[i+1])
			row.Verdict = verdictOf(row.Next)
		}
		row.Widened = row.Time.Widened() || row.Next.Widened()
		rows = append(rows, row)
	}
	return rows
}

// widened reports that a row is.
func (a *Application) widened() bool {
	return slices.ContainsFunc(a.Rows, func(r Row) bool { return r.Widened })
}

func (c *Comparison) widened() bool {
	return c.Mean != nil && c.Mean.widened() || slices.ContainsFunc(c.Applications, func(a Application) bool { return a.widened() })
}

// finished is how many runs of a router have finished.
func (a *Application) finished(router string) int { return len(a.runs[router]) }

func (c *Comparison) finished(router string) (n int) {
	for i := range c.Applications {
		n += c.Applications[i].finished(router)
	}
	return n
}

// ratio is the geometric mean of a ratio over applications; absent where one has none.
func (c *Comparison) ratio(column, router, other string) metrics.Estimate {
	if len(c.Applications) == 1 {
		return c.Applications[0].ratio(column, router, other)
	}
	var each []metrics.Estimate
	for i := range c.Applications {
		each = append(each, c.Applications[i].ratio(column, router, other))
	}
	return metrics.GeometricMeanOfEach(each)
}

// boundBy compares with the network without contention, if that has run beside others.
func (a *Application) boundBy() {
	bound := chart.Samples(a.runs[boundRouter], "cycles")
	if len(bound) == 0 || a.Rows[0].Router == boundRouter {
		return
	}
	a.Bound = &Bound{Time: a.ratio("cycles", boundRouter, a.Rows[0].Router)}
	for _, r := range a.Rows {
		ratios := metrics.PairedRatios(chart.Samples(a.runs[r.Router], "cycles"), bound)
		if slices.ContainsFunc(ratios.Values, func(v float64) bool { return v < 1 }) {
			a.Bound.Beaten = r.Router
			return
		}
	}
}

// settings are the columns and axes that tell the comparisons of a study apart: of protocol, cores and
// topology those that have several values, and axes without those of routers and programs.
type settings []string

// shownAxes are the axes whose values are those of columns, or what is replayed.
var shownAxes = []string{"routers", "chip.protocol", "topology", "workload", "trace"}

// settingsOf looks at what varies in the runs of a study.
func settingsOf(rows *tables.Rows) (s settings) {
	records := rows.Records()
	varies := func(column string) bool {
		return slices.ContainsFunc(records, func(r tables.Record) bool { return r.Label(column) != records[0].Label(column) })
	}
	for _, column := range []string{"protocol", "cores", "topology"} {
		if varies(column) {
			s = append(s, column)
		}
	}
	seen := slices.Clone(shownAxes)
	for _, a := range rows.Axes {
		if slices.Contains(seen, a.Key) {
			continue
		}
		if seen = append(seen, a.Key); varies(a.Key) {
			s = append(s, a.Key)
		}
	}
	return s
}

// of is the setting of a run.
func (s settings) of(r *tables.Record) []experiment.Setting {
	list := []experiment.Setting{}
	for _, key := range s {
		list = append(list, experiment.Setting{Key: key, Value: r.Label(key)})
	}
	return list
}

// key tells the setting of a run from others.
func (s settings) key(r *tables.Record) string { return fmt.Sprint(s.of(r)) }

// Protocol is the coherence protocol of a comparison.
func (c *Comparison) Protocol() string { return c.protocol }

// Title names a comparison by its setting, such as "token, 64 cores"; "" where the study has one.
func (c *Comparison) Title() string {
	var parts []string
	for _, s := range c.Setting {
		switch s.Key {
		case "protocol", "topology":
			parts = append(parts, s.Value)
		case "cores":
			parts = append(parts, s.Value+" cores")
		default:
			parts = append(parts, s.Key+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}
