package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

//go:embed page.html
var pageText string

// shown is a study as the page's template takes it.
type shown struct {
	Number  int
	Title   string
	Facts   []Fact
	Figures []template.HTML
	Claims  []tables.Claim
	Points  []tables.FigurePoint
	Sheet   Sheet
}

// Write writes the page as one HTML file.
func (p *Page) Write(w io.Writer) error {
	functions := template.FuncMap{"number": number, "short": short, "interval": interval, "class": class, "x": position}
	page, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	content := struct {
		Title   string
		Font    template.CSS
		Studies []shown
	}{Title: p.Title}
	for i := range p.Studies {
		s := &p.Studies[i]
		out := shown{Number: i + 1, Title: s.Title, Facts: s.Facts, Claims: s.Claims, Points: s.Points, Sheet: s.Sheet}
		for k := range s.Figures {
			picture, font, err := inline(&s.Figures[k])
			if err != nil {
				return err
			}
			out.Figures = append(out.Figures, picture)
			content.Font = font
		}
		content.Studies = append(content.Studies, out)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, content); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// The parts of an SVG file that a page must not repeat.
var (
	prologue = regexp.MustCompile(`(?s)^.*?<svg`)
	fontFace = regexp.MustCompile(`(?s)<defs>\s*<style>(.*?)</style>\s*</defs>`)
)

// inline draws a figure for use inside a page: without what comes before the svg element, and with its font
// apart, since all pictures of the page share it.
func inline(f *figures.Figure) (picture template.HTML, font template.CSS, err error) {
	var b bytes.Buffer
	if err := f.Render(&b, figures.SVG); err != nil {
		return "", "", err
	}
	text := prologue.ReplaceAllString(b.String(), "<svg")
	if found := fontFace.FindStringSubmatch(text); found != nil {
		font = template.CSS(found[1])
	}
	// Titles and labels come from traces and plans, but the drawing library escapes them.
	return template.HTML(fontFace.ReplaceAllString(text, "")), font, nil
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// number writes a value with four digits; nothing for an absent one.
func number(v any) string {
	switch n := v.(type) {
	case float64:
		return strconv.FormatFloat(n, 'g', 4, 64)
	case tables.Maybe[float64]:
		if n.Known {
			return strconv.FormatFloat(n.Value, 'g', 4, 64)
		}
	}
	return ""
}

// short writes the half width of an interval.
func short(v tables.Maybe[float64]) string { return fmt.Sprintf("%.2g", v.Value) }

// interval is " ± 0.1" of a value with known ends.
func interval(p tables.FigurePoint) string {
	if !p.Low.Known || !p.High.Known {
		return ""
	}
	return fmt.Sprintf(" ± %.2g", (p.High.Value-p.Low.Value)/2)
}

func position(p tables.FigurePoint) string { return number(p.X) }

// class is a verdict as the name of a style.
func class(verdict string) string { return strings.ReplaceAll(verdict, " ", "-") }

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
