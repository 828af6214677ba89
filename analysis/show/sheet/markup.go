package sheet

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
)

// The look of pages, and their script: titles of marks, legends to press, tables to sort, the time
// of maps.
var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// Markup is a page of HTML on its way. (The template package of the standard library would add a
// quarter to the program's size, because it keeps the linker from leaving out methods.)
type Markup struct{ bytes.Buffer }

// Head starts the page: its title, elements that its head has beside the usual ones, and the
// colours of its pictures.
func (m *Markup) Head(title, more, colours string) {
	m.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + more)
	m.Text("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n", title)
	m.WriteString("<style>\n" + colours + pageStyle + "</style>\n</head>\n<body>\n")
}

// End ends the page with its script, and more of it.
func (m *Markup) End(more string) {
	m.WriteString("<script>\n" + pageScript + more + "</script>\n</body>\n</html>\n")
}

// Text writes a format whose texts are shown as they are.
func (m *Markup) Text(format string, parts ...any) {
	for i, p := range parts {
		if s, ok := p.(string); ok {
			parts[i] = html.EscapeString(s)
		}
	}
	fmt.Fprintf(m, format, parts...)
}

// Details writes something that opens when its title is pressed.
func (m *Markup) Details(title string, open bool, body func()) {
	state := ""
	if open {
		state = " open"
	}
	m.Text("<details"+state+"><summary>%s</summary>\n", title)
	body()
	m.WriteString("</details>\n")
}

// Table writes a sheet, without its notes, as a table of the class sort; columns of numbers have the
// class n.
func (m *Markup) Table(s *Sheet) {
	numbers := make([]string, len(s.Header))
	for c := range s.Header {
		if s.Numeric(c) {
			numbers[c] = " class=\"n\""
		}
	}
	m.WriteString("<div class=\"wide-table\"><table class=\"sort\"><thead><tr>")
	for c, name := range s.Header {
		m.Text("<th scope=\"col\""+numbers[c]+">%s</th>", name)
	}
	m.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range s.Rows {
		m.WriteString("<tr>")
		for c, cell := range row {
			m.Text("<td"+numbers[c]+">%s</td>", cell)
		}
		m.WriteString("</tr>\n")
	}
	m.WriteString("</tbody></table></div>\n")
	if s.Left > 0 {
		m.Text("<p class=\"small\">%d more are in the tables of the directory.</p>\n", s.Left)
	}
}
