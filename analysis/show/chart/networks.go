package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Networks says how a study of networks alone is shown.
type Networks struct {
	X        tables.Name // what curves are drawn over; the zero value where no number has several values
	Settings []Setting
	Base     string // the series that others are divided by; "" if the study names none

	quantity, unit string // of X
	over           string // what means are taken over
}

// Setting is the finished points of one panel.
type Setting struct {
	Title  string
	Series []result.Group // of what is compared: routers, the schemes of one router, or another setting of it
	// Best are the points at the largest position without saturation, or else at the least one;
	// Where says which that is.
	Best        []result.Group
	Where       string
	Unsaturated bool // no network is saturated there

	positions []position // from left to right
}

// position is a position with the points there.
type position struct {
	x      float64
	series []result.Group
}

// NetworksOf finds how the points of a study are shown: as curves over the load, or over the first
// number that the plan varies instead. A baseline decides what is compared, if it names one key.
func NetworksOf(rows *tables.Rows, baseline string) *Networks {
	runs, series := result.Of(rows).Finished(), tables.Col.Router
	n := &Networks{over: "seeds", quantity: "load"}
	if len(rows.Batches) > 0 {
		n.over = "batches"
	}
	several := func(v tables.Name) bool { return len(runs.Distinct(v)) > 1 }
	if !several(series) && several(tables.Col.Scheme) {
		series = tables.Col.Scheme
	}
	base := result.ComparisonOf(rows, baseline)
	if baseline != "" && len(base.Base) == 1 {
		series = base.By[0]
		n.Base = result.Title([]experiment.Setting{{Key: series.String(), Value: base.Base[0]}})
	}
	var settings []tables.Name
	varied := append([]tables.Name{tables.Col.Offered}, rows.Varied()...)
	if !slices.Contains(varied, tables.Col.Router) { // a plan may set them without an axis
		varied = append(varied, tables.Col.Router)
	}
	for _, v := range varied {
		words := slices.ContainsFunc(runs, func(o tables.Observation) bool { _, number := o.Number(v); return !number })
		switch {
		case v == series || v == n.X || !several(v) || v == tables.Col.Scheme && several(tables.Col.Router):
		case n.X == tables.Name{} && !words:
			n.X, n.quantity = v, v.String()
		default:
			settings = append(settings, v)
		}
	}
	if len(settings) > 0 && !several(series) { // of one router, the first setting is compared
		series, settings = settings[0], settings[1:]
	}
	if n.X == tables.Col.Offered {
		n.quantity, n.unit = "offered load", "phits/node/cycle"
	}
	for _, g := range runs.By(settings...) {
		s := Setting{Title: result.Title(result.SettingOf(settings, &g.Runs[0])), Series: named(g.By(series), series)}
		n.choose(&s, g.Runs, series)
		n.Settings = append(n.Settings, s)
	}
	return n
}

// named gives groups the names of what is compared, such as "network.vcs 4".
func named(groups []result.Group, series tables.Name) []result.Group {
	for i := range groups {
		groups[i].Values = []string{result.Title(result.SettingOf([]tables.Name{series}, &groups[i].Runs[0]))}
	}
	return groups
}

// choose finds the positions, and that of pictures and sentences about one.
func (n *Networks) choose(s *Setting, runs result.Runs, series tables.Name) {
	for _, g := range tables.GroupBy(runs, func(o *tables.Observation) float64 { x, _ := o.Number(cmp.Or(n.X, tables.Col.Offered)); return x }) {
		s.positions = append(s.positions, position{g.Key, named(result.Runs(g.Records).By(series), series)})
	}
	slices.SortStableFunc(s.positions, func(a, b position) int { return cmp.Compare(a.x, b.x) })
	at, bad := s.positions[0], false
	for _, p := range s.positions {
		if saturated := slices.ContainsFunc(p.series, func(g result.Group) bool { return len(g.Saturated()) > 0 }); saturated {
			bad = true
		} else {
			at, s.Unsaturated = p, true
		}
	}
	s.Best = at.series
	if s.Where = strings.TrimSpace(fmt.Sprintf("%s %.4g %s", n.quantity, at.x, n.unit)); bad && s.Unsaturated {
		s.Where += ", the largest at which nothing is saturated"
	}
}

