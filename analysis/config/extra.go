package config

import (
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

// Choices returns the names that the value of a key, or an element of it, can have; nil where any
// are possible.
func (x Extra) Choices(k Key) []string {
	switch k.Name {
	case "routers":
		return x.Models().Names()
	case "workload":
		return workloads.Names(x.Workloads...)
	case "chip.protocol":
		return cmp.ProtocolNames(x.Protocols...)
	case "traffic.pattern":
		return traffic.PatternNames(x.Patterns...)
	case "network.scheme":
		return x.Models().Schemes()
	}
	return k.closed()
}

// names lists the names of the rows of a table.
func names[R any](rows []R, name func(R) string) (list []string) {
	for _, r := range rows {
		list = append(list, name(r))
	}
	return list
}
