package chart

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Draw makes the picture. Without anything measured there is none.
func (c *Chart) Draw(d *Data) (*figures.Figure, error) {
	charts := append([]Chart{*c}, c.With...)
	f := &figures.Figure{Name: c.Name, Title: c.Title, Warning: d.Warning(), Looks: map[string]figures.Look{}}
	for i := range charts {
		if len(d.Cells(&charts[i])) > 0 {
			charts[i].addSeries(f, d)
		}
	}
	for i := range charts {
		charts[i].plot(f, d)
	}
	if d.Err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name, d.Err)
	}
	if len(f.Panels) == 0 {
		return nil, nil
	}
	f.Note = c.note(d, f, d.Cells(&charts[0]))
	return f, nil
}

// addSeries adds the names of the chart's series to the figure, and how they look.
func (c *Chart) addSeries(f *figures.Figure, d *Data) {
	first, others := c.Series, c.Series
	first.Columns, others.Columns = c.Series.Columns[:1], c.Series.Columns[1:]
	for _, g := range tables.GroupBy(d.kept(c), c.series) {
		f.AddSeries(g.Key)
		if colour, line := first.of(&g.Records[0], nil), others.of(&g.Records[0], nil); colour != "" && line != "" {
			f.Looks[g.Key] = figures.Look{Colour: colour, Line: line}
		}
	}
	for i := range c.References {
		if b := &c.References[i]; b.Like == "" || slices.Contains(f.Series, b.Like) {
			f.AddSeries(b.Series)
			if b.Like != "" {
				f.Looks[b.Series] = figures.Look{Colour: b.Like, Line: "beside"}
			}
		}
	}
}

// plot draws the chart's cells, and what stands beside them, into its panels of the figure.
func (c *Chart) plot(f *figures.Figure, d *Data) {
	set := func(panel *figures.Panel, series string, at Place, q figures.Point) {
		if q.X = at.X; c.HasCurves() {
			panel.Put(series, q)
		} else {
			panel.Add(series, figures.Category{Group: at.Group, Label: at.Label}, q)
		}
	}
	for _, g := range tables.GroupBy(d.Cells(c), func(in *Cell) Place { return Place{Panel: in.Panel, Group: in.Group} }) {
		panel, each := c.panel(f, g.Key.Panel), map[string][]metrics.Estimate{}
		for i := range g.Records {
			in := &g.Records[i]
			for _, series := range f.Series {
				e := c.Estimate(in, series).Scale(cmp.Or(c.Scale, 1))
				if each[series] = append(each[series], e); e.OK {
					set(panel, series, in.Place, point(e, in.Saturated[series] > 0))
				}
			}
		}
		for _, series := range f.Series {
			if e := result.PlainMean.OfEach(each[series]); c.Mean && e.OK {
				set(panel, series, Place{Group: g.Key.Group, Label: "mean"}, point(e, false))
			}
		}
	}
	for _, b := range c.References {
		for i := range f.Panels {
			p, at := &f.Panels[i], figures.Category{Group: b.Group, Label: b.Label}
			if p.Title == b.Panel && slices.Contains(f.Series, b.Series) && (c.HasCurves() || slices.Contains(p.Categories, at)) {
				set(p, b.Series, b.Place, figures.Point{Y: b.Value, Low: b.Low, High: b.High})
			}
		}
	}
	c.markEnds(f, d)
}

// markEnds marks the last point of each curve before the load that saturates the network, also where
// nothing was measured at that load.
func (c *Chart) markEnds(f *figures.Figure, d *Data) {
	if !c.HasCurves() {
		return
	}
	for _, g := range tables.GroupBy(d.kept(c), func(o *tables.Observation) [2]string { return [2]string{c.place(o).Panel, c.series(o)} }) {
		_, first := result.Runs(g.Records).Curve(c.X.Columns[0], c.Column).Saturation()
		for _, p := range f.Panels {
			for _, one := range p.Series {
				if n := len(one.Points); first != nil && p.Title == g.Key[0] && one.Name == g.Key[1] && n > 0 {
					one.Points[n-1].Ends = one.Points[n-1].X < *first
				}
			}
		}
	}
}

// point is an estimate as pictures show it.
func point(e metrics.Estimate, saturated bool) figures.Point {
	return figures.Point{Y: e.Mean, Low: e.Low, High: e.High, Runs: e.N, Saturated: saturated}
}

