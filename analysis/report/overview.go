package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// overview is what the first screen of a study says.
type overview struct {
	*chart.Data
	rows    *tables.Rows
	shape   *shape
	figures []figures.Figure
}

// bound is the router that cannot be built: no comparison names it best.
const bound = "ideal"

// title names the study after what it compares.
func (o *overview) title() string {
	var names, on []string
	see := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for i := range o.rows.Runs {
		see(&names, o.rows.Runs[i].Router)
		see(&on, o.rows.Runs[i].Workload)
	}
	for i := range o.rows.Traffic {
		see(&names, o.rows.Traffic[i].Router)
		see(&on, o.rows.Traffic[i].Pattern+" traffic")
	}
	return enumerate(on) + " on " + enumerate(names)
}

// compared says what was compared, and on what.
func (o *overview) compared(m *experiment.Manifest) (list []string) {
	var lists [6][]string
	see := func(values ...string) {
		for i, v := range values {
			if v != "" && !slices.Contains(lists[i], v) {
				lists[i] = append(lists[i], v)
			}
		}
	}
	for i := range o.rows.Runs {
		r := &o.rows.Runs[i]
		see(r.Router, r.Workload, r.Protocol, r.Topology, fmt.Sprint(r.Seed))
	}
	for i := range o.rows.Traffic {
		r := &o.rows.Traffic[i]
		name := r.Router
		if o.shape.series == "scheme" {
			name = r.Scheme
		}
		see(name, r.Pattern, "", r.Topology, fmt.Sprint(r.Seed), formatNumber(r.Offered))
	}
	what, on := "routers", "workload"
	if len(o.rows.Traffic) > 0 {
		on = "traffic pattern"
	}
	if o.shape.series == "scheme" {
		what = "multicast schemes"
	}
	list = append(list, fmt.Sprintf("%s: %s", what, enumerate(lists[0])), fmt.Sprintf("%s: %s", on, enumerate(lists[1])))
	for _, t := range m.Traces {
		if len(m.Traces) <= 3 {
			list[1] += fmt.Sprintf(" (%s, %d cores, %d records)", t.Source, t.Cores, t.Records)
		}
	}
	if len(lists[2]) > 0 {
		list = append(list, "coherence protocol: "+enumerate(lists[2]))
	}
	list = append(list, "network: "+enumerate(lists[3]))
	if len(lists[5]) > 1 {
		list = append(list, fmt.Sprintf("loads: %s to %s phits/node/cycle", lists[5][0], lists[5][len(lists[5])-1]))
	}
	if n := len(lists[4]); n > 1 {
		return append(list, fmt.Sprintf("%d runs of each, with seeds %s to %s", n, lists[4][0], lists[4][n-1]))
	} else if len(o.rows.Batches) > 0 {
		return append(list, "one run of each, in batches")
	}
	return append(list, "one run of each: nothing is said about confidence")
}

