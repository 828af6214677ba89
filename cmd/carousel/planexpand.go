package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
)

// readPlan lays the settings of a plan over those of file and environment.
func (l *loader) readPlan(from sources) error {
	if from.plan == nil {
		return nil
	}
	for _, s := range from.plan.set {
		place := fmt.Sprintf("%s:%d", from.plan.place, s.line)
		k, err := l.find(s.name, place)
		if err != nil {
			return err
		}
		raw := s.raw
		if _, list := raw.([]any); k.kind.Kind() == reflect.Slice && !list {
			raw = []any{raw} // routers: mrr
		}
		value, err := convert(k.kind, raw)
		if err != nil {
			return fmt.Errorf("%s: %s %w", place, k.name, err)
		}
		l.store(k, value, Origin("plan "+place))
	}
	return nil
}

// expansion is a plan turned into points.
type expansion struct {
	points   []sweep.Point
	first    *Configuration // of the first point
	routers  []string
	traces   []experiment.TraceIdentity
	seeds    []uint64
	open     map[string]experiment.Workload // workloads by what opens them
	command  *cobra.Command
	a        *app
	original *plan
	values   map[string]any // of a message passing study: the keys of its first point, and who set them
	given    map[string]string
}

// expand makes the points of a plan: for each variant every combination of the axes' values, the last axis
// fastest, then its routers and loads if it has several, then seeds. Nothing is simulated, but every
// configuration is checked.
func (a *app) expand(command *cobra.Command, p *plan) (*expansion, error) {
	for _, entry := range a.set {
		name, _, _ := strings.Cut(entry, "=")
		if p.varies(strings.ToLower(strings.TrimSpace(name))) {
			return nil, usagef("--set %s: %s varies %s; change the plan", entry, p.place, name)
		}
	}
	x := &expansion{open: map[string]experiment.Workload{}, command: command, a: a, original: p}
	dimensions := p.dimensions()
	at := make([]int, len(dimensions))
	for {
		if err := x.combination(dimensions, at); err != nil {
			return nil, err
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(dimensions[i].values) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			break
		}
	}
	x.points = sweep.Unique(x.points)
	return x, nil
}

// combination adds the points of one value of each dimension.
func (x *expansion) combination(dimensions []planAxis, at []int) error {
	chosen := *x.original
	chosen.set = slices.Clone(chosen.set)
	var axes []sweep.Setting
	for i := range dimensions {
		axis := &dimensions[i]
		chosen.set = append(chosen.set, x.original.chosen(axis, at[i])...)
		axes = append(axes, sweep.Setting{Key: axis.name, Value: plain(axis.values[at[i]])})
	}
	general := &chosen
	if x.original.kind == "messages" { // its keys are not those of the configuration
		general = nil
	}
	c, err := x.a.configurationOf(x.command, general)
	if err != nil {
		return err
	}
	if x.first == nil {
		first := *c
		x.first = &first
	}
	c.Runs = 1
	x.seeds = x.original.seeds
	if x.seeds == nil {
		for i := range x.original.runs {
			x.seeds = append(x.seeds, c.Seed+uint64(i))
		}
	}
	begin := len(x.points)
	switch x.original.kind {
	case "run":
		err = x.addRuns(c)
	case "messages":
		err = x.addMessages(&chosen)
	default:
		err = x.addTraffic(c)
	}
	for i := begin; i < len(x.points); i++ {
		p := &x.points[i]
		p.Axes = axes
		for _, s := range axes {
			if !slices.Contains(labelled, s.Key) {
				p.Label += fmt.Sprintf(", %s=%s", s.Key, s.Value)
			}
		}
	}
	return err
}

// labelled are the keys whose values are part of every label.
var labelled = []string{"routers", "workload", "trace", "chip.protocol", "traffic.pattern", "traffic.load",
	"scheme", "topology", "destinations", "flits", "load"}

