package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Figure is a picture: panels with one legend.
type Figure struct {
	Name  string // of its files, without extension
	Title string
	Note  string // one line below: how values came about
	// Warning is shown beside the title of a file in a colour of its own: what a reader must know
	// before looking; "" for none. A page says it itself.
	Warning string
	// Series are the names of what is compared. A name that has a colour of its own keeps it in all
	// figures; the order decides the colours of the others.
	Series []string
	// Looks gives series the colour of a name that they share with others, and a line of their own.
	Looks  map[string]Look
	Stacks bool // the series are the parts of stacks, with colours of their own
	Panels []Panel
}

// Panel is one coordinate system: a heat map or a plan if it has one, rows if it has categories,
// and else curves.
type Panel struct {
	Title  string
	XLabel string
	LogX   bool // the horizontal axis of curves is logarithmic
	// Quantity is what the values are, Unit in which unit, and Baseline the series that they are
	// divided by; "" for none. Detail says in tables how the quantity is computed.
	Quantity, Unit, Baseline, Detail string
	Categories                       []Category
	Series                           []Series // each of a name of the figure's series
	Better                           string   // which way of rows is better; "" says nothing
	Reference                        float64  // a horizontal line, such as that of the baseline; 0 draws none
	YMax                             float64  // upper end of the axis; 0 shows everything
	Knees                            []Knee
	Grid                             *Grid
	Plan                             *Plan
}

// Category is a row, or one row for each series. Neighbours of one group share its label.
type Category struct{ Group, Label string }

// Series is a sequence of values.
type Series struct {
	Name   string
	Points []Point
}

// Point is a value. In a panel with categories X is the number of the category. Low and High are
// the ends of its confidence interval, equal to Y when there is none.
type Point struct {
	X, Y, Low, High float64
	Saturated       bool // drawn as an open mark
	Ends            bool // drawn with a cross: the network saturates before the next one
	Runs            int  // behind the value; 0 for one that was not measured here
}

// Value is a point without an interval.
func Value(x, y float64) Point { return Point{X: x, Y: y, Low: y, High: y} }

// Label says what the values of the panel are, in which unit or divided by what.
func (p *Panel) Label() string {
	switch {
	case p.Baseline != "":
		return fmt.Sprintf("%s / %s of %s", p.Quantity, p.Quantity, p.Baseline)
	case p.Unit != "":
		return fmt.Sprintf("%s [%s]", p.Quantity, p.Unit)
	}
	return p.Quantity
}

// Put adds a point to a curve, if its values are numbers. Points are in the order of X.
func (p *Panel) Put(series string, q Point) {
	if sum := q.X + q.Y + q.Low + q.High; math.IsNaN(sum) || math.IsInf(sum, 0) || p.LogX && q.X <= 0 {
		return
	}
	s := p.series(series)
	s.Points = append(s.Points, q)
	slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
}

// series finds or adds the series of a name.
func (p *Panel) series(name string) *Series {
	at := slices.IndexFunc(p.Series, func(s Series) bool { return s.Name == name })
	if at < 0 {
		at, p.Series = len(p.Series), append(p.Series, Series{Name: name})
	}
	return &p.Series[at]
}

// Add adds a point to that of a series in a category.
func (p *Panel) Add(series string, at Category, q Point) {
	x := slices.Index(p.Categories, at)
	if x < 0 {
		x, p.Categories = len(p.Categories), append(p.Categories, at)
	}
	s := p.series(series)
	i := slices.IndexFunc(s.Points, func(q Point) bool { return q.X == float64(x) })
	if i < 0 {
		i, s.Points = len(s.Points), append(s.Points, Point{X: float64(x)})
	}
	sum := &s.Points[i]
	sum.Y, sum.Low, sum.High, sum.Runs = sum.Y+q.Y, sum.Low+q.Low, sum.High+q.High, max(sum.Runs, q.Runs)
}

// AddSeries names a series, unless it is named already.
func (f *Figure) AddSeries(name string) {
	if f.place(name) < 0 {
		f.Series = append(f.Series, name)
	}
}

// DropEmpty leaves out panels without values, and parts of stacks that are 0 everywhere.
func (f *Figure) DropEmpty() {
	f.Panels = slices.DeleteFunc(f.Panels, func(p Panel) bool { return len(p.points()) == 0 })
	f.Series = slices.DeleteFunc(f.Series, func(name string) bool {
		return !slices.ContainsFunc(f.Panels, func(p Panel) bool {
			return slices.ContainsFunc(p.series(name).Points, func(q Point) bool { return q.Y != 0 || !f.Stacks })
		})
	})
	for i := range f.Panels {
		f.Panels[i].Series = slices.DeleteFunc(f.Panels[i].Series, func(s Series) bool { return f.place(s.Name) < 0 })
	}
}

// Bound ends the axes of curves at so many times the least value.
func (f *Figure) Bound(times float64) {
	least := math.Inf(1)
	for i := range f.Panels {
		for _, q := range f.Panels[i].points() {
			least = min(least, q.Y)
		}
	}
	for i := range f.Panels {
		if p := &f.Panels[i]; len(p.Categories) == 0 {
			p.YMax = times * least
		}
	}
}

// Look is the colour and the line by which readers tell a series from others.
type Look struct{ Colour, Line string }

// Knee marks where a curve turns, such as the load at which a network saturates.
type Knee struct {
	Series string
	X      float64
	Text   string // what the mark means
}

// Has reports whether some point is of a kind.
func (f *Figure) Has(kind func(Point) bool) bool {
	return slices.ContainsFunc(f.Panels, func(p Panel) bool { return slices.ContainsFunc(p.points(), kind) })
}

// points are those of all series.
func (p *Panel) points() (list []Point) {
	for _, s := range p.Series {
		list = append(list, s.Points...)
	}
	return list
}

// place is the position of a series' name.
func (f *Figure) place(name string) int { return slices.Index(f.Series, name) }

// role is the colour of a series: that of its look, or its own.
func (f *Figure) role(name string) string {
	if f.Stacks {
		return fmt.Sprint("p", coloured(f.Series, ownShades, len(shades))[f.place(name)])
	}
	var names []string
	for _, s := range f.Series {
		if colour := cmp.Or(f.Looks[s].Colour, s); !slices.Contains(names, colour) {
			names = append(names, colour)
		}
	}
	return fmt.Sprint("s", coloured(names, own, len(palette))[slices.Index(names, cmp.Or(f.Looks[name].Colour, name))])
}

// dash is the kind of line of a series: a look decides it, or else the place.
func (f *Figure) dash(name string) int {
	if len(f.Looks) == 0 {
		return f.place(name) + f.place(name)/len(palette) // also where colours are repeated
	}
	var lines []string
	for _, s := range f.Series {
		if line := f.Looks[s].Line; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return max(0, slices.Index(lines, f.Looks[name].Line))
}

// hasCurves reports whether some panel has curves.
func (f *Figure) hasCurves() bool {
	return slices.ContainsFunc(f.Panels, func(p Panel) bool { return len(p.Categories) == 0 && p.Grid == nil && p.Plan == nil })
}
