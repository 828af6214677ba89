package plan

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
)

// Expansion is a plan turned into points.
type Expansion struct {
	Points []experiment.Point
	First  *config.Effective // configuration of the first point
	Plan   *Plan

	below, above config.Layer
	routers      []string
	traces       []experiment.TraceIdentity
	seeds        []uint64
	open         map[string][]experiment.Workload // by what opens them
	values       map[string]any                   // of a message passing study: the keys of its first point,
	given        map[string]string                // and where they were set
}

// Expand makes the points of a plan: for each variant every combination of the axes' values, the
// last axis fastest, then its routers and loads if it has several, then seeds. The plan's settings
// override those below, such as a file's, and are overridden by those above.
func (p *Plan) Expand(below, above config.Layer) (*Expansion, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, s := range above {
		if p.Varies(s.Key.Name) {
			return nil, fmt.Errorf("%s varies %s; change the plan, or leave out what %s gives", p.Name, s.Key.Name, s.Origin)
		}
	}
	x := &Expansion{Plan: p, below: below, above: above, open: map[string][]experiment.Workload{}}
	dimensions := p.Dimensions()
	if n := combinations(dimensions); n > maxCombinations {
		return nil, fmt.Errorf("%s: its axes have %.0f combinations of values; at most %d are possible in one plan: give some axes fewer values, or write several plans", p.Name, n, maxCombinations)
	}
	at := make([]int, len(dimensions))
	for {
		if p.Stopped != nil {
			if err := p.Stopped(); err != nil {
				return nil, err
			}
		}
		if err := x.combination(dimensions, at); err != nil {
			return nil, err
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(dimensions[i].Values) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			break
		}
	}
	x.Points = experiment.Unique(x.Points)
	return x, nil
}

// combinations counts those of the values of all dimensions; a float does not overflow.
func combinations(dimensions []Axis) float64 {
	n := 1.0
	for i := range dimensions {
		n *= float64(len(dimensions[i].Values))
	}
	return n
}

// combination adds the points of one value of each dimension.
func (x *Expansion) combination(dimensions []Axis, at []int) error {
	chosen := slices.Clone(x.Plan.Set)
	var axes []experiment.Setting
	for i := range dimensions {
		axis := &dimensions[i]
		chosen = append(chosen, x.Plan.chosen(axis, at[i])...)
		axes = append(axes, experiment.Setting{Key: axis.Key, Value: config.Text(axis.Values[at[i]])})
	}
	c, err := x.configuration(chosen)
	if err != nil {
		return err
	}
	if x.First == nil {
		first := *c
		x.First = &first
	}
	c.Runs = 1
	x.seeds = x.Plan.Seeds
	if x.seeds == nil {
		for i := range max(x.Plan.Runs, 1) {
			x.seeds = append(x.seeds, c.Seed+uint64(i))
		}
	}
	begin := len(x.Points)
	switch x.Plan.Kind {
	case Run:
		err = x.addRuns(c)
	case Messages:
		err = x.addMessages(chosen)
	default:
		err = x.addTraffic(c)
	}
	for i := begin; i < len(x.Points); i++ {
		p := &x.Points[i]
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

// configuration puts the settings of the plan between those below and above. The keys of a message
// passing study are not those of a configuration.
func (x *Expansion) configuration(chosen []Setting) (*config.Effective, error) {
	if x.Plan.Kind == Messages {
		return x.Plan.Extra.New(x.below, x.above)
	}
	middle, err := x.Plan.layer(config.Keys(), chosen)
	if err != nil {
		return nil, err
	}
	return x.Plan.Extra.New(x.below, middle, x.above)
}

// layer decodes settings of the plan for the keys of a structure. A single value stands for a list
// of one.
func (p *Plan) layer(keys []config.Key, chosen []Setting) (config.Layer, error) {
	var layer config.Layer
	for _, s := range chosen {
		raw := s.Value
		if _, list := raw.([]any); !list && slices.ContainsFunc(keys, func(k config.Key) bool { return k.Name == s.Key && k.IsList() }) {
			raw = []any{raw} // routers: mrr
		}
		decoded, err := config.Decode(keys, s.Key, raw, config.Origin{Kind: config.FromPlan, Name: p.Name, Line: s.Line})
		if err != nil {
			return nil, err
		}
		layer = append(layer, decoded)
	}
	return layer, nil
}

// addRuns adds the points of a comparison of chips.
func (x *Expansion) addRuns(c *config.Effective) error {
	if err := c.Check(); err != nil {
		return err
	}
	identity := fmt.Sprintf("%q %q %+v %+v %d", c.Workload, c.Trace, c.Program, c.Synthetic, c.Chip.Memory.Bytes)
	list, ok := x.open[identity]
	if !ok {
		var err error
		if list, err = OpenWorkloads(c); err != nil {
			return err
		}
		x.open[identity] = list
		for _, w := range list {
			x.traces = append(x.traces, experiment.TraceIdentity{Workload: w.Name, Source: w.Source, Digest: w.Digest, Cores: w.Cores, Records: w.Records})
		}
	}
	study, err := ChipsWith(c, list...)
	if err != nil {
		return err
	}
	for _, router := range c.Routers {
		for _, seed := range x.seeds {
			one := *study
			one.Routers, one.Runs, one.Seed = []string{router}, 1, seed
			points, err := one.Points()
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
func (x *Expansion) addTraffic(c *config.Effective) error {
	study, err := NetworksAlone(c)
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
				points, err := one.Points()
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
func (x *Expansion) add(c *config.Effective, points []experiment.Point, router string, seed uint64) error {
	if !slices.Contains(x.routers, router) {
		x.routers = append(x.routers, router)
	}
	alone := *c
	alone.Routers, alone.Seed = []string{router}, seed
	for i := range points {
		m := experiment.Program()
		m.Configuration, m.Given = alone.Nested()
		m.Study, m.Routers, m.Seeds = points[i].Key, alone.Routers, []uint64{seed}
		var err error
		if points[i].Manifest, err = m.Text(); err != nil {
			return err
		}
	}
	x.Points = append(x.Points, points...)
	return nil
}
