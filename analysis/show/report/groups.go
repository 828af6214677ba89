package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/show/chart"
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
	records := slices.DeleteFunc(chart.Finished(o.records), func(r tables.Record) bool {
		offered, alone := r.Numbers["offered"]
		return alone && offered != load
	})
	title := func(r *tables.Record) string {
		text := fmt.Sprintf("%s, %s", r.Texts["workload"], r.Texts["protocol"])
		if _, alone := r.Numbers["offered"]; alone {
			if text = fmt.Sprintf("%s at load %.4g", r.Texts["pattern"], load); all {
				text += ", the largest without saturation"
			}
		}
		for _, axis := range o.axes {
			if axis != o.x {
				text += ", " + axis + " " + r.Label(axis)
			}
		}
		return text
	}
	parts := chart.GroupBy(records, title)
	for _, part := range parts[:min(len(parts), maxGroups)] {
		var members []member
		for i := range part.Records {
			r := &part.Records[i]
			members = append(members, member{Key: r.Texts["run_key"], Series: r.Label(o.series)})
		}
		if g := group(o.rows, part.Key, part.Records[0].Texts["topology"], members); len(g.Figures) > 0 {
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
		if n := len(f.Panels); n > 0 && n <= maxPanels {
			g.Figures = append(g.Figures, *f)
		}
	}
	load := heat(rows, topology, firsts)
	add(load)
	add(overTime(load))
	add(distribution("latency-cast", "Latency of copies by cast", func(l *tables.Latency) string { return l.Cast }, rows.Latency, members))
	if len(rows.Classes) > 0 {
		add(distribution("latency-class", "Latency of copies by message class", func(l *tables.Latency) string { return l.Class }, rows.Latency, members))
		add(messages(rows.Classes, members))
		add(coreStack(rows, firsts))
	}
	g.Links, g.Blocks = hottest(rows, firsts), blocks(rows, members)
	return g
}

// blocks lists the hot blocks of the runs of a group.
func blocks(rows *tables.Rows, members []member) *sheet.Sheet {
	of := map[string]bool{}
	for _, m := range members {
		of[m.Key] = true
	}
	return compare.HotBlockSheet(rows, func(key string) bool { return of[key] })
}

// hottest lists the links with the highest load.
func hottest(rows *tables.Rows, members []member) *sheet.Sheet {
	const most = 5
	s := sheet.New("series", "from", "to", "phits", "phits/cycle")
	for _, m := range members {
		var list []*tables.Link
		for i := range rows.Links {
			if rows.Links[i].RunKey == m.Key {
				list = append(list, &rows.Links[i])
			}
		}
		slices.SortStableFunc(list, func(a, b *tables.Link) int { return cmp.Compare(b.Phits, a.Phits) })
		for _, l := range list[:min(most, len(list))] {
			s.Add(m.Series, nodeText(l.From), nodeText(l.To), l.Phits, l.Utilisation.Value)
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
