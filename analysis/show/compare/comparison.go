package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
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
}

// Application ranks routers in one application.
type Application struct {
	Name    string `json:"workload"`
	Windows int    `json:"windows"` // that are measured
	Rows    []Row  `json:"routers"` // by time
	// Bound is the network without contention; nil where it has not been run.
	Bound *Bound `json:"bound,omitempty"`

	measured map[string]*measured // by router
	trace    bool                 // it is a value of the axis trace
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
	Means   tables.Object    `json:"means,omitempty"` // by column, see tables.ShownRuns
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

// measured is what the finished runs of a router in an application have measured.
type measured struct {
	runs               int
	time, energy, ed2p []metrics.Sample
	middle             []metrics.Sample // times without the starts and ends of windows
	cores              map[metrics.Pair][]uint64
	sums               map[string]float64 // of columns, over windows
	known              map[string]int     // runs that have the column
	windows            map[uint64]bool
}

// Of ranks the routers of a study in every setting and application, in the order of the plan. bounds
// are runs of a network without contention that were made beside those of the study.
func Of(rows *tables.Rows, bounds []tables.Run) (list []Comparison) {
	s := settingsOf(rows)
	cores := map[string][]uint64{}
	for i := range rows.Cores {
		cores[rows.Cores[i].RunKey] = append(cores[rows.Cores[i].RunKey], rows.Cores[i].FinishCycle)
	}
	find := func(r *tables.Run, add bool) *Application {
		setting := s.of(r)
		c := slices.IndexFunc(list, func(c Comparison) bool { return slices.Equal(c.Setting, setting) })
		if c < 0 && !add {
			return nil
		}
		if c < 0 {
			c, list = len(list), append(list, Comparison{Setting: setting})
		}
		name, trace := s.application(r)
		own := &list[c]
		a := slices.IndexFunc(own.Applications, func(a Application) bool { return a.Name == name })
		if a < 0 && !add {
			return nil
		}
		if a < 0 {
			a, own.Applications = len(own.Applications), append(own.Applications, Application{Name: name, trace: trace, measured: map[string]*measured{}})
		}
		if r.Router != boundRouter && !slices.Contains(own.Routers, r.Router) {
			own.Routers = append(own.Routers, r.Router)
		}
		return &own.Applications[a]
	}
	for i := range rows.Runs {
		find(&rows.Runs[i], true).add(&rows.Runs[i], cores[rows.Runs[i].RunKey])
	}
	for i := range bounds {
		if a := find(&bounds[i], false); a != nil {
			a.add(&bounds[i], nil)
		}
	}
	for i := range list {
		if len(list[i].Routers) == 0 { // it stands alone
			list[i].Routers = []string{boundRouter}
		}
		list[i].rank()
	}
	return list
}

// add adds a run to what its router has measured.
func (a *Application) add(r *tables.Run, cores []uint64) {
	m := a.measured[r.Router]
	if m == nil {
		m = &measured{sums: map[string]float64{}, known: map[string]int{}, windows: map[uint64]bool{}, cores: map[metrics.Pair][]uint64{}}
		a.measured[r.Router] = m
	}
	if r.ExitState != tables.Finished {
		return
	}
	m.runs++
	m.windows[r.Window] = true
	pair := metrics.Pair{Seed: r.Seed, Window: r.Window}
	put := func(list *[]metrics.Sample, v, delay float64, known bool) {
		if known {
			*list = append(*list, metrics.Sample{Pair: pair, Value: v, Delay: delay})
		}
	}
	put(&m.time, float64(r.Cycles.Value), 0, r.Cycles.Known)
	put(&m.middle, float64(r.MiddleCycles.Value), 0, r.MiddleCycles.Known && r.MiddleCycles.Value > 0)
	put(&m.energy, r.Energy.Value, 0, r.Energy.Known)
	put(&m.ed2p, r.EnergyED2P.Value, float64(r.Cycles.Value), r.EnergyED2P.Known && r.Cycles.Known)
	if len(cores) > 0 {
		m.cores[pair] = cores
	}
	_, numbers := tables.Runs.Cells(r)
	for _, c := range tables.ShownRuns {
		if v, ok := numbers[c.Column]; ok {
			m.sums[c.Column] += v
			m.known[c.Column]++
		}
	}
}

// of is what a router has measured; nothing where it has not run.
func (a *Application) of(router string) *measured {
	if m := a.measured[router]; m != nil {
		return m
	}
	return new(measured)
}

// over is the time of a router over that of another.
func (a *Application) over(router, other string) metrics.Estimate {
	return metrics.TotalRatio(a.of(router).time, a.of(other).time)
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
		c.Applications[i].rank(c.Routers)
	}
	if len(c.Applications) == 1 {
		c.Routers = c.Applications[0].routers()
		return
	}
	runs := func(router string) (n int) {
		for i := range c.Applications {
			n += c.Applications[i].of(router).runs
		}
		return n
	}
	c.Routers = sorted(c.Routers, runs, c.over)
	c.Mean = &Application{Name: "geometric mean"}
	best := c.Routers[0]
	for i, r := range c.Routers {
		row := Row{Router: r, Runs: runs(r), Time: c.over(r, best),
			Energy: c.mean(func(a *Application) metrics.Estimate { return metrics.TotalRatio(a.of(r).energy, a.of(best).energy) }),
			ED2P:   c.mean(func(a *Application) metrics.Estimate { return metrics.TotalRatio(a.of(r).ed2p, a.of(best).ed2p) })}
		if i+1 < len(c.Routers) {
			row.Next = c.over(r, c.Routers[i+1])
			row.Verdict = verdictOf(row.Next)
		}
		c.Mean.Rows = append(c.Mean.Rows, row)
	}
	for i := range c.Applications {
		c.Mean.Windows += c.Applications[i].Windows
	}
}