// put adds an estimate to the curve of a series, if there is one.
func put(f *figures.Figure, panel *figures.Panel, series string, x float64, e metrics.Estimate) {
	if f.AddSeries(series); e.OK {
		q := point(e, false)
		q.X = x
		panel.Put(series, q)
	}
}

// panel finds or adds the panel of a title.
func (c *Chart) panel(f *figures.Figure, title string) *figures.Panel {
	if at := slices.IndexFunc(f.Panels, func(p figures.Panel) bool { return p.Title == title }); at >= 0 {
		return &f.Panels[at]
	}
	p := figures.Panel{Title: title, XLabel: c.X.Title, YMax: c.YMax, Quantity: c.Quantity, Unit: c.Unit, Baseline: c.Baseline}
	if c.Baseline != "" {
		p.Reference = 1
	}
	if c.Definition != "" {
		p.Detail = " (" + c.Definition + ")"
	}
	if c.Prices != experiment.AsSimulated {
		p.Detail += ", " + c.Prices
	}
	f.Panels = append(f.Panels, p)
	return &f.Panels[len(f.Panels)-1]
}

// note is the line below the picture.
func (c *Chart) note(d *Data, f *figures.Figure, cells []Cell) string {
	over := "seeds"
	switch {
	case len(d.rows.Batches) > 0:
		over = "batches"
	case slices.ContainsFunc(cells, func(in Cell) bool { return in.Windows > 1 }):
		over = "windows"
	}
	text := averaged(f, over, slices.ContainsFunc(cells, func(in Cell) bool { return in.Totals && c.Baseline != "" }))
	if c.Prices != experiment.AsSimulated {
		text += "; energy: " + c.Prices
	}
	return marked(f, text) + d.Setup()
}

// marked adds to a note what the marks of a figure mean.
func marked(f *figures.Figure, text string) string {
	if f.Has(func(q figures.Point) bool { return q.Ends }) {
		text += "; a cross ends a curve where the next load saturates the network"
	}
	if f.Has(func(q figures.Point) bool { return q.Saturated }) {
		text += "; open marks: the network is saturated"
	}
	if slices.ContainsFunc(f.Panels, func(p figures.Panel) bool { return len(p.Knees) > 0 }) {
		text += "; vertical lines: the network saturates near this load"
	}
	return text
}

// averaged says what the values of a figure are taken over.
func averaged(f *figures.Figure, over string, totals bool) string {
	switch {
	case !f.Has(func(q figures.Point) bool { return q.Runs > 1 }):
		return "one run of each"
	case totals && f.Stacks:
		return "totals over " + over
	case totals:
		return fmt.Sprintf("totals over %s, with 95 %% confidence", over)
	case slices.ContainsFunc(f.Panels, func(p figures.Panel) bool { return p.Baseline != "" }):
		return fmt.Sprintf("mean of the ratios over %s, with 95 %% confidence", over)
	}
	return fmt.Sprintf("mean over %s, with 95 %% confidence", over)
}

// Rows are the values of a figure as a table; what was not measured here is left out. The whole of
// a stack is a label there, and what it is of a series.
func Rows(f *figures.Figure) (rows []tables.FigurePoint) {
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.Series {
			for _, q := range s.Points {
				if q.Runs == 0 {
					continue
				}
				r := tables.FigurePoint{Figure: f.Name, Panel: p.Title, Series: s.Name, Value: q.Y, Runs: uint64(q.Runs), Quantity: p.Quantity + p.Detail, Unit: p.Unit, Baseline: p.Baseline}
				switch {
				case len(p.Categories) == 0:
					r.X = tables.Some(q.X)
				case f.Stacks:
					at := p.Categories[int(q.X)]
					r.Label, r.Series, r.Quantity = at.Group, at.Label, r.Quantity+": "+s.Name
				default:
					at := p.Categories[int(q.X)]
					r.Group, r.Label = at.Group, at.Label
				}
				if p.Baseline != "" {
					r.Unit = ""
				}
				if q.Runs > 1 {
					r.Low, r.High = tables.Some(q.Low), tables.Some(q.High)
				}
				if f.Warning != "" {
					r.Warning = tables.Some(f.Warning)
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}
