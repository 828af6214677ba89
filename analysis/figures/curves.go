package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curves draws the series of a panel without categories: lines, a mark at each point, and its interval.
type curves struct {
	figure *Figure
	panel  *Panel
}

// marks tell curves apart without colours.
var marks = []draw.GlyphDrawer{draw.BoxGlyph{}, draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{},
	draw.RingGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}}

// Plot implements plot.Plotter.
func (v *curves) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, s := range v.panel.Series {
		colour := v.figure.colour(s.Name)
		var path []vg.Point
		for _, q := range s.Points {
			path = append(path, vg.Point{X: toX(q.X), Y: toY(q.Y)})
		}
		c.StrokeLines(draw.LineStyle{Color: palette[colour], Width: vg.Points(1.4)}, c.ClipLinesXY(path)...)
		for i, q := range s.Points {
			interval(&c, path[i].X, toY(q.Low), toY(q.High), vg.Points(2))
			if c.Contains(path[i]) {
				c.DrawGlyph(draw.GlyphStyle{Color: palette[colour], Radius: vg.Points(2.6), Shape: marks[colour]}, path[i])
			}
		}
	}
}

// DataRange implements plot.DataRanger.
func (v *curves) DataRange() (xmin, xmax, ymin, ymax float64) {
	first := true
	for _, s := range v.panel.Series {
		for _, q := range s.Points {
			if first {
				xmin, xmax, first = q.X, q.X, false
			}
			xmin, xmax = min(xmin, q.X), max(xmax, q.X)
		}
	}
	if v.panel.Doublings {
		return xmin, max(xmax, xmin*(1+1e-9)), 0, v.panel.top()
	}
	return min(xmin, 0), max(xmax, xmin+1e-9), 0, v.panel.top()
}
