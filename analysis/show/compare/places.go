package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
)

// place is a workload under one setting of a study. A warning about times is about places: nothing is
// averaged over workloads, protocols or other settings.
type place struct {
	name    string // such as "lu, token"
	routers []routerRows
}

// routerRows are the finished runs of a router in a place, with their cores and hot blocks.
type routerRows struct {
	router string
	tables.Rows
}

// placesOf sorts the finished runs of a study into places, in the order of the plan.
func placesOf(rows *tables.Rows) (list []place) {
	cores := map[string][]tables.Core{}
	for _, g := range tables.GroupBy(rows.Cores, func(c *tables.Core) string { return c.RunKey }) {
		cores[g.Key] = g.Records
	}
	blocks := map[string][]tables.HotBlock{}
	for _, g := range tables.GroupBy(rows.HotBlocks, func(b *tables.HotBlock) string { return b.RunKey }) {
		blocks[g.Key] = g.Records
	}
	keys := slices.DeleteFunc(result.Settings(rows), func(v tables.Name) bool { return v == col.Protocol })
	runs := result.Of(&tables.Rows{Runs: rows.Runs, Axes: rows.Axes})
	names := make([]string, len(rows.Runs))
	for i := range runs {
		c := result.Ranking{Setting: result.SettingOf(keys, &runs[i])}
		names[i] = strings.Join(some(result.Replayed(&runs[i]), rows.Runs[i].Protocol, c.Title()), ", ")
	}
	at := map[string]int{}
	for i, run := range rows.Runs {
		if run.ExitState != tables.Finished {
			continue
		}
		n, known := at[names[i]]
		if !known {
			n = len(list)
			at[names[i]], list = n, append(list, place{name: names[i]})
		}
		p := &list[n]
		k := slices.IndexFunc(p.routers, func(r routerRows) bool { return r.router == run.Router })
		if k < 0 {
			k, p.routers = len(p.routers), append(p.routers, routerRows{router: run.Router})
		}
		own := &p.routers[k].Rows
		own.Runs, own.Cores, own.HotBlocks = append(own.Runs, run), append(own.Cores, cores[run.RunKey]...), append(own.HotBlocks, blocks[run.RunKey]...)
	}
	return list
}

// measured is a percentage of a router.
type measured struct {
	router  string
	percent float64
}

// over measures the routers of a place, and keeps those above a percentage.
func (p *place) over(least float64, percent func(rows *tables.Rows) float64) (list []measured) {
	for i := range p.routers {
		r := &p.routers[i]
		if v := percent(&r.Rows); v > least {
			list = append(list, measured{r.router, v})
		}
	}
	return list
}

// onRouters writes measured values: "6 % on base and mrr", or "6 % on base, 8 % on mrr".
func onRouters(list []measured, format string) string {
	text := func(m *measured) string { return fmt.Sprintf(format, m.percent) }
	var parts []string
	for _, g := range tables.GroupBy(list, text) {
		parts = append(parts, fmt.Sprintf("%s on %s", g.Key, enumerate(namesOf(g.Records))))
	}
	return strings.Join(parts, ", ")
}

// namesOf are the routers of a list.
func namesOf(list []measured) (names []string) {
	for _, m := range list {
		names = append(names, m.router)
	}
	return names
}

// shownPlaces is how many places a sentence names.
const shownPlaces = 3

// above names the places and routers of which something is above a percentage, the largest first:
// "lu, token (6 % on base, 8 % on mrr); is, token (5 % on mrr)". It is "" if there are none.
func (f *findings) above(least float64, format string, percent func(rows *tables.Rows) float64) string {
	type found struct {
		name string
		list []measured
		most float64
	}
	var all []found
	for i := range f.places {
		p := &f.places[i]
		if list := p.over(least, percent); list != nil {
			most := slices.MaxFunc(list, func(a, b measured) int { return cmp.Compare(a.percent, b.percent) }).percent
			all = append(all, found{p.name, list, most})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.most, a.most) })
	var texts []string
	for _, a := range all[:min(len(all), shownPlaces)] {
		texts = append(texts, fmt.Sprintf("%s (%s)", a.name, onRouters(a.list, format)))
	}
	if more := len(all) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// idle warns of workloads of which few cores access memory.
func (f *findings) idle() {
	texts := map[string][]string{} // places by what is said of them
	var order []string
	for i := range f.places {
		p := &f.places[i]
		for _, text := range traces.IdleNote(workingCores(p.routers[0].Cores)) {
			if texts[text] == nil {
				order = append(order, text)
			}
			texts[text] = append(texts[text], p.name)
		}
	}
	for _, text := range order {
		if len(texts[text]) < len(f.places) {
			text = sheet.Enumerate(texts[text], shownPlaces) + ": " + text
		}
		f.say(Warning, "%s.", text)
	}
}
