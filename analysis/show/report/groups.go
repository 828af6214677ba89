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
func groups(rows *tables.Rows, shape *shape) (list []Group) {
	keys := map[string][]member{} // by title
	var titles []string
	topologies := map[string]string{}
	add := func(title, topology string, m member) {
		if keys[title] == nil {
			titles, topologies[title] = append(titles, title), topology
		}
		keys[title] = append(keys[title], m)
	}
	_, values := axesOf(rows)
	where := func(title, key string) string {
		for _, axis := range shape.axes {
			if axis != shape.x {
				title += ", " + axis + " " + values[[2]string{key, axis}]
			}
		}
		return title
	}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState == tables.Finished {
			add(where(fmt.Sprintf("%s, %s", r.Workload, r.Protocol), r.RunKey), r.Topology, member{Key: r.RunKey, Series: r.Router})
		}
	}
	load, all := commonLoad(rows)
	for i := range rows.Traffic {
		if r := &rows.Traffic[i]; r.ExitState == tables.Finished && r.Offered == load {
			title := fmt.Sprintf("%s at load %.4g", r.Pattern, load)
			if all {
				title += ", the largest that no network is saturated at"
			}
			add(where(title, r.RunKey), r.Topology, member{Key: r.RunKey, Series: map[bool]string{true: r.Scheme, false: r.Router}[shape.series == "scheme"]})
		}
	}
	for _, title := range titles[:min(len(titles), maxGroups)] {
		if g := group(rows, title, topologies[title], keys[title]); len(g.Figures) > 0 {
			list = append(list, g)
		}
	}
	return list
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

// group draws what there is to see of some runs.
func group(rows *tables.Rows, title, topology string, members []member) Group {
	g := Group{Title: title}
	var firsts []member // the first run of each series
	for _, m := range members {
		if !slices.ContainsFunc(firsts, func(o member) bool { return o.Series == m.Series }) {
			firsts = append(firsts, m)
		}
	}
	add := func(f *figures.Figure) {
		if f != nil && len(f.Panels) <= maxPanels {
			g.Figures = append(g.Figures, *f)
		}
	}
	load := heat(rows, topology, firsts)
	add(load)
	add(overTime(load))
	add(distribution("latency-cast", "Latency of copies by cast", "cast", rows.Latency, members))
	if len(rows.Classes) > 0 {
		add(distribution("latency-class", "Latency of copies by message class", "class", rows.Latency, members))
		add(messages(rows.Classes, members))
		add(coreStack(rows, firsts))
	}
	g.Links, g.Blocks = hottest(rows, firsts), blocks(rows, members)
	return g
}

// blocks lists the hot blocks of the runs of a group.
func blocks(rows *tables.Rows, members []member) sheet.Sheet {
	of := map[string]bool{}
	for _, m := range members {
		of[m.Key] = true
	}
	return compare.HotBlockSheet(rows, func(key string) bool { return of[key] })
}

// hottest lists the links with the highest load.
func hottest(rows *tables.Rows, members []member) sheet.Sheet {
	const most = 5
	s := sheet.Sheet{Header: []string{"series", "from", "to", "phits", "phits/cycle"}}
	for _, m := range members {
		var list []*tables.Link
		for i := range rows.Links {
			if rows.Links[i].RunKey == m.Key {
				list = append(list, &rows.Links[i])
			}
		}
		slices.SortStableFunc(list, func(a, b *tables.Link) int { return cmp.Compare(b.Phits, a.Phits) })
		for _, l := range list[:min(most, len(list))] {
			s.Rows = append(s.Rows, []string{m.Series, nodeText(l.From), nodeText(l.To), fmt.Sprint(l.Phits), sheet.Number(l.Utilisation.Value)})
		}
	}
	return s
}

// nodeText is a node by its coordinates, if it has two, as on maps.
func nodeText(p tables.Place) string {
	if p.X.Known && p.Y.Known {
		return fmt.Sprintf("(%d,%d)", p.X.Value, p.Y.Value)
	}
	return fmt.Sprint(p.Node)
}
