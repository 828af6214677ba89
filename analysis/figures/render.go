package figures

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The formats.
const (
	SVG = "svg"
	PNG = "png"
)

// palette can be told apart by people who see colours differently (Okabe and Ito), and by its grey levels.
var palette = []color.Color{
	color.RGBA{0x99, 0x99, 0x99, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x22, 0x22, 0x22, 0xff},
}

// Measures of the page.
const (
	width       = 24 * vg.Centimeter
	panelHeight = 7.5 * vg.Centimeter
	margin      = 0.3 * vg.Centimeter
	line        = 0.55 * vg.Centimeter // of title, legend and note
	dotsPerInch = 110
	titleSize   = 13
	textSize    = 10
	smallSize   = 8.5
)

// Render writes the figure in a format.
func (f *Figure) Render(w io.Writer, format string) error {
	if err := f.Validate(); err != nil {
		return err
	}
	height := 2*margin + 4*line + panelHeight*vg.Length(len(f.Panels))
	switch format {
	case SVG:
		canvas := vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
		f.draw(draw.NewCanvas(canvas, width, height))
		_, err := canvas.WriteTo(w)
		return err
	case PNG:
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch),
			vgimg.UseBackgroundColor(color.White))}
		f.draw(draw.NewCanvas(canvas, width, height))
		_, err := canvas.WriteTo(w)
		return err
	}
	return fmt.Errorf("there is no picture format %q; use %s or %s", format, SVG, PNG)
}

// draw lays title, legend, panels and note out from top to bottom.
func (f *Figure) draw(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c.FillText(style(titleSize, text.XLeft), vg.Point{X: c.Min.X, Y: c.Max.Y - line*0.8}, f.Title)
	f.legend(c, c.Max.Y-1.8*line)
	c.FillText(style(smallSize, text.XLeft), vg.Point{X: c.Min.X, Y: c.Min.Y}, f.Note)
	body := draw.Crop(c, 0, 0, line, -3*line)
	plots := make([][]*plot.Plot, len(f.Panels))
	for i := range f.Panels {
		plots[i] = []*plot.Plot{f.panel(&f.Panels[i])}
	}
	tiles := draw.Tiles{Rows: len(f.Panels), Cols: 1, PadY: 2 * margin}
	for i, row := range plot.Align(plots, tiles, body) {
		plots[i][0].Draw(row[0])
	}
}

// legend draws a swatch and a name for each series, in a row.
func (f *Figure) legend(c draw.Canvas, y vg.Length) {
	x, swatch := c.Min.X, vg.Length(textSize)
	names := style(textSize, text.XLeft)
	for i, name := range f.Series {
		c.FillPolygon(palette[i], []vg.Point{{X: x, Y: y}, {X: x + swatch, Y: y}, {X: x + swatch, Y: y + swatch*0.8}, {X: x, Y: y + swatch*0.8}})
		c.FillText(names, vg.Point{X: x + 1.4*swatch, Y: y}, name)
		x += 1.4*swatch + names.Width(name) + 2*swatch
	}
}

// style is black text of a size.
func style(size float64, align text.XAlignment) text.Style {
	return text.Style{
		Color: color.Black, Handler: plot.DefaultTextHandler, XAlign: align,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
	}
}
