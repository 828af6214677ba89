package figures

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The formats of files.
const (
	SVG = "svg"
	PNG = "png"
	PDF = "pdf"
)

// Render writes the figure in a format.
func (f *Figure) Render(w io.Writer, format string) error {
	whole := f.whole()
	switch format {
	case SVG:
		var b bytes.Buffer
		b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")
		whole.svg(&b, true)
		_, err := b.WriteTo(w)
		return err
	case PNG:
		width, height := vg.Length(whole.width*perPoint), vg.Length(whole.height*perPoint)
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
		whole.draw(draw.NewCanvas(canvas, width, height))
		_, err := canvas.WriteTo(w)
		return err
	case PDF:
		return whole.pdf(w)
	}
	return fmt.Errorf("there is no picture format %q; use %s, %s or %s", format, SVG, PNG, PDF)
}

// Part returns the figure as part of a page whose style has the rules of [Style]: an element figure
// with a caption, a legend of buttons, an svg element for each panel, and the note. Texts are
// escaped. The page's script may hide the groups data-s of a series whose button is pressed;
// without it the buttons do nothing.
func (f *Figure) Part() string {
	var b bytes.Buffer
	panels, class := make([]*scene, len(f.Panels)), ""
	for i := range f.Panels {
		if panels[i] = f.panel(&f.Panels[i]); len(panels) > 1 {
			class = " class=\"many\""
		}
	}
	fmt.Fprintf(&b, "<figure%s><figcaption>%s</figcaption>\n", class, html.EscapeString(f.Title))
	if len(f.Series) > 0 {
		b.WriteString("<div class=\"keys\">")
		for _, name := range f.Series {
			fmt.Fprintf(&b, "<button type=\"button\" aria-pressed=\"true\" data-k=\"%s\">%s%s</button>", html.EscapeString(name), f.key(name), html.EscapeString(name))
		}
		b.WriteString("</div>\n")
	}
	b.WriteString("<div class=\"panels\">")
	for _, p := range panels {
		b.WriteString("<div class=\"panel\">")
		p.svg(&b, false)
		b.WriteString("</div>")
	}
	b.WriteString("</div>")
	if f.Note != "" {
		fmt.Fprintf(&b, "<p class=\"note\">%s</p>", html.EscapeString(f.Note))
	}
	b.WriteString("</figure>\n")
	return b.String()
}

// whole lays title, legend, panels and note out on one scene, two panels side by side.
func (f *Figure) whole() *scene {
	const margin = 12.0
	columns, panels := min(len(f.Panels), 2), make([]*scene, len(f.Panels))
	for i := range f.Panels {
		panels[i] = f.panel(&f.Panels[i])
	}
	inside := max(float64(columns)*(panelWidth+2*gap)-2*gap, panels[0].width)
	s := &scene{width: inside + 2*margin, title: f.Title, about: f.about(&f.Panels[0])}
	y := s.lines("ink", titleSize, inside, 0, margin, margin/2, f.Title)
	for i := range s.shapes {
		s.shapes[i].bold = true
	}
	if f.Warning != "" {
		y = s.lines("warn", textSize, inside, 0, margin, y, f.Warning)
	}
	y = f.legend(s, margin, y+gap/2, inside) + gap
	for i := 0; i < len(panels); i += columns {
		deep := 0.0
		for k := i; k < min(i+columns, len(panels)); k++ {
			s.place(panels[k], margin+float64(k-i)*(panelWidth+2*gap), y)
			deep = max(deep, panels[k].height)
		}
		y += deep + gap
	}
	s.height = s.lines("soft", smallSize, inside, 0, margin, y, f.Note) + margin
	return s
}

// legend draws a swatch and a name for each series, in as many rows as they need, and returns the
// place below.
func (f *Figure) legend(s *scene, left, y, width float64) float64 {
	if len(f.Series) == 0 {
		return y
	}
	const swatch = 10.0
	x, wide := left, swatch
	if f.hasCurves() {
		wide = keyWidth
	}
	for _, name := range f.Series {
		need := wide + 5 + extent(name, textSize)
		if x > left && x+need > left+width {
			x, y = left, y+textSize*1.5
		}
		if f.hasCurves() {
			s.stroke(f.role(name), 2.4, xy{x, y + 6}, xy{x + wide, y + 6}).dash = f.dash(name)
		} else {
			s.box(f.role(name), x, y+1, x+wide, y+1+swatch)
		}
		s.write("ink", textSize*min(1, (width-wide-5)/extent(name, textSize)), 0, x+wide+5, y+swatch, name)
		x += need + 2*gap
	}
	return y + textSize*1.5
}

