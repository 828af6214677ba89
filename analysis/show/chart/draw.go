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

// Draw makes the picture and the rows of its table. Without anything measured there is no picture.
func (c *Chart) Draw(d *Data) (*figures.Figure, []tables.FigurePoint, error) {
	charts := append([]Chart{*c}, c.With...)
	f := &figures.Figure{Name: c.Name, Title: c.Title, Warning: d.Warning(), Forest: c.Forest, Stacks: c.Parts != nil, Looks: map[string]figures.Look{}}
	for i := range charts {
		if len(d.Cells(&charts[i])) > 0 && c.Parts == nil {
			charts[i].addSeries(f, d)
		}
	}
	var points []tables.FigurePoint
	for i := range charts {
		if c.Parts != nil {
			points = append(points, charts[i].stack(f, d)...)
		} else {
			points = append(points, charts[i].plot(f, d)...)
		}
	}
	if d.Err != nil {
		return nil, nil, fmt.Errorf("chart %s: %w", c.Name, d.Err)
	}
	if len(f.Panels) == 0 {
		return nil, nil, nil
	}
	f.Note = c.note(d, f, d.Cells(&charts[0]), points)
	for i := range f.Panels {
		if c.Knees {
			f.Panels[i].Knees = c.knees(d, &f.Panels[i])
		}
	}
	return f, points, nil
}

// stack draws the parts of the chart's cells, and returns the rows of the table. Parts that are nothing
// everywhere are left out.
func (c *Chart) stack(f *figures.Figure, d *Data) (points []tables.FigurePoint) {
	for _, p := range c.Parts.Parts {
		one := *c
		one.Column, one.whole, one.Quantity = c.Parts.Column(p.Name), c.Parts.Whole, c.Quantity+": "+p.Name
		cells := d.Cells(&one)
		if !slices.ContainsFunc(cells, Cell.something) {
			continue
		}
		if !slices.Contains(f.Series, p.Name) {
			f.Series = append(f.Series, p.Name)
		}
		for i := range cells {
			in := &cells[i]
			for _, bar := range SeriesOf(d, c) {
				if e := one.Estimate(in, bar); e.OK {
					c.panel(f, in.Panel).Add(p.Name, figures.Category{Group: join(in.Group, in.Label), Label: bar}, e.Mean, e.Low, e.High)
					points = append(points, one.row(d, in, bar, e))
				}
			}
		}
	}
	return points
}

// something reports whether a value is not 0.
func (c Cell) something() bool {
	for _, samples := range c.Samples {
		if slices.ContainsFunc(samples, func(s metrics.Sample) bool { return s.Value != 0 }) {
			return true
		}
	}
	return false
}

// knees are the places between the last point of each series that is not saturated and the first
// that is.
func (c *Chart) knees(d *Data, p *figures.Panel) (list []figures.Knee) {
	for _, s := range p.Series {
		low, first := Curve(d.Cells(c), p.Title, s.Name, c.Estimate, func(*Cell) bool { return true }).Saturation()
		switch {
		case first == nil:
		case low == nil:
			list = append(list, figures.Knee{Series: s.Name, X: *first, Text: fmt.Sprintf("%s is saturated from %.4g on, or before", s.Name, *first)})
		default:
			list = append(list, figures.Knee{Series: s.Name, X: (*low + *first) / 2, Text: fmt.Sprintf("%s saturates between %.4g and %.4g", s.Name, *low, *first)})
		}
	}
	return list
}

// addSeries adds the names of the chart's series to the figure, and how they look.
func (c *Chart) addSeries(f *figures.Figure, d *Data) {
	add := func(name string) {
		if !slices.Contains(f.Series, name) {
			f.Series = append(f.Series, name)
		}
	}
	first, others := c.Series, c.Series
	first.Columns, others.Columns = c.Series.Columns[:1], c.Series.Columns[1:]
	for _, g := range tables.GroupBy(d.kept(c), c.series) {
		add(g.Key)
		if colour, line := first.of(&g.Records[0], nil), others.of(&g.Records[0], nil); colour != "" && line != "" {
			f.Looks[g.Key] = figures.Look{Colour: colour, Line: line}
		}
	}
	for i := range c.References {
		if b := &c.References[i]; b.Like == "" || slices.Contains(f.Series, b.Like) {
			add(b.Series)
			if b.Like != "" {
				f.Looks[b.Series] = figures.Look{Colour: b.Like, Line: "beside"}
			}
		}
	}
}

