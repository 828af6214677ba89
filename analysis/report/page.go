package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Generator is the element that tells the pages of this package from others.
const Generator = `<meta name="generator" content="carousel report">`

// markup is a page on its way. (The template package of the standard library would add a quarter to the
// program's size, because it keeps the linker from leaving out methods.)
type markup struct{ bytes.Buffer }

// text writes a format whose parts are texts to be shown as they are.
func (m *markup) text(format string, parts ...string) {
	escaped := make([]any, len(parts))
	for i, p := range parts {
		escaped[i] = html.EscapeString(p)
	}
	fmt.Fprintf(m, format, escaped...)
}

// row writes a row of a table with cells of a kind: td or th.
func (m *markup) row(kind string, cells ...string) {
	m.WriteString("<tr>")
	for _, c := range cells {
		m.text("<"+kind+">%s</"+kind+">", c)
	}
	m.WriteString("</tr>\n")
}

// Write writes the page as one HTML file.
func (p *Page) Write(w io.Writer) error {
	var page markup
	page.text("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+Generator+"\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n", p.Title)
	page.WriteString("<style>\n" + figures.Style() + pageStyle + "</style>\n</head>\n<body>\n")
	page.text("<h1>%s</h1>\n", p.Title)
	if len(p.Studies) > 1 {
		page.WriteString("<ol>")
		for i := range p.Studies {
			page.text("<li><a href=\"#study%s\">%s</a></li>", strconv.Itoa(i+1), p.Studies[i].Title)
		}
		page.WriteString("</ol>\n")
	}
	for i := range p.Studies {
		if err := page.study(i+1, &p.Studies[i]); err != nil {
			return err
		}
	}
	page.WriteString("<script>\n" + pageScript + "</script>\n</body>\n</html>\n")
	_, err := w.Write(page.Bytes())
	return err
}

// study writes the part of one study.
func (m *markup) study(number int, s *Study) error {
	m.text("<section id=\"study%s\">\n<h2>%s</h2>\n", strconv.Itoa(number), s.Title)
	if s.Warning != "" {
		m.text("<p class=\"warning\">%s. Claims stay open until all of them are.</p>\n", s.Warning)
	}
	if err := m.figures(s.Figures); err != nil {
		return err
	}
	m.claims(s.Claims)
	m.values(s.Points)
	m.text("<details><summary>Runs (%s)</summary>\n<div class=\"wide-table\"><table>\n", strconv.Itoa(len(s.Sheet.Rows)))
	m.row("th", s.Sheet.Header...)
	for _, row := range s.Sheet.Rows {
		m.row("td", row...)
	}
	m.WriteString("</table>")
	if s.Sheet.Left > 0 {
		m.text("<p>%s more are in the tables of the directory.</p>", strconv.Itoa(s.Sheet.Left))
	}
	m.WriteString("</div></details>\n<details><summary>How it came about</summary>\n<table>")
	for _, f := range s.Facts {
		m.text("<tr><th>%s</th><td>%s</td></tr>\n", f.Name, f.Value)
	}
	m.WriteString("</table></details>\n</section>\n")
	return nil
}

// figures writes pictures, side by side where there is room.
func (m *markup) figures(list []figures.Figure) error {
	if len(list) == 0 {
		return nil
	}
	m.WriteString("<div class=\"figures\">\n")
	for i := range list {
		part, err := list[i].Part()
		if err != nil {
			return err
		}
		m.WriteString(part)
	}
	m.WriteString("</div>\n")
	return nil
}

// claims writes the verdicts.
func (m *markup) claims(list []tables.Claim) {
	if len(list) == 0 {
		return
	}
	m.WriteString("<h3>Claims</h3>\n<div class=\"wide-table\"><table>\n")
	m.row("th", "claim", "verdict", "measured", "printed", "what it says, and how it was judged")
	for _, c := range list {
		measured := ""
		if c.Measured.Known {
			measured = fourDigits(c.Measured.Value)
		}
		if c.CI.Known {
			measured += fmt.Sprintf(" ± %.2g", c.CI.Value)
		}
		m.text("<tr><td class=\"id\">%s</td><td class=\"verdict %s\">%s</td><td>%s</td><td>%s</td>\n",
			c.ID, strings.ReplaceAll(c.Verdict, " ", "-"), c.Verdict, measured, c.Printed)
		m.text("<td class=\"claim\">%s<div class=\"soft\"><i>Conditions:</i> %s. <i>Criterion:</i> %s. <i>Measured:</i> %s</div></td></tr>\n",
			c.Text, c.Conditions, c.Criterion, c.Detail)
	}
	m.WriteString("</table></div>\n")
}

// values writes what the pictures show.
func (m *markup) values(list []tables.FigurePoint) {
	if len(list) == 0 {
		return
	}
	m.text("<details><summary>Values of the pictures (%s)</summary>\n<div class=\"wide-table\"><table>\n", strconv.Itoa(len(list)))
	m.row("th", "picture", "panel", "group", "label", "x", "series", "value", "quantity", "divided by", "runs")
	for _, p := range list {
		x, value, quantity := "", fourDigits(p.Value), p.Quantity
		if p.X.Known {
			x = fourDigits(p.X.Value)
		}
		if p.Low.Known && p.High.Known {
			value += fmt.Sprintf(" ± %.2g", (p.High.Value-p.Low.Value)/2)
		}
		if p.Unit != "" {
			quantity += " [" + p.Unit + "]"
		}
		m.row("td", p.Figure, p.Panel, p.Group, p.Label, x, p.Series, value, quantity, p.Baseline, strconv.FormatUint(p.Runs, 10))
	}
	m.WriteString("</table></div></details>\n")
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func fourDigits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
