package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/compare"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// answer says what came out.
func (o *overview) answer() ([]string, error) {
	if len(o.rows.Traffic) > 0 {
		return o.curves(), nil
	}
	time, err := o.overall("cycles")
	if err != nil {
		return nil, err
	}
	names, base := o.ranked(time), o.shape.base
	if len(names) < 2 {
		return o.parts(base), nil
	}
	places, err := o.rank("cycles", names)
	if err != nil {
		return nil, err
	}
	first, list := places[0].Router, []string{fastest(places, base, time)}
	energy, err := o.overall("energy_j")
	if err != nil {
		return nil, err
	}
	ed2p, err := o.overall("ed2p_js2")
	if err != nil {
		return nil, err
	}
	thrifty, err := o.rank("ed2p_js2", o.ranked(ed2p))
	if err != nil {
		return nil, err
	}
	if len(thrifty) > 1 {
		by, e, p := thrifty[0].Router, energy[first], ed2p[first]
		said := fmt.Sprintf("Its network takes %s of the energy and %s of the ED2P of %s", e.Text(), p.Text(), base)
		switch p = ed2p[by]; {
		case first == base && by == first:
			said = "It also has the least ED2P"
		case first == base:
			said = fmt.Sprintf("%s has the least ED2P, %s of that of %s", by, p.Text(), base)
		case by != first:
			said += fmt.Sprintf("; %s has the least ED2P, %s", by, p.Text())
		}
		list = append(list, said+".")
	}
	if least, ok := time[bound]; ok {
		mine := time[first]
		list = append(list, fmt.Sprintf("On an ideal network the same takes %s of the time of %s: with it, %s would take %.0f %% less time, and %s %.0f %%.",
			least.Text(), base, first, 100*(1-least.Mean/mine.Mean), base, 100*(1-least.Mean)))
	}
	return append(list, o.parts(first)...), nil
}

// rank sorts routers by the ratios of a measure to one another.
func (o *overview) rank(column string, names []string) ([]compare.Place, error) {
	over := compare.Ratios{}
	for _, name := range names {
		shape, other := *o.shape, *o
		shape.base, other.shape = name, &shape
		ratios, err := other.overall(column)
		if err != nil {
			return nil, err
		}
		over[name] = ratios
	}
	return compare.Rank(over), nil
}

// fastest says which router takes the least time, and how sure its difference to the others is.
func fastest(places []compare.Place, base string, time map[string]chart.Estimate) string {
	first, next := places[0].Router, &places[1]
	text := fmt.Sprintf("%s is the fastest of %d routers", first, len(places))
	if first != base {
		best := time[first]
		text += fmt.Sprintf(": it takes %s of the execution time of %s", best.Text(), base)
	}
	if first == base || len(places) > 2 {
		text += fmt.Sprintf("; next is %s, which takes %s of the time of %s", next.Router, next.Ratio.Text(), first)
	}
	var equal []string
	for _, p := range places[1:] {
		if p.Equal() {
			equal = append(equal, p.Router)
		}
	}
	if next.Ratio.N < 2 {
		return text + ". With one run of each nothing can be said about confidence."
	}
	if !next.Equal() {
		text += fmt.Sprintf(". The difference to %s is certain with 95 %% confidence", next.Router)
	}
	switch len(equal) {
	case 0:
	case 1:
		text += fmt.Sprintf(". The difference to %s is within its 95 %% confidence interval", equal[0])
	default:
		text += fmt.Sprintf(". The differences to %s are within their 95 %% confidence intervals", enumerate(equal))
	}
	return text + "."
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
			list = append(list, fmt.Sprintf("The network has %.0f %% of the execution time of %s: %.0f %% in its interfaces, %.0f %% in flight and %.0f %% in contention; cores retire in %.0f %%.",
				share(chart.InNetwork...), router, share("interface"), share("flight"), share("contention"), share("retiring")))
		case "energy-parts":
			list = append(list, fmt.Sprintf("Of the network energy of %s, the clock takes %.0f %%, leakage %.0f %%, buffers %.0f %% and links %.0f %%.",
				router, share("clock"), share("leakage"), share("buffers"), share("links")))
		}
	}
	return list
}

// shareOf is the part of a stack over all bars of a label.
func shareOf(f *figures.Figure, part, label string) float64 {
	own, all := 0.0, 0.0
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.Series {
			for _, q := range s.Points {
				if p.Categories[int(q.X)].Label != label {
					continue
				}
				if all += q.Y; s.Name == part {
					own += q.Y
				}
			}
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}

// curves says at which load each network saturates, and which has the least latency below that.
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
			return sheet.PlusMinus(v.Y, (v.High-v.Low)/2)
		}
		return sheet.Number(v.Y)
	}
	first, last := list[0], list[len(list)-1]
	what, unit := quantity(p.YLabel)
	return first.name, at, fmt.Sprintf("%s has the least %s, %s %s, and %s the most, %s %s", first.name, what, said(first), unit, last.name, said(last), unit)
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
