package figures

import (
	"fmt"
	"math"
)

// Figure is a picture: panels below one another, with one legend.
type Figure struct {
	Name  string // of its files, without extension
	Title string
	Note  string // one line below: how values came about
	// Warning is drawn beside the title in a colour of its own: what a reader must know before looking; "" for none.
	Warning string
	Series  []string // names, in the order of colours
	Panels  []Panel
}

// Panel is one coordinate system. With categories it shows bars, without it curves.
type Panel struct {
	Title      string
	XLabel     string
	YLabel     string
	Categories []Category
	Series     []Series // each of a name of the figure's series
	Reference  float64  // a horizontal line, such as that of the baseline; 0 draws none
	YMax       float64  // upper end of the axis; 0 shows everything
	Doublings  bool     // curves over sizes that double: equal factors are equally far apart
}

// Category is a place on the axis of bars. Neighbours of one group share its label.
type Category struct{ Group, Label string }

// Series is a sequence of values.
type Series struct {
	Name   string
	Points []Point
}

// Point is a value. In a panel with categories X is the number of the category. Low and High are the ends
// of its confidence interval, equal to Y when there is none.
type Point struct{ X, Y, Low, High float64 }

// Validate tells what cannot be drawn.
func (f *Figure) Validate() error {
	if len(f.Panels) == 0 || len(f.Series) == 0 {
		return fmt.Errorf("figure %s has %d panels and %d series; it needs at least one of each", f.Name, len(f.Panels), len(f.Series))
	}
	if len(f.Series) > len(palette) {
		return fmt.Errorf("figure %s has %d series; at most %d can be told apart", f.Name, len(f.Series), len(palette))
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.Series {
			if f.colour(s.Name) < 0 {
				return fmt.Errorf("figure %s, panel %q: series %q is not among those of the figure", f.Name, p.Title, s.Name)
			}
			for _, q := range s.Points {
				if err := p.check(q); err != nil {
					return fmt.Errorf("figure %s, panel %q, series %s: %w", f.Name, p.Title, s.Name, err)
				}
			}
		}
	}
	return nil
}

func (p *Panel) check(q Point) error {
	for _, v := range []float64{q.X, q.Y, q.Low, q.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a point at %g has the value %g with the interval %g to %g; leave out what was not measured", q.X, q.Y, q.Low, q.High)
		}
	}
	if len(p.Categories) > 0 && (q.X != math.Trunc(q.X) || q.X < 0 || int(q.X) >= len(p.Categories)) {
		return fmt.Errorf("a point is at category %g of %d", q.X, len(p.Categories))
	}
	if p.Doublings && q.X <= 0 {
		return fmt.Errorf("a point is at size %g; doublings start above 0", q.X)
	}
	return nil
}

// colour is the position of a series' name.
func (f *Figure) colour(name string) int {
	for i, s := range f.Series {
		if s == name {
			return i
		}
	}
	return -1
}

// top is the largest value that a panel shows.
func (p *Panel) top() float64 {
	if p.YMax > 0 {
		return p.YMax
	}
	top := p.Reference
	for _, s := range p.Series {
		for _, q := range s.Points {
			top = max(top, q.High)
		}
	}
	return top
}
