package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// policy lets the page run and load nothing but what it holds itself.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// markup is a page on its way.
type markup struct{ sheet.Markup }

// list writes paragraphs.
func (m *markup) list(class string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.Text("<div class=\"%s\">", class)
	for _, t := range texts {
		m.Text("<p>%s</p>", t)
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
	page.Head(title, experiment.PageGenerator+"\n<meta http-equiv=\"Content-Security-Policy\" content=\""+policy+"\">\n", figures.Style())
	page.Text("<h1>%s</h1>\n", title)
	if len(p.Studies) > 1 {
		page.WriteString("<ol>")
		for i := range p.Studies {
			page.Text("<li><a href=\"#study%d\">%s</a></li>", i+1, p.Studies[i].Title)
		}
		page.WriteString("</ol>\n")
	}
	for i := range p.Studies {
		if len(p.Studies) > 1 || p.Title != "" {
			page.Text("<h2 id=\"study%d\">%s</h2>\n", i+1, p.Studies[i].Title)
		}
		page.study(&p.Studies[i])
	}
	page.End("")
	_, err := w.Write(page.Bytes())
	return err
}

// Save writes the page under a temporary name and renames it.
func (p *Page) Save(path string) error { return wholefile.Write(path, p.Write) }

// Markup returns the part of a page about the study.
func (s *Study) Markup() string {
	var m markup
	m.study(s)
	return m.String()
}

// study writes the part of one study: first what was compared and what came out, then pictures, and
// then everything that they come from.
func (m *markup) study(s *Study) {
	m.WriteString("<section>\n")
	if s.Warning != "" {
		text := s.Warning + "."
		if len(s.Claims) > 0 {
			text += " Claims stay open until all of them are."
		}
		m.Text("<p class=\"warning\">%s</p>\n", text)
	}
	m.list("warning", s.Doubts)
	m.list("answer", s.Answer)
	if s.Compared != "" {
		m.Text("<p class=\"small\">%s</p>\n", s.Compared)
	}
	m.Text("<div class=\"ranked\">\n")
	for _, r := range s.Results {
		if r.Title != "" {
			m.Text("<h3>%s</h3>\n", r.Title)
		}
		if short(r) {
			m.Table(r)
		} else {
			m.folded("Results (n)", r, false)
		}
	}
	m.Text("</div>\n")
	if s.Notes != nil {
		m.Details(fmt.Sprintf("Notes (%d)", len(s.Notes)), false, func() { m.list("notes", s.Notes) })
	}
	m.folded("Simulated system", s.System, false)
	m.folded("Configuration that is not at its defaults (n)", s.Settings, short(s.Settings))
	open, more, shown := fold(s.Figures)
	m.figures(open)
	for i := range more {
		m.Details(more[i].Title, false, func() { m.figures(more[i : i+1]) })
	}
	m.claims(s.Claims)
	for i := range s.Groups {
		g := &s.Groups[i]
		_, rest, own := fold(g.Figures)
		m.Details("Network maps, latencies, cores: "+g.Title, i == 0 && rest == nil && shown+own <= mostOpen, func() {
			m.figures(g.Figures)
			m.folded("The hottest links", g.Links, false)
			m.folded("Blocks that move most often between caches", g.Blocks, false)
		})
	}
	m.folded("Runs (n)", s.Sheet, false)
	m.folded("Provenance", s.Facts, false)
	m.WriteString("</section>\n")
}

// mostOpen is how many pictures a page shows before anything is opened.
const mostOpen = 12

// fold divides figures into those that a page shows at once, as many as it may, and the others;
// shown is how many panels the former have.
func fold(list []figures.Figure) (open, more []figures.Figure, shown int) {
	for _, f := range list {
		if n := len(f.Panels); shown+n <= mostOpen {
			open, shown = append(open, f), shown+n
		} else {
			more = append(more, f)
		}
	}
	return open, more, shown
}

// short reports whether a table has few enough rows for the first screen.
func short(s *sheet.Sheet) bool { return s != nil && len(s.Rows) <= 24 }

// folded writes a table that opens when its title is pressed, if it has rows. A title says with (n) how
// many.
func (m *markup) folded(title string, s *sheet.Sheet, open bool) {
	if s == nil || len(s.Rows) == 0 {
		return
	}
	m.Details(strings.Replace(title, "(n)", fmt.Sprintf("(%d)", len(s.Rows)), 1), open, func() { m.Table(s) })
}

// figures writes pictures, side by side where there is room.
func (m *markup) figures(list []figures.Figure) {
	if len(list) == 0 {
		return
	}
	common := commonNote(list)
	m.WriteString("<div class=\"figures\">\n")
	for i := range list {
		f := list[i]
		if strings.HasPrefix(common, f.Note) {
			f.Note = ""
		}
		m.WriteString(f.Part())
	}
	m.WriteString("</div>\n")
	if common != "" {
		m.Text("<p class=\"small\">Pictures with no line of their own below them: %s.</p>\n", common)
	}
}

// commonNote is the note of several figures that most of them have; "" for none. It is said once.
func commonNote(list []figures.Figure) (note string) {
	most := 1
	for _, g := range tables.GroupBy(list, func(f *figures.Figure) string { return f.Note }) {
		if len(g.Records) > most {
			note, most = g.Key, len(g.Records)
		}
	}
	return note
}

// claims writes the verdicts.
func (m *markup) claims(list []tables.Claim) {
	if len(list) == 0 {
		return
	}
	m.WriteString("<h3>Claims</h3>\n<div class=\"wide-table\"><table class=\"sort claims\"><thead><tr>")
	for _, name := range []string{"claim", "verdict", "measured", "printed", "what it says, and how it was judged"} {
		m.Text("<th scope=\"col\">%s</th>", name)
	}
	m.WriteString("</tr></thead>\n<tbody>\n")
	for _, c := range list {
		m.Text("<tr><td class=\"id\">%s</td><td class=\"verdict %s\">%s</td><td>%s</td><td>%s</td>\n",
			c.ID, strings.ReplaceAll(c.Verdict, " ", "-"), c.Verdict, c.Estimate().Text(), c.Printed)
		reason := ""
		if c.Reason != "" {
			reason = " Reason: " + c.Reason + "."
		}
		m.Text("<td class=\"claim\">%s%s<div class=\"small\"><i>Conditions:</i> %s. <i>Criterion:</i> %s. <i>Measured:</i> %s</div></td></tr>\n",
			c.Text, reason, c.Conditions, c.Criterion, c.Detail)
	}
	m.WriteString("</tbody></table></div>\n")
}
