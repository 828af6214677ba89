package plan

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
)

// assumption is a choice of chip or network, as --set takes it, and the routers or the protocol that it
// matters to; none stands for all.
type assumption struct{ set, of string }

// assumptions are uncertain for a real chip, or are what the MRR paper leaves open, and move times. A band
// goes over them one at a time: what takes how long, what cores do, what is where, and how protocol and
// routers work. Plans name them all by variants: assumptions.
var assumptions = []assumption{
	{"chip.memory.latency=130", ""}, {"chip.memory.latency=390", ""}, {"chip.place.memory_controllers=4", ""},
	{"chip.latency.hit=4", ""}, {"chip.latency.l1=11", ""}, {"chip.latency.bank=15", ""}, {"chip.latency.controller=20", ""},
	{"chip.network_clock=1/2", ""}, {"chip.network_clock=1/4", ""},
	{"chip.l1.sets=64", ""}, {"chip.l1.sets=16", ""}, {"chip.cold=true", ""},
	{"chip.core.outstanding=8", ""}, {"chip.core.outstanding=4", ""},
	{"chip.core.window=16", ""}, {"chip.core.window=32", ""}, {"chip.core.window=128", ""}, {"chip.core.window=256", ""},
	{"chip.core.dependences=keep", ""}, {"chip.core.dependences=ignore", ""}, {"chip.core.order=ignore", ""},
	{"chip.core.mispredict_every=100", ""}, {"chip.core.mispredict_every=100 chip.core.refill=30", ""},
	{"chip.core.prefetch=1", ""}, {"chip.core.prefetch=4", ""}, {"chip.core.futex=8000", ""},
	{"chip.place.cores=edge", ""}, {"chip.place.memory=edge", ""}, {"chip.bank_hash=true", ""}, {"chip.interface_queue=0", ""},
	{"network.copies=home-first", "base rr"}, {"network.copies=home-last", "base rr"},
	{"chip.token.adaptive=false", "token"}, {"chip.token.adaptive=false chip.token.timeout=1024", "token"},
	{"chip.token.adaptive=false chip.token.timeout=300 chip.token.issues=1", "token"}, {"chip.token.issues=0", "token"},
	{"chip.token.tokens=17", "token"}, {"chip.token.tokens=64", "token"},
	{"network.buffered.route_after_tail=false", "base base-mc"}, {"network.buffered.slots=longest", "base base-mc"},
	{"network.buffered.slots=reserved", "base base-mc"}, {"network.rotary.rules=paper", "rr mrr rr-tree rr-path"},
}

// layer returns the settings of an assumption, which count more than those of the user.
func (a assumption) layer() (config.Layer, error) {
	layer, err := config.Assignments(strings.Fields(a.set))
	for i := range layer {
		layer[i].Origin = config.Origin{Kind: config.FromFlag, Name: "band"}
	}
	return layer, err
}

// matters reports whether an assumption changes a study.
func (a assumption) matters(c *config.Config, layer config.Layer) bool {
	of := strings.Fields(a.of)
	concerns := func(name string) bool { return slices.Contains(of, name) }
	return (len(of) == 0 || concerns(c.Chip.Protocol) || slices.ContainsFunc(c.Routers, concerns)) &&
		slices.ContainsFunc(layer, func(s config.Setting) bool { return s.Key.Value(*c) != s.Value })
}

// assumed are the assumptions as variants of a plan, behind one that changes nothing.
func assumed(line int) ([]Variant, error) {
	list := []Variant{{Name: "as configured"}}
	for _, a := range assumptions {
		v := Variant{Name: a.set}
		for _, text := range strings.Fields(a.set) {
			key, value, _ := strings.Cut(text, "=")
			var raw any
			if err := yaml.Unmarshal([]byte(value), &raw); err != nil {
				return nil, err
			}
			v.Set = append(v.Set, Setting{key, raw, line})
		}
		list = append(list, v)
	}
	return list, nil
}

// bandWindows is how many windows the runs of a band replay.
const bandWindows = 4

// Band makes the points of a study under each assumption that changes it, with one run of a few windows
// each, and first those of the study as it is. They have an axis with the assumption, which is empty
// for the first.
func Band(c *config.Effective, s *experiment.Study, axis string) (list []experiment.Point, err error) {
	base := *s
	base.Runs = 1
	if base.Windows == 0 || base.Windows > bandWindows {
		base.Windows = bandWindows
	}
	add := func(name string, changed *experiment.Study) error {
		points, err := changed.Points()
		for _, p := range points {
			p.Axes = append(p.Axes, experiment.Setting{Key: axis, Value: name})
			if name != "" {
				p.Label += ", " + name
			}
			list = append(list, p)
		}
		return err
	}
	if err := add("", &base); err != nil {
		return nil, err
	}
	warm, err := stamped(s)
	if err != nil {
		return nil, err
	}
	for _, a := range assumptions {
		layer, err := a.layer()
		if err != nil {
			return nil, err
		}
		if !a.matters(&c.Config, layer) {
			continue
		}
		other, err := c.Extra.New(c.Settings(), layer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.set, err)
		}
		other.FitMessages()
		if other.Chip.Cold && !warm {
			continue
		}
		changed := base
		changed.Chip, changed.Network = other.Chip, other.Network
		if err := add(a.set, &changed); err != nil {
			return nil, fmt.Errorf("%s: %w", a.set, err)
		}
	}
	return list, nil
}

// stamped reports whether a trace of the study says what caches held.
func stamped(s *experiment.Study) (bool, error) {
	for i := range s.Workloads {
		source, release, err := s.Workloads[i].Open(0)
		if err != nil {
			return false, err
		}
		knows := false
		if stamped, ok := source.(traces.Stamped); ok {
			var t *traces.Timestamps
			t, _, err = stamped.ReadTimestamps()
			knows = t != nil
		}
		release()
		if err != nil || knows {
			return knows, err
		}
	}
	return false, nil
}
