package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// count is how many series a judge uses.
type count int

// The counts of series.
const (
	none count = iota
	one
	atMostOne
	several // one or more
)

// judge is a way of judging a part of a claim. A part has no field that its judge does not use.
type judge struct {
	name     string
	of, over count
	bounded  bool // whether it needs bounds: below, above or gain
	// needs and takes are the fields that a part must and may have beside judge, data, series and
	// bounds: of Part, or of its cells (where.panel) and its source (data.less) alone.
	needs, takes string
	criterion    string // what decides, for the table of claims, with the words of [Part.Criterion] in braces
	judge        func(p *Part, d *chart.Data) Finding
}

// judges are all of them. A claim that none of them serves is first put into words that one does.
var judges = []judge{
	{"ratio", several, several, true, "", "where per shows", "{measure} of {series}{per} {asked} in every cell{where}", (*Part).ratio},
	{"mean", several, several, true, "mean", "where by", "{mean} mean of {measure} of {series}{by} {asked}{where}", (*Part).mean},
	{"largest", one, one, true, "", "where", "largest {measure} of {series} {asked}{where}", (*Part).largest},
	{"most", one, one, true, "share", "where mean", "{measure} of {series} {asked} in more than {share} % of the cells{where}", (*Part).most},
	{"order", several, atMostOne, true, "start", "where tie",
		"{measure} of {series}{where} over that{start}, in cells that are otherwise alike, {asked}{tie}", (*Part).order},
	{"throughput", several, several, true, "", "where.panel instead seeds knee tie",
		"largest {measure} of {compared} {asked} in each panel{where}{unsaturated}{tie}", (*Part).throughput},
	{"steady", several, none, true, "", "where", "least {measure} of {series} beyond the load with the largest, over the largest, {asked}{where}", (*Part).steady},
	{"value", several, none, true, "", "where data.per data.less", "{measure} of {series} {asked}, with the whole interval{where}", (*Part).value},
	{"printed", none, none, true, "at printed", "where data.per data.less", "measured over printed {measure} {asked} at {at}{where}", (*Part).printed},
	{"spread", several, none, true, "", "where data.per data.less",
		"largest {measure} of {series} over the smallest, in each panel, {asked}{where}", (*Part).spread},
	{"rise", several, none, true, "", "where data.per data.less",
		"{measure} of {series} at the last position over that at the first, in each panel, {asked}{where}", (*Part).rise},
	{"straight", several, none, true, "", "where data.per data.less", "slope of {measure} of {series} through the upper half of the loads that it " +
		"carries over that through the lower half, which rises, in each panel, {asked}{where}", (*Part).straight},
	{"class", several, none, true, "class", "", "phits of class {class} over all phits, each copy once, {asked} in every run of {series}", (*Part).class},
	{"completes", none, none, false, "", "", "every scheme completes messages at every load, and some are saturated", (*Part).completes},
}

// Criterion says what decides about a part.
func (p *Part) Criterion() string {
	j, _ := lookup(p.Judge)
	per, by, tie := "", "", ""
	if p.Per != "" {
		per = " over that of " + p.per.Measure
	}
	if p.By != "" {
		by = " for each " + p.By
	}
	if p.Tie {
		tie = "; a difference below 0.5 % is a tie and does not confirm"
	}
	return strings.NewReplacer("{measure}", p.quantity(), "{series}", p.names(), "{compared}", p.compared(), "{per}", per, "{mean}", p.Mean, "{by}", by,
		"{asked}", p.asked(), "{where}", p.Where.text(), "{start}", p.Start.text(), "{share}", fmt.Sprint(100*p.Share), "{tie}", tie,
		"{unsaturated}", p.unsaturated(), "{at}", strings.Trim(fmt.Sprint(p.At), "[]"), "{class}", p.Class).Replace(j.criterion)
}

// lookup finds a judge.
func lookup(name string) (judge, bool) {
	i := slices.IndexFunc(judges, func(j judge) bool { return j.name == name })
	if i < 0 {
		return judge{}, false
	}
	return judges[i], true
}

// quantity is the measure in words.
func (p *Part) quantity() string {
	text := strings.ReplaceAll(p.source.Measure, "_", " ")
	if p.source.Less != "" {
		text += " less " + p.source.Less
	}
	if p.source.Per != "" {
		text += " per " + p.source.Per
	}
	return text
}

// ratio judges that a ratio is within its bounds in every cell.
func (p *Part) ratio(d *chart.Data) Finding {
	var parts []Finding
	for _, pair := range p.pairs() {
		list := p.compare(d, pair[0], pair[1])
		if p.per != nil {
			list = p.dividedBy(d, list, pair)
		}
		if len(list) == 0 {
			continue
		}
		y := tally{part: p, what: pair[0] + "/" + pair[1]}
		for i := range list {
			y.add(list[i].Estimate, list[i].cell.Where())
		}
		shown := metrics.Estimate{}
		if p.Shows == "mean" {
			shown = meanOf("geometric", measured(list))
		}
		parts = append(parts, y.finding(shown))
	}
	if parts == nil {
		return nothing(p.names() + " was not measured")
	}
	return join(parts)
}

