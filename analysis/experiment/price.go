package experiment

import (
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Energy is what the network of a run spent over some time, in J.
type Energy struct {
	Routers         []power.Breakdown // by router, with the links that leave it
	Dynamic, Static float64
	hardware        noc.Hardware
	prices          power.Config
}

// Total is all energy, in J.
func (e *Energy) Total() float64 { return e.Dynamic + e.Static }

// Price computes the energy of a network over a number of cycles from its counters alone: what its
// routers and links did in that time. Routers are summed in order, so that the sums are the same to
// the last bit wherever they are computed.
func Price(h noc.Hardware, c power.Config, routers []noc.Activity, links []noc.Link, cycles noc.Cycle) (Energy, error) {
	router, err := power.NewRouter(h, c)
	if err != nil {
		return Energy{}, err
	}
	link, err := power.NewLink(h.PhitBits, c)
	if err != nil {
		return Energy{}, err
	}
	e := Energy{Routers: make([]power.Breakdown, len(routers)), hardware: h, prices: c}
	for i, activity := range routers {
		e.Routers[i] = router.Price(activity, cycles)
	}
	for _, l := range links {
		if int(l.From) >= len(routers) {
			return Energy{}, fmt.Errorf("a link leaves router %d, but there are %d routers", l.From, len(routers))
		}
		e.Routers[l.From] = e.Routers[l.From].Add(link.Price(l.Phits, cycles))
	}
	for _, parts := range e.Routers {
		e.Dynamic += parts.Dynamic()
		e.Static += parts.Static()
	}
	return e, nil
}

// FillRouter puts one router's energy into its row.
func (e *Energy) FillRouter(row *tables.Router, router int) {
	parts := e.Routers[router]
	row.Parts = parts
	row.EnergyDynamic, row.EnergyStatic, row.Energy = parts.Dynamic(), parts.Static(), parts.Total()
}

// FillRun puts a run's energy, and what it follows from, into its row, which has its execution time.
func (e *Energy) FillRun(row *tables.Run) {
	row.Hardware, row.Power = text(e.hardware), text(e.prices)
	row.PowerProfile, row.Technology = string(e.prices.Profile), float64(e.prices.TechNM)
	total, seconds := e.Total(), row.Seconds.Value
	row.EnergyDynamic, row.EnergyStatic = tables.Some(e.Dynamic), tables.Some(e.Static)
	row.Energy = tables.Some(total)
	row.EnergyDelay, row.EnergyED2P = tables.Some(metrics.ED(total, seconds)), tables.Some(metrics.ED2P(total, seconds))
}

// picojoules in a joule.
const picojoules = 1e12

// FillTraffic puts the energy of a point's window, and what it follows from, into its row, which has
// what was delivered.
func (e *Energy) FillTraffic(row *tables.Traffic) {
	row.Hardware, row.Power = text(e.hardware), text(e.prices)
	row.PowerProfile, row.Technology = string(e.prices.Profile), float64(e.prices.TechNM)
	row.EnergyDynamic, row.EnergyStatic = tables.Some(e.Dynamic*picojoules), tables.Some(e.Static*picojoules)
	total := e.Total() * picojoules
	row.Energy, row.ED2P, row.ED2PPerPhit = tables.Some(total), tables.Maybe[float64]{}, tables.Maybe[float64]{}
	if v, ok := metrics.WindowED2P(total, row.Delivered.Value); ok {
		row.ED2P = tables.Some(v)
	}
	if v, ok := metrics.PhitED2P(total, row.PhitsDelivered.Value, row.Delivered.Value); ok {
		row.ED2PPerPhit = tables.Some(v)
	}
}

// Keys digest what decides the counts of a point, and, with the prices of energy, what decides its
// results.
func Keys(decides any, prices power.Config) (simulation, key string, err error) {
	if simulation, err = Digest(decides); err == nil {
		key, err = Priced(simulation, prices)
	}
	return simulation, key, err
}

// Priced completes the key of a simulation to that of a run: equal counts at equal prices.
func Priced(simulation string, c power.Config) (string, error) {
	return Digest(struct {
		Simulation string
		Power      power.Config
	}{simulation, c})
}

// text is a configuration as a cell of a table. JSON writes every float64 so that it reads back the
// same.
func text(v any) tables.Maybe[string] {
	content, err := json.Marshal(v)
	if err != nil {
		return tables.Maybe[string]{} // no configuration holds what JSON cannot: they are validated
	}
	return tables.Some(string(content))
}
