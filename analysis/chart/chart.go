package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Chart says which columns of the result tables a picture shows. Bars have groups and labels, curves an x.
type Chart struct {
	Name, Title string
	Measure     string // column of the values
	Quantity    string // what it is, for the axis
	Definition  string // how it is computed, where that needs saying
	Unit        string
	// Series, Panel, Group, Label and X name columns, or axes of the plan; "" for none. Panel, Group and
	// Label may be several, see Join.
	Series, Panel, Group, Label, X string
	XLabel                         string
	// Baseline is the series whose run of the same seed a value is divided by; "" leaves values as they are.
	Baseline string
	// Prices of energy; AsSimulated keeps those of the sweep.
	Prices string
	// Only keeps the records whose column has one of these values; nil keeps all.
	Only map[string][]string
	// Names gives values of columns a name for people: "multicast_fraction=0.1" is "10 %". For groups
	// alone, "group:workload=nas-is-s" may be "recordings".
	Names map[string]string
	// Mean adds the mean over the cells of each group, as the papers' figures have.
	Mean      bool
	YMax      float64
	TableOnly bool // its values are in the table, but there is no picture
}

// keeps reports whether a record belongs to the chart.
func (c *Chart) keeps(r *Record) bool {
	for column, values := range c.Only {
		if !slices.Contains(values, r.Label(column)) {
			return false
		}
	}
	return true
}

// Join makes one column of several, for panels, groups and labels: its values are joined by commas.
func Join(columns ...string) string { return strings.Join(columns, joint) }

const joint = " & "

// name is what people read for a record's value of a column, or of several joined ones.
func (c *Chart) name(r *Record, column string) string {
	var parts []string
	for one := range strings.SplitSeq(column, joint) {
		value := r.Label(one)
		if name, ok := c.Names[one+"="+value]; ok {
			value = name
		}
		parts = append(parts, value)
	}
	return strings.Join(parts, ", ")
}

// group is the name of a record's group of bars. Several labels may belong to one group.
func (c *Chart) group(r *Record) string {
	if name, ok := c.Names["group:"+c.Group+"="+r.Label(c.Group)]; ok {
		return name
	}
	return c.name(r, c.Group)
}

// Estimate is a value of a chart.
type Estimate struct {
	metrics.Interval // without confidence for a single run: Low, High and Mean are equal
	OK               bool
}

// EstimateOf is the mean of values and its interval.
func EstimateOf(values []float64) Estimate {
	if i, ok := metrics.Confidence95(values); ok {
		return Estimate{i, true}
	}
	m, ok := metrics.Mean(values)
	return Estimate{metrics.Interval{Mean: m, Low: m, High: m, N: len(values)}, ok}
}

// Values are those of one series in a cell: as measured, or divided by the baseline's of the same seeds.
func (c *Chart) Values(in *Cell, series string) []float64 {
	if c.Baseline != "" {
		return in.Ratios(series, c.Baseline)
	}
	var list []float64
	for _, s := range in.Samples[series] {
		list = append(list, s.Value)
	}
	return list
}

// Ratios of two series of a cell, by seed; nil when they have no seed in common.
func (c *Cell) Ratios(series, baseline string) []float64 {
	pairs, err := metrics.PairedRatios(c.Samples[series], c.Samples[baseline])
	if err != nil {
		return nil
	}
	return pairs.Ratios
}

