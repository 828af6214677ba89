package plan

import (
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
)

// Manifest describes the whole sweep: the plan, and the configuration without the keys that it
// varies. quick says whether the plan was read with its section quick.
func (x *Expansion) Manifest(quick bool) (*experiment.Manifest, error) {
	m := experiment.Program()
	values, given := x.first.nested()
	m.Plan = &experiment.PlanIdentity{File: x.Plan.Name, Title: x.Plan.Title, Kind: x.Plan.Kind, Quick: quick, Points: len(x.Points)}
	for _, axis := range x.Plan.Dimensions() {
		listed := experiment.PlanAxis{Key: axis.Key}
		for _, v := range axis.Values {
			listed.Values = append(listed.Values, config.Text(v))
		}
		m.Plan.Axes = append(m.Plan.Axes, listed)
		remove(values, strings.Split(axis.Key, "."))
		delete(given, axis.Key)
	}
	for _, v := range x.Plan.Variants {
		listed := experiment.PlanVariant{Name: v.Name, Set: map[string]string{}}
		for _, s := range v.Set {
			listed.Set[s.Key] = config.Text(s.Value)
			remove(values, strings.Split(s.Key, "."))
			delete(given, s.Key)
		}
		m.Plan.Variants = append(m.Plan.Variants, listed)
	}
	m.Configuration, m.Given = values, given
	m.Routers, m.Traces, m.Seeds = x.routers, x.traces, x.first.seeds
	var err error
	m.Study, err = experiment.KeyOf(x.Points)
	return &m, err
}

// remove takes a key out of nested sections.
func remove(values map[string]any, path []string) {
	for _, part := range path[:len(path)-1] {
		inner, ok := values[part].(map[string]any)
		if !ok {
			return
		}
		values = inner
	}
	delete(values, path[len(path)-1])
}
