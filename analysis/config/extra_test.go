package config

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/workloads"
)

// TestExtra: what another module adds can be named, and completes.
func TestExtra(t *testing.T) {
	model, protocol, workload := models.Table()[0], cmp.Protocols[0], workloads.Table[2]
	pattern, scheme := traffic.Patterns[0], multicast.Schemes[0]
	model.Name, protocol.Name, workload.Name, pattern.Name, scheme.Name = "mine", "mine", "mine", "mine", "mine"
	x := Extra{Routers: []models.Model{model}, Protocols: []cmp.ProtocolEntry{protocol},
		Workloads: []workloads.Workload{workload}, Patterns: []traffic.Pattern{pattern}, Schemes: []multicast.Scheme{scheme}}
	for _, assignment := range []string{"routers=mine", "chip.protocol=mine", "workload=mine"} {
		layer := must.Get(Assignments([]string{assignment}))
		for _, c := range []struct {
			extra   Extra
			allowed bool
		}{{x, true}, {Extra{}, false}} {
			e, err := c.extra.New(layer)
			if err == nil {
				err = e.Check()
			}
			if (err == nil) != c.allowed {
				t.Errorf("%s: %v", assignment, err)
			}
		}
	}
	for _, k := range Keys() {
		if offered, usual := len(x.Choices(k)), len(Extra{}.Choices(k)); strings.Contains(" routers chip.protocol workload traffic.pattern network.scheme ", " "+k.Name+" ") != (offered == usual+1) {
			t.Errorf("%s has %d choices, and %d with one more of each family", k.Name, usual, offered)
		}
	}
}
