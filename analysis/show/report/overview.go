package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// overview is a study as the page looks at it.
type overview struct {
	*chart.Data
	shape
	rows        *tables.Rows
	figures     []figures.Figure
	first       *chart.Chart     // of which the first figure is
	comparisons []result.Ranking // of the routers under each setting
}

// newOverview looks at the tables of a study.
func newOverview(rows *tables.Rows, extent chart.Extent) *overview {
	o := &overview{Data: chart.NewData(rows, extent), rows: rows}
	o.comparisons = result.Rank(rows, nil)
	o.look()
	o.divide()
	return o
}

// title names the study after what it compares.
func (o *overview) title() string {
	on := o.distinct(col.Workload)
	for _, pattern := range o.distinct(col.Pattern) {
		on = append(on, pattern+" traffic")
	}
	if len(o.rows.Batches) > 0 {
		on = []string{"multicasts by " + enumerate(o.distinct(col.Scheme))}
	}
	return enumerate(on) + " on " + enumerate(o.distinct(col.Router))
}

// distinct lists the values of a column that has any, in the order of the plan.
func (o *overview) distinct(v tables.Name) []string {
	return slices.DeleteFunc(o.All.Distinct(v), func(v string) bool { return v == "" })
}

// compared says what was compared, and on what.
func (o *overview) compared(m *experiment.Manifest) (list []string) {
	what, on, names := "routers", "workload", o.distinct(col.Workload)
	if o.alone {
		on, names = "traffic pattern", o.distinct(col.Pattern)
	}
	if o.series == col.Scheme {
		what = "multicast schemes"
	}
	list = append(list, fmt.Sprintf("%s: %s", what, enumerate(o.distinct(o.series))), fmt.Sprintf("%s: %s", on, enumerate(names)))
	if len(m.Traces) == 1 {
		list[1] += fmt.Sprintf(" (%s, %d cores, %d records)", m.Traces[0].Source, m.Traces[0].Cores, m.Traces[0].Records)
	}
	if protocols := o.distinct(col.Protocol); len(protocols) > 0 {
		list = append(list, "coherence protocol: "+enumerate(protocols))
	}
	list = append(list, "network: "+enumerate(o.distinct(col.Topology)))
	if loads := o.distinct(col.Offered); len(loads) > 1 {
		list = append(list, fmt.Sprintf("loads: %s to %s phits/node/cycle", loads[0], loads[len(loads)-1]))
	}
	return append(list, o.repeated())
}

// repeated says how many runs there are of each thing that is compared.
func (o *overview) repeated() string {
	least, most := 0, 0 // windows of a workload
	for _, g := range o.All.By(col.Workload) {
		_, n := g.Count()
		if most = max(most, n); least == 0 || n < least {
			least = n
		}
	}
	seeds, each := o.distinct(col.Seed), "each"
	switch {
	case least < most:
		each = fmt.Sprintf("%d to %d windows of each", least, most)
	case most > 1:
		each = fmt.Sprintf("%d windows of each", most)
	}
	switch n := len(seeds); {
	case n > 1:
		return fmt.Sprintf("%d runs of %s, with seeds %s to %s", n, each, seeds[0], seeds[n-1])
	case most > 1:
		return each
	case len(o.rows.Batches) > 0:
		return "one run of each, in batches"
	}
	return "one run of each, so no confidence intervals"
}

// enumerate joins the first names for people.
func enumerate(names []string) string { return sheet.Enumerate(names, 8) }

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

