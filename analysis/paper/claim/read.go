package claim

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// document is the file of a paper: pictures and claims, figure by figure.
type document struct {
	Paper       string
	Names       map[string]string       // values of columns for people, as of chart.Chart
	Shapes      map[string]picture      // what pictures have in common, for them to refer to
	Repetitions map[string][]repetition // likewise
	Common      map[string]string       // conditions that figures share, by name
	Figures     []figure
}

// figure is one entry: its pictures and the claims about it.
type figure struct {
	ID, Figure, Title string
	Plan              string // "" is ID.yaml, and noPlan none
	Pictures          []picture
	Each              []repetition // of the pictures
	Conditions        string
	Shared            []string // names of common conditions
	Sources           []struct {
		Name   string
		Source `yaml:",inline"`
	}
	Claims []Claim // with conditions of their own
	Like   []like
}

// noPlan is the plan of a figure whose claims tests decide.
const noPlan = "none"

// like repeats the claims of a figure of the same file on other records: under another rule set, at
// another load, or in another reading of the paper.
type like struct {
	Figure     string
	Claims     []string // nil repeats all
	Suffix     string   // of the identifiers
	Rules      string
	Conditions string
	Only       map[string][]string
	Knee       float64
}

// reader makes claims of a document.
type reader struct {
	file  string
	doc   document
	lines map[string]int // of figures and claims
	// columns are those of tables, and axes. unknown says that a name is none of them.
	columns []string
	unknown string
	// sources are those that were made, so that parts about the same cells share them.
	sources map[string]*source
}

