package chart

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Ranked draws chips as the tables rank them: each value over that of the fastest router, in a
// panel for each setting.
func Ranked(p *tables.Picture, list []result.Ranking) *figures.Figure {
	f, over := &figures.Figure{Name: p.Name, Title: p.Title, Stacks: p.Parts != nil}, "seeds"
	for i := range list {
		c := &list[i]
		panel := figures.Panel{Title: c.Title(), Quantity: p.Quantity, Baseline: c.Routers[0], Reference: 1}
		for _, a := range c.All() {
			if a.Windows > 1 {
				over = "windows"
			}
			for _, row := range a.ShownRows() {
				switch {
				case p.Parts == nil:
					add(f, &panel, row.Router, figures.Category{Label: a.Name}, a.Ratio(p.Column, row.Router, panel.Baseline), 1)
				case a.Parts == nil:
					addParts(f, &panel, p, figures.Category{Group: a.Name, Label: row.Router}, a.Runs[row.Router], a.Runs[panel.Baseline])
				}
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	f.DropEmpty()
	f.Note = averaged(f, over, true)
	return f
}

// add adds an estimate to a category of a panel.
func add(f *figures.Figure, p *figures.Panel, series string, at figures.Category, e metrics.Estimate, scale float64) {
	if !slices.Contains(f.Series, series) {
		f.Series = append(f.Series, series)
	}
	if e.OK {
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