// summary is a table of means. Ratios are left out where settings have different divisors.
func (o *overview) summary() *sheet.Sheet {
	by := append(slices.Clone(o.axes), col.Protocol, col.Workload, col.Router)
	var columns []chart.Measure
	if o.alone {
		by = slices.Clone(o.varying)
		for _, c := range []tables.Name{o.series, col.Offered, o.x.column} {
			if c != none && !slices.Contains(by, c) {
				by = append(by, c)
			}
		}
		for _, m := range o.measured() {
			columns = append(columns, chart.Measure{Column: m.Column, Quantity: fmt.Sprintf("%s [%s]", strings.ToLower(m.Title), m.Unit), Scale: m.Scale})
		}
	} else {
		for _, m := range []chart.Measure{{Column: col.Cycles, Quantity: "time"}, {Column: col.EnergyJ, Quantity: "energy"}, {Column: col.ED2PJs2, Quantity: "ED2P"}} {
			if m.Quantity, m.Baseline = m.Quantity+" / "+o.base, o.base; o.base != "" {
				columns = append(columns, m)
			}
		}
		columns = append(columns, chart.Columns(tables.OfReport)...)
	}
	s := o.Means(by, o.series, columns...).Sheet()
	s.Cut(maxRows)
	s.DropEmpty()
	return s
}

// answer says what came out, and what a reader must know of it: the same sentences as on the command
// line.
func (o *overview) answer(m *experiment.Manifest) []string {
	if o.alone {
		return o.curves()
	}
	return compare.Under(compare.Findings(o.comparisons, o.rows, m), nil, true)
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
		} else if o.x.column == col.Offered {
			list = append(list, "Nothing saturates up to the largest load.")
		}
	}
	wins, where, panels := map[string]int{}, "", 0
	if !o.first.HasCurves() {
		return list
	}
	for _, in := range tables.GroupBy(o.Cells(o.first), func(c *chart.Cell) string { return c.Panel }) {
		best, at, text := o.quickest(in.Records)
		if best == "" {
			continue
		}
		panels++
		wins[best]++
		largest := ""
		if slices.ContainsFunc(f.Panels, func(p figures.Panel) bool { return p.Title == in.Key && len(p.Knees) > 0 }) {
			largest = ", the largest without saturation"
		}
		where = fmt.Sprintf("At %s %s%s, %s.", o.x.quantity, strings.TrimSpace(fmt.Sprintf("%.4g %s", at, o.x.unit)), largest, text)
	}
	if panels == 1 {
		list = append(list, where)
		load, _ := commonLoad(o.rows)
		for name := range wins {
			own := o.At(experiment.AsSimulated).Where(func(r *tables.Observation) bool { return r.Text(o.series) == name && r.Traffic.Offered == load })
			if text := compare.EnergyParts(name, own); text != "" {
				list = append(list, text)
			}
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
		list = append(list, fmt.Sprintf("Lowest %s at the largest load without saturation: %s of %d panels.", strings.ToLower(f.Title), enumerate(texts), panels))
	}
	return list
}

// quickest compares the curves of a panel of the first picture at the largest place where all are and
// none is saturated.
func (o *overview) quickest(cells []chart.Cell) (best string, at float64, text string) {
	type value struct {
		name string
		metrics.Estimate
	}
	var list []value
	series := chart.SeriesOf(o.Data, o.first)
	for i := range cells {
		var values []value
		for _, name := range series {
			if e := o.first.Estimate(&cells[i], name).Scale(cmp.Or(o.first.Scale, 1)); e.OK && cells[i].Saturated[name] == 0 {
				values = append(values, value{name, e})
			}
		}
		if len(values) == len(series) && (list == nil || cells[i].X > at) {
			at, list = cells[i].X, values
		}
	}
	if len(list) < 2 {
		return "", 0, ""
	}
	slices.SortFunc(list, func(a, b value) int { return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.name, b.name)) })
	said := func(v value) string {
		if v.High > v.Low {
			return v.Text()
		}
		return sheet.Number(v.Mean)
	}
	first, last := list[0], list[len(list)-1]
	what, unit := o.first.Quantity, o.first.Unit
	return first.name, at, fmt.Sprintf("%s has the lowest %s, %s %s, and %s the highest, %s %s", first.name, what, said(first), unit, last.name, said(last), unit)
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