// dividedBy divides comparisons by those of another source in the same cells, seed by seed.
func (p *Part) dividedBy(d *chart.Data, list []comparison, pair [2]string) []comparison {
	cells := p.per.cells(d)
	for i := range list {
		c := &list[i]
		at := slices.IndexFunc(cells, func(in chart.Cell) bool { return in.Where() == c.cell.Where() })
		if at < 0 {
			c.OK = false
			continue
		}
		c.Matched = c.DividedBy(cells[at].Ratio(pair[0], pair[1]))
	}
	return list
}

// mean judges the mean of a ratio over cells, or of each panel or label.
func (p *Part) mean(d *chart.Data) Finding {
	var parts []Finding
	for _, pair := range p.pairs() {
		y := tally{part: p, what: "the mean of " + pair[0] + "/" + pair[1]}
		name := func(c *comparison) string {
			switch p.By {
			case "panel":
				return c.cell.Panel
			case "label":
				return c.cell.Label
			}
			return ""
		}
		for _, g := range tables.GroupBy(p.compare(d, pair[0], pair[1]), name) {
			known := measured(g.Records)
			e := meanOf(p.Mean, known)
			e.OK = e.OK && len(known) == len(g.Records)
			y.add(e, g.Key)
		}
		parts = append(parts, y.finding(metrics.Estimate{}))
	}
	return join(parts)
}

// largest judges the largest ratio of all cells.
func (p *Part) largest(d *chart.Data) Finding {
	list := measured(p.compare(d, p.Of[0], p.Over[0]))
	if len(list) == 0 {
		return nothing(p.names() + " was not measured")
	}
	at := slices.MaxFunc(list, func(a, b comparison) int { return cmp.Compare(a.Mean, b.Mean) })
	y := tally{part: p, what: "the largest " + p.Of[0] + "/" + p.Over[0]}
	y.add(at.Estimate, at.cell.Where())
	return y.finding(metrics.Estimate{})
}

// most judges that a ratio is within its bounds in more than a share of the cells.
func (p *Part) most(d *chart.Data) Finding {
	list := measured(p.compare(d, p.Of[0], p.Over[0]))
	if len(list) == 0 {
		return nothing(p.names() + " was not measured")
	}
	y := tally{part: p, what: p.Of[0] + "/" + p.Over[0]}
	for i := range list {
		y.add(list[i].Estimate, list[i].cell.Where())
	}
	share := func(n int) float64 { return float64(n) / float64(len(list)) }
	f := Finding{Verdict: tables.Open, Detail: fmt.Sprintf("%s is %s in %d of %d cells, the contrary in %d", y.what, p.asked(), y.n.hold, len(list), y.n.contradict)}
	f.Reason = fmt.Sprintf("%s, where more than %g %% are asked", f.Detail, 100*p.Share)
	switch {
	case share(y.n.hold) > p.Share:
		f.Verdict, f.Reason = tables.Confirmed, ""
	case share(y.n.hold+y.n.undecided) <= p.Share:
		f.Verdict = tables.NotConfirmed
	}
	f.setMeasured(meanOf(p.Mean, list))
	return f
}

// order judges a ratio, or a value, in cells of Where over that in those cells of Start that differ
// from them in nothing that Start does not name.
func (p *Part) order(d *chart.Data) Finding {
	cells := p.source.cells(d)
	to, from := p.Where.keep(cells, p.series()), p.Start.keep(cells, p.series())
	baseline := ""
	if len(p.Over) > 0 {
		baseline = p.Over[0]
	}
	y := tally{part: p, what: p.names()}
	for _, of := range p.Of {
		for i := range cells {
			for k := range cells {
				a, b := &cells[i], &cells[k]
				alike := (len(p.Start.Panel) > 0 || a.Panel == b.Panel) && (len(p.Start.Group) > 0 || a.Group == b.Group) &&
					(len(p.Start.Label) > 0 || a.Label == b.Label) && (len(p.Start.X) > 0 || a.X == b.X)
				if i != k && to(a) && from(b) && alike {
					y.add(a.Over(&b.Cell, of, baseline), a.Where()+" over "+b.Where())
				}
			}
		}
	}
	return y.finding(metrics.Estimate{})
}

// class judges the share of a message class in the phits of every run of some routers.
func (p *Part) class(d *chart.Data) Finding {
	y, variant := tally{part: p, what: "the share of " + p.Class}, tables.AxisName(plan.VariantAxis)
	only := p.source.chart.Only[variant]
	for _, o := range d.At(experiment.AsSimulated) {
		router := o.Text(tables.Col.Router)
		if v, known := o.Axes[variant]; !slices.Contains(p.Of, router) || known && only != nil && !slices.Contains(only, v) {
			continue
		}
		var of, all uint64
		for _, c := range o.Classes {
			if all += c.Phits; c.Class == p.Class {
				of += c.Phits
			}
		}
		if all > 0 {
			y.add(metrics.Value(float64(of)/float64(all)), o.Text(tables.Col.Workload)+" on "+router)
		}
	}
	return y.finding(metrics.Estimate{})
}