// addRuns adds the points of a comparison of chips.
func (x *expansion) addRuns(c *Configuration) error {
	if err := c.Check(); err != nil {
		return err
	}
	identity := fmt.Sprintf("%q %q %q %q %+v %d", c.Workload, c.Source, c.Trace, c.Twin, c.Synthetic, c.Chip.Memory.Bytes)
	workload, ok := x.open[identity]
	if !ok {
		var err error
		if workload, err = openWorkload(c); err != nil {
			return err
		}
		x.open[identity] = workload
		x.traces = append(x.traces, experiment.TraceIdentity{Workload: workload.Name, Source: workload.Source, Digest: workload.Digest,
			Cores: workload.Cores, Records: workload.Records})
	}
	study, err := chipStudy(c, workload)
	if err != nil {
		return err
	}
	for _, router := range c.Routers {
		for _, seed := range x.seeds {
			one := *study
			one.Routers, one.Runs, one.Seed = []string{router}, 1, seed
			points, err := sweep.OfChips(&one)
			if err == nil {
				err = x.add(c, points, router, seed)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addTraffic adds the points of a comparison of networks alone.
func (x *expansion) addTraffic(c *Configuration) error {
	study, err := c.openLoop("")
	if err != nil {
		return err
	}
	loads := [][]float64{nil} // a search
	if study.Loads != nil {
		loads = loads[:0]
		for _, load := range study.Loads {
			loads = append(loads, []float64{load})
		}
	}
	for _, router := range c.Routers {
		for _, load := range loads {
			for _, seed := range x.seeds {
				one := *study
				one.Routers, one.Loads, one.Runs, one.Seed = []string{router}, load, 1, seed
				points, err := sweep.OfTraffic(&one)
				if err == nil {
					if load != nil {
						c.Traffic.Loads, c.Traffic.Load = "", load[0]
					}
					err = x.add(c, points, router, seed)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add adds points with a manifest whose configuration does the point alone.
func (x *expansion) add(c *Configuration, points []sweep.Point, router string, seed uint64) error {
	if !slices.Contains(x.routers, router) {
		x.routers = append(x.routers, router)
	}
	alone := *c
	alone.Routers, alone.Seed = []string{router}, seed
	for i := range points {
		m := experiment.Program()
		m.Configuration, m.Given = manifestSettings(&alone)
		m.Study, m.Routers, m.Seeds = points[i].Key, alone.Routers, []uint64{seed}
		var err error
		if points[i].Manifest, err = m.Text(); err != nil {
			return err
		}
	}
	x.points = append(x.points, points...)
	return nil
}

// manifest describes the sweep of an expanded plan.
func (x *expansion) manifest(quick bool) (*experiment.Manifest, error) {
	m := experiment.Program()
	m.Command = append([]string{"carousel"}, x.a.args...)
	values, given := x.values, x.given
	if values == nil {
		values, given = manifestSettings(x.first)
	}
	m.Plan = &experiment.PlanIdentity{File: x.original.place, Title: x.original.title, Kind: x.original.kind, Quick: quick, Points: len(x.points)}
	for _, axis := range x.original.dimensions() {
		listed := experiment.PlanAxis{Key: axis.name}
		for _, v := range axis.values {
			listed.Values = append(listed.Values, plain(v))
		}
		m.Plan.Axes = append(m.Plan.Axes, listed)
		remove(values, strings.Split(axis.name, "."))
		delete(given, axis.name)
	}
	for _, v := range x.original.variants {
		listed := experiment.PlanVariant{Name: v.name, Set: map[string]string{}}
		for _, s := range v.set {
			listed.Set[s.name] = plain(s.raw)
			remove(values, strings.Split(s.name, "."))
			delete(given, s.name)
		}
		m.Plan.Variants = append(m.Plan.Variants, listed)
	}
	m.Configuration, m.Given = values, given
	m.Routers, m.Traces, m.Seeds = x.routers, x.traces, x.seeds
	var err error
	m.Study, err = sweep.Study(x.points)
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
