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

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Generator is the element that tells the pages of this package from others.
const Generator = `<meta name="generator" content="carousel report">`

// policy lets the page run and load nothing but what it holds itself.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// markup is a page on its way. (The template package of the standard library would add a quarter to
// the program's size, because it keeps the linker from leaving out methods.)
type markup struct{ bytes.Buffer }

// text writes a format whose parts are texts to be shown as they are.
func (m *markup) text(format string, parts ...string) {
	escaped := make([]any, len(parts))
	for i, p := range parts {
		escaped[i] = html.EscapeString(p)
	}
	fmt.Fprintf(m, format, escaped...)
}

// sheet writes a table that the page's script can sort; columns of numbers are flush right.
func (m *markup) sheet(s *sheet.Sheet) {
	numbers := make([]string, len(s.Header))
	for c := range s.Header {
		if s.Numeric(c) {
			numbers[c] = " class=\"n\""
		}
	}
	m.WriteString("<div class=\"wide-table\"><table class=\"sort\"><thead><tr>")
	for c, name := range s.Header {
		m.text("<th scope=\"col\""+numbers[c]+">%s</th>", name)
	}
	m.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range s.Rows {
		m.WriteString("<tr>")
		for c, cell := range row {
			m.text("<td"+numbers[c]+">%s</td>", cell)
		}
		m.WriteString("</tr>\n")
	}
	m.WriteString("</tbody></table></div>\n")
	if s.Left > 0 {
		m.text("<p class=\"small\">%s more are in the tables of the directory.</p>\n", strconv.Itoa(s.Left))
	}
}

// list writes paragraphs.
func (m *markup) list(class string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.text("<div class=\"%s\">", class)
	for _, t := range texts {
		m.text("<p>%s</p>", t)
	}
	m.WriteString("</div>\n")
}

