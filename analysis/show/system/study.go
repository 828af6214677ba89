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

// choice is a value of an axis.
type choice struct {
	name, doc string
	layer     config.Layer
	cores     int // 0 for those of the first workload
}

// changes is the name of a variant with its settings that are unlike those of the first variant, or unlike
// the defaults.
func (v choice) changes(c *config.Effective, before []choice) string {
	usual, list := c.Extra.Default(), []string(nil)
	for _, s := range v.layer {
		other := s.Key.Value(usual)
		for i := 0; len(before) > 0 && i < len(before[0].layer); i++ {
			if f := before[0].layer[i]; f.Key.Name == s.Key.Name {
				other = f.Value
			}
		}
		text := s.Key.Name + "=" + config.Text(s.Value)
		if config.Text(other) != config.Text(s.Value) && !strings.Contains(v.name, text) {
			list = append(list, text)
		}
	}
	if list == nil {
		return v.name
	}
	return fmt.Sprintf("%s (%s)", v.name, strings.Join(list, ", "))
}

// Of describes the system of a study with the configuration c. Each axis has a row, and each part that
// an axis changes has one for each of its forms, with the other axes at their first values. The last
// row has the settings that no other row shows.
func Of(c *config.Effective, m *experiment.Manifest) (table []Row, err error) {
	axes, first, err := axesOf(c, m)
	if err != nil {
		return nil, err
	}
	given, cores := fewest(c, m, first), m.Traces[0].Cores
	base, rows, err := describe(c.Extra, cores, given, first)
	if err != nil {
		return nil, err
	}
	forms, names := map[string][]Row{}, []string{} // of parts that axes change
	for _, a := range axes {
		var docs []string
		var order []Row
		found := map[Row][]string{}
		for i, v := range a.choices {
			docs = append(docs, v.doc)
			varied := rows
			if i > 0 {
				if _, varied, err = describe(c.Extra, cmp.Or(v.cores, cores), given, first, v.layer); err != nil {
					varied = append(slices.Clone(rows), Row{"not described", err.Error()})
				}
			}
			for _, r := range varied {
				if found[r] == nil {
					order = append(order, r)
				}
				found[r] = append(found[r], v.name)
			}
		}
		table = append(table, Row{"varied: " + a.key, strings.Join(docs, ", ")})
		for _, r := range order {
			if len(found[r]) < len(a.choices) {
				names = append(names, r.Part)
				forms[r.Part] = append(forms[r.Part], Row{fmt.Sprintf("%s (%s: %s)", r.Part, a.key, strings.Join(found[r], ", ")), r.Value})
			}
		}
	}
	for _, r := range rows {
		if forms[r.Part] == nil {
			table = append(table, r)
		}
		table = append(table, forms[r.Part]...)
		delete(forms, r.Part)
	}
	for _, name := range names { // parts that the first values do not have
		table = append(table, forms[name]...)
		delete(forms, name)
	}
	return append(table, others(base, cores, rows)...), nil
}

// describe describes what several layers make of the defaults.
func describe(x config.Extra, cores int, layers ...config.Layer) (*config.Effective, []Row, error) {
	c, err := x.New(layers...)
	if err == nil {
		c.FitMessages()
		err = c.Check()
	}
	if err != nil {
		return nil, nil, err
	}
	rows, err := parts(c, cores)
	return c, rows, err
}

// axesOf returns what a study varies of its system, and the first values. A key that has been set since
// does not vary, and all routers of a study are described.
func axesOf(c *config.Effective, m *experiment.Manifest) (axes []axis, first config.Layer, err error) {
	set := func(layer config.Layer, key, text string) config.Layer {
		if c.Given(key) || err != nil {
			return layer
		}
		var s config.Setting
		s, err = config.ParseText(key, text, config.Origin{Kind: config.FromPlan, Name: "plan"})
		return append(layer, s)
	}
	if m.Plan.Varies("routers") {
		first = set(first, "routers", config.Text(m.Routers))
	}
	for i := 0; m.Plan != nil && i < len(m.Plan.Axes); i++ {
		a := axis{key: m.Plan.Axes[i].Key}
		for _, value := range m.Plan.Axes[i].Values {
			v := choice{name: value, doc: value}
			if j := slices.IndexFunc(m.Plan.Variants, func(p experiment.PlanVariant) bool { return p.Name == value }); a.key == "variant" && j >= 0 {
				for _, key := range slices.Sorted(maps.Keys(m.Plan.Variants[j].Set)) {
					v.layer = set(v.layer, key, m.Plan.Variants[j].Set[key])
				}
				v.doc = v.changes(c, a.choices)
			} else if a.key == "topology" || inSystem(a.key) {
				v.layer = set(nil, a.key, value)
			}
			a.choices = append(a.choices, v)
		}
		if slices.ContainsFunc(a.choices, func(v choice) bool { return v.layer != nil }) {
			axes, first = append(axes, a), append(first, a.choices[0].layer...)
		}
	}
	a := axis{key: "workloads"}
	for _, t := range m.Traces {
		if !slices.ContainsFunc(a.choices, func(v choice) bool { return v.cores == t.Cores }) {
			name := fmt.Sprintf("%d cores", t.Cores)
			a.choices = append(a.choices, choice{name: name, doc: name, cores: t.Cores})
		}
	}
	if len(a.choices) > 1 {
		axes = append(axes, a)
	}
	return axes, first, err
}

// fewest returns the settings of a configuration without those of the study's manifest that nobody gave
// and that follow from others.
func fewest(c *config.Effective, m *experiment.Manifest, first config.Layer) config.Layer {
	follows := func(s config.Setting) bool { return s.Origin.Kind == config.FromFile && m.Given[s.Key.Name] == "" }
	usual, err := c.Extra.New(slices.DeleteFunc(c.Settings(), follows), first)
	if err != nil {
		return c.Settings()
	}
	usual.FitMessages()
	return slices.DeleteFunc(c.Settings(), func(s config.Setting) bool {
		return follows(s) && config.Text(s.Key.Value(usual.Config)) == config.Text(s.Value)
	})
}
