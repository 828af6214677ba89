package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
)

// assumptions are choices of chip or network, as --set takes them, that are uncertain for a real one
// and that move times. Some matter only to chips with the token protocol, or with routers base. A band
// goes over them one at a time: slower and faster memory, small L1 caches, fewer outstanding misses,
// smaller and larger windows, dependences kept and ignored, empty caches, cores around the banks, when
// the copy of a request for the home bank leaves, fixed timeouts, and how the channels of base and
// base-mc work.
var assumptions = []struct{ set, of string }{
	{"chip.memory.latency=130", ""}, {"chip.memory.latency=390", ""}, {"chip.l1.sets=64", ""},
	{"chip.core.outstanding=8", ""}, {"chip.core.outstanding=4", ""},
	{"chip.core.window=16", ""}, {"chip.core.window=32", ""}, {"chip.core.window=128", ""}, {"chip.core.window=256", ""},
	{"chip.core.dependences=keep", ""}, {"chip.core.dependences=ignore", ""}, {"chip.cold=true", ""},
	{"chip.place.cores=edge", ""}, {"network.copies=home-first", "rr"}, {"network.copies=home-last", "rr"}, {"chip.token.adaptive=false", "token"},
	{"network.buffered.route_after_tail=false", "base"}, {"network.buffered.slots=reserved", "base"},
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
		layer, err := config.Assignments([]string{a.set})
		if err != nil {
			return nil, err
		}
		set, other := layer[0], c.Config
		matters := a.of == "" || a.of == s.Chip.Protocol || slices.ContainsFunc(s.Routers, func(router string) bool { return strings.HasPrefix(router, a.of) })
		if !matters || set.Key.Value(other) == set.Value {
			continue
		}
		set.Key.Set(&other, set.Value)
		if set.Key.Name == "chip.memory.latency" {
			other.Chip.Memory.LatencyNS = 0
		}
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
