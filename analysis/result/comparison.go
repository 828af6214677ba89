package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// Comparison says what a study compares, and what it divides by. Every combination of the values of By is a
// row, and the row with the values Base divides the others; without Base it is the fastest one. What else
// varies tells rankings apart: a row is divided by runs that have the same values of it, and the same window
// and seed.
type Comparison struct {
	By    []tables.Name
	Base  []string // in the order of By
	title string   // of Base
}

// Routers compares routers with the fastest.
var Routers = Comparison{By: []tables.Name{col.Router}}

// Chosen reports whether the baseline is one that need not be the fastest.
func (by *Comparison) Chosen() bool { return by.Base != nil }

// ofRouters reports whether only routers are compared.
func (by *Comparison) ofRouters() bool { return len(by.By) == 1 && by.By[0] == col.Router }

// name is that of the row of an observation.
func (by *Comparison) name(o *tables.Observation) string { return rowTitle(SettingOf(by.By, o)) }

// rowTitle names what is compared, such as "token on mrr", or "window 64" of the key chip.core.window.
func rowTitle(values []experiment.Setting) string {
	values = slices.Clone(values)
	for i := range values {
		if key := values[i].Key; key != axisProgram.String() {
			values[i].Key = key[strings.LastIndex(key, ".")+1:]
		}
	}
	at := slices.IndexFunc(values, func(s experiment.Setting) bool { return s.Key == col.Router.String() })
	if at < 0 || len(values) == 1 {
		return Title(values)
	}
	router := values[at].Value
	return Title(slices.Delete(values, at, at+1)) + " on " + router
}

// Fastest is the baseline of Routers.
const Fastest = "fastest"

// ParseComparison reads a baseline such as "chip.protocol=token,router=mrr".
func ParseComparison(baseline string) (by Comparison, err error) {
	if baseline == Fastest {
		return Routers, nil
	}
	var settings []experiment.Setting
	for _, part := range strings.Split(baseline, ",") {
		key, value, is := strings.Cut(part, "=")
		if last := len(by.Base) - 1; !is && last >= 0 { // a value with a comma
			by.Base[last] += "," + part
			continue
		}
		if !is || slices.Contains(by.By, variable(key)) {
			return by, fmt.Errorf("%q is not KEY=VALUE with a key of its own", part)
		}
		by.By, by.Base = append(by.By, variable(key)), append(by.Base, value)
	}
	for i, v := range by.By {
		settings = append(settings, experiment.Setting{Key: v.String(), Value: by.Base[i]})
	}
	by.title = rowTitle(settings)
	return by, nil
}

// Choose reads a baseline of a study of which all points are known, which must have a point with these values.
// Without one, a study that varies routers compares these with the fastest, and any other compares the values
// of its first axis with the first of them. Networks alone are compared with base, or else the first router.
func Choose(rows *tables.Rows, baseline string) (Comparison, error) {
	runs, varied, alone := Of(rows), variedAxes(rows), len(rows.Traffic) > 0
	compared := nameable(rows)
	if routers := runs.Distinct(col.Router); baseline == "" && alone {
		baseline = col.Router.String() + "=" + routers[max(0, slices.Index(routers, "base"))]
	}
	if baseline == "" {
		if len(contestants(runs)) > 1 || len(varied) == 0 {
			return Routers, nil
		}
		return ParseComparison(varied[0].String() + "=" + runs[0].Text(varied[0]))
	}
	by, err := ParseComparison(baseline)
	switch {
	case err == nil && !by.Chosen() && alone:
		return by, fmt.Errorf("%s is for runs of chips; name a router of these networks, such as router=%s", Fastest, runs[0].Text(col.Router))
	case err == nil && !by.Chosen() && len(compared) > 1 && len(contestants(runs)) == 1:
		return by, by.unnamed(rows, baseline, fmt.Errorf("%s compares routers, and the study has only %s; give a value of another key, such as %s=%s",
			Fastest, contestants(runs)[0], compared[1], runs[0].Text(compared[1])))
	case err == nil && !by.Chosen():
		return by, nil
	}
	at := slices.IndexFunc(runs, func(o tables.Observation) bool {
		for i, v := range by.By {
			if !same(o.Text(v), by.Base[i]) || !slices.Contains(compared, v) {
				return false
			}
		}
		return err == nil
	})
	if at < 0 {
		return by, by.unnamed(rows, baseline, err)
	}
	for i, v := range by.By {
		by.Base[i] = runs[at].Text(v)
	}
	return ParseComparison(by.String())
}