// Draw draws a column, or the parts of a whole at one position. Where there are no curves, settings
// stand one below the other.
func (n *Networks) Draw(p *tables.Picture) *figures.Figure {
	f := &figures.Figure{Name: p.Name, Title: p.Title, Stacks: p.Parts != nil}
	rows := figures.Panel{Quantity: p.Quantity, Unit: p.Unit}
	for _, s := range n.Settings {
		panel := rows
		panel.Categories, panel.Series = nil, nil
		switch panel.Title, panel.XLabel = s.Title, n.axis(); {
		case p.Parts != nil:
			for _, g := range s.Best {
				addParts(f, &rows, p, figures.Category{Group: join(s.Title, s.Where), Label: g.Values[0]}, g.Runs, nil)
			}
		case n.X == tables.Name{}:
			for _, g := range s.Series {
				add(f, &rows, g.Values[0], figures.Category{Label: s.Title}, g.Mean(p.Column), p.Scale)
			}
		default:
			for _, g := range s.Series {
				n.curve(f, &panel, p, g.Values[0], g.Curve(n.X, p.Column))
			}
			f.Panels = append(f.Panels, panel)
		}
	}
	f.Panels = append(f.Panels, rows)
	f.DropEmpty()
	if p.Steep {
		f.Bound(10) // beyond, a network is saturated and latency grows with the length of the run
	}
	f.Note = marked(f, averaged(f, n.over, false))
	return f
}

// Ratios draws a column over that of the baseline; nil without one.
func (n *Networks) Ratios(p *tables.Picture) *figures.Figure {
	if p == nil || n.Base == "" || n.X == (tables.Name{}) {
		return nil
	}
	f := &figures.Figure{Name: p.Name + "-ratio", Title: p.Title + " over that of " + n.Base}
	for _, s := range n.Settings {
		panel := figures.Panel{Title: s.Title, XLabel: n.axis(), Quantity: p.Quantity, Baseline: n.Base, Reference: 1}
		for _, at := range s.positions {
			for i, g := range at.series {
				if g.Values[0] != n.Base { // always 1
					put(f, &panel, g.Values[0], at.x, n.Over(at.series, i, p.Column))
				}
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	f.DropEmpty()
	f.Note = averaged(f, n.over, false)
	return f
}

// Over is a column of one of the series at a position over that of the baseline; unknown where one of the two is
// saturated.
func (n *Networks) Over(at []result.Group, i int, v tables.Name) metrics.Estimate {
	base := slices.IndexFunc(at, func(g result.Group) bool { return g.Values[0] == n.Base })
	if base < 0 || len(at[i].Saturated())+len(at[base].Saturated()) > 0 {
		return metrics.Estimate{}
	}
	return at[i].Over(at[base].Runs, v)
}

// axis is the label of X.
func (n *Networks) axis() string {
	if n.unit != "" {
		return fmt.Sprintf("%s [%s]", n.quantity, n.unit)
	}
	return n.quantity
}

// curve adds a curve to a panel.
func (n *Networks) curve(f *figures.Figure, panel *figures.Panel, p *tables.Picture, series string, c result.Curve) {
	f.AddSeries(series)
	below, first := c.Saturation()
	for i, at := range c {
		if at.OK {
			q := point(at.Estimate.Scale(cmp.Or(p.Scale, 1)), at.Saturated)
			q.X = at.X
			q.Ends = i+1 < len(c) && c[i+1].Saturated && !slices.ContainsFunc(c[i+1:], func(a result.At) bool { return a.OK })
			panel.Put(series, q)
		}
	}
	if first != nil && n.X == tables.Col.Offered {
		at := *first
		if below != nil {
			at = (at + *below) / 2
		}
		panel.Knees = append(panel.Knees, figures.Knee{Series: series, X: at, Text: Saturation(series, c)})
	}
}

// Saturation says between which positions a curve saturates; "" where it does not.
func Saturation(series string, c result.Curve) string {
	below, first := c.Saturation()
	switch {
	case first == nil:
		return ""
	case below == nil:
		return fmt.Sprintf("%s is saturated from %.4g on, or before", series, *first)
	}
	return fmt.Sprintf("%s saturates between %.4g and %.4g", series, *below, *first)
}

// Measured reports whether some point has a column.
func (n *Networks) Measured(v tables.Name) bool {
	return slices.ContainsFunc(n.Settings, func(s Setting) bool {
		return slices.ContainsFunc(s.Series, func(g result.Group) bool { return g.Mean(v).OK })
	})
}