// over is the geometric mean over applications of the time of a router over that of another.
func (c *Comparison) over(router, other string) metrics.Estimate {
	if len(c.Applications) == 1 {
		return c.Applications[0].over(router, other)
	}
	return c.mean(func(a *Application) metrics.Estimate { return a.over(router, other) })
}

// mean is the geometric mean of a ratio over applications; absent where one has none.
func (c *Comparison) mean(of func(a *Application) metrics.Estimate) metrics.Estimate {
	var each []metrics.Estimate
	for i := range c.Applications {
		each = append(each, of(&c.Applications[i]))
	}
	return metrics.GeometricMeanOfEach(each)
}

// routers are those of the rows.
func (a *Application) routers() (list []string) {
	for i := range a.Rows {
		list = append(list, a.Rows[i].Router)
	}
	return list
}

// rank fills the rows of an application.
func (a *Application) rank(routers []string) {
	routers = sorted(routers, func(r string) int { return a.of(r).runs }, a.over)
	best := routers[0]
	for i, r := range routers {
		m := a.of(r)
		row := Row{Router: r, Runs: m.runs, Time: a.over(r, best), Energy: metrics.TotalRatio(m.energy, a.of(best).energy), ED2P: metrics.TotalRatio(m.ed2p, a.of(best).ed2p)}
		for _, c := range tables.ShownRuns {
			var mean any
			if n := m.known[c.Column]; n > 0 {
				mean = m.sums[c.Column] / float64(n)
			}
			row.Means.Set(c.Column, mean)
		}
		if i+1 < len(routers) {
			row.Next = a.over(r, routers[i+1])
			row.Verdict = verdictOf(row.Next)
		}
		a.Rows, a.Windows = append(a.Rows, row), max(a.Windows, len(m.windows))
	}
	if bound := a.of(boundRouter); bound.runs > 0 && !slices.Contains(routers, boundRouter) {
		a.Bound = &Bound{Time: a.over(boundRouter, best)}
		for _, r := range routers {
			ratios := metrics.PairedRatios(a.of(r).time, bound.time)
			if slices.ContainsFunc(ratios.Values, func(v float64) bool { return v < 1 }) {
				a.Bound.Beaten = r
				break
			}
		}
	}
}

// settings says which columns and axes tell the comparisons of a study apart.
type settings struct {
	columns []string // of protocol, cores and topology, those that have several values
	axes    map[string]map[string]string
	keys    []string // of axes, without those of routers and programs
}

// programs are the axes whose values are what is replayed.
var programs = []string{"workload", "trace"}

// settingsOf looks at what varies in a study.
func settingsOf(rows *tables.Rows) settings {
	s := settings{axes: map[string]map[string]string{}}
	first, varies := map[string]string{}, map[string]bool{}
	shown := append([]string{"routers", "chip.protocol", "topology"}, programs...)
	for _, a := range rows.Axes {
		if s.axes[a.RunKey] == nil {
			s.axes[a.RunKey] = map[string]string{}
		}
		s.axes[a.RunKey][a.Key] = a.Value
		if v, known := first[a.Key]; !known {
			first[a.Key] = a.Value
		} else if v != a.Value && !varies[a.Key] && !slices.Contains(shown, a.Key) {
			varies[a.Key], s.keys = true, append(s.keys, a.Key)
		}
	}
	for _, name := range []string{"protocol", "cores", "topology"} {
		values := map[string]bool{}
		for i := range rows.Runs {
			values[valueOf(&rows.Runs[i], name)] = true
		}
		if len(values) > 1 {
			s.columns = append(s.columns, name)
		}
	}
	return s
}

// valueOf is the value of one of the columns of a setting.
func valueOf(r *tables.Run, column string) string {
	switch column {
	case "protocol":
		return r.Protocol
	case "cores":
		return fmt.Sprint(r.Cores)
	}
	return r.Topology
}

// of is the setting of a run.
func (s *settings) of(r *tables.Run) []experiment.Setting {
	list := []experiment.Setting{}
	for _, name := range s.columns {
		list = append(list, experiment.Setting{Key: name, Value: valueOf(r, name)})
	}
	for _, key := range s.keys {
		list = append(list, experiment.Setting{Key: key, Value: s.axes[r.RunKey][key]})
	}
	return list
}

// application is what a run replays: its trace, if that varies, or its workload.
func (s *settings) application(r *tables.Run) (name string, trace bool) {
	if path := s.axes[r.RunKey]["trace"]; path != "" {
		return path, true
	}
	return r.Workload, false
}

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
