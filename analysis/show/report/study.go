package report

import (
	"cmp"
	"fmt"
	"maps"
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

// col has the columns of tables.
var col = tables.Col

// Page is what a report shows.
type Page struct {
	Title   string
	Studies []Study
}

// Study is the part of a page about one directory.
type Study struct {
	Title    string
	Warning  string         // of an incomplete study; "" for none
	Compared string         // what was compared, and on what
	Doubts   []string       // warnings about what came out
	Answer   []string       // what came out, in sentences
	Notes    []string       // how it came about
	Settings *sheet.Sheet   // what is not at its default, and where it was set
	System   *sheet.Sheet   // what was simulated; nil for nothing to say
	Results  []*sheet.Sheet // rankings or means, as on the command line
	Facts    *sheet.Sheet   // how the study came about
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

// Of makes the part of a page about a stored study. bounds are its runs without contention. Tables of a
// paper's figure name its entry, which then draws and judges them.
func Of(dir string, rows *tables.Rows, bounds []tables.Run, m *experiment.Manifest, entry string) (s Study, err error) {
	extent := chart.ExtentOf(m)
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
		s.Compared, s.Answer = "Paper: "+e.Paper+".", verdicts(s.Claims)
		return s, nil
	}
	study := compare.Open(m, rows, bounds)
	s.Warning = study.Incomplete
	s.Results, _ = study.Results(false)
	drawn, err := s.draw(study, rows)
	if err != nil {
		return s, fmt.Errorf("%s: %w", dir, err)
	}
	for _, f := range drawn {
		if n := len(f.Panels); n > 0 && n <= maxPanels {
			f.Warning = s.Warning
			s.Figures, s.Points = append(s.Figures, *f), append(s.Points, chart.Rows(f)...)
		}
	}
	if m.Plan != nil && m.Plan.Title != "" {
		s.Title = m.Plan.Title
	}
	return s, nil
}

// verdicts counts claims.
func verdicts(claims []tables.Claim) []string {
	counts := map[string]int{}
	for _, c := range claims {
		counts[c.Verdict]++
	}
	if len(claims) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Claims about this figure: %d confirmed, %d not confirmed, %d open.",
		counts[tables.Confirmed], counts[tables.NotConfirmed], counts[tables.Open])}
}

// draw makes the pictures of a study by its kind, its title and its answers.
func (s *Study) draw(study *compare.Study, rows *tables.Rows) (list []*figures.Figure, err error) {
	all := result.Of(rows)
	routers := enumerate(all, col.Router)
	for _, f := range study.Findings {
		list := map[compare.Kind]*[]string{compare.Warning: &s.Doubts, compare.Answer: &s.Answer, compare.Note: &s.Notes}[f.Kind]
		*list = append(*list, f.Text)
	}
	if len(rows.Runs) > 0 {
		s.Title, s.Compared = enumerate(all, col.Workload)+" on "+routers, strings.Join(study.What(), "; ")
		if study.Across != nil {
			list = append(list, chart.Across(study.Changed(), study.Across))
		}
		for i := range tables.ChipPictures {
			list = append(list, chart.Ranked(&tables.ChipPictures[i], study.Comparisons))
		}
		s.Groups = groupsOf(rows, chipSettings(rows))
		chips, err := chipFigures(rows, study.Comparisons)
		return append(list, chips...), err
	}
	n := study.Networks
	if ratios := n.Ratios(compare.Latency(n)); ratios != nil {
		list = append(list, ratios)
	}
	if s.Title = enumerate(all, col.Pattern) + " traffic on " + routers; len(rows.Batches) > 0 {
		s.Title = "multicasts by " + enumerate(all, col.Scheme) + " on " + routers
	}
	s.Compared = enumerate(all, col.Topology)
	for i := range tables.Pictures {
		p := &tables.Pictures[i]
		if p.Column == col.UnicastLatencyMean && !n.Measured(col.MulticastLatencyMean) {
			continue // all messages are unicasts
		}
		if f := n.Draw(p); len(f.Panels) > 0 {
			list = append(list, f)
		}
	}
	s.Groups = groupsOf(rows, n.Settings)
	return list, nil
}

