package figures

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
)

// dashes are the patterns of lines, by number; the first is solid.
var dashes = [][]float64{nil, {7, 3}, {2, 3}, {9, 3, 2, 3}, {12, 4}}

// svg writes the scene as an element of a page; alone also as a document of its own, with colours.
func (s *scene) svg(w *bytes.Buffer, alone bool) {
	class := ""
	if !alone && s.width > panelWidth {
		class = ` class="wide"`
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg"%s viewBox="0 0 %s %s" width="%s" height="%s" role="img"%s>`, class,
		short(s.width), short(s.height), short(s.width), short(s.height), s.data)
	fmt.Fprintf(w, "<title>%s</title>", html.EscapeString(s.title))
	if s.about != "" {
		fmt.Fprintf(w, "<desc>%s</desc>", html.EscapeString(s.about))
	}
	if alone {
		fmt.Fprintf(w, "<style>%s</style><rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>", fixedStyle())
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
			fmt.Fprintf(w, ` text-anchor="%s"`, map[bool]string{true: "end", false: "middle"}[s.align == 1])
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
func short(v float64) string {
	return string(strconv.AppendFloat(nil, float64(int(v*10+0.5*sign(v)))/10, 'f', -1, 64))
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}
