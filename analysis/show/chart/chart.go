package chart

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Measure is a column of the result tables as people see it.
type Measure struct {
	Column     tables.Name
	Quantity   string // what it is, for axes and headers
	Definition string // how it is computed, where that needs saying
	Unit       string
	Scale      float64 // what converts the column's unit into Unit; 0 is 1
	// Baseline is the series by which others are divided, see Ratio; "" leaves values as they are.
	Baseline string
}

// Axis tells the parts of a picture apart by the values of columns of the tables, or of axes of the
// plan. The zero value has one part.
type Axis struct {
	Columns []tables.Name
	Title   string           // of positions
	Names   map[Value]string // what people read for values; those that are empty are left out
}

// Value is a value of a column.
type Value struct {
	Column tables.Name
	Value  string
}

// Cell is the value of an observation in a sheet, where it is flush right if it is a number.
func (v Value) Cell(o *tables.Observation) any {
	if _, number := o.Number(v.Column); number {
		return sheet.Digits(v.Value)
	}
	return v.Value
}

// By is the axis of some columns.
func By(columns ...tables.Name) Axis { return Axis{Columns: columns} }

// of is what people read for an observation on an axis: its values, joined by commas. others are
// names that hold where the axis has none.
func (a *Axis) of(o *tables.Observation, others map[Value]string) string {
	text := ""
	for _, column := range a.Columns {
		value := Value{column, o.Text(column)}
		name, ok := a.Names[value]
		if !ok {
			if name, ok = others[value]; !ok {
				name = value.Value
			}
		}
		text = join(text, name)
	}
	return text
}

// join puts two names together, of which one may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// Chart says what a picture shows: a measure of some series, in panels with rows in groups, or with
// curves over the positions X.
type Chart struct {
	Name, Title string
	Measure
	// Series are what is compared. Of several columns the first decides the colour and the others the
	// line. Claims compare series by their values, so Names does not hold for them.
	Series              Axis
	Panel, Group, Label Axis
	X                   Axis
	// Prices of energy; experiment.AsSimulated keeps those of the sweep.
	Prices string
	// Only keeps the observations whose column has one of these values; nil keeps all.
	Only map[tables.Name][]string
	// Knee keeps, of observations that differ in their offered load alone, the one with the largest
	// load at which the latency is at most so many times that at the lightest; 0 keeps all.
	Knee  float64
	Names map[Value]string // for panels, groups and labels that have none of their own
	// References are values that stand beside the measured ones, such as those that a paper prints.
	References []Reference
	// With are charts whose panels belong to the same picture.
	With      []Chart
	Mean      bool // adds the mean of what its cells say behind each group
	YMax      float64
	TableOnly bool // its values are in the table, but there is no picture
}

// Place is where something stands in a picture.
type Place struct {
	Panel, Group, Label string
	X                   float64
}

// Where names a place for people.
func (p Place) Where() string {
	text := join(join(p.Panel, p.Group), p.Label)
	if p.X != 0 {
		text += fmt.Sprintf(" at %g", p.X)
	}
	return strings.TrimSpace(text)
}

// Reference is a value that was not measured here.
type Reference struct {
	Place
	Series string
	// Like is the series whose colour it has, with another line; "" gives it a colour of its own.
	Like             string
	Value, Low, High float64 // equal where there is no interval
}

// HasCurves reports whether the chart has positions, and no rows.
func (c *Chart) HasCurves() bool { return c.X.Columns != nil }

// place is where an observation stands.
func (c *Chart) place(o *tables.Observation) Place {
	at := Place{Panel: c.Panel.of(o, c.Names), Group: c.Group.of(o, c.Names), Label: c.Label.of(o, c.Names)}
	if c.HasCurves() {
		at.X, _ = o.Number(c.X.Columns[0])
	}
	return at
}

// series is that of an observation.
func (c *Chart) series(o *tables.Observation) string { return c.Series.of(o, nil) }

// Estimate is the mean of a series in a cell, with its interval: as measured, or divided by the
// baseline's.
func (c *Chart) Estimate(in *Cell, series string) metrics.Estimate {
	return in.Value(series, c.Baseline)
}

// Curve is what a function says of a series in those cells of a panel for which keep holds.
func Curve(cells []Cell, panel, series string, of func(in *Cell, series string) metrics.Estimate, keep func(*Cell) bool) result.Curve {
	var list []result.At
	for i := range cells {
		if e := of(&cells[i], series); cells[i].Panel == panel && e.OK && keep(&cells[i]) {
			list = append(list, result.At{X: cells[i].X, Estimate: e, Saturated: cells[i].Saturated[series] > 0})
		}
	}
	return result.NewCurve(list)
}