// enumerate joins the first values of a column for people.
func enumerate(runs result.Runs, v tables.Name) string {
	return sheet.Enumerate(slices.DeleteFunc(runs.Distinct(v), func(v string) bool { return v == "" }), 8)
}

// maxPanels bounds a picture; a study with more varies too much to be shown at once.
const maxPanels = 24

// facts are lines about how a study came about.
func facts(dir string, rows *tables.Rows, m *experiment.Manifest, covered experiment.Coverage) *sheet.Sheet {
	s := sheet.New("what", "value")
	add := func(what, format string, values ...any) {
		if text := fmt.Sprintf(format, values...); text != "" {
			s.Add(what, text)
		}
	}
	add("directory", "%s", dir)
	add("command", "%s", strings.Join(m.Command, " "))
	add("study", "%s", m.Study)
	add("finished", "%s", covered)
	add("carousel", "%s, model version %s, %s", m.Version, m.ModelVersion, m.GoVersion)
	if profile := enumerate(result.Of(rows), col.PowerProfile); profile != "" { // plans of kind messages have none
		add("energy", "profile %s, %s nm", profile, enumerate(result.Of(rows), col.TechnologyNM))
	}
	if m.Repriced != "" {
		add("energy", "priced again with %s", m.Repriced)
	}
	add("rules", "%s", rows.RuleText())
	for _, t := range m.Traces {
		add("workload "+t.Workload, "%d cores, %d records, %s", t.Cores, t.Records, t.Digest)
	}
	if m.Plan != nil {
		for _, axis := range m.Plan.Axes {
			add("axis "+axis.Key, "%s", strings.Join(axis.Values, ", "))
		}
	}
	return s
}

// maxRows bounds the table of runs on a page; the tables in the directory have all.
const maxRows = 1000

// pointSheet lists runs and points with the axes of their sweep.
func pointSheet(rows *tables.Rows) *sheet.Sheet {
	columns, described := tables.OfReportRuns.Names(), tables.Runs.Describe()
	if len(rows.Traffic) > 0 {
		columns, described = tables.OfReportPoints.Names(), tables.TrafficPoints.Describe()
	}
	axes := slices.DeleteFunc(rows.Varied(), func(v tables.Name) bool { return slices.Contains(columns, v) })
	units, scales := map[string]string{}, map[string]float64{}
	for _, c := range described.Columns {
		if c.Unit != "" {
			units[c.Name] = " [" + c.Unit + "]"
		}
	}
	for _, c := range (tables.OfReportRuns | tables.OfReportPoints).Columns() {
		if c.Scale != 1 && c.Title != "" { // its unit is in the title
			units[c.Column.String()], scales[c.Column.String()] = c.Title[strings.Index(c.Title, " ["):], c.Scale
		}
	}
	whole, s := *rows, &sheet.Sheet{}
	whole.Batches = nil
	for _, v := range slices.Concat(axes, columns) {
		name := v.String()
		if scales[name] != 0 { // the unit at the end of the name is not that of the values
			name = name[:strings.LastIndex(name, "_")]
		}
		s.Header = append(s.Header, name+units[v.String()])
	}
	for _, o := range result.Of(&whole) {
		var row []any
		for _, v := range slices.Concat(axes, columns) {
			if n, ok := o.Number(v); ok && o.Axes[v] == "" {
				row = append(row, n*cmp.Or(scales[v.String()], 1))
			} else {
				row = append(row, chart.Value{Column: v, Value: o.Text(v)}.Cell(&o))
			}
		}
		s.Add(row...)
	}
	s.Cut(maxRows)
	return s
}

// settings lists what is not at its default.
func settings(m *experiment.Manifest) *sheet.Sheet {
	s, values := sheet.New("key", "value", "given by"), m.Settings()
	for _, key := range slices.Sorted(maps.Keys(m.Given)) {
		if value, ok := values[key]; ok {
			s.Add(key, value, m.Given[key])
		}
	}
	return s
}
