package figures

import (
	"bytes"
	"fmt"
	"html"
	"io"
)

// The formats of files.
const (
	SVG = "svg"
	PNG = "png"
	PDF = "pdf"
)

// Render writes the figure in a format.
func (f *Figure) Render(w io.Writer, format string) error {
	if err := f.Validate(); err != nil {
		return err
	}
	whole := f.whole()
	switch format {
	case SVG:
		var b bytes.Buffer
		b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")
		whole.svg(&b, true)
		_, err := w.Write(b.Bytes())
		return err
	case PNG:
		return whole.raster(w)
	case PDF:
		return whole.pdf(w)
	}
	return fmt.Errorf("there is no picture format %q; use %s, %s or %s", format, SVG, PNG, PDF)
}

// Part returns the figure as part of a page whose style has the rules of [Style]: an element figure
// with a caption, a legend of buttons, an svg element for each panel, and the note. Texts are
// escaped. The page's script may hide the groups data-s of a series whose button is pressed;
// without it the buttons do nothing.
func (f *Figure) Part() (string, error) {
	if err := f.Validate(); err != nil {
		return "", err
	}
	var b bytes.Buffer
	panels, class := make([]*scene, len(f.Panels)), ""
	for i := range f.Panels {
		if panels[i] = f.panel(&f.Panels[i]); len(panels) > 1 || panels[i].width > panelWidth {
			class = " class=\"many\""
		}
	}
	fmt.Fprintf(&b, "<figure%s><figcaption>%s</figcaption>\n", class, html.EscapeString(f.Title))
	if f.Warning != "" {
		fmt.Fprintf(&b, "<p class=\"warning\">%s</p>\n", html.EscapeString(f.Warning))
	}
	if len(f.Series) > 0 {
		b.WriteString("<div class=\"keys\">")
		for _, name := range f.Series {
			fmt.Fprintf(&b, "<button type=\"button\" aria-pressed=\"true\" data-k=\"%s\"><i class=\"b%s\"></i>%s</button>",
				html.EscapeString(name), f.role(name), html.EscapeString(name))
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
	return b.String(), nil
}

// whole lays title, legend, panels and note out on one scene: two panels side by side where they
// are narrow.
func (f *Figure) whole() *scene {
	panels, widest := make([]*scene, len(f.Panels)), panelWidth
	for i := range f.Panels {
		panels[i] = f.panel(&f.Panels[i])
		widest = max(widest, panels[i].width)
	}
	columns := 1
	if len(panels) > 1 && widest == panelWidth {
		columns = 2
	}
	const margin = 12.0
	inside := float64(columns)*(widest+2*gap) - 2*gap
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
			s.place(panels[k], margin+float64(k-i)*(widest+2*gap), y)
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
	x := left
	for _, name := range f.Series {
		dash, wide := f.dash(name), swatch
		if dash > 0 {
			wide += 8
		}
		need := wide + 5 + extent(name, textSize)
		if x > left && x+need > left+width {
			x, y = left, y+textSize*1.5
		}
		if dash > 0 {
			s.stroke(f.role(name), 2.4, xy{x, y + 6}, xy{x + wide, y + 6}).dash = dash
		} else {
			s.box(f.role(name), x, y+1, x+wide, y+1+swatch)
		}
		s.write("ink", textSize, 0, x+wide+5, y+swatch, name)
		x += need + 2*gap
	}
	return y + textSize*1.5
}
