package cli

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/workloads"
)

// Extra is what a program of another module adds to the command.
type Extra struct {
	Routers   []models.Model
	Patterns  []traffic.Pattern
	Schemes   []multicast.Scheme // for the routers whose scheme can be chosen, and for plans
	Protocols []cmp.ProtocolEntry
	Workloads []workloads.Workload
	// Checks are what is verified of Protocols, by name, beside programs on whole chips. They are
	// apart from what configurations can name, whose readers do not need the checks.
	Checks []verify.Protocol
}

// add takes what a program adds, unless it is incomplete or has the name of something else.
func (a *app) add(extra ...Extra) error {
	all := &a.extra
	for _, x := range extra {
		all.Routers, all.Patterns, all.Schemes = append(all.Routers, x.Routers...), append(all.Patterns, x.Patterns...), append(all.Schemes, x.Schemes...)
		all.Protocols, all.Workloads = append(all.Protocols, x.Protocols...), append(all.Workloads, x.Workloads...)
		a.checks = append(a.checks, x.Checks...)
	}
	for _, c := range a.checks {
		if !slices.ContainsFunc(all.Protocols, func(p cmp.ProtocolEntry) bool { return p.Name == c.Name }) {
			return fmt.Errorf("Extra.Checks has checks of protocol %q, which Extra.Protocols does not have; add the protocol", c.Name)
		}
	}
	return checkExtra(all)
}

// checkExtra goes through the tables with what is added to them.
func checkExtra(x *config.Extra) (wrong error) {
	known := map[string]bool{}
	check := func(family, name string, complete bool, needs string) {
		switch {
		case wrong != nil:
		case !complete:
			wrong = fmt.Errorf("%s %q is incomplete; set %s", family, name, needs)
		case name == "" || known[family+name]:
			wrong = fmt.Errorf("two %ss are called %q, or one has no name; give each a name of its own", family, name)
		}
		known[family+name] = true
	}
	for _, m := range x.Models() {
		check("router", m.Name, m.New != nil && m.SourceQueue != nil && m.MaxPhits != nil, "New, SourceQueue and MaxPhits")
	}
	for _, p := range slices.Concat(traffic.Patterns, x.Patterns) {
		check("pattern", p.Name, p.Target != nil, "Target")
	}
	for _, s := range slices.Concat(multicast.Schemes, x.Schemes) {
		check("scheme", s.Name, s.Worms != nil, "Worms")
	}
	for _, p := range slices.Concat(cmp.Protocols, x.Protocols) {
		check("protocol", p.Name, p.New != nil && p.Validate != nil, "New and Validate")
	}
	for _, w := range slices.Concat(workloads.Table, x.Workloads) {
		check("workload", w.Name, w.New != nil, "New")
	}
	return wrong
}
