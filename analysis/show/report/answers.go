package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// mostAnswers bounds the settings of which a page says what came out.
const mostAnswers = 6

// answers says at which load each network saturates, and which has the lowest latency below that, under each
// setting.
func answers(n *chart.Networks, p *tables.Picture) (list []string) {
	if n.X == (tables.Name{}) {
		return nil
	}
	settings := n.By(n.Runs)
	for _, s := range settings[:min(len(settings), mostAnswers)] {
		for _, text := range []string{saturation(n, p, s.Series), quickest(n, p, s.Series)} {
			switch {
			case text != "" && s.Title != "":
				list = append(list, s.Title+": "+text)
			case text != "":
				list = append(list, text)
			}
		}
	}
	if more := len(settings) - mostAnswers; more > 0 {
		list = append(list, fmt.Sprintf("%d more settings are in the pictures.", more))
	}
	return list
}

// saturation says where the curves of a panel saturate.
func saturation(n *chart.Networks, p *tables.Picture, series []result.Group) string {
	var texts, others []string
	for _, g := range series {
		if text := chart.Saturation(g.Values[0], g.Curve(n.X, p.Column)); text != "" {
			texts = append(texts, text)
		} else {
			others = append(others, g.Values[0])
		}
	}
	switch {
	case n.X != col.Offered:
		return ""
	case texts == nil:
		return "Nothing saturates up to the largest load."
	case others != nil:
		texts = append(texts, "not up to the largest load: "+sheet.Enumerate(others, len(others)))
	}
	return strings.Join(texts, "; ") + "."
}

// quickest compares the curves of a panel at the largest position at which all were measured and none is saturated.
func quickest(n *chart.Networks, p *tables.Picture, series []result.Group) string {
	type value struct {
		name string
		metrics.Estimate
	}
	at, values := map[float64][]value{}, []value(nil)
	most, saturated := 0.0, false
	for _, g := range series {
		for _, q := range g.Curve(n.X, p.Column) {
			if saturated = saturated || q.Saturated; q.OK && !q.Saturated {
				at[q.X] = append(at[q.X], value{g.Values[0], q.Estimate.Scale(cmp.Or(p.Scale, 1))})
			}
		}
	}
	for x, list := range at {
		if len(list) == len(series) && (values == nil || x > most) {
			most, values = x, list
		}
	}
	if len(values) < 2 {
		return ""
	}
	slices.SortFunc(values, func(a, b value) int { return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.name, b.name)) })
	first, last, where := values[0], values[len(values)-1], ""
	if saturated {
		where = ", the largest without saturation"
	}
	text := fmt.Sprintf("At %s%s, %s has the lowest %s, %s %s, and %s the highest, %s %s.", strings.TrimSpace(fmt.Sprintf("%s %.4g %s", n.Quantity, most, n.Unit)), where,
		first.name, p.Quantity, first.Text(), p.Unit, last.name, last.Text(), p.Unit)
	for _, g := range series {
		if g.Values[0] == first.name {
			at := g.Where(func(o *tables.Observation) bool { x, _ := o.Number(n.X); return x == most })
			text = strings.TrimSpace(text + " " + compare.EnergyParts(first.name, at))
		}
	}
	return text
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
	return []string{fmt.Sprintf("Of the %d claims of the paper about this figure, %d are confirmed, %d are not confirmed, and %d are open.",
		len(claims), counts[tables.Confirmed], counts[tables.NotConfirmed], counts[tables.Open])}
}
