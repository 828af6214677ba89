package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/traces"
)

// Assumption is a choice of chip or network that is uncertain for a real one, and
// that moves times.
type Assumption struct {
	Name string
	// Change makes the choice in another way, and reports whether it has changed anything.
	Change func(s *Study) bool
}

// set makes an assumption of a value of the configuration.
func set[T comparable](name string, value T, of func(s *Study) *T) Assumption {
	return Assumption{fmt.Sprintf("%s=%v", name, value), func(s *Study) bool {
		at := of(s)
		changed := *at != value
		*at = value
		return changed
	}}
}

// Assumptions lists what a band goes over, one at a time: slower and faster memory, small L1 caches,
// fewer outstanding misses, smaller and larger windows, dependences kept and ignored, fixed timeouts,
// empty caches, and how the channels of base and base-mc work.
func Assumptions() []Assumption {
	latency := func(s *Study) *noc.Cycle { return &s.Chip.Memory.Latency }
	outstanding := func(s *Study) *int { return &s.Chip.Core.Outstanding }
	window := func(s *Study) *int { return &s.Chip.Core.Window }
	dependences := func(s *Study) *string { return &s.Chip.Core.Dependences }
	token := func(s *Study) bool { return s.Chip.Protocol == "token" }
	base := func(s *Study) bool {
		return slices.ContainsFunc(s.Routers, func(name string) bool { return strings.HasPrefix(name, "base") })
	}
	return []Assumption{
		set("chip.memory.latency", noc.Cycle(130), latency), set("chip.memory.latency", noc.Cycle(390), latency),
		set("chip.l1.sets", 64, func(s *Study) *int { return &s.Chip.L1.Sets }),
		set("chip.core.outstanding", 8, outstanding), set("chip.core.outstanding", 4, outstanding),
		set("chip.core.window", 16, window), set("chip.core.window", 32, window),
		set("chip.core.window", 128, window), set("chip.core.window", 256, window),
		set("chip.core.dependences", cmp.KeepDependences, dependences), set("chip.core.dependences", cmp.IgnoreDependences, dependences),
		set("chip.cold", true, func(s *Study) *bool { return &s.Chip.Cold }),
		set("chip.token.adaptive", false, func(s *Study) *bool { return &s.Chip.Token.Adaptive }).where(token),
		set("network.buffered.route_after_tail", false, func(s *Study) *bool { return &s.Network.Buffered.RouteAfterTail }).where(base),
		set("network.buffered.slots", buffered.Reserved, func(s *Study) *buffered.SlotSize { return &s.Network.Buffered.Slots }).where(base),
	}
}

// where restricts an assumption to the studies that it matters to.
func (a Assumption) where(matters func(s *Study) bool) Assumption {
	return Assumption{a.Name, func(s *Study) bool { return matters(s) && a.Change(s) }}
}

// Variant is a study under another assumption.
type Variant struct {
	Name string
	Study
}

// bandWindows is how many windows the variants of a band replay.
const bandWindows = 4

// Band returns the study under each assumption that changes it, with one run of a few windows each,
// and first, without a name, as it is with the same runs.
func (s *Study) Band() ([]Variant, error) {
	base := *s
	base.Runs = 1
	if base.Windows == 0 || base.Windows > bandWindows {
		base.Windows = bandWindows
	}
	list := []Variant{{"", base}}
	warm, err := s.stamped()
	if err != nil {
		return nil, err
	}
	for _, a := range Assumptions() {
		v := base
		if !a.Change(&v) || v.Chip.Cold && !warm {
			continue
		}
		list = append(list, Variant{a.Name, v})
	}
	return list, nil
}

// stamped reports whether a trace of the study says what caches held.
func (s *Study) stamped() (bool, error) {
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
