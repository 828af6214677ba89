package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
)

// combination is one value of each dimension, decoded.
type combination struct {
	axes     []experiment.Setting
	asked    *config.Effective // as the plan and the settings around it say
	c        *config.Effective // the same for one run, with one way of loading networks
	loads    []float64         // of a comparison of networks; nil is a search
	messages messages.Config   // of a message passing study, whose keys are not those of c
	given    map[string]string // where its keys were set
	seeds    []uint64
}

// decode makes the configuration of a combination. Its values may be wrong.
func (x *Expansion) decode(index int) (*combination, error) {
	k := &combination{}
	chosen := slices.Clone(x.Plan.Set)
	for d, v := range x.digits(index) {
		axis := &x.dimensions[d]
		chosen = append(chosen, x.Plan.chosen(axis, v)...)
		k.axes = append(k.axes, experiment.Setting{Key: axis.Key, Value: config.Text(axis.Values[v])})
	}
	var middle config.Layer
	var err error
	if x.Plan.Kind == Messages {
		k.messages, k.given, err = x.Plan.messageConfig(chosen)
	} else {
		middle, err = x.Plan.layer(config.Keys(), chosen)
	}
	if err == nil {
		k.asked, err = x.Plan.Extra.New(x.below, middle, x.above)
	}
	if err != nil {
		return nil, err
	}
	if x.Plan.Kind == Run {
		k.asked.FitMessages()
	}
	one := *k.asked
	k.c, one.Runs = &one, 1
	if x.Plan.Kind == Messages {
		one.Routers = []string{"wormhole-ideal"}
	}
	if k.seeds = x.Plan.Seeds; k.seeds == nil {
		k.seeds = experiment.Seeds(one.Seed, max(x.Plan.Runs, 1))
	}
	if x.Plan.Kind == Traffic {
		k.loads, err = loadsOf(k.c)
	}
	return k, err
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

// check finds wrong values, and with build also networks and chips that cannot be built.
func (x *Expansion) check(k *combination, build bool) error {
	switch x.Plan.Kind {
	case Messages:
		return nil // decode has checked it
	case Traffic:
		return checkNetworksAlone(k.c, build)
	}
	if err := k.c.Check(); err != nil || !build {
		return err
	}
	list, err := x.workloads(k.c)
	if err != nil {
		return err
	}
	return CheckChips(ChipsWith(k.c, list))
}

// workloads opens what a configuration replays, once for all combinations that replay the same.
func (x *Expansion) workloads(c *config.Effective) ([]experiment.Workload, error) {
	identity := workloadsOf(c)
	if list, ok := x.open[identity]; ok {
		return list, nil
	}
	list, err := OpenWorkloads(cmp.Or(x.Plan.Context, context.Background()), c)
	if err == nil {
		x.open[identity] = list
	}
	for i := range list {
		x.traces = append(x.traces, list[i].Identity())
	}
	return list, err
}

// workloadsOf identifies what a configuration replays.
func workloadsOf(c *config.Effective) string {
	windows := 0
	if c.Program.Path != "" { // those of traces are there, however many are replayed
		windows = c.Windows
	}
	return fmt.Sprintf("%q %q %+v %d %+v %d", c.Workload, c.Trace, c.Program, windows, c.Synthetic, c.Chip.Memory.Bytes)
}

// add adds the points of a combination: those of each router, load and seed.
func (x *Expansion) add(k *combination) (err error) {
	var list []experiment.Workload
	if x.Plan.Kind == Run {
		if list, err = x.workloads(k.c); err != nil {
			return err
		}
	}
	if n := len(x.Points) + max(1, len(list))*len(k.c.Routers)*max(1, len(k.loads))*len(k.seeds); n > MaxPoints {
		return x.tooMany(float64(n), "points or more")
	}
	more := ""
	for _, s := range k.axes {
		if !slices.Contains(labelled, s.Key) {
			more += fmt.Sprintf(", %s=%s", s.Key, s.Value)
		}
	}
	for _, router := range k.c.Routers {
		if !slices.Contains(x.routers, router) {
			x.routers = append(x.routers, router)
		}
		for load := range max(1, len(k.loads)) {
			for _, seed := range k.seeds {
				points, err := x.make(k, list, router, load, seed)
				if err != nil {
					return err
				}
				for _, p := range points {
					p.Label += more
					p.Axes = k.axes
					x.Points = append(x.Points, p)
				}
			}
		}
	}
	return nil
}

// labelled are the keys whose values are part of every label.
var labelled = []string{"routers", "workload", "trace", "chip.protocol", "traffic.pattern", "traffic.load",
	"scheme", "topology", "destinations", "flits", "load"}

// make makes the points of a combination with one router, one of its loads and one seed: one for each window
// of each workload.
func (x *Expansion) make(k *combination, list []experiment.Workload, router string, load int, seed uint64) ([]experiment.Point, error) {
	if x.Plan.Kind == Messages {
		p, err := messages.Point(k.messages, seed)
		if err != nil {
			err = fmt.Errorf("%s: %w", x.Plan.Name, err)
		}
		return []experiment.Point{p}, err
	}
	alone := *k.c
	alone.Routers, alone.Seed = []string{router}, seed
	if x.Plan.Kind == Run {
		s := ChipsWith(&alone, list)
		s.Models = x.models
		return s.Points()
	}
	s := openLoop(alone.Config)
	if s.Models = x.models; k.loads != nil {
		s.Loads = k.loads[load : load+1]
	}
	return s.Points()
}
