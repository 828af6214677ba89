package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// mostAnswers bounds the settings of networks alone of which is said what came out.
const mostAnswers = 6

// Latency is the picture of networks alone that sentences are about: the first of which something was measured.
func Latency(n *chart.Networks) *tables.Picture {
	for i := range tables.Pictures {
		if p := &tables.Pictures[i]; p.Parts == nil && n.Measured(p.Column) {
			return p
		}
	}
	return nil
}

// networkFindings says at which load each network saturates, and which has the lowest latency below that,
// under each setting. seeds says how to get several runs of each.
func networkFindings(n *chart.Networks, seeds string) (list []Finding) {
	p := Latency(n)
	if p == nil {
		return nil
	}
	for i := range n.Settings[:min(len(n.Settings), mostAnswers)] {
		s := &n.Settings[i]
		for _, text := range []string{saturation(n, p, s.Series), quickest(p, s, seeds), relative(n, p, s)} {
			switch {
			case text != "" && s.Title != "":
				list = append(list, Finding{Answer, s.Title + ": " + text})
			case text != "":
				list = append(list, Finding{Answer, text})
			}
		}
	}
	if more := len(n.Settings) - mostAnswers; more > 0 {
		list = append(list, Finding{Answer, fmt.Sprintf("%d more settings are in the pictures of carousel report.", more)})
	}
	return list
}

// saturationSheet has the loads between which each network saturates; nil where none does.
func saturationSheet(n *chart.Networks) *sheet.Sheet {
	p, some := Latency(n), false
	columns := []string{"network", "largest load without saturation", "saturated from"}
	if len(n.Settings) > 1 {
		columns = slices.Insert(columns, 0, "setting")
	}
	s := sheet.New(columns...)
	s.Title = "saturation"
	for i := range n.Settings {
		for _, g := range n.Settings[i].Series {
			if n.X != col.Offered || p == nil {
				return nil
			}
			below, first := g.Curve(n.X, p.Column).Saturation()
			row := []any{n.Settings[i].Title, g.Values[0], nil, nil}
			if first != nil {
				row[3], some = *first, true
			}
			if below != nil {
				row[2] = *below
			}
			s.Add(row[len(row)-len(columns):]...)
		}
	}
	if !some {
		return nil
	}
	return s
}

// saturation says where the curves of a panel saturate.
func saturation(n *chart.Networks, p *tables.Picture, series []result.Group) string {
	if n.X != col.Offered {
		return ""
	}
	var texts, others []string
	for _, g := range series {
		if text := chart.Saturation(g.Values[0], g.Curve(n.X, p.Column)); text != "" {
			texts = append(texts, text)
		} else {
			others = append(others, g.Values[0])
		}
	}
	switch {
	case texts == nil:
		return "Nothing saturates up to the largest load."
	case others != nil:
		texts = append(texts, sheet.Enumerate(others, len(others))+" not up to the largest load")
	}
	return strings.Join(texts, "; ") + "."
}

// relative says what the networks take of the baseline, at the largest position at which none is saturated.
func relative(n *chart.Networks, p *tables.Picture, s *chart.Setting) string {
	var list []string
	for i, g := range s.Best {
		e := n.Over(s.Best, i, p.Column)
		if g.Values[0] == n.Base || !e.OK {
			continue
		}
		text := g.Values[0] + " takes " + e.Text()
		if v := result.VerdictOf(e); v != "" {
			text += " (" + v + ")"
		}
		list = append(list, text)
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("At %s, %s of the %s of %s.", s.Where, sheet.Enumerate(list, mostShares), p.Quantity, n.Base)
}

// divide adds to a table of means what is measured over the baseline that the study names, and what that says.
func (r *Study) divide(s *sheet.Sheet, by []tables.Name) {
	if r.Manifest.Baseline == "" || r.Networks == nil || Latency(r.Networks) == nil {
		return
	}
	p, groups := Latency(r.Networks), result.Of(r.rows).By(by...)
	bases, titles := result.ComparisonOf(r.rows, r.Manifest.Baseline).Bases(r.rows, groups, by)
	ratio := func(row int) metrics.Estimate {
		own := groups[row].Finished()
		if len(own.Saturated())+len(bases[row].Saturated()) > 0 {
			return metrics.Estimate{}
		}
		return own.Over(bases[row], p.Column)
	}
	s.Column(p.Quantity+" / "+titles[0], func(row int) any { return ratio(row) })
	s.Column("verdict", func(row int) any {
		if own := groups[row].Finished(); len(own) > 0 && len(bases[row]) > 0 && own[0].Text(col.RunKey) == bases[row][0].Text(col.RunKey) {
			return sheet.None
		}
		return change(ratio(row), "")
	})
}

// quickest compares the networks at the largest position at which none is saturated. A network has the lowest value
// only if the runs can tell it from the others.
func quickest(p *tables.Picture, s *chart.Setting, seeds string) string {
	mean := func(g result.Group) metrics.Estimate { return g.Mean(p.Column).Scale(cmp.Or(p.Scale, 1)) }
	if len(s.Best) < 2 || len(s.Best) < len(s.Series) || !s.Unsaturated || slices.ContainsFunc(s.Best, func(g result.Group) bool { return !mean(g).OK }) {
		return ""
	}
	order := func(a, b result.Group) int {
		return cmp.Or(cmp.Compare(mean(a).Mean, mean(b).Mean), cmp.Compare(a.Values[0], b.Values[0]))
	}
	first, last := slices.MinFunc(s.Best, order), slices.MaxFunc(s.Best, order)
	form := "At %s, %s has the lowest %s, %s, and %s the highest, %s."
	least, most := alike(p, s, first, order), alike(p, s, last, order)
	value := func(g result.Group, names []string) string {
		text := fmt.Sprintf("%s %s", mean(g).Text(), p.Unit)
		if len(names) > 1 {
			text += " with " + g.Values[0]
		}
		return text
	}
	switch result.VerdictOf(last.Over(first.Runs, p.Column)) {
	case "":
		form = "At %s, %s has the least %s measured, %s, and %s the largest, %s. One run of each gives no confidence interval: " + seeds + "."
	case result.CannotTell:
		form = "At %s, these runs cannot tell the networks apart: %s has a %s of %s, and %s one of %s."
		least, most = first.Values, last.Values
	}
	text := fmt.Sprintf(form, s.Where, oneOf(least), p.Quantity, value(first, least), oneOf(most), value(last, most))
	return strings.TrimSpace(text + " " + EnergyParts(first.Values[0], first.Runs))
}

// alike are the networks that the runs of a setting cannot tell from one.
func alike(p *tables.Picture, s *chart.Setting, one result.Group, order func(a, b result.Group) int) (names []string) {
	for _, g := range slices.SortedStableFunc(slices.Values(s.Best), order) {
		if g.Values[0] == one.Values[0] || result.VerdictOf(g.Over(one.Runs, p.Column)) == result.CannotTell {
			names = append(names, g.Values[0])
		}
	}
	return names
}
