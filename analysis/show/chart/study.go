package chart

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// mostCurves bounds the settings or rows that are curves in one panel.
const mostCurves = 8

// positions are the values of settings that stand for one number each, at which the rows of one application are
// points of curves; nil if these have other rows or another baseline.
func positions(list []result.Ranking) (at []float64) {
	for _, c := range list {
		if len(list) < 3 || len(c.Setting) != 1 || c.Numbers != nil || c.Mean != nil || c.Baseline != list[0].Baseline || len(c.Names) > mostCurves {
			return nil
		}
		x, err := strconv.ParseFloat(c.Setting[0].Value, 64)
		if err != nil {
			return nil
		}
		at = append(at, x)
	}
	return at
}

// Ranked draws chips as the tables rank them: each value over that of the baseline, in a panel for each
// setting. Rows that stand for numbers make a curve of each application, or of each setting of the only one.
// Of settings that stand for numbers each row is a curve over them.
func Ranked(p *tables.Picture, list []result.Ranking) *figures.Figure {
	f, over := &figures.Figure{Name: p.Name, Title: p.Title, Stacks: p.Parts != nil}, "seeds"
	var at []float64
	together := false
	if p.Parts == nil {
		at = positions(list)
		together = at != nil || len(list) <= mostCurves && !slices.ContainsFunc(list, func(c result.Ranking) bool { return c.Numbers == nil || c.Mean != nil })
	}
	for i := range list {
		c := &list[i]
		if i == 0 || !together {
			f.Panels = append(f.Panels, panelOf(p, c))
		}
		panel := &f.Panels[len(f.Panels)-1]
		if !together {
			panel.Title = c.Title()
		}
		for _, a := range c.All() {
			if a.Windows > 1 {
				over = "windows"
			}
			label := a.Name
			if together && len(list) > 1 {
				label = c.Title()
			}
			for _, row := range a.ShownRows() {
				switch {
				case p.Parts == nil && (at != nil || c.Mean != nil && c.Numbers == nil) && row.Name == c.Baseline: // always 1
				case at != nil:
					panel.XLabel = c.Setting[0].Key
					put(f, panel, row.Name, at[i], a.Ratio(p.Column, row.Name, c.Baseline))
				case p.Parts == nil:
					place(f, panel, c, &a, p.Column, row.Name, label, row.Name)
				case a.Parts == nil:
					addParts(f, panel, p, figures.Category{Group: a.Name, Label: row.Name}, a.Runs[row.Name], a.Runs[panel.Baseline])
				}
			}
		}
	}
	f.DropEmpty()
	f.Note = averaged(f, over, whole(p))
	return f
}

// Across draws a column over settings, each over the first one, with a series for each router.
func Across(p *tables.Picture, list []result.Ranking) *figures.Figure {
	f := &figures.Figure{Name: p.Name + "-settings", Title: p.Title + " over settings"}
	panel := panelOf(p, &list[0])
	for i := range list {
		c := &list[i]
		for _, name := range c.Planned {
			place(f, &panel, c, c.Overall(), p.Column, name, name, c.Title())
		}
	}
	f.Panels = []figures.Panel{panel}
	f.DropEmpty()
	f.Note = averaged(f, "windows or seeds", whole(p))
	return f
}

// whole reports whether a picture shows what whole executions take, or parts of that.
func whole(p *tables.Picture) bool { return p.Parts != nil || result.Total(p.Column) }

// panelOf is an empty panel for values over those of the baseline.
func panelOf(p *tables.Picture, c *result.Ranking) figures.Panel {
	panel := figures.Panel{Quantity: p.Quantity, Baseline: c.Baseline, Reference: 1}
	if whole(p) {
		panel.Quantity = c.Quantity(p.Quantity)
	}
	return panel
}

// place adds the ratio of a column in a row: at its number on the curve of a series, or at a label.
func place(f *figures.Figure, panel *figures.Panel, c *result.Ranking, a *result.Application, column tables.Name, name, label, series string) {
	e := a.Ratio(column, name, c.Baseline)
	x, number := c.Numbers[name]
	if !number {
		if result.Total(column) {
			panel.Better = "left is better"
		}
		add(f, panel, series, figures.Category{Label: label}, e, 1)
		return
	}
	if series == name {
		series = label
	}
	panel.XLabel = c.By[0]
	put(f, panel, series, x, e)
}

// add adds an estimate to a category of a panel.
func add(f *figures.Figure, p *figures.Panel, series string, at figures.Category, e metrics.Estimate, scale float64) {
	if f.AddSeries(series); e.OK {
		p.Add(series, at, point(e.Scale(cmp.Or(scale, 1)), false))
	}
}

// addParts adds a stack of the parts of some runs, over the whole of others if there are any.
func addParts(f *figures.Figure, panel *figures.Panel, p *tables.Picture, at figures.Category, runs, others result.Runs) {
	for _, part := range p.Parts.Parts {
		e := runs.Mean(p.Parts.Column(part.Name))
		if others != nil {
			e = runs.Share(p.Parts.Column(part.Name), others, p.Parts.Whole)
		}
		add(f, panel, part.Name, at, e, p.Scale)
	}
}
