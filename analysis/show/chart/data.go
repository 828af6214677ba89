package chart

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Data is what a sweep measured: a record for each finished run or point, at each of the prices
// that were asked for.
//
// It knows how much of the plan was measured, and notes whether the measurements were read: a
// verdict that follows from an incomplete study is withheld (see Entry.Analyse), whatever the code
// of the claim returns.
type Data struct {
	Extent
	rows   *tables.Rows
	All    []tables.Record            // also of what has not finished
	Priced map[string][]tables.Record // what has finished, by the name of the prices
	// cells keeps what Cells found for a chart: claims ask many times.
	cells map[*Chart][]Cell
	// Consulted is set when the measurements are read.
	Consulted bool
	Err       error // why some prices could not be computed
}

// Extent says how much a study has measured: whether its runs are short, and which part of its plan
// is finished.
type Extent struct {
	Quick bool
	experiment.Coverage
}

// NewData looks at the tables of a study.
func NewData(rows *tables.Rows, e Extent) *Data {
	all := rows.Observations()
	return &Data{Extent: e, rows: rows, All: all, Priced: map[string][]tables.Record{experiment.AsSimulated: tables.OnlyFinished(all)}}
}

// Tables returns the tables that the study has measured.
func (d *Data) Tables() *tables.Rows {
	d.Consulted = true
	return d.rows
}

// At are the records at some prices, which are computed once; none where that cannot be done, see Err.
func (d *Data) At(name string) []tables.Record {
	d.Consulted = true
	if _, ok := d.Priced[name]; !ok {
		again, err := experiment.PricedAt(d.rows, name)
		if err != nil {
			d.Err, again = errors.Join(d.Err, err), tables.Rows{}
		}
		d.Priced[name] = tables.OnlyFinished(again.Observations())
	}
	return d.Priced[name]
}

// kept are the records that belong to a chart, at its prices.
func (d *Data) kept(c *Chart) []tables.Record {
	return slices.DeleteFunc(slices.Clone(d.At(c.Prices)), func(r tables.Record) bool {
		for column, values := range c.Only {
			if !slices.Contains(values, r.Label(column)) {
				return true
			}
		}
		return false
	})
}

// Cell is what is compared: the runs of each series at one place of a chart.
type Cell struct {
	Place
	Samples   map[string][]metrics.Sample // by series
	Saturated map[string]int              // runs of a series that were saturated
	Windows   int                         // of a trace that the samples are of
	Totals    bool                        // ratios are those of totals, see tables.RatioOf
	base      []metrics.Sample            // what series are divided by: of the baseline, the whole
	means     map[string]metrics.Estimate // by series, of a cell that is the mean of others
}

// Cells sorts the records of a chart into its cells, in the order of the plan. Records without the
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
	list = slices.DeleteFunc(list, func(r tables.Record) bool { _, measured := r.Numbers[c.Column]; return !measured })
	whole := cmp.Or(c.whole, c.Column)
	totals := tables.OfExecution(whole) || whole == tables.Energies.Whole && len(d.rows.Runs) > 0
	var cells []Cell
	for _, at := range tables.GroupBy(list, c.place) {
		in := Cell{Place: at.Key, Samples: map[string][]metrics.Sample{}, Saturated: map[string]int{}, Totals: totals}
		_, in.Windows = tables.Count(at.Records)
		for _, s := range tables.GroupBy(at.Records, c.series) {
			in.Samples[s.Key] = tables.Samples(s.Records, c.Column)
			if s.Key == c.Baseline {
				in.base = tables.Samples(s.Records, whole)
			}
			for i := range s.Records {
				if s.Records[i].Texts[tables.Col.Saturated] == tables.Saturated {
					in.Saturated[s.Key]++
				}
			}
		}
		cells = append(cells, in)
	}
	if d.cells == nil {
		d.cells = map[*Chart][]Cell{}
	}
	d.cells[c] = cells
	return cells
}

// SeriesOf lists the series of cells in the order of their first appearance.
func SeriesOf(d *Data, c *Chart) []string { return tables.Keys(tables.GroupBy(d.kept(c), c.series)) }