// enumerate joins names for people.
func enumerate(names []string) string {
	const most = 8
	switch n := len(names); {
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// overall is the mean of a measure over all cells of the study, divided by the baseline's run of the same seed, for each
// series: a geometric mean over cells, then a mean over seeds.
func (o *overview) overall(column string) (map[string]chart.Estimate, error) {
	c := chart.Chart{Name: column, Measure: column, Series: o.shape.series, Baseline: o.shape.base, Panel: o.shape.protocol, Group: joined(o.shape.axes), Label: "workload"}
	cells, err := o.Cells(&c)
	if err != nil {
		return nil, err
	}
	list := map[string]chart.Estimate{}
	if len(cells) == 1 { // as in the table of means
		for _, l := range o.Summary([]string{o.shape.series}, o.shape.series, []chart.Measure{{Column: column, Baseline: o.shape.base, Totals: true}}) {
			if e := l.Values[0]; e.OK {
				list[l.Labels[0]] = e
			}
		}
		return list, nil
	}
	for _, series := range chart.SeriesOf(o.Data, &c) {
		var means []float64
		for seed := 0; ; seed++ {
			var values []float64
			for i := range cells {
				if ratios := c.Values(&cells[i], series); seed < len(ratios) {
					values = append(values, ratios[seed])
				}
			}
			mean, ok := metrics.GeometricMean(values)
			if !ok || len(values) < len(cells) {
				break
			}
			means = append(means, mean)
		}
		if e := chart.EstimateOf(means); e.OK {
			list[series] = e
		}
	}
	return list, nil
}

// ranked lists the series of a comparison from the least to the most, without the bound.
func (o *overview) ranked(list map[string]chart.Estimate) (names []string) {
	for name := range list {
		if name != bound {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if list[a].Mean < list[b].Mean || list[a].Mean == list[b].Mean && a < b {
			return -1
		}
		return 1
	})
	return names
}

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
	best, next := time[names[0]], time[names[1]]
	first := fmt.Sprintf("%s is the fastest of %d routers: it takes %s of the execution time of %s", names[0], len(names), best.Text(), base)
	switch {
	case names[0] == base:
		first = fmt.Sprintf("%s is the fastest of %d routers; next is %s with %s of its execution time", base, len(names), names[1], next.Text())
		best = next
	case len(names) > 2:
		first += fmt.Sprintf("; next is %s with %s", names[1], next.Text())
	}
	switch {
	case best.N < 2:
		first += ". With one run of each nothing can be said about confidence."
	case best.Side(1) != 0:
		first += ". The difference is certain with 95 % confidence."
	default:
		first += ". The difference is within its 95 % confidence interval."
	}
	energy, err := o.overall("energy_j")
	if err != nil {
		return nil, err
	}
	ed2p, err := o.overall("ed2p_js2")
	if err != nil {
		return nil, err
	}
	list := []string{first}
	if by := o.ranked(ed2p); len(by) > 1 {
		e, p := energy[names[0]], ed2p[names[0]]
		second := fmt.Sprintf("Its network takes %s of the energy and %s of the ED2P of %s", e.Text(), p.Text(), base)
		if names[0] == base {
			second = "It also has the least ED2P"
		}
		if by[0] != names[0] {
			p = ed2p[by[0]]
			second += fmt.Sprintf("; the least ED2P has %s, %s", by[0], p.Text())
		}
		list = append(list, second+".")
	}
	if least, ok := time[bound]; ok {
		mine := time[names[0]]
		list = append(list, fmt.Sprintf("On an ideal network the same takes %s of the time of %s: with it, %s would take %.0f %% less time, and %s %.0f %%.",
			least.Text(), base, names[0], 100*(1-least.Mean/mine.Mean), base, 100*(1-least.Mean)))
	}
	return append(list, o.parts(names[0])...), nil
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

// curves says, of networks alone, who saturates when and who is quickest before.
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
			return plusMinus(v.Y, (v.High-v.Low)/2)
		}
		return fourDigits(v.Y)
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

// settings lists what is not at its default.
func settings(m *experiment.Manifest) Sheet {
	s := Sheet{Header: []string{"key", "value", "given by"}}
	for _, key := range sortedKeys(m.Given) {
		if key != "out" && key != "jobs" && key != "parquet" {
			s.Rows = append(s.Rows, []string{key, settingOf(m.Configuration, key), m.Given[key]})
		}
	}
	return s
}

// settingOf finds the value of a dotted key.
func settingOf(configuration any, key string) string {
	at := configuration
	for part := range strings.SplitSeq(key, ".") {
		section, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = section[part]
	}
	switch v := at.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, fmt.Sprint(one))
		}
		return strings.Join(parts, ", ")
	}
	content, err := json.Marshal(at)
	if err != nil || at == nil {
		return ""
	}
	return string(content)
}

// summary is a table of means.
func (o *overview) summary() Sheet {
	by := append(slices.Clone(o.shape.axes), "protocol", "workload", "router")
	ratio := func(column string) chart.Measure {
		return chart.Measure{Column: column, Baseline: o.shape.base, Totals: true}
	}
	titles := []string{"time / " + o.shape.base, "energy / " + o.shape.base, "ED2P / " + o.shape.base, "cycles", "miss latency", "packet latency"}
	shown := []chart.Measure{ratio("cycles"), ratio("energy_j"), ratio("ed2p_js2"), {Column: "cycles"}, {Column: "miss_latency_mean"}, {Column: "packet_latency_mean"}}
	if len(o.rows.Traffic) > 0 {
		by, titles, shown = slices.Clone(o.shape.varying), nil, nil
		for _, c := range []string{o.shape.series, "offered", o.shape.x} {
			if c != "" && !slices.Contains(by, c) {
				by = append(by, c)
			}
		}
		for _, m := range measured(o.rows) {
			titles, shown = append(titles, fmt.Sprintf("%s [%s]", strings.ToLower(m.title), m.unit)), append(shown, chart.Measure{Column: m.column})
		}
	}
	s := Sheet{Header: append(append(slices.Clone(by), "runs"), titles...)}
	scales := make([]float64, len(shown))
	for i := range scales {
		scales[i] = 1
	}
	if len(o.rows.Traffic) > 0 {
		for i, m := range measured(o.rows) {
			scales[i] = max(m.scale, map[bool]float64{true: 1}[m.scale == 0])
		}
	}
	lines := o.Summary(by, o.shape.series, shown)
	for i := range lines {
		if i == maxRows {
			s.Left = len(lines) - i
			break
		}
		row := append(slices.Clone(lines[i].Labels), fmt.Sprint(lines[i].Runs))
		for k, e := range lines[i].Values {
			row = append(row, said(e, scales[k]))
		}
		s.Rows = append(s.Rows, row)
	}
	s.dropEmpty()
	return s
}

// dropEmpty leaves out columns in which nothing stands.
func (s *Sheet) dropEmpty() {
	for c := len(s.Header) - 1; c >= 0; c-- {
		if !slices.ContainsFunc(s.Rows, func(row []string) bool { return row[c] != "" }) {
			s.Header = slices.Delete(s.Header, c, c+1)
			for i := range s.Rows {
				s.Rows[i] = slices.Delete(s.Rows[i], c, c+1)
			}
		}
	}
}

// said is a mean with its confidence.
func said(e chart.Estimate, scale float64) string {
	switch {
	case !e.OK:
		return ""
	case e.N < 2:
		return fourDigits(e.Mean * scale)
	}
	return plusMinus(e.Mean*scale, e.HalfWidth()*scale)
}