// unnamed says why a baseline names no point of a study, with what it can name.
func (by *Comparison) unnamed(rows *tables.Rows, baseline string, err error) error {
	runs, varied, why := Of(rows), nameable(rows), "no run has all of these values"
	has := func(v tables.Name, value string) bool {
		return slices.ContainsFunc(runs.Distinct(v), func(own string) bool { return same(own, value) })
	}
	if err != nil {
		why = err.Error()
	}
	for _, v := range varied {
		if err != nil && has(v, baseline) {
			why += fmt.Sprintf("; did you mean %s=%s?", v, baseline)
		}
	}
	for i, value := range by.Base {
		v := by.By[i]
		if !slices.Contains(varied, v) {
			why = fmt.Sprintf("the study does not vary %q%s", v, suggest.Text(v.String(), tables.Texts(append(varied, rows.AxisNames()...)...)))
		} else if !has(v, value) {
			why = fmt.Sprintf("no run has the value %q of %s%s", value, v, suggest.Text(value, runs.Distinct(v)))
		}
	}
	if !strings.HasSuffix(why, "?") {
		why += "."
	}
	return fmt.Errorf("%s: %s The study has %s", baseline, why, choices(runs, varied))
}

// ComparisonOf reads the baseline of a study of which some points may be missing.
func ComparisonOf(rows *tables.Rows, baseline string) Comparison {
	by, err := ParseComparison(baseline)
	if baseline == "" {
		by, err = Choose(rows, "")
	}
	if err != nil { // of another version
		return Routers
	}
	return by
}

// String is the baseline as ParseComparison reads it.
func (by Comparison) String() string {
	if !by.Chosen() {
		return Fastest
	}
	var parts []string
	for i := range by.Base {
		parts = append(parts, by.By[i].String()+"="+by.Base[i])
	}
	return strings.Join(parts, ",")
}

// same reports whether two texts are one value: 1 and 1.0 are.
func same(a, b string) bool {
	x, first := strconv.ParseFloat(a, 64)
	y, second := strconv.ParseFloat(b, 64)
	return a == b || first == nil && second == nil && x == y
}

// contestants are the routers of a study that are no bound.
func contestants(runs Runs) []string {
	return slices.DeleteFunc(runs.Distinct(col.Router), func(router string) bool { return router == Ideal })
}

// nameable are the columns and axes that a baseline can name.
func nameable(rows *tables.Rows) []tables.Name {
	list := append([]tables.Name{col.Router}, variedAxes(rows)...)
	if len(Of(rows).Distinct(col.Workload)) > 1 && !slices.ContainsFunc(list, isProgram) {
		list = append(list, col.Workload)
	}
	return list
}

// choices lists their values.
func choices(runs Runs, compared []tables.Name) string {
	const most = 12
	var list []string
	for _, v := range compared {
		values := runs.Distinct(v)
		if more := len(values) - most; more > 0 {
			values = append(values[:most:most], fmt.Sprintf("%d more", more))
		}
		list = append(list, v.String()+"="+strings.Join(values, "|"))
	}
	return strings.Join(list, ", ")
}

// variable is what a key of a plan varies. Routers have schemes of their own, so that is the key itself for the
// scheme.
func variable(key string) tables.Name {
	if v := tables.AxisColumn(key); v != col.Scheme {
		return v
	}
	return tables.AxisName(key)
}

