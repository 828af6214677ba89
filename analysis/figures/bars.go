package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// groupShare is the part of a category's width that its bars take.
const groupShare = 0.8

// bars draws the series of a panel with categories, side by side in the order of the figure's series.
type bars struct {
	figure *Figure
	panel  *Panel
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	width := groupShare / float64(len(b.figure.Series))
	for _, s := range b.panel.Series {
		colour := b.figure.colour(s.Name)
		for _, q := range s.Points {
			left := q.X - groupShare/2 + float64(colour)*width
			x0, x1, bottom, top := toX(left), toX(left+width*0.92), toY(p.Y.Min), toY(q.Y)
			c.FillPolygon(palette[colour], c.ClipPolygonXY([]vg.Point{{X: x0, Y: bottom}, {X: x1, Y: bottom}, {X: x1, Y: top}, {X: x0, Y: top}}))
			interval(&c, (x0+x1)/2, toY(max(q.Low, p.Y.Min)), toY(q.High), (x1-x0)/4)
		}
	}
}

// DataRange implements plot.DataRanger.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(b.panel.Categories)) - 0.5, 0, b.panel.top()
}
