package experiment

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// Assumption is a choice of the chip that nobody can make for a real one with certainty, and that
// moves times.
type Assumption struct {
	Name string
	// Change makes the choice in another way, and reports whether it has changed anything.
	Change func(c *cmp.Config) bool
}

// set makes an assumption of a value of the configuration.
func set[T comparable](name string, value T, of func(c *cmp.Config) *T) Assumption {
	return Assumption{fmt.Sprintf("%s=%v", name, value), func(c *cmp.Config) bool {
		at := of(c)
		changed := *at != value
		*at = value
		return changed
	}}
}

// Assumptions lists what a band goes over, one at a time: slower and faster memory, fewer
// outstanding misses, smaller and larger windows, dependences kept and ignored, shorter and longer
// time-outs, and empty caches.
func Assumptions() []Assumption {
	latency := func(c *cmp.Config) *noc.Cycle { return &c.Memory.Latency }
	outstanding := func(c *cmp.Config) *int { return &c.Core.Outstanding }
	window := func(c *cmp.Config) *int { return &c.Core.Window }
	dependences := func(c *cmp.Config) *cmp.Dependences { return &c.Core.Dependences }
	timeout := func(c *cmp.Config) *noc.Cycle { return &c.Token.Timeout }
	list := []Assumption{
		set("chip.memory.latency", noc.Cycle(130), latency), set("chip.memory.latency", noc.Cycle(390), latency),
		set("chip.core.outstanding", 8, outstanding), set("chip.core.outstanding", 4, outstanding),
		set("chip.core.window", 32, window), set("chip.core.window", 128, window),
		set("chip.core.dependences", cmp.KeepDependences, dependences), set("chip.core.dependences", cmp.IgnoreDependences, dependences),
		set("chip.cold", true, func(c *cmp.Config) *bool { return &c.Cold }),
	}
	for _, cycles := range []noc.Cycle{256, 1024} {
		a := set("chip.token.timeout", cycles, timeout)
		change := a.Change
		a.Change = func(c *cmp.Config) bool { return change(c) && c.Protocol == "token" }
		list = append(list, a)
	}
	return list
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
		if !a.Change(&v.Chip) || v.Chip.Cold && !warm {
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
