package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Columns are columns of the tables as people see them.
func Columns(names ...string) (list []Measure) {
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
	Values    []Estimate
}

// Means is a table of means with their confidence: a line for each group of runs or points.
type Means struct {
	By      []string // columns that make a group
	Columns []Measure
	Lines   []Line
	points  bool // of networks alone, which can saturate
}

// Means groups runs and points by columns or axes, in the order in which the groups appear, and
// returns the means of measures for each group; none where no run of the group has finished. series
// is the one of the columns in which a group differs from that of its baseline; the scheme may
// differ with it, because routers have schemes of their own.
func (d *Data) Means(by []string, series string, columns ...Measure) Means {
	m := Means{by, columns, nil, len(d.Tables().Traffic) > 0}
	// peer is the key of the group of a series that has the rest in common with one.
	place := tables.Key(slices.DeleteFunc(slices.Clone(by), func(column string) bool { return column == series || column == "scheme" })...)
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
		l.Saturated, _ = tables.Count(slices.DeleteFunc(slices.Clone(g.Records), func(r tables.Record) bool { return r.Texts["saturated"] != tables.Saturated }))
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
	s := sheet.New(m.By...)
	for i := range m.Lines {
		s.Rows = append(s.Rows, slices.Clone(m.Lines[i].Labels))
	}
	s.Column("runs", func(row int) any { return m.Lines[row].Runs })
	if m.points {
		s.Column("saturated", func(row int) any { return m.Lines[row].saturation() })
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
