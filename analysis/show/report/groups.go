package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// maxGroups bounds how many parts of a study a page shows one by one; the tables have all.
const maxGroups = 24

// groups looks at the parts of a study: of chips each workload, of networks each setting, at one
// load.
func (o *overview) groups() (list []Group) {
	load, all := commonLoad(o.rows)
	runs := o.All.Finished().Where(func(r *tables.Observation) bool { return r.Traffic == nil || r.Traffic.Offered == load })
	title := func(r *tables.Observation) string {
		text := ""
		if r.Run != nil {
			text = fmt.Sprintf("%s, %s", r.Run.Workload, r.Run.Protocol)
		} else {
			if text = fmt.Sprintf("%s at load %.4g", r.Traffic.Pattern, load); all {
				text += ", the largest without saturation"
			}
		}
		for _, axis := range o.axes {
			if axis != o.x.column {
				text += ", " + axis.String() + " " + r.Text(axis)
			}
		}
		return text
	}
	parts := tables.GroupBy(runs, title)
	for _, g := range parts[:min(len(parts), maxGroups)] {
		p := part{rows: o.rows, of: map[string]string{}, topology: g.Records[0].Text(col.Topology)}
		for i := range g.Records {
			key, series := g.Records[i].Text(col.RunKey), g.Records[i].Text(o.series)
			if p.of[key] = series; !slices.Contains(p.series, series) {
				p.series, p.firsts = append(p.series, series), append(p.firsts, key)
			}
		}
		if one := p.group(g.Key); len(one.Figures) > 0 {
			list = append(list, one)
		}
	}
	return list
}

// part is some runs of a study that are looked at together.
type part struct {
	rows     *tables.Rows
	topology string
	of       map[string]string // the series of each run, by key
	series   []string
	firsts   []string // the key of the first run of each series
}

// commonLoad is the largest load at which no network is saturated; else, the least.
func commonLoad(rows *tables.Rows) (load float64, all bool) {
	bad := map[float64]bool{}
	for i := range rows.Traffic {
		r := &rows.Traffic[i]
		bad[r.Offered] = bad[r.Offered] || r.Saturated.Value == tables.Saturated || r.ExitState != tables.Finished
		if i == 0 || r.Offered < load {
			load = r.Offered
		}
	}
	for at, saturated := range bad {
		if !saturated && at >= load {
			load, all = at, true
		}
	}
	return load, all
}

// has reports whether a run is among them.
func (p *part) has(key string) bool {
	_, ok := p.of[key]
	return ok
}

// group draws what there is to see of the runs.
func (p *part) group(title string) Group {
	g := Group{Title: title}
	add := func(f *figures.Figure) {
		if n := len(f.Panels); n > 0 && n <= maxPanels {
			g.Figures = append(g.Figures, *f)
		}
	}
	add(p.heat())
	add(p.distribution("latency-cast", "Latency of copies by cast", func(l *tables.Latency) string { return l.Cast }))
	if len(p.rows.Classes) > 0 {
		add(p.distribution("latency-class", "Latency of copies by message class", func(l *tables.Latency) string { return l.Class }))
		add(p.messages())
		add(p.cores())
	}
	g.Links = p.hottest()
	g.Blocks = compare.HotBlockSheet(p.rows, p.has)
	return g
}

// hottest lists the links with the highest load.
func (p *part) hottest() *sheet.Sheet {
	const most = 5
	s := sheet.New("series", "from", "to", "phits", "phits/cycle")
	for i, series := range p.series {
		list := slices.DeleteFunc(slices.Clone(p.rows.Links), func(l tables.Link) bool { return l.RunKey != p.firsts[i] })
		slices.SortStableFunc(list, func(a, b tables.Link) int { return cmp.Compare(b.Phits, a.Phits) })
		for _, l := range list[:min(most, len(list))] {
			s.Add(series, nodeText(l.From), nodeText(l.To), l.Phits, l.Utilisation.Value)
		}
	}
	return s
}

// nodeText is a node by its coordinates, if it has two, as on maps.
func nodeText(p tables.Place) any {
	if p.X.Known && p.Y.Known {
		return fmt.Sprintf("(%d,%d)", p.X.Value, p.Y.Value)
	}
	return p.Node
}
