package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// answer says what came out, and what a reader must know of it: the same sentences as on the command
// line.
func (o *overview) answer() (list []string) {
	if len(o.rows.Traffic) > 0 {
		return o.curves()
	}
	list = compare.Under(compare.Findings(o.comparisons, o.rows), nil, true)
	return list
}

// curves says at which load each network saturates, and which has the lowest latency below that.
func (o *overview) curves() (list []string) {
	if len(o.figures) == 0 {
		return nil
	}
	f := &o.figures[0]
	if len(f.Panels) == 1 {
		var texts, others []string
		for _, s := range f.Series {
			if at := slices.IndexFunc(f.Panels[0].Knees, func(k figures.Knee) bool { return k.Series == s }); at >= 0 {
				texts = append(texts, f.Panels[0].Knees[at].Text)
			} else {
				others = append(others, s)
			}
		}
		if len(texts) > 0 && len(others) > 0 {
			texts = append(texts, "not up to the largest load: "+enumerate(others))
		}
		if len(texts) > 0 {
			list = append(list, strings.Join(texts, "; ")+".")
		} else if o.shape.x == "offered" {
			list = append(list, "Nothing saturates up to the largest load.")
		}
	}
	wins, where, panels := map[string]int{}, "", 0
	for i := range f.Panels {
		best, at, text := quickest(&f.Panels[i])
		if best == "" {
			continue
		}
		panels++
		wins[best]++
		what, unit := quantity(f.Panels[i].XLabel)
		where = fmt.Sprintf("At %s %s, %s.", what, strings.TrimSpace(fmt.Sprintf("%.4g %s", at, unit)), text)
		if len(f.Panels[i].Knees) > 0 {
			where = strings.Replace(where, ",", ", the largest at which nothing is saturated,", 1)
		}
	}
	if panels == 1 {
		list = append(list, where)
		load, _ := commonLoad(o.rows)
		for name := range wins {
			var own []tables.Record
			for _, r := range chart.Finished(chart.Records(o.rows)) {
				if r.Label(o.shape.series) == name && r.Numbers["offered"] == load {
					own = append(own, r)
				}
			}
			list = append(list, compare.EnergyParts(name, own)...)
		}
		return list
	}
	var texts []string
	for _, name := range f.Series {
		if wins[name] > 0 {
			texts = append(texts, fmt.Sprintf("%s in %d", name, wins[name]))
		}
	}
	if len(texts) > 0 {
		list = append(list, fmt.Sprintf("The least %s at the largest load at which nothing is saturated has, of %d panels, %s.", strings.ToLower(f.Title), panels, enumerate(texts)))
	}
	return list
}

// quickest compares the curves of a panel at the largest place where all are and none is saturated.
func quickest(p *figures.Panel) (best string, at float64, text string) {
	type value struct {
		name string
		figures.Point
	}
	places := map[float64][]value{}
	for _, s := range p.Series {
		for _, q := range s.Points {
			if !q.Saturated && len(p.Categories) == 0 {
				places[q.X] = append(places[q.X], value{s.Name, q})
			}
		}
	}
	var list []value
	for x, values := range places {
		if len(values) == len(p.Series) && (list == nil || x > at) {
			at, list = x, values
		}
	}
	if len(list) < 2 {
		return "", 0, ""
	}
	slices.SortFunc(list, func(a, b value) int {
		if a.Y < b.Y || a.Y == b.Y && a.name < b.name {
			return -1
		}
		return 1
	})
	said := func(v value) string {
		if v.High > v.Low {
			return metrics.Estimate{Mean: v.Y, Low: v.Low, High: v.High, N: 2, OK: true}.Text()
		}
		return sheet.Number(v.Y)
	}
	first, last := list[0], list[len(list)-1]
	what, unit := quantity(p.YLabel)
	return first.name, at, fmt.Sprintf("%s has the lowest %s, %s %s, and %s the highest, %s %s", first.name, what, said(first), unit, last.name, said(last), unit)
}

// quantity takes the label of an axis, "latency [cycles]", apart.
func quantity(label string) (what, unit string) {
	what, unit, _ = strings.Cut(label, " [")
	return what, strings.TrimSuffix(unit, "]")
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
	return []string{fmt.Sprintf("Of %d claims of the paper that this examines, %d are confirmed, %d are not, and %d stay open.",
		len(claims), counts[tables.Confirmed], counts[tables.NotConfirmed], counts[tables.Open])}
}
