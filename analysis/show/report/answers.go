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

// answers says at which load each network saturates, and which has the lowest latency below that,
// under each setting.
func answers(n *chart.Networks, p *tables.Picture) (list []string) {
	for i := range n.Settings[:min(len(n.Settings), mostAnswers)] {
		s := &n.Settings[i]
		for _, text := range []string{saturation(n, p, s.Series), quickest(p, s)} {
			switch {
			case text != "" && s.Title != "":
				list = append(list, s.Title+": "+text)
			case text != "":
				list = append(list, text)
			}
		}
	}
	if more := len(n.Settings) - mostAnswers; more > 0 {
		list = append(list, fmt.Sprintf("%d more settings are in the pictures.", more))
	}
	return list
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
		texts = append(texts, "not up to the largest load: "+sheet.Enumerate(others, len(others)))
	}
	return strings.Join(texts, "; ") + "."
}

// quickest compares the networks at the largest position at which none is saturated.
func quickest(p *tables.Picture, s *chart.Setting) string {
	mean := func(g result.Group) metrics.Estimate { return g.Mean(p.Column).Scale(cmp.Or(p.Scale, 1)) }
	if len(s.Best) < 2 || len(s.Best) < len(s.Series) || !s.Unsaturated || slices.ContainsFunc(s.Best, func(g result.Group) bool { return !mean(g).OK }) {
		return ""
	}
	order := func(a, b result.Group) int {
		return cmp.Or(cmp.Compare(mean(a).Mean, mean(b).Mean), cmp.Compare(a.Values[0], b.Values[0]))
	}
	first, last := slices.MinFunc(s.Best, order), slices.MaxFunc(s.Best, order)
	text := fmt.Sprintf("At %s, %s has the lowest %s, %s %s, and %s the highest, %s %s.", s.Where,
		first.Values[0], p.Quantity, mean(first).Text(), p.Unit, last.Values[0], mean(last).Text(), p.Unit)
	return strings.TrimSpace(text + " " + compare.EnergyParts(first.Values[0], first.Runs))
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
