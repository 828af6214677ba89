package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/paper"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Page is what a report shows.
type Page struct {
	Title   string
	Studies []Study
}

// Study is the part of a page about one directory.
type Study struct {
	Title    string
	Warning  string         // of an incomplete study; "" for none
	Compared []string       // what was compared, and on what
	Answer   []string       // what came out, in sentences
	Settings *sheet.Sheet   // what is not at its default, and where it was set
	System   *sheet.Sheet   // what was simulated; nil for nothing to say
	Ranked   []*sheet.Sheet // the routers, under each setting, as on the command line
	Summary  *sheet.Sheet   // means with their confidence
	Facts    []Fact
	Figures  []figures.Figure
	Points   []tables.FigurePoint // the values of the figures
	Groups   []Group
	Claims   []tables.Claim
	Sheet    *sheet.Sheet // one row per run or point
}

// Group is what there is to see of one part of a study, such as a workload.
type Group struct {
	Title   string
	Figures []figures.Figure
	Links   *sheet.Sheet // the hottest ones
	Blocks  *sheet.Sheet // of memory, with most misses that other caches answered
}

// Fact is a line about how a study came about.
type Fact struct{ Name, Value string }

// Of makes the part of a page about a stored study. Tables of a paper's figure name its entry, which then
// draws and judges them.
func Of(dir string, rows *tables.Rows, m *experiment.Manifest, entry string) (s Study, err error) {
	extent := chart.Extent{Quick: m.Plan != nil && m.Plan.Quick, Coverage: m.Coverage}
	s = Study{Title: dir, Facts: facts(dir, rows, m, extent.Coverage), Settings: settings(m), Sheet: pointSheet(rows)}
	if entry != "" {
		e, err := paper.Lookup(entry)
		if err != nil {
			return s, fmt.Errorf("%s: %w", dir, err)
		}
		if e.Plan != "" {
			s.Warning = extent.Warning()
		}
		r, err := e.Analyse(rows, extent)
		if err != nil {
			return s, fmt.Errorf("%s: %w", dir, err)
		}
		s.Title = fmt.Sprintf("%s: %s", e.Figure, e.Title)
		s.Figures, s.Points, s.Claims = r.Figures, r.Points, r.Claims
		s.Compared, s.Answer = []string{"A figure of " + e.Paper + ", made again."}, verdicts(s.Claims)
		return s, nil
	}
	s.Warning = extent.Warning()
	o := newOverview(rows, extent)
	for _, c := range o.charts() {
		figure, points, err := c.Draw(o.Data)
		if err != nil {
			return s, fmt.Errorf("%s: %w", dir, err)
		}
		if figure != nil && len(figure.Panels) <= maxPanels {
			if o.first == nil {
				o.first = &c
			}
			s.Figures, s.Points = append(s.Figures, *figure), append(s.Points, points...)
		}
	}
	chips, err := o.chipFigures()
	if err != nil {
		return s, fmt.Errorf("%s: %w", dir, err)
	}
	s.Figures = append(s.Figures, chips...)
	o.figures = s.Figures
	s.Groups, s.Compared, s.Summary, s.Answer, s.Title = o.groups(), o.compared(m), o.summary(), o.answer(m), o.title()
	for i := range o.comparisons {
		s.Ranked = append(s.Ranked, compare.Sheets(&o.comparisons[i], false)...)
	}
	if m.Plan != nil && m.Plan.Title != "" {
		s.Title = m.Plan.Title
	}
	return s, nil
}

// maxPanels bounds a picture; a study with more varies too much to be shown at once.
const maxPanels = 24

func facts(dir string, rows *tables.Rows, m *experiment.Manifest, covered experiment.Coverage) []Fact {
	list := []Fact{
		{"directory", dir}, {"command", strings.Join(append(slices.Clone(m.Command), ""), " ")}, {"study", m.Study},
		{"finished", covered.String()},
		{"carousel", fmt.Sprintf("%s, model version %s, %s", m.Version, m.ModelVersion, m.GoVersion)},
		{"energy", prices(rows, m.Repriced)},
	}
	if rules := rows.RuleText(); rules != "" {
		list = append(list, Fact{"rules", rules})
	}
	for _, warning := range rows.Warnings() {
		list = append(list, Fact{"warning", warning})
	}
	for _, t := range m.Traces {
		list = append(list, Fact{"workload " + t.Workload, fmt.Sprintf("%d cores, %d records, %s", t.Cores, t.Records, t.Digest)})
	}
	if m.Plan != nil {
		for _, axis := range m.Plan.Axes {
			list = append(list, Fact{"axis " + axis.Key, strings.Join(axis.Values, ", ")})
		}
	}
	return list
}

// prices says what energies were computed with.
func prices(rows *tables.Rows, repriced string) string {
	var profiles []string
	for _, g := range result.Of(rows).By(col.PowerProfile, col.TechnologyNM) {
		profiles = append(profiles, fmt.Sprintf("profile %s, %s nm", g.Values[0], g.Values[1]))
	}
	text := strings.Join(profiles, "; ")
	if repriced != "" {
		text += "; priced again with " + repriced
	}
	return text
}

// maxRows bounds the table of runs on a page; the tables in the directory have all.
const maxRows = 1000

// pointSheet lists runs and points with the axes of their sweep.
func pointSheet(rows *tables.Rows) *sheet.Sheet {
	axes, columns := rows.AxisNames(known...), tables.OfReportRuns.Names()
	if len(rows.Traffic) > 0 {
		columns = tables.OfReportPoints.Names()
	}
	whole, s := *rows, &sheet.Sheet{}
	whole.Batches = nil
	for _, v := range slices.Concat(axes, columns) {
		s.Header = append(s.Header, v.String())
	}
	for _, o := range result.Of(&whole) {
		var row []any
		for _, v := range axes {
			row = append(row, chart.Value{Column: v, Value: o.Text(v)}.Cell(&o))
		}
		for _, v := range columns {
			if n, ok := o.Number(v); ok && o.Axes[v] == "" {
				row = append(row, n)
			} else {
				row = append(row, chart.Value{Column: v, Value: o.Text(v)}.Cell(&o))
			}
		}
		s.Add(row...)
	}
	s.Cut(maxRows)
	return s
}

// SoFar returns the means of a study that is under way, and its first pictures.
func SoFar(rows *tables.Rows) (*sheet.Sheet, []figures.Figure, error) {
	const most = 2
	o := newOverview(rows, chart.Extent{})
	var pictures []figures.Figure
	charts := o.charts()
	for _, c := range charts[:min(most, len(charts))] {
		f, _, err := c.Draw(o.Data)
		if err != nil {
			return nil, nil, err
		}
		if f != nil && len(f.Panels) <= maxPanels {
			f.Warning = "" // that it is not complete goes without saying
			pictures = append(pictures, *f)
		}
	}
	return o.summary(), pictures, nil
}
