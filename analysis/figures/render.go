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
	more := line * vg.Length(len(f.legendRows(width-2*margin))-1)
	height := 2*margin + 4*line + more + panelHeight*vg.Length(len(f.Panels))
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
	if f.Warning != "" {
		warning := style(textSize, text.XRight)
		warning.Color = palette[3]
		c.FillText(warning, vg.Point{X: c.Max.X, Y: c.Max.Y - line*0.8}, f.Warning)
	}
	rows := f.legendRows(c.Max.X - c.Min.X)
	for i, row := range rows {
		f.legend(c, c.Max.Y-(1.8+vg.Length(i))*line, row)
	}
	c.FillText(style(smallSize, text.XLeft), vg.Point{X: c.Min.X, Y: c.Min.Y}, f.Note)
	body := draw.Crop(c, 0, 0, line, -(2+vg.Length(len(rows)))*line)
	plots := make([][]*plot.Plot, len(f.Panels))
	for i := range f.Panels {
		plots[i] = []*plot.Plot{f.panel(&f.Panels[i])}
	}
	tiles := draw.Tiles{Rows: len(f.Panels), Cols: 1, PadY: 2 * margin}
	for i, row := range plot.Align(plots, tiles, body) {
		plots[i][0].Draw(row[0])
	}
}

// swatch is the width of a colour in the legend.
const swatch = vg.Length(textSize)

// legendWidth is what a name takes in the legend, with the gap behind it.
func legendWidth(name string) vg.Length { return 3.4*swatch + style(textSize, text.XLeft).Width(name) }

// legendRows divides the series among as many rows as their names need.
func (f *Figure) legendRows(width vg.Length) (rows [][]int) {
	used := width
	for i, name := range f.Series {
		need := legendWidth(name)
		if used+need-2*swatch > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		used += need
	}
	return rows
}

// legend draws a swatch and a name for each series of a row.
func (f *Figure) legend(c draw.Canvas, y vg.Length, row []int) {
	x := c.Min.X
	names := style(textSize, text.XLeft)
	for _, i := range row {
		name := f.Series[i]
		c.FillPolygon(palette[i], []vg.Point{{X: x, Y: y}, {X: x + swatch, Y: y}, {X: x + swatch, Y: y + swatch*0.8}, {X: x, Y: y + swatch*0.8}})
		c.FillText(names, vg.Point{X: x + 1.4*swatch, Y: y}, name)
		x += legendWidth(name)
	}
}

// style is black text of a size.
func style(size float64, align text.XAlignment) text.Style {
	return text.Style{
		Color: color.Black, Handler: plot.DefaultTextHandler, XAlign: align,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
	}
}