// Read reads the entries of a paper strictly: what it does not know is an error with its line.
func Read(file string, content []byte) (entries []Entry, err error) {
	r := reader{file: file, lines: map[string]int{}, columns: append(tables.MeasuredColumns(), plan.AxisKeys()...), sources: map[string]*source{}}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&r.doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	root, err := config.ParseYAML(file, content)
	if err != nil {
		return nil, err
	}
	r.findLines(root)
	for i := range r.doc.Figures {
		f := &r.doc.Figures[i]
		if f.ID == "" || slices.ContainsFunc(entries, func(e Entry) bool { return e.ID == f.ID }) {
			return nil, r.errorf(f.ID, "figure %q has no name or is there twice", f.ID)
		}
		e := Entry{ID: f.ID, Paper: r.doc.Paper, Figure: f.Figure, Title: f.Title, Plan: cmp.Or(f.Plan, f.ID+".yaml")}
		if e.Plan == noPlan {
			e.Plan = ""
		}
		for _, s := range f.Sources {
			r.chartOf(&s.Source, s.Only)
		}
		for _, l := range f.Like {
			r.only(l.Only)
		}
		if e.Claims, err = r.claims(f); err == nil {
			e.Charts, err = r.pictures(f)
		}
		if r.unknown != "" {
			err = r.errorf(f.ID, "%s", r.unknown)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// column is a name that a file has for a column of a table or for an axis. Read refuses a figure with one that
// is neither.
func (r *reader) column(name string) tables.Name {
	if name != "" && r.unknown == "" && !slices.Contains(r.columns, name) {
		r.unknown = fmt.Sprintf("there is no column or axis %q%s", name, suggest.Text(name, r.columns))
	}
	return tables.AxisName(name)
}

// axis is what tells parts of a picture apart by the columns of a text, in which " & " joins several.
func (r *reader) axis(joined string) chart.Axis {
	var columns []tables.Name
	for _, name := range strings.FieldsFunc(joined, func(c rune) bool { return c == '&' }) {
		columns = append(columns, r.column(strings.TrimSpace(name)))
	}
	return chart.By(columns...)
}

// only is a restriction by names of columns.
func (r *reader) only(lists ...map[string][]string) map[tables.Name][]string {
	named := map[tables.Name][]string{}
	for _, list := range lists {
		for _, column := range slices.Sorted(maps.Keys(list)) {
			named[r.column(column)] = list[column]
		}
	}
	return named
}

// names are what people read for values, which are written COLUMN=VALUE.
func (r *reader) names(lists ...map[string]string) map[chart.Value]string {
	named := map[chart.Value]string{}
	for _, list := range lists {
		for _, value := range slices.Sorted(maps.Keys(list)) {
			column, v, _ := strings.Cut(value, "=")
			named[chart.Value{Column: r.column(column), Value: v}] = list[value]
		}
	}
	return named
}

// findLines notes the lines of everything that has an identifier.
func (r *reader) findLines(node *yaml.Node) {
	for i, n := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && n.Value == "id" && r.lines[node.Content[i+1].Value] == 0 {
			r.lines[node.Content[i+1].Value] = n.Line
		}
		r.findLines(n)
	}
}

// errorf is an error with file and line of a figure or claim.
func (r *reader) errorf(id, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s: %s", r.file, r.lines[id], id, fmt.Sprintf(format, a...))
}

// claims are those of a figure: its own, and those like claims of others.
func (r *reader) claims(f *figure) (list []Claim, err error) {
	own, err := r.repeat(f, f, like{})
	if err != nil {
		return nil, err
	}
	for _, l := range f.Like {
		at := slices.IndexFunc(r.doc.Figures, func(o figure) bool { return o.ID == l.Figure })
		if at < 0 {
			return nil, r.errorf(f.ID, "there is no figure %q", l.Figure)
		}
		more, err := r.repeat(f, &r.doc.Figures[at], l)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return append(own, list...), nil
}

// repeat makes the claims of a figure, as an entry's own or changed.
func (r *reader) repeat(entry, f *figure, l like) (list []Claim, err error) {
	for _, id := range l.Claims {
		if !slices.ContainsFunc(f.Claims, func(c Claim) bool { return c.ID == id }) {
			return nil, r.errorf(entry.ID, "%s has no claim %q", f.ID, id)
		}
	}
	for _, c := range f.Claims {
		id, parts := c.ID, c.Parts
		if l.Claims != nil && !slices.Contains(l.Claims, id) {
			continue
		}
		if c.ID, c.Parts = id+l.Suffix, nil; l.Rules != "" && c.Rules != "" {
			c.Rules = l.Rules
		}
		conditions := []string{f.Conditions}
		for _, name := range f.Shared {
			if r.doc.Common[name] == "" {
				return nil, r.errorf(f.ID, "there are no common conditions %q", name)
			}
			conditions = append(conditions, r.doc.Common[name])
		}
		conditions = slices.DeleteFunc(append(conditions, c.Conditions, l.Conditions), func(text string) bool { return text == "" })
		c.Conditions = strings.Join(conditions, "; ")
		if c.Text == "" || c.Printed == "" || c.Conditions == "" || (len(parts) == 0) == (c.Tests == "") || c.Refuted != "" && c.Tests == "" {
			return nil, r.errorf(id, "a claim needs text, conditions, printed and parts, or tests in place of parts")
		}
		for _, p := range parts {
			if err := r.complete(&p, f, id, l); err != nil {
				return nil, err
			}
			c.Parts = append(c.Parts, p)
			c.Prices = p.source.Prices
		}
		list = append(list, c)
	}
	return list, nil
}

// source finds a source of a figure as claims ask it; "" names the first.
func (r *reader) source(f *figure, name, id string, l like) (*source, error) {
	for i := range f.Sources {
		s := f.Sources[i].Source
		if f.Sources[i].Name != name && name != "" {
			continue
		}
		key := strings.Join([]string{f.ID, f.Sources[i].Name, l.Suffix}, "|")
		if r.sources[key] == nil {
			s.Knee = cmp.Or(l.Knee, s.Knee)
			r.sources[key] = &source{s, r.chartOf(&s, s.Only, l.Only)}
		}
		return r.sources[key], nil
	}
	return nil, r.errorf(id, "%s has no source %q", f.ID, name)
}

// chartOf is the chart that shows a source, restricted to records.
func (r *reader) chartOf(s *Source, only ...map[string][]string) chart.Chart {
	return chart.Chart{Measure: chart.Measure{Column: r.column(s.Measure), Quantity: s.Measure, Unit: "1"}, Series: r.axis(s.Series), Panel: r.axis(s.Panel),
		Group: r.axis(s.Group), Label: r.axis(s.Label), X: r.axis(s.X), Only: r.only(only...), Prices: s.Prices, Knee: s.Knee, Names: r.names(r.doc.Names)}
}

// complete gives a part its sources, and checks it.
func (r *reader) complete(p *Part, f *figure, id string, l like) (err error) {
	p.source, err = r.source(f, p.Data, id, l)
	if err == nil && p.Per != "" {
		p.per, err = r.source(f, p.Per, id, l)
	}
	if err == nil && p.Knee != "" {
		p.latency, err = r.source(f, p.Knee, id, l)
	}
	if err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return r.errorf(id, "%v", err)
	}
	return nil
}