// atKnee keeps one record of each curve, which is what has a place, a series and a pair in common:
// that with the largest load below the knee. A load at which nothing arrives is beyond it.
func (c *Chart) atKnee(list []tables.Record) (kept []tables.Record) {
	type curve struct {
		Place
		series string
		metrics.Pair
	}
	for _, g := range tables.GroupBy(list, func(r *tables.Record) curve {
		return curve{c.place(r), c.series(r), r.Pair}
	}) {
		loads := g.Records
		slices.SortStableFunc(loads, func(a, b tables.Record) int {
			return cmp.Compare(a.Numbers[tables.Col.Offered], b.Numbers[tables.Col.Offered])
		})
		light, known := loads[0].Numbers[tables.Col.LatencyMean]
		if !known {
			continue
		}
		below := 0
		for below+1 < len(loads) {
			latency, known := loads[below+1].Numbers[tables.Col.LatencyMean]
			if !known || latency > c.Knee*light {
				break
			}
			below++
		}
		kept = append(kept, loads[below])
	}
	return kept
}

// Columns are columns of the tables as people see them.
func Columns(names ...tables.Name) (list []Measure) {
	for _, name := range names {
		s := tables.OnScreen(name)
		list = append(list, Measure{Column: name, Quantity: s.Title, Scale: s.Scale})
	}
	return list
}

// Line is a group of runs that differ in their seeds and windows only.
type Line struct {
	Labels    []string // values of the columns that the summary groups by
	Runs      int      // finished ones
	Saturated int      // of those, points whose network was saturated
	Values    []metrics.Estimate
}

// Means is a table of means with their confidence: a line for each group of runs or points.
type Means struct {
	By      []tables.Name // columns that make a group
	Columns []Measure
	Lines   []Line
	points  bool // of networks alone, which can saturate
}

// Means groups runs and points by columns or axes, in the order in which the groups appear, and
// returns the means of measures for each group; none where no run of the group has finished. series
// is the one of the columns in which a group differs from that of its baseline; the scheme may
// differ with it, because routers have schemes of their own.
func (d *Data) Means(by []tables.Name, series tables.Name, columns ...Measure) Means {
	m := Means{by, columns, nil, len(d.Tables().Traffic) > 0}
	// peer is the key of the group of a series that has the rest in common with one.
	place := tables.Key(slices.DeleteFunc(slices.Clone(by), func(column tables.Name) bool { return column == series || column == tables.Col.Scheme })...)
	peer := func(r *tables.Record, series string) string { return place(r) + "\x00" + series }
	peers, groups := map[string][]tables.Record{}, tables.GroupBy(d.All, tables.Key(by...))
	for i := range groups {
		first := &groups[i].Records[0]
		groups[i].Records = tables.OnlyFinished(groups[i].Records)
		if k := peer(first, first.Label(series)); peers[k] == nil {
			peers[k] = groups[i].Records
		}
	}
	for _, g := range groups {
		l := Line{Labels: strings.Split(g.Key, "\x00")}
		l.Runs, _ = tables.Count(g.Records)
		l.Saturated, _ = tables.Count(slices.DeleteFunc(slices.Clone(g.Records), func(r tables.Record) bool { return r.Texts[tables.Col.Saturated] != tables.Saturated }))
		for _, c := range columns {
			if c.Baseline != "" && l.Runs > 0 {
				l.Values = append(l.Values, tables.RatioOf(g.Records, peers[peer(&g.Records[0], c.Baseline)], c.Column))
			} else {
				l.Values = append(l.Values, metrics.MeanValue(tables.Samples(g.Records, c.Column)))
			}
		}
		m.Lines = append(m.Lines, l)
	}
	return m
}

// Sheet shows the table to people: the groups, their finished runs, and the measures that have a
// quantity and of which something is known. Means of runs have no interval there: how windows differ is
// nothing that a router does.
func (m Means) Sheet() *sheet.Sheet {
	s := sheet.New(tables.Texts(m.By...)...)
	for i := range m.Lines {
		s.Rows = append(s.Rows, slices.Clone(m.Lines[i].Labels))
	}
	s.Column("runs", func(row int) any { return m.Lines[row].Runs })
	if m.points {
		s.Column(tables.Col.Saturated.String(), func(row int) any { return m.Lines[row].saturation() })
	}
	for k, c := range m.Columns {
		if c.Quantity == "" || !slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Values[k].OK }) {
			continue
		}
		s.Column(c.Quantity, func(row int) any {
			e := m.Lines[row].Values[k].Scale(cmp.Or(c.Scale, 1))
			if !m.points && c.Baseline == "" && e.OK {
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