// SeriesOf lists the series of cells in the order of their first appearance.
func SeriesOf(d *Data, c *Chart) (list []string) {
	records, err := d.At(c.Prices)
	if err != nil {
		return nil
	}
	for i := range records {
		if s := records[i].Label(c.Series); c.keeps(&records[i]) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Draw makes the picture and the rows of its table. Without anything measured there is no picture.
func (c *Chart) Draw(d *Data) (*figures.Figure, []tables.FigurePoint, error) {
	cells, err := d.Cells(c)
	if err != nil {
		return nil, nil, fmt.Errorf("chart %s: %w", c.Name, err)
	}
	if len(cells) == 0 {
		return nil, nil, nil
	}
	if c.Mean {
		cells = c.withMeans(cells, SeriesOf(d, c))
	}
	f := &figures.Figure{Name: c.Name, Title: c.Title, Note: c.note(d), Warning: d.Warning(), Series: SeriesOf(d, c)}
	var points []tables.FigurePoint
	for i := range cells {
		in := &cells[i]
		panel := c.panel(f, in.Panel)
		x := in.X
		if c.X == "" {
			x = float64(len(panel.Categories))
			panel.Categories = append(panel.Categories, figures.Category{Group: in.Group, Label: in.Label})
		}
		for s, series := range f.Series {
			e := EstimateOf(c.Values(in, series))
			if !e.OK {
				continue
			}
			panel.Series[s].Points = append(panel.Series[s].Points, figures.Point{X: x, Y: e.Mean, Low: e.Low, High: e.High})
			points = append(points, c.row(d, in, series, e))
		}
	}
	return f, points, nil
}

// withMeans puts a cell behind each group that holds, for each seed, the mean over the group's cells. With a
// baseline it is the mean of the ratios, as in the papers.
func (c *Chart) withMeans(cells []Cell, series []string) (list []Cell) {
	for begin := 0; begin < len(cells); {
		end := begin
		for end < len(cells) && cells[end].Panel == cells[begin].Panel && cells[end].Group == cells[begin].Group {
			end++
		}
		group := cells[begin:end]
		mean := Cell{Panel: group[0].Panel, Group: group[0].Group, Label: "mean", Samples: map[string][]metrics.Sample{}}
		for _, s := range series {
			for k, v := range c.meansOf(group, s) {
				mean.Samples[s] = append(mean.Samples[s], metrics.Sample{Seed: uint64(k), Value: v})
			}
		}
		list = append(append(list, group...), mean)
		begin = end
	}
	return list
}

// meansOf are the means of a series over cells, for each run that all of them have.
func (c *Chart) meansOf(group []Cell, series string) (list []float64) {
	for k := 0; ; k++ {
		sum := 0.0
		for i := range group {
			values := c.Values(&group[i], series)
			if k >= len(values) {
				return list
			}
			sum += values[k]
		}
		list = append(list, sum/float64(len(group)))
	}
}

// panel finds or adds the panel of a title.
func (c *Chart) panel(f *figures.Figure, title string) *figures.Panel {
	for i := range f.Panels {
		if f.Panels[i].Title == title {
			return &f.Panels[i]
		}
	}
	p := figures.Panel{Title: title, XLabel: c.XLabel, YLabel: c.axis(), YMax: c.YMax}
	if c.Baseline != "" {
		p.Reference = 1
	}
	for _, s := range f.Series {
		p.Series = append(p.Series, figures.Series{Name: s})
	}
	f.Panels = append(f.Panels, p)
	return &f.Panels[len(f.Panels)-1]
}

// axis is the label of the values: what they are, and in which unit or divided by what.
func (c *Chart) axis() string {
	if c.Baseline != "" {
		return fmt.Sprintf("%s / %s of %s", c.Quantity, c.Quantity, c.Baseline)
	}
	return fmt.Sprintf("%s [%s]", c.Quantity, c.Unit)
}

// note is the line below the picture.
func (c *Chart) note(d *Data) string {
	runs, same := "seeds", "with the same seed"
	if len(d.rows.Batches) > 0 {
		runs, same = "batches", "in the same batch"
	}
	text := fmt.Sprintf("mean over %s, with 95 %% confidence", runs)
	if c.Baseline != "" {
		text = fmt.Sprintf("mean over %s of the ratio to %s %s, with 95 %% confidence", runs, c.Baseline, same)
	}
	if c.Prices != AsSimulated {
		text += "; energy: " + c.Prices
	}
	if d.Quick {
		text += "; quick: short runs"
	}
	return text
}

// row is a value in the table of the figure.
func (c *Chart) row(d *Data, in *Cell, series string, e Estimate) tables.FigurePoint {
	p := tables.FigurePoint{Figure: c.Name, Panel: in.Panel, Group: in.Group, Label: in.Label, Series: series,
		Value: e.Mean, Runs: uint64(e.N), Quantity: c.Quantity, Unit: c.Unit, Baseline: c.Baseline}
	if c.Baseline != "" {
		p.Unit = ""
	}
	if c.Definition != "" {
		p.Quantity += " (" + c.Definition + ")"
	}
	if c.Prices != AsSimulated {
		p.Quantity += ", " + c.Prices
	}
	if c.X != "" {
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

// Side tells on which side of a threshold an estimate is with 95 % confidence: -1 below, 1 above, 0 neither.
func (e *Estimate) Side(threshold float64) int {
	switch {
	case e.High < threshold:
		return -1
	case e.Low > threshold:
		return 1
	}
	return 0
}

// Text is "1.03 ± 0.02".
func (e *Estimate) Text() string {
	if e.N < 2 {
		return fmt.Sprintf("%.3f", e.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", e.Mean, e.HalfWidth())
}
