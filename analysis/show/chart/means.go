package chart

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

// Column is a measure as a table of means shows it.
type Column struct {
	Title string // "" leaves it out of sheets
	Measure
	Scale float64 // what values are multiplied with; 0 is 1
}

// Means is a table of means with their confidence: a line for each group of runs or points.
type Means struct {
	By      []string // columns that make a group
	Columns []Column
	Lines   []Line
	points  bool // of networks alone, which can saturate
}

// Means groups runs and points as Summary does.
func (d *Data) Means(by []string, series string, columns ...Column) Means {
	var measures []Measure
	for _, c := range columns {
		measures = append(measures, c.Measure)
	}
	return Means{by, columns, d.Summary(by, series, measures), len(d.Tables().Traffic) > 0}
}

// Measured leaves out the columns that no line has a value of.
func (m Means) Measured() Means {
	absent := func(k int) bool {
		return !slices.ContainsFunc(m.Lines, func(l Line) bool { return l.Values[k].OK })
	}
	columns, lines := []Column{}, slices.Clone(m.Lines)
	for i := range lines {
		lines[i].Values = nil
	}
	for k, c := range m.Columns {
		if absent(k) {
			continue
		}
		columns = append(columns, c)
		for i := range lines {
			lines[i].Values = append(lines[i].Values, m.Lines[i].Values[k])
		}
	}
	return Means{m.By, columns, lines, m.points}
}

// Sheet shows the table to people: the groups, their finished runs, and the columns that have a
// title.
func (m Means) Sheet() *sheet.Sheet {
	s := sheet.New(append(slices.Clone(m.By), "runs")...)
	if m.points {
		s.Header = append(s.Header, "saturated")
	}
	for _, c := range m.Columns {
		if c.Title != "" {
			s.Header = append(s.Header, c.Title)
		}
	}
	for i := range m.Lines {
		l := &m.Lines[i]
		row := append(slices.Clone(l.Labels), fmt.Sprint(l.Runs))
		if m.points {
			row = append(row, l.saturation())
		}
		for k, c := range m.Columns {
			if c.Title != "" {
				row = append(row, l.Values[k].Scale(cmp.Or(c.Scale, 1)).Text())
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// saturation says how many runs of a line were saturated.
func (l *Line) saturation() string {
	switch l.Saturated {
	case 0:
		return "no"
	case l.Runs:
		return "yes"
	}
	return fmt.Sprintf("%d of %d", l.Saturated, l.Runs)
}
