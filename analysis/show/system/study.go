package system

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
)

// axis is what a study varies.
type axis struct {
	key     string
	choices []choice
}

// choice is a value of an axis; its cores are those of the first workload if they are 0.
type choice struct {
	name  string
	layer config.Layer
	cores int
}

// Of describes the system of a study with the configuration c. Each axis has a row, and each part that
// an axis changes has one for each of its forms, with the other axes at their first values. The last
// row has the settings that no other row shows.
func Of(c *config.Effective, m *experiment.Manifest) (table []Row, err error) {
	axes, err := axesOf(c, m)
	if err != nil {
		return nil, err
	}
	var first config.Layer
	for _, a := range axes {
		first = append(first, a.choices[0].layer...)
	}
	given := fewest(c, m, first)
	rows, err := describe(c.Extra, m.Traces[0].Cores, given, first)
	if err != nil {
		return nil, err
	}
	all, forms := slices.Clone(rows), map[string][]Row{} // of the parts that axes change
	for _, a := range axes {
		var systems [][]Row
		for i, v := range a.choices {
			these := rows
			if i > 0 {
				if these, err = describe(c.Extra, cmp.Or(v.cores, m.Traces[0].Cores), given, first, v.layer); err != nil {
					these = append(slices.Clone(rows), Row{"not described", err.Error()})
				}
			}
			systems = append(systems, these)
		}
		table = append(table, Row{"varied: " + a.key, strings.Join(a.names(), ", ")})
		for _, f := range a.forms(systems) {
			forms[f.row.Part] = append(forms[f.row.Part], Row{fmt.Sprintf("%s (%s: %s)", f.row.Part, a.key, f.values), f.row.Value})
			if !slices.ContainsFunc(all, func(other Row) bool { return other.Part == f.row.Part }) {
				all = append(all, f.row)
			}
		}
	}
	for _, r := range all {
		if forms[r.Part] == nil {
			forms[r.Part] = []Row{r}
		}
		table = append(table, forms[r.Part]...)
	}
	return table, nil
}

// names lists the values of an axis.
func (a *axis) names() (names []string) {
	for _, v := range a.choices {
		names = append(names, v.name)
	}
	return names
}

// form is a row that only some values of an axis have, and which these are.
type form struct {
	row    Row
	values string
}

// forms returns the rows that some of the systems, one for each value of the axis, have and others lack.
func (a *axis) forms(systems [][]Row) (list []form) {
	names, having := a.names(), map[Row][]string{}
	for i, rows := range systems {
		for _, r := range rows {
			having[r] = append(having[r], names[i])
		}
	}
	for _, r := range slices.Concat(systems...) {
		if n := len(having[r]); n > 0 && n < len(names) {
			values := strings.Join(having[r], ", ")
			if n > 3 && having[r][0] == names[0] {
				values = "all but those below"
			}
			list = append(list, form{r, values})
		}
		delete(having, r)
	}
	return list
}

// axesOf returns what a study varies of its system, without the keys that have been set since. All routers
// of a study are described together.
func axesOf(c *config.Effective, m *experiment.Manifest) (axes []axis, err error) {
	plan := m.Plan
	if plan == nil {
		plan = new(experiment.PlanIdentity)
	}
	list := slices.DeleteFunc(slices.Clone(plan.Axes), func(a experiment.PlanAxis) bool { return a.Key == "routers" })
	if plan.Varies("routers") {
		list = append(list, experiment.PlanAxis{Key: "routers", Values: []string{config.Text(m.Routers)}})
	}
	for _, listed := range list {
		a, known := axis{key: listed.Key}, false
		for i, value := range listed.Values {
			v, settings := choice{name: value}, map[string]string{a.key: value}
			if a.key == "variant" && i < len(plan.Variants) {
				settings = plan.Variants[i].Set
			}
			for _, key := range slices.Sorted(maps.Keys(settings)) {
				if !inSystem(key) || c.Given(key) {
					continue
				}
				s, err := config.ParseText(key, settings[key], config.Origin{Kind: config.FromPlan, Name: plan.File})
				if err != nil {
					return nil, err
				}
				v.layer, known = append(v.layer, s), true
			}
			a.choices = append(a.choices, v)
		}
		if known {
			axes = append(axes, a)
		}
	}
	a := axis{key: "workload"}
	for _, t := range m.Traces {
		a.choices = append(a.choices, choice{name: fmt.Sprintf("%s on %d cores", t.Workload, t.Cores), cores: t.Cores})
	}
	if slices.ContainsFunc(a.choices, func(v choice) bool { return v.cores != a.choices[0].cores }) {
		axes = append(axes, a)
	}
	return axes, nil
}

// fewest returns the settings of a configuration without values that the user did not give and that the program
// computes from other settings. It computes these again, because some settings may be new.
func fewest(c *config.Effective, m *experiment.Manifest, first config.Layer) config.Layer {
	file, err := config.Parse("manifest.json", []byte(m.Text()))
	if m.Study == "" || err != nil {
		return c.Settings()
	}
	usual, err := c.Extra.New(slices.DeleteFunc(file, func(s config.Setting) bool { return m.Given[s.Key.Name] == "" }), first)
	if err != nil {
		return c.Settings()
	}
	usual.FitMessages()
	return slices.DeleteFunc(c.Settings(), func(s config.Setting) bool {
		return s.Origin.Kind == config.FromFile && m.Given[s.Key.Name] == "" && same(s, usual)
	})
}

// same reports whether a configuration has the value of a setting.
func same(s config.Setting, c *config.Effective) bool {
	return config.Text(s.Key.Value(c.Config)) == config.Text(s.Value)
}
