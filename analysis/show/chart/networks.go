package chart

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Networks says how a study of networks alone is shown.
type Networks struct {
	Runs           result.Runs   // finished ones
	Series         tables.Name   // what is compared: routers, or the schemes of one router
	X              tables.Name   // what curves are drawn over; the zero value where no number has several values
	Quantity, Unit string        // of X
	Settings       []tables.Name // what tells panels apart
	Load           float64       // the largest at which no network is saturated; else, the least
	Unsaturated    bool          // no network is saturated at Load
	over           string        // what means are taken over
}

// NetworksOf finds how the points of a study are shown: as curves over the load, or over the first number that
// the plan varies instead.
func NetworksOf(rows *tables.Rows) *Networks {
	n := &Networks{Runs: result.Of(rows).Finished(), Series: tables.Col.Router, over: "seeds"}
	if len(rows.Batches) > 0 {
		n.over = "batches"
	}
	several := func(v tables.Name) bool { return len(n.Runs.Distinct(v)) > 1 }
	if !several(n.Series) && several(tables.Col.Scheme) {
		n.Series = tables.Col.Scheme
	}
	for _, v := range append([]tables.Name{tables.Col.Offered}, rows.Varied()...) {
		words := slices.ContainsFunc(n.Runs, func(o tables.Observation) bool { _, number := o.Number(v); return !number })
		switch {
		case v == n.Series || v == n.X || !several(v) || v == tables.Col.Scheme && several(tables.Col.Router):
		case n.X == tables.Name{} && !words:
			n.X, n.Quantity = v, v.String()
		case v != tables.Col.Router:
			n.Settings = append(n.Settings, v)
		}
	}
	if n.X == tables.Col.Offered {
		n.Quantity, n.Unit = "offered load", "phits/node/cycle"
	}
	saturated := map[float64]bool{}
	for i := range n.Runs {
		at := n.Runs[i].Traffic.Offered
		if saturated[at] = saturated[at] || n.Runs[i].Saturated(); i == 0 || at < n.Load {
			n.Load = at
		}
	}
	for at, bad := range saturated {
		if !bad && at >= n.Load {
			n.Load, n.Unsaturated = at, true
		}
	}
	return n
}

// AtLoad are the points at the load of pictures that show one.
func (n *Networks) AtLoad() result.Runs {
	return n.Runs.Where(func(o *tables.Observation) bool { return o.Traffic.Offered == n.Load })
}

// Setting is the points of one panel, and its title.
type Setting struct {
	Title  string
	Series []result.Group
}

// By sorts points by the settings of the study, and then by what is compared.
func (n *Networks) By(runs result.Runs) (list []Setting) {
	for _, g := range runs.By(n.Settings...) {
		list = append(list, Setting{result.Title(result.SettingOf(n.Settings, &g.Runs[0])), g.By(n.Series)})
	}
	return list
}

// Draw draws a column, or the parts of a whole at one load. Where there are no curves, settings stand one below
// the other.
func (n *Networks) Draw(p *tables.Picture) *figures.Figure {
	f := &figures.Figure{Name: p.Name, Title: p.Title, Stacks: p.Parts != nil}
	label := figures.Panel{Quantity: p.Quantity, Unit: p.Unit}
	rows := label
	switch {
	case p.Parts != nil:
		f.Title += fmt.Sprintf("%.4g", n.Load)
		for _, s := range n.By(n.AtLoad()) {
			for _, g := range s.Series {
				addParts(f, &rows, p, figures.Category{Group: s.Title, Label: g.Values[0]}, g.Runs, nil)
			}
		}
	case n.X == tables.Name{}:
		for _, s := range n.By(n.Runs) {
			for _, g := range s.Series {
				add(f, &rows, g.Values[0], figures.Category{Label: s.Title}, g.Mean(p.Column), p.Scale)
			}
		}
	default:
		for _, s := range n.By(n.Runs) {
			panel := label
			panel.Title, panel.XLabel = s.Title, n.axis()
			for _, g := range s.Series {
				n.curve(f, &panel, p, g.Values[0], g.Curve(n.X, p.Column))
			}
			f.Panels = append(f.Panels, panel)
		}
	}
	f.Panels = append(f.Panels, rows)
	f.DropEmpty()
	if p.Steep {
		f.Bound(10) // beyond, a network is saturated and latency grows with the length of the run
	}
	f.Note = marked(f, averaged(f, n.over, false))
	return f
}

// axis is the label of X.
func (n *Networks) axis() string {
	if n.Unit != "" {
		return fmt.Sprintf("%s [%s]", n.Quantity, n.Unit)
	}
	return n.Quantity
}

// curve adds a curve to a panel.
func (n *Networks) curve(f *figures.Figure, panel *figures.Panel, p *tables.Picture, series string, c result.Curve) {
	if !slices.Contains(f.Series, series) {
		f.Series = append(f.Series, series)
	}
	below, first := c.Saturation()
	for i, at := range c {
		if at.OK {
			q := point(at.Estimate.Scale(cmp.Or(p.Scale, 1)), at.Saturated)
			q.X = at.X
			q.Ends = i+1 < len(c) && c[i+1].Saturated && !slices.ContainsFunc(c[i+1:], func(a result.At) bool { return a.OK })
			panel.Put(series, q)
		}
	}
	if first != nil && n.X == tables.Col.Offered {
		at := *first
		if below != nil {
			at = (at + *below) / 2
		}
		panel.Knees = append(panel.Knees, figures.Knee{Series: series, X: at, Text: Saturation(series, c)})
	}
}

// Saturation says between which positions a curve saturates; "" where it does not.
func Saturation(series string, c result.Curve) string {
	below, first := c.Saturation()
	switch {
	case first == nil:
		return ""
	case below == nil:
		return fmt.Sprintf("%s is saturated from %.4g on, or before", series, *first)
	}
	return fmt.Sprintf("%s saturates between %.4g and %.4g", series, *below, *first)
}

// Measured reports whether some point has a column.
func (n *Networks) Measured(v tables.Name) bool {
	return slices.ContainsFunc(n.Runs, func(o tables.Observation) bool { _, ok := o.Number(v); return ok })
}

// Parts are the points at the load of pictures that show one, with what is shown of them in the titles.
func (n *Networks) Parts() []Setting {
	list := n.By(n.AtLoad())
	for i := range list {
		if list[i].Title = join(list[i].Title, fmt.Sprintf("load %.4g", n.Load)); n.Unsaturated {
			list[i].Title += ", the largest without saturation"
		}
	}
	return list
}
