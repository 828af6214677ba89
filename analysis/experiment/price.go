package experiment

import (
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// Energy is what the network of a run spent, in J, over the whole run: from cycle 0 until the network
// was quiet.
type Energy struct {
	Routers         []power.Breakdown // by router, with the links that leave it
	Dynamic, Static float64
}

// Total is all energy, in J.
func (e *Energy) Total() float64 { return e.Dynamic + e.Static }

// price computes the energy of a run from its counters alone. Routers are summed in order, so that the
// sums are the same to the last bit wherever they are computed.
func price(s *Study, o *Outcome) (Energy, error) {
	router, err := power.NewRouter(o.Hardware, s.Power)
	if err != nil {
		return Energy{}, err
	}
	link, err := power.NewLink(o.Hardware.PhitBits, s.Power)
	if err != nil {
		return Energy{}, err
	}
	cycles := o.Result.Cycles + o.Result.DrainCycles
	e := Energy{Routers: make([]power.Breakdown, len(o.Result.Routers))}
	for i, activity := range o.Result.Routers {
		e.Routers[i] = router.Price(activity, cycles)
	}
	for _, l := range o.Result.Links {
		e.Routers[l.From] = e.Routers[l.From].Add(link.Price(l.Phits, cycles))
	}
	for _, parts := range e.Routers {
		e.Dynamic += parts.Dynamic()
		e.Static += parts.Static()
	}
	return e, nil
}

// fill puts one router's energy into its row.
func (e *Energy) fill(row *tables.Router, router int) {
	parts := e.Routers[router]
	row.Parts = parts
	row.EnergyDynamic, row.EnergyStatic, row.Energy = parts.Dynamic(), parts.Static(), parts.Total()
}
