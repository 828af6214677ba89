package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// maxGroups bounds how many parts of a study a page shows one by one; the tables have all.
const maxGroups = 24

// chipSettings are the finished runs of each program under each setting.
func chipSettings(rows *tables.Rows) (list []chart.Setting) {
	by := append([]tables.Name{result.Program(rows)}, result.Settings(rows)...)
	for _, g := range result.Of(rows).Finished().By(by...) {
		list = append(list, chart.Setting{Where: result.Title(result.SettingOf(by, &g.Runs[0])), Best: g.By(col.Router)})
	}
	return list
}

// part is some runs of a study that are looked at together.
type part struct {
	rows     tables.Rows
	topology string
	of       map[string]string // the series of each run, by key
	series   []string
	firsts   []*tables.Rows // of the first run of each series
}

// groupsOf looks at the parts of a study.
func groupsOf(rows *tables.Rows, parts []chart.Setting) (list []Group) {
	_, runs := rows.ByRun()
	for _, s := range parts[:min(len(parts), maxGroups)] {
		p := part{of: map[string]string{}, topology: s.Best[0].Runs[0].Text(col.Topology)}
		for _, g := range s.Best {
			p.series, p.firsts = append(p.series, g.Values[0]), append(p.firsts, runs[g.Runs[0].Text(col.RunKey)])
			for _, key := range g.Distinct(col.RunKey) {
				p.of[key] = g.Values[0]
				p.rows.Append(runs[key])
			}
		}
		if one := p.group(strings.Trim(s.Title+", "+s.Where, ", ")); len(one.Figures) > 0 {
			list = append(list, one)
		}
	}
	return list
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
	add(p.distribution("latency-cast", "Latency of copies: unicast, multicast, broadcast", func(l *tables.Latency) string { return l.Cast }))
	if len(p.rows.Classes) > 0 {
		add(p.distribution("latency-class", "Latency of copies by message class", func(l *tables.Latency) string { return l.Class }))
		add(p.messages())
		add(p.cores())
	}
	g.Links = p.hottest()
	g.Blocks = sheet.Of(compare.HotBlocks(result.Of(&p.rows)))
	return g
}

// hottest lists the links with the highest load.
func (p *part) hottest() *sheet.Sheet {
	const most = 5
	s := sheet.New("series", "from", "to", "phits", "utilisation", "class")
	for i, series := range p.series {
		list := slices.Clone(p.firsts[i].Links)
		slices.SortStableFunc(list, func(a, b tables.Link) int { return cmp.Compare(b.Utilisation.Value, a.Utilisation.Value) })
		for _, l := range list[:min(most, len(list))] {
			s.Add(series, nodeText(l.FromNode, l.FromX, l.FromY), nodeText(l.ToNode, l.ToX, l.ToY), l.Phits, l.Utilisation.Value, l.Class.Value)
		}
	}
	return s
}

// nodeText is a node by its coordinates, if it has two, as on maps.
func nodeText(node uint64, x, y tables.Maybe[uint64]) any {
	if x.Known && y.Known {
		return fmt.Sprintf("(%d,%d)", x.Value, y.Value)
	}
	return node
}
