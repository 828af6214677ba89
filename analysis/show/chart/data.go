package chart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Data is what a sweep measured: an observation for each finished run or point, at each of the prices
// that were asked for.
//
// It knows how much of the plan was measured, and notes whether the measurements were read: a
// verdict that follows from an incomplete study is withheld (see Entry.Analyse), whatever the code
// of the claim returns.
type Data struct {
	Extent
	rows   *tables.Rows
	Priced map[string]result.Runs // what has finished, by the name of the prices
	// cells keeps what Cells found for a chart: claims ask many times.
	cells map[*Chart][]Cell
	// Consulted is set when the measurements are read.
	Consulted bool
	Err       error // why some prices could not be computed
}

// Extent says how much a study has measured: whether its runs are short or have other settings than the plan's, and
// which part of the plan is finished.
type Extent struct {
	Quick   bool
	Changed []string // settings that change the points of a paper's figure
	experiment.Coverage
}

// ExtentOf reads the extent from a manifest.
func ExtentOf(m *experiment.Manifest) Extent {
	e := Extent{Coverage: m.Coverage}
	if m.Plan != nil {
		e.Quick, e.Changed = m.Plan.Quick, m.Plan.Changed
	}
	return e
}

// Setup says how the runs differ from the paper's, as the end of a list.
func (e Extent) Setup() (text string) {
	if e.Quick {
		text = "; quick: short runs"
	}
	if e.Changed != nil {
		text += "; changed: " + strings.Join(e.Changed, ", ")
	}
	return text
}

// NewData looks at the tables of a study.
func NewData(rows *tables.Rows, e Extent) *Data {
	return &Data{Extent: e, rows: rows, Priced: map[string]result.Runs{experiment.AsSimulated: result.Of(rows).Finished()}, cells: map[*Chart][]Cell{}}
}

// At are the observations at some prices, which are computed once; none where that cannot be done,
// see Err.
func (d *Data) At(name string) result.Runs {
	d.Consulted = true
	if _, ok := d.Priced[name]; !ok {
		again, err := experiment.PricedAt(d.rows, name)
		if err != nil {
			d.Err, again = errors.Join(d.Err, err), tables.Rows{}
		}
		d.Priced[name] = result.Of(&again).Finished()
	}
	return d.Priced[name]
}

// kept are the observations that belong to a chart, at its prices.
func (d *Data) kept(c *Chart) result.Runs {
	return d.At(c.Prices).Where(func(o *tables.Observation) bool {
		for v, values := range c.Only {
			if !slices.Contains(values, o.Text(v)) {
				return false
			}
		}
		return true
	})
}

// Cell is what is compared: the runs of each series at one place of a chart.
type Cell struct {
	Place
	result.Cell
}

// Cells sorts the observations of a chart into its cells, in the order of the plan. Those without the
// measure are left out. The chart must not change between calls, nor may the cells be changed.
func (d *Data) Cells(c *Chart) []Cell {
	d.Consulted = true
	if known, ok := d.cells[c]; ok {
		return known
	}
	list := d.kept(c)
	if c.Knee > 0 {
		list = c.atKnee(list)
	}
	list = list.Where(func(o *tables.Observation) bool { _, measured := o.Number(c.Column); return measured })
	var cells []Cell
	for _, at := range tables.GroupBy(list, c.place) {
		in := Cell{at.Key, result.Cell{Samples: map[string][]metrics.Sample{}, Saturated: map[string]int{}, Totals: result.Total(c.Column)}}
		_, in.Windows = result.Runs(at.Records).Count()
		for _, s := range tables.GroupBy(at.Records, c.series) {
			runs := result.Runs(s.Records)
			in.Samples[s.Key], in.Saturated[s.Key] = runs.Samples(c.Column), len(runs.Saturated())
		}
		cells = append(cells, in)
	}
	d.cells[c] = cells
	return cells
}

// SeriesOf lists the series of cells in the order of their first appearance.
func SeriesOf(d *Data, c *Chart) []string { return tables.Keys(tables.GroupBy(d.kept(c), c.series)) }

// atKnee keeps one observation of each curve, which is what has a place, a series and a pair in common:
// that with the largest load below the knee. A load at which nothing arrives is beyond it.
func (c *Chart) atKnee(list result.Runs) (kept result.Runs) {
	type curve struct {
		Place
		series string
		metrics.Pair
	}
	for _, g := range tables.GroupBy(list, func(o *tables.Observation) curve {
		return curve{c.place(o), c.series(o), o.Pair}
	}) {
		at, ok := result.Runs(g.Records).Curve(tables.Col.Offered, tables.Col.LatencyMean).Below(c.Knee)
		kept = append(kept, result.Runs(g.Records).Where(func(o *tables.Observation) bool {
			load, _ := o.Number(tables.Col.Offered)
			return ok && load == at
		})...)
	}
	return kept
}

// Line is a group of runs that differ in their seeds and windows only.
type Line struct {
	Labels    []string // values of the columns that the summary groups by
	labels    []any    // the same for people
	Runs      int      // finished ones
	Saturated int      // of those, points whose network was saturated
	Values    []metrics.Estimate
}

// Means is a table of means with their confidence: a line for each group of runs or points.
type Means struct {
	By      []tables.Name // that make a group
	Columns []tables.Shown
	Lines   []Line
	points  bool // of networks alone, which can saturate
}

// MeansOf groups runs and points by columns or axes, in the order in which the groups appear, and
// returns the means of columns for each group; none where no run of the group has finished.
func MeansOf(rows *tables.Rows, by []tables.Name, columns []tables.Shown) Means {
	m := Means{by, columns, nil, len(rows.Traffic) > 0}
	for _, g := range result.Of(rows).By(by...) {
		l, runs := Line{Labels: g.Values}, g.Finished()
		for k, v := range by {
			l.labels = append(l.labels, Value{v, g.Values[k]}.Cell(&g.Runs[0]))
		}
		l.Runs, _ = runs.Count()
		l.Saturated, _ = runs.Saturated().Count()
		for _, c := range columns {
			l.Values = append(l.Values, runs.Mean(c.Column))
		}
		m.Lines = append(m.Lines, l)
	}
	return m
}

// Sheet shows the table to people: the groups, their finished runs, and the columns that have a
// title and of which something is known. Means of chips have no interval there: how windows differ is
// a property of the program, not of the router.
func (m Means) Sheet() *sheet.Sheet {
	s := sheet.New(tables.Texts(m.By...)...)
	for i := range m.Lines {
		s.Add(m.Lines[i].labels...)
	}
	s.Column("runs", func(row int) any { return m.Lines[row].Runs })
	if m.points {
		s.Column(tables.Col.Saturated.String(), func(row int) any { return m.Lines[row].saturation() })
	}
	for k, c := range m.Columns {
		if c.Title == "" || !slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Values[k].OK }) {
			continue
		}
		s.Column(c.Title, func(row int) any {
			e := m.Lines[row].Values[k].Scale(c.Scale)
			if !m.points && e.OK {
				e = metrics.Value(e.Mean)
			}
			return e
		})
	}
	return s
}

// saturation says how many runs of a line were saturated.
func (l *Line) saturation() string {
	switch {
	case l.Runs == 0:
		return sheet.None
	case l.Saturated == 0:
		return "no"
	case l.Saturated == l.Runs:
		return "yes"
	}
	return fmt.Sprintf("%d of %d", l.Saturated, l.Runs)
}
