package config

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/workloads"
)

// Extra is what another module adds to the tables of this one. A configuration that is made with it
// can name its members wherever it can name those of the tables.
type Extra struct {
	Routers   []models.Model
	Patterns  []traffic.Pattern
	Schemes   []multicast.Scheme // for the routers whose scheme can be chosen, and for plans
	Protocols []cmp.ProtocolEntry
	Workloads []workloads.Workload
}

// And returns the members of both.
func (x Extra) And(y Extra) Extra {
	return Extra{slices.Concat(x.Routers, y.Routers), slices.Concat(x.Patterns, y.Patterns), slices.Concat(x.Schemes, y.Schemes),
		slices.Concat(x.Protocols, y.Protocols), slices.Concat(x.Workloads, y.Workloads)}
}

// Models returns the routers of the table and the further ones. Those whose scheme can be chosen
// also have the further schemes.
func (x Extra) Models() models.List {
	all := models.Table()
	for i := range all {
		if m := &all[i]; m.Schemes != nil {
			m.Schemes = append(slices.Clone(m.Schemes), names(x.Schemes, func(s multicast.Scheme) string { return s.Name })...)
		}
	}
	return append(all, x.Routers...)
}

// ProtocolNames lists the coherence protocols.
func (x Extra) ProtocolNames() []string {
	return names(slices.Concat(cmp.Protocols, x.Protocols), func(p cmp.ProtocolEntry) string { return p.Name })
}

// WorkloadNames lists what the key workload can be: the applications, some of which must be
// recorded first, and the other workloads of the catalogue.
func (x Extra) WorkloadNames() []string {
	list := names(workloads.Applications, func(a workloads.Application) string { return a.Name })
	for _, w := range slices.Concat(workloads.Table, x.Workloads) {
		if !slices.Contains(list, w.Name) {
			list = append(list, w.Name)
		}
	}
	return list
}

// Choices returns the names that the value of a key, or an element of it, can have; nil where any
// are possible.
func (x Extra) Choices(k Key) []string {
	switch k.Name {
	case "routers":
		return x.Models().Names()
	case "workload":
		return x.WorkloadNames()
	case "chip.protocol":
		return x.ProtocolNames()
	case "traffic.pattern":
		return traffic.PatternNames(x.Patterns...)
	case "network.scheme":
		return x.Models().Schemes()
	}
	return k.closed()
}

// CheckExtra returns an error if a member is incomplete, or has the name of another.
func (x Extra) CheckExtra() error {
	for _, m := range x.Routers {
		if m.New == nil || m.SourceQueue == nil || m.MaxPhits == nil {
			return fmt.Errorf("router %q is incomplete; set New, SourceQueue and MaxPhits", m.Name)
		}
	}
	for _, p := range x.Protocols {
		if p.New == nil || p.Validate == nil {
			return fmt.Errorf("protocol %q is incomplete; set New and Validate", p.Name)
		}
	}
	for _, complete := range []struct {
		family string
		ok     bool
	}{
		{"pattern", !slices.ContainsFunc(x.Patterns, func(p traffic.Pattern) bool { return p.Target == nil })},
		{"scheme", !slices.ContainsFunc(x.Schemes, func(s multicast.Scheme) bool { return s.Worms == nil })},
		{"workload", !slices.ContainsFunc(x.Workloads, func(w workloads.Workload) bool { return w.New == nil })},
	} {
		if !complete.ok {
			return fmt.Errorf("a %s has no function; set its Target, Worms or New", complete.family)
		}
	}
	for _, family := range []struct {
		name string
		list []string
	}{
		{"router", x.Models().Names()}, {"pattern", traffic.PatternNames(x.Patterns...)}, {"scheme", multicast.SchemeNames(x.Schemes...)},
		{"protocol", x.ProtocolNames()},
		{"workload", names(slices.Concat(workloads.Table, x.Workloads), func(w workloads.Workload) string { return w.Name })},
	} {
		for i, name := range family.list {
			if name == "" || slices.Contains(family.list[:i], name) {
				return fmt.Errorf("two %ss are called %q, or one has no name; give each a name of its own", family.name, name)
			}
		}
	}
	return nil
}

// names lists the names of the rows of a table.
func names[R any](rows []R, name func(R) string) (list []string) {
	for _, r := range rows {
		list = append(list, name(r))
	}
	return list
}
