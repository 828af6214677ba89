package figures

import (
	"image/color"
	"io"
	"math"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

const (
	dotsPerInch = 200
	perPoint    = 72.0 / 96 // printers' points
)

// raster writes the scene as PNG.
func (s *scene) raster(w io.Writer) error {
	width, height := vg.Length(s.width*perPoint), vg.Length(s.height*perPoint)
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
	s.draw(draw.NewCanvas(canvas, width, height))
	_, err := canvas.WriteTo(w)
	return err
}

// pdf writes the scene as PDF.
func (s *scene) pdf(w io.Writer) error {
	width, height := vg.Length(s.width*perPoint), vg.Length(s.height*perPoint)
	timeless()
	canvas := vgpdf.New(width, height)
	s.draw(draw.NewCanvas(canvas, width, height))
	_, err := canvas.WriteTo(w)
	return err
}

// timeless makes the same figure give the same PDF file whenever it is drawn: the library puts the
// hour into it, and its fonts in the order of a map.
var timeless = sync.OnceFunc(func() {
	never := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(never)
	fpdf.SetDefaultModificationDate(never)
	fpdf.SetDefaultCatalogSort(true)
})

// draw draws the scene with the drawing library, whose y grows upwards.
func (s *scene) draw(c draw.Canvas) {
	at := func(p xy) vg.Point {
		return vg.Point{X: vg.Length(p.x * perPoint), Y: vg.Length((s.height - p.y) * perPoint)}
	}
	for i := range s.shapes {
		one := &s.shapes[i]
		colour, size := ink(one.role), vg.Length(one.size*perPoint)
		style := draw.LineStyle{Color: colour, Width: size}
		for _, d := range dashes[one.dash%len(dashes)] {
			style.Dashes = append(style.Dashes, vg.Length(d*perPoint))
		}
		for _, ring := range one.rings {
			points := make([]vg.Point, len(ring))
			for k, p := range ring {
				points[k] = at(p)
			}
			switch one.kind {
			case area:
				c.FillPolygon(colour, points)
			case line:
				c.StrokeLines(style, points)
			case disc:
				one.disc(c, points[0], colour, size)
			case words:
				c.FillText(text.Style{Color: colour, Font: face(one.size * perPoint), XAlign: text.XAlignment(-one.align),
					Handler: text.Plain{Fonts: fonts()}}, points[0], one.text)
			}
		}
	}
}

// disc draws a filled or an open disc.
func (s *shape) disc(c draw.Canvas, centre vg.Point, colour color.Color, radius vg.Length) {
	var path vg.Path
	path.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
	if s.open {
		c.SetColor(color.White)
		c.Fill(path)
		c.SetLineStyle(draw.LineStyle{Color: colour, Width: 1.6 * perPoint})
		c.Stroke(path)
		return
	}
	c.SetColor(colour)
	c.Fill(path)
}