// plot draws the chart's cells, and what stands beside them, into its panels of the figure, and
// returns the rows of the table.
func (c *Chart) plot(f *figures.Figure, d *Data) (points []tables.FigurePoint) {
	cells := d.Cells(c)
	if c.Mean != nil {
		cells = c.withMeans(cells, SeriesOf(d, c))
	}
	places := map[Place]float64{} // of bars
	for i := range cells {
		in := &cells[i]
		panel, x := c.panel(f, in.Panel), in.X
		if !c.HasCurves() {
			x = float64(len(panel.Categories))
			panel.Categories, places[in.Place] = append(panel.Categories, figures.Category{Group: in.Group, Label: in.Label}), x
		}
		for _, series := range f.Series {
			if e := c.Estimate(in, series).Scale(cmp.Or(c.Scale, 1)); e.OK {
				panel.Put(series, figures.Point{X: x, Y: e.Mean, Low: e.Low, High: e.High, Saturated: in.Saturated[series] > 0})
				points = append(points, c.row(d, in, series, e))
			}
		}
	}
	for _, b := range c.References {
		x, known := places[b.Place]
		if c.HasCurves() {
			x, known = b.X, slices.ContainsFunc(f.Panels, func(p figures.Panel) bool { return p.Title == b.Panel })
		}
		if known && slices.Contains(f.Series, b.Series) {
			c.panel(f, b.Panel).Put(b.Series, figures.Point{X: x, Y: b.Value, Low: b.Low, High: b.High})
		}
	}
	ends := c.saturation(d)
	for i := range f.Panels {
		p := &f.Panels[i]
		for k := range p.Series {
			s := &p.Series[k]
			slices.SortStableFunc(s.Points, func(a, b figures.Point) int { return cmp.Compare(a.X, b.X) })
			if at, ok := ends[[2]string{p.Title, s.Name}]; ok && len(s.Points) > 0 && s.Points[len(s.Points)-1].X < at {
				s.Points[len(s.Points)-1].Ends = true
			}
		}
	}
	return points
}

// saturation is the least saturated position of each panel and series, also where nothing was measured.
func (c *Chart) saturation(d *Data) map[[2]string]float64 {
	least := map[[2]string]float64{}
	if !c.HasCurves() {
		return least
	}
	for _, g := range tables.GroupBy(d.kept(c), func(o *tables.Observation) [2]string { return [2]string{c.place(o).Panel, c.series(o)} }) {
		if _, first := result.Runs(g.Records).Curve(c.X.Columns[0], c.Column).Saturation(); first != nil {
			least[g.Key] = *first
		}
	}
	return least
}

// panel finds or adds the panel of a title.
func (c *Chart) panel(f *figures.Figure, title string) *figures.Panel {
	p, isNew := f.Panel(title)
	if isNew {
		p.XLabel, p.YLabel, p.YMax = c.X.Title, c.axis(), c.YMax
		if c.Baseline != "" && c.Parts == nil {
			p.Reference = 1
		}
	}
	return p
}

// note is the line below the picture.
func (c *Chart) note(d *Data, f *figures.Figure, cells []Cell, points []tables.FigurePoint) string {
	each, several := "seed", slices.ContainsFunc(points, func(p tables.FigurePoint) bool { return p.Runs > 1 })
	runs := "seeds"
	switch {
	case len(d.rows.Batches) > 0:
		runs, each = "batches", "batch"
	case slices.ContainsFunc(cells, func(in Cell) bool { return in.Windows > 1 }):
		runs, each = "windows", "window"
	}
	base := c.Baseline
	if slices.ContainsFunc(c.With, func(o Chart) bool { return o.Baseline != base }) {
		base = "the series that each panel names"
	}
	text := "one run of each"
	switch {
	case several && base != "" && slices.ContainsFunc(cells, func(in Cell) bool { return in.Totals }):
		text = fmt.Sprintf("totals over %s, divided by those of %s, with 95 %% confidence", runs, base)
	case several && base != "":
		text = fmt.Sprintf("ratio to %s in each %s, mean over %s, with 95 %% confidence", base, each, runs)
	case several:
		text = fmt.Sprintf("mean over %s, with 95 %% confidence", runs)
	case base != "":
		text += ", divided by that of " + base
	}
	add := func(said bool, more string) {
		if said {
			text += "; " + more
		}
	}
	add(c.Prices != experiment.AsSimulated, "energy: "+c.Prices)
	add(f.Has(func(q figures.Point) bool { return q.Ends }), "a cross ends a curve where the next load saturates the network")
	add(f.Has(func(q figures.Point) bool { return q.Saturated }), "open marks: the network is saturated")
	rules := c.ruleText(d)
	add(rules != "", rules)
	add(d.Quick, "quick: short runs")
	return text
}

// ruleText names the rules of the routers that the chart shows.
func (c *Chart) ruleText(d *Data) string {
	var shown tables.Rows
	for _, o := range d.kept(c) {
		shown.Traffic = append(shown.Traffic, tables.Traffic{Router: o.Text(tables.Col.Router), Rules: o.Text(tables.Col.Rules)})
	}
	return shown.RuleText()
}

// row is a value in the table of the figure.
func (c *Chart) row(d *Data, in *Cell, series string, e metrics.Estimate) tables.FigurePoint {
	p := tables.FigurePoint{Figure: c.Name, Panel: in.Panel, Group: in.Group, Label: in.Label, Series: series,
		Value: e.Mean, Runs: uint64(e.N), Quantity: c.Quantity, Unit: c.Unit, Baseline: c.Baseline}
	if c.Baseline != "" {
		p.Unit = ""
	}
	if c.Definition != "" {
		p.Quantity += " (" + c.Definition + ")"
	}
	if c.Prices != experiment.AsSimulated {
		p.Quantity += ", " + c.Prices
	}
	if c.HasCurves() {
		p.X = tables.Some(in.X)
	}
	if e.N > 1 {
		p.Low, p.High = tables.Some(e.Low), tables.Some(e.High)
	}
	if w := d.Warning(); w != "" {
		p.Warning = tables.Some(w)
	}
	return p
}
