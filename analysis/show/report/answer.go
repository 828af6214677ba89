package report

import (
	"cmp"
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
	for i := range o.comparisons {
		list = append(list, o.reasons(&o.comparisons[i])...)
	}
	if len(o.comparisons) > 0 {
		list = append(list, o.parts(o.comparisons[0].Routers[0])...)
	}
	return list
}

// mainReasons is how many parts of a difference are named.
const mainReasons = 3

// reasons says why the slowest router takes longer than the fastest: the parts of the cycle stack that
// differ most, as shares of the fastest router's time.
func (o *overview) reasons(c *compare.Comparison) []string {
	at := slices.IndexFunc(o.figures, func(f figures.Figure) bool { return f.Name == "cycles" })
	if at < 0 || len(c.Routers) < 2 || len(c.Setting) > 1 {
		return nil
	}
	fast, slow := c.Routers[0], c.Routers[len(c.Routers)-1]
	f, prefix := &o.figures[at], ""
	if len(o.comparisons) > 1 { // its own panels
		protocol, own := c.Protocol(), *f
		own.Panels = slices.DeleteFunc(slices.Clone(own.Panels), func(p figures.Panel) bool {
			return p.Title != protocol && !strings.HasSuffix(p.Title, ", "+protocol)
		})
		f, prefix = &own, c.Title()+": "
	}
	type difference struct {
		part   string
		points float64
	}
	var list []difference
	whole := totalOf(f, "", fast)
	if whole == 0 || totalOf(f, "", slow) <= whole {
		return nil
	}
	for _, part := range f.Series {
		if d := 100 * (totalOf(f, part, slow) - totalOf(f, part, fast)) / whole; d >= 0.5 {
			list = append(list, difference{part, d})
		}
	}
	slices.SortStableFunc(list, func(a, b difference) int { return cmp.Compare(b.points, a.points) })
	var texts []string
	for _, d := range list[:min(mainReasons, len(list))] {
		texts = append(texts, fmt.Sprintf("%.0f in %s", d.points, d.part))
	}
	if len(texts) == 0 {
		return nil
	}
	over := ""
	if len(c.Applications) > 1 {
		over = ", mean over applications"
	}
	return []string{fmt.Sprintf("%s%s takes longer than %s by (in %% of the time of %s%s) %s.", prefix, slow, fast, fast, over, enumerate(texts))}
}

// totalOf is the height of a part of a router's bars, over all bars; the part "" is the whole.
func totalOf(f *figures.Figure, part, router string) (sum float64) {
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.Series {
			for _, q := range s.Points {
				if (part == "" || s.Name == part) && p.Categories[int(q.X)].Label == router {
					sum += q.Y
				}
			}
		}
	}
	return sum
}

// parts says how the time and the energy of a router divide.
func (o *overview) parts(router string) (list []string) {
	for i := range o.figures {
		f := &o.figures[i]
		share := func(parts ...string) (sum float64) {
			for _, p := range parts {
				sum += shareOf(f, p, router)
			}
			return 100 * sum
		}
		switch f.Name {
		case "cycles":
			list = append(list, fmt.Sprintf("Of the execution time of %s, messages take %.0f %%: %.0f %% in network interfaces, %.0f %% in flight and %.0f %% in contention. Cores retire instructions in %.0f %%.",
				router, share(chart.InNetwork...), share("interface"), share("flight"), share("contention"), share("retiring")))
		case "energy-parts":
			list = append(list, fmt.Sprintf("Of the network energy of %s, the clock takes %.0f %%, leakage %.0f %%, buffers %.0f %% and links %.0f %%.",
				router, share("clock"), share("leakage"), share("buffers"), share("links")))
		}
	}
	return list
}

// shareOf is the part of a stack over all bars of a label.
func shareOf(f *figures.Figure, part, label string) float64 {
	all := totalOf(f, "", label)
	if all == 0 {
		return 0
	}
	return totalOf(f, part, label) / all
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
		for name := range wins {
			list = append(list, o.parts(name)...)
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
