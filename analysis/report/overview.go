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