// keyWidth is the length of a line in a legend.
const keyWidth = 26.0

// key is what a series looks like, for the legend of a page.
func (f *Figure) key(name string) string {
	if !f.hasCurves() {
		return fmt.Sprintf("<i class=\"b%s\"></i>", f.role(name))
	}
	var b bytes.Buffer
	b.WriteString(`<svg class="key" viewBox="0 0 26 8" width="26" height="8" aria-hidden="true">`)
	(&shape{kind: line, role: f.role(name), size: 2.4, dash: f.dash(name), rings: [][]xy{{{0, 4}, {keyWidth, 4}}}}).svg(&b)
	b.WriteString("</svg>")
	return b.String()
}

// dashes are the patterns of lines, by number; the first is solid.
var dashes = [][]float64{nil, {7, 3}, {2, 3}, {9, 3, 2, 3}, {12, 4}}

// svg writes the scene as an element of a page; alone also as a document of its own, with colours.
func (s *scene) svg(w *bytes.Buffer, alone bool) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img"%s>`,
		short(s.width), short(s.height), short(s.width), short(s.height), s.data)
	fmt.Fprintf(w, "<title>%s</title>", html.EscapeString(s.title))
	if s.about != "" {
		fmt.Fprintf(w, "<desc>%s</desc>", html.EscapeString(s.about))
	}
	if alone {
		_, of := hues()
		fmt.Fprintf(w, "<style>%s</style><rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>", rules(func(role string) string { return of[role].light }))
	}
	series := ""
	for i := range s.shapes {
		one := &s.shapes[i]
		if one.series != series {
			if series != "" {
				w.WriteString("</g>")
			}
			if series = one.series; series != "" {
				fmt.Fprintf(w, "\n<g data-s=\"%s\">", html.EscapeString(series))
			}
		}
		one.svg(w)
	}
	if series != "" {
		w.WriteString("</g>")
	}
	w.WriteString("</svg>\n")
}

// svg writes one shape.
func (s *shape) svg(w *bytes.Buffer) {
	element, content := "path", ""
	at := s.rings[0][0]
	switch s.kind {
	case area:
		fmt.Fprintf(w, `<path class="%s" d="%s"`, s.role, outline(s.rings, true))
	case line:
		fmt.Fprintf(w, `<path class="l%s" d="%s" stroke-width="%s"`, s.role, outline(s.rings, false), short(s.size))
		for i, d := range dashes[s.dash%len(dashes)] {
			fmt.Fprintf(w, `%s%s`, [2]string{` stroke-dasharray="`, " "}[min(i, 1)], short(d))
		}
		if s.dash%len(dashes) > 0 {
			w.WriteByte('"')
		}
	case disc:
		element = "circle"
		class := s.role
		if s.open {
			class = "l" + s.role + " o"
		}
		fmt.Fprintf(w, `<circle class="%s" cx="%s" cy="%s" r="%s"`, class, short(at.x), short(at.y), short(s.size))
		if s.open {
			w.WriteString(` stroke-width="1.6"`)
		}
	case words:
		element, content = "text", html.EscapeString(s.text)
		fmt.Fprintf(w, `<text class="%s" x="%s" y="%s" font-size="%s"`, s.role, short(at.x), short(at.y), short(s.size))
		if s.align > 0 {
			fmt.Fprintf(w, ` text-anchor="%s"`, [2]string{"middle", "end"}[int(s.align)])
		}
		if s.bold {
			w.WriteString(` font-weight="bold"`)
		}
	}
	w.WriteString(s.data)
	if s.title != "" {
		content = "<title>" + html.EscapeString(s.title) + "</title>" + content
	}
	if content == "" {
		w.WriteString("/>")
		return
	}
	fmt.Fprintf(w, ">%s</%s>", content, element)
}

// outline is the path of lines or of closed polygons.
func outline(rings [][]xy, closed bool) string {
	var b []byte
	for _, ring := range rings {
		for i, p := range ring {
			switch {
			case i == 0:
				b = append(append(append(append(b, 'M'), short(p.x)...), ' '), short(p.y)...)
			case p.x == ring[i-1].x:
				b = append(append(b, 'V'), short(p.y)...)
			case p.y == ring[i-1].y:
				b = append(append(b, 'H'), short(p.x)...)
			default:
				b = append(append(append(append(b, 'L'), short(p.x)...), ' '), short(p.y)...)
			}
		}
		if closed {
			b = append(b, 'Z')
		}
	}
	return string(b)
}

// short writes a place with a digit behind the point where it needs one.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) } // no "-0"

const (
	dotsPerInch = 200
	perPoint    = 72.0 / 96 // printers' points
)

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
