package cli

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/workloads"
)

// TestExtra: what a program adds is whole and has names of its own.
func TestExtra(t *testing.T) {
	mine := traffic.Patterns[0]
	mine.Name = "mine"
	if err := new(app).add(Extra{Patterns: []traffic.Pattern{mine}}, Extra{}); err != nil {
		t.Error(err)
	}
	for want, bad := range map[string]Extra{
		`routers are called "base"`:    {Routers: models.Table()[:1]},
		`router "" is incomplete`:      {Routers: []models.Model{{}}},
		`protocols are called "token"`: {Protocols: cmp.Protocols[:1]},
		`protocol "" is incomplete`:    {Protocols: []cmp.ProtocolEntry{{}}},
		`pattern "p" is incomplete`:    {Patterns: []traffic.Pattern{{Name: "p"}}},
		`scheme "s" is incomplete`:     {Schemes: []multicast.Scheme{{Name: "s"}}},
		`workload "w" is incomplete`:   {Workloads: []workloads.Workload{{Name: "w"}}},
		`patterns are called "mine"`:   {Patterns: []traffic.Pattern{mine, mine}},
		`checks of protocol "p"`:       {Checks: []verify.Protocol{{Name: "p"}}},
	} {
		if err := new(app).add(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