// Write writes the page as one HTML file.
func (p *Page) Write(w io.Writer) error {
	title := p.Title
	switch {
	case title != "":
	case len(p.Studies) == 1:
		title = p.Studies[0].Title
	default:
		title = fmt.Sprintf("%d studies", len(p.Studies))
	}
	var page markup
	page.text("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+Generator+"\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n", title)
	page.WriteString("<style>\n" + figures.Style() + pageStyle + "</style>\n</head>\n<body>\n")
	page.text("<h1>%s</h1>\n", title)
	if len(p.Studies) > 1 {
		page.WriteString("<ol>")
		for i := range p.Studies {
			page.text("<li><a href=\"#study%s\">%s</a></li>", strconv.Itoa(i+1), p.Studies[i].Title)
		}
		page.WriteString("</ol>\n")
	}
	for i := range p.Studies {
		if len(p.Studies) > 1 || p.Title != "" {
			page.text("<h2 id=\"study%s\">%s</h2>\n", strconv.Itoa(i+1), p.Studies[i].Title)
		}
		if err := page.study(&p.Studies[i]); err != nil {
			return err
		}
	}
	page.WriteString("<script>\n" + pageScript + "</script>\n</body>\n</html>\n")
	_, err := w.Write(page.Bytes())
	return err
}

// Save writes the page under a temporary name and renames it.
func (p *Page) Save(path string) error { return wholefile.Write(path, p.Write) }

// study writes the part of one study: first what was compared and what came out, then pictures, and
// then everything that they come from.
func (m *markup) study(s *Study) error {
	m.WriteString("<section>\n")
	if s.Warning != "" {
		m.text("<p class=\"warning\">%s. Claims stay open until all of them are.</p>\n", s.Warning)
	}
	m.list("answer", s.Answer)
	m.text("<p class=\"small\">%s</p>\n", strings.Join(s.Compared, " · "))
	m.text("<div class=\"ranked\">\n")
	for i := range s.Ranked {
		if r := &s.Ranked[i]; r.Title != "" {
			m.text("<h3>%s</h3>\n", r.Title)
		}
		m.sheet(&s.Ranked[i].Sheet)
	}
	m.text("</div>\n")
	first := len(s.Ranked) == 0 && len(s.Summary.Rows) <= longSummary
	if first && len(s.Summary.Rows) > 0 {
		m.sheet(&s.Summary)
	}
	m.folded(fmt.Sprintf("Configuration that is not at its defaults (%d)", len(s.Settings.Rows)), &s.Settings, len(s.Settings.Rows) <= longSummary)
	open, more := fold(s.Figures)
	if err := m.figures(open); err != nil {
		return err
	}
	for i := range more {
		m.text("<details><summary>%s</summary>\n", more[i].Title)
		if err := m.figures(more[i : i+1]); err != nil {
			return err
		}
		m.WriteString("</details>\n")
	}
	m.claims(s.Claims)
	for i := range s.Groups {
		open := i == 0 && panels(open)+panels(s.Groups[i].Figures) <= mostOpen
		if err := m.group(&s.Groups[i], open); err != nil {
			return err
		}
	}
	if !first {
		m.folded(fmt.Sprintf("Means (%d)", len(s.Summary.Rows)), &s.Summary, false)
	}
	values := valuesOf(s.Points)
	m.folded(fmt.Sprintf("Values of the pictures (%d)", len(values.Rows)), &values, false)
	m.folded(fmt.Sprintf("Runs (%d)", len(s.Sheet.Rows)), &s.Sheet, false)
	m.WriteString("<details><summary>Provenance</summary>\n<div class=\"wide-table\"><table>")
	for _, f := range s.Facts {
		m.text("<tr><th>%s</th><td>%s</td></tr>\n", f.Name, f.Value)
	}
	m.WriteString("</table></div></details>\n</section>\n")
	return nil
}

// mostOpen is how many pictures a page shows before anything is opened.
const mostOpen = 12

// fold divides figures into those that a page shows at once, as many as it may, and the others.
func fold(list []figures.Figure) (open, more []figures.Figure) {
	for _, f := range list {
		if panels(open)+len(f.Panels) <= mostOpen {
			open = append(open, f)
		} else {
			more = append(more, f)
		}
	}
	return open, more
}

// panels counts the pictures of figures.
func panels(list []figures.Figure) (n int) {
	for i := range list {
		n += len(list[i].Panels)
	}
	return n
}

// longSummary is the number of rows from which on a table does not stand on the first screen.
const longSummary = 24

// folded writes a table that opens when its title is pressed, if it has rows.
func (m *markup) folded(title string, s *sheet.Sheet, open bool) {
	if len(s.Rows) == 0 {
		return
	}
	m.text("<details"+map[bool]string{true: " open"}[open]+"><summary>%s</summary>\n", title)
	m.sheet(s)
	m.WriteString("</details>\n")
}

// group writes what there is to see of a part of the study.
func (m *markup) group(g *Group, open bool) error {
	m.text("<details"+map[bool]string{true: " open"}[open]+"><summary>%s</summary>\n", g.Title)
	if err := m.figures(g.Figures); err != nil {
		return err
	}
	m.folded("The hottest links", &g.Links, false)
	m.folded("Blocks that move most often between caches", &g.Blocks, false)
	m.WriteString("</details>\n")
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
	m.WriteString("<h3>Claims</h3>\n<div class=\"wide-table\"><table class=\"sort claims\"><thead><tr>")
	for _, name := range []string{"claim", "verdict", "measured", "printed", "what it says, and how it was judged"} {
		m.text("<th scope=\"col\">%s</th>", name)
	}
	m.WriteString("</tr></thead>\n<tbody>\n")
	for _, c := range list {
		measured := ""
		if c.Measured.Known {
			measured = sheet.Number(c.Measured.Value)
		}
		if c.CI.Known {
			measured += fmt.Sprintf(" ± %.2g", c.CI.Value)
		}
		m.text("<tr><td class=\"id\">%s</td><td class=\"verdict %s\">%s</td><td>%s</td><td>%s</td>\n",
			c.ID, strings.ReplaceAll(c.Verdict, " ", "-"), c.Verdict, measured, c.Printed)
		reason := ""
		if c.Reason != "" {
			reason = " Reason: " + c.Reason + "."
		}
		m.text("<td class=\"claim\">%s%s<div class=\"small\"><i>Conditions:</i> %s. <i>Criterion:</i> %s. <i>Measured:</i> %s</div></td></tr>\n",
			c.Text, reason, c.Conditions, c.Criterion, c.Detail)
	}
	m.WriteString("</tbody></table></div>\n")
}

// valuesOf lists what the pictures show.
func valuesOf(list []tables.FigurePoint) sheet.Sheet {
	s := sheet.Sheet{Header: []string{"picture", "panel", "group", "label", "x", "series", "value", "quantity", "divided by", "runs"}}
	for _, p := range list {
		if len(s.Rows) == maxRows {
			s.Left = len(list) - maxRows
			break
		}
		x, value, quantity := "", sheet.Number(p.Value), p.Quantity
		if p.X.Known {
			x = sheet.Number(p.X.Value)
		}
		if p.Low.Known && p.High.Known {
			value = metrics.Estimate{Mean: p.Value, Low: p.Low.Value, High: p.High.Value, N: 2, OK: true}.Text()
		}
		if p.Unit != "" {
			quantity += " [" + p.Unit + "]"
		}
		s.Rows = append(s.Rows, []string{p.Figure, p.Panel, p.Group, p.Label, x, p.Series, value, quantity, p.Baseline, strconv.FormatUint(p.Runs, 10)})
	}
	return s
}

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