// variedAxes are the columns and axes of a plan, but for routers and workloads, that have several values.
func variedAxes(rows *tables.Rows) (list []tables.Name) {
	runs := Of(&tables.Rows{Runs: rows.Runs, Traffic: rows.Traffic, Axes: rows.Axes})
	for _, axis := range rows.AxisNames() {
		if v := variable(axis.String()); v != col.Router && v != col.Workload && len(runs.Distinct(v)) > 1 {
			list = append(list, v)
		}
	}
	return list
}

// Settings are the columns and axes that tell the rankings of a comparison apart. Of routers they are also those
// that an axis can change in passing, such as the number of cores.
func (by Comparison) Settings(rows *tables.Rows) []tables.Name {
	keys, runs := []tables.Name{col.Router}, Of(rows)
	if by.ofRouters() {
		keys = []tables.Name{col.Protocol, col.Cores, col.Topology}
	}
	for _, v := range variedAxes(rows) {
		if !slices.Contains(keys, v) && !isProgram(v) {
			keys = append(keys, v)
		}
	}
	return slices.DeleteFunc(keys, func(v tables.Name) bool { return slices.Contains(by.By, v) || len(runs.Distinct(v)) < 2 })
}

// Settings are those of rankings of routers.
func Settings(rows *tables.Rows) []tables.Name { return Routers.Settings(rows) }

// Across compares the values of the only axis of a study beside that of its routers, if it compares
// these; nil else.
func (by Comparison) Across(rows *tables.Rows) *Comparison {
	varied, runs := variedAxes(rows), Of(rows)
	if len(varied) != 1 || by.Chosen() || !by.ofRouters() || len(contestants(runs)) < 2 {
		return nil
	}
	other, _ := ParseComparison(varied[0].String() + "=" + runs[0].Text(varied[0]))
	return &other
}

// replayed says what application a run belongs to. Programs that are compared are one.
func (by *Comparison) replayed(runs Runs) func(*tables.Observation) string {
	if slices.ContainsFunc(by.By, isProgram) {
		all := strings.Join(tables.Keys(tables.GroupBy(runs, Replayed)), ", ")
		return func(*tables.Observation) string { return all }
	}
	return Replayed
}

// numbers are the values of rows that stand for one number each; nil where they do not.
func (by *Comparison) numbers(runs Runs) map[string]float64 {
	list := map[string]float64{}
	for i := range runs {
		n, number := runs[i].Number(by.By[0])
		if list[by.name(&runs[i])] = n; !number || len(by.By) > 1 {
			return nil
		}
	}
	return list
}

// Bases returns for each group of runs those that it is divided by, and how these are called. by are the
// variables that tell groups apart.
func (by Comparison) Bases(rows *tables.Rows, groups []Group, variables []tables.Name) (list []Runs, titles []string) {
	compared := by.By
	if slices.Contains(compared, col.Router) { // routers have schemes of their own
		compared = append(slices.Clone(compared), col.Scheme)
	}
	programs := slices.ContainsFunc(compared, isProgram)
	place := slices.DeleteFunc(slices.Clone(variables), func(v tables.Name) bool {
		return slices.Contains(compared, v) || slices.Contains(compared, variable(v.String())) || programs && isProgram(v)
	})
	keys, fastest := by.Settings(rows), map[any]string{}
	if !by.Chosen() {
		for _, c := range by.Rank(rows, nil) {
			var at any
			for _, s := range c.Setting {
				at = values{at, s.Value}
			}
			fastest[at] = c.Baseline
		}
	}
	bases := map[any]Runs{}
	for _, g := range groups {
		o := &g.Runs[0]
		title := cmp.Or(by.title, fastest[key(o, keys)])
		if titles = append(titles, title); by.name(o) == title && bases[key(o, place)] == nil {
			bases[key(o, place)] = g.Finished()
		}
	}
	for _, g := range groups {
		list = append(list, bases[key(&g.Runs[0], place)])
	}
	return list, titles
}
