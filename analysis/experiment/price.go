package experiment

import (
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
)

// Energy is what the network of a run spent over some time, in J. It has no values if the network does not
// count its events.
type Energy struct {
	Routers         []power.Breakdown // by router, with the links that leave it
	Dynamic, Static float64
	area            tables.Maybe[float64] // of one router, in mm^2
	hardware        noc.Hardware
	prices          power.Config
}

// Total is all energy, in J.
func (e *Energy) Total() float64 { return e.Dynamic + e.Static }

// Price computes the energy of a network over a number of cycles from its counters alone: what its
// routers and links did in that time. Routers are summed in order, so that the sums are the same to
// the last bit wherever they are computed. own says what links have of their own; nil stands for no link.
func Price(h noc.Hardware, c power.Config, routers []noc.Activity, links []noc.Link, own []*topology.Link, cycles noc.Cycle) (Energy, error) {
	if h.Uncounted {
		return Energy{hardware: h, prices: c}, nil
	}
	router, err := power.NewRouter(h, c)
	if err != nil {
		return Energy{}, err
	}
	e, usual := Energy{Routers: make([]power.Breakdown, len(routers)), hardware: h, prices: c}, power.NewLink(h.PhitBits, c)
	if area, known := power.AreaOf(h, c); known {
		e.area = tables.Some(area.Total())
	}
	for i, activity := range routers {
		e.Routers[i] = router.Price(activity, cycles)
	}
	for i, l := range links {
		link := usual
		if own != nil && own[i] != nil {
			link = power.NewLinkLike(h.PhitBits, *own[i], c)
		}
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
	if e.hardware.Uncounted {
		return
	}
	total, seconds := e.Total(), row.Seconds.Value
	row.EnergyDynamic, row.EnergyStatic = tables.Some(e.Dynamic), tables.Some(e.Static)
	row.Energy = tables.Some(total)
	row.EnergyDelay, row.EnergyED2P = tables.Some(total*seconds), tables.Some(total*seconds*seconds)
	row.RouterArea, row.IPCPerArea = e.area, perArea(row.IPC, e.area, float64(len(e.Routers)))
}

// perArea divides what was measured by the area of some routers.
func perArea(measured, area tables.Maybe[float64], routers float64) tables.Maybe[float64] {
	if !measured.Known || !area.Known {
		return tables.Maybe[float64]{}
	}
	return tables.Some(measured.Value / (area.Value * routers))
}

// picojoules in a joule.
const picojoules = 1e12

// FillTraffic puts the energy of a point's window, and what it follows from, into its row, which has
// what was delivered.
func (e *Energy) FillTraffic(row *tables.Traffic) {
	row.Hardware, row.Power = text(e.hardware), text(e.prices)
	row.PowerProfile, row.Technology = string(e.prices.Profile), float64(e.prices.TechNM)
	if e.hardware.Uncounted {
		return
	}
	row.EnergyDynamic, row.EnergyStatic = tables.Some(e.Dynamic*picojoules), tables.Some(e.Static*picojoules)
	row.RouterArea, row.DeliveredPerArea = e.area, perArea(row.Delivered, e.area, 1)
	total := e.Total() * picojoules
	row.Energy, row.ED2P, row.ED2PPerPhit = tables.Some(total), tables.Maybe[float64]{}, tables.Maybe[float64]{}
	throughput, phits := row.Delivered.Value, row.PhitsDelivered.Value
	if throughput > 0 { // a fixed amount of work takes a time of 1/throughput
		row.ED2P = tables.Some(total / (throughput * throughput))
	}
	if throughput > 0 && phits > 0 {
		row.ED2PPerPhit = tables.Some(total / float64(phits) / (throughput * throughput))
	}
}

// Keys digest what decides the counts of a point, and, with the prices of energy, what decides its
// results.
func Keys(decides any, prices power.Config) (simulation, key string) {
	simulation = Digest(decides)
	return simulation, Priced(simulation, prices)
}

// Priced completes the key of a simulation to that of a run: equal counts at equal prices.
func Priced(simulation string, c power.Config) string {
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

// Reprice prices the finished runs and points of a stored study again, without simulating:
// energies, energy-delay products, keys and the columns about prices change, in the tables runs,
// traffic and routers; every other table changes its keys only. The result is that of a fresh
// study, to the last bit. change gives the new energy configuration for the old one.
func Reprice(rows *tables.Rows, change func(power.Config) (power.Config, error)) error {
	keys, runs := rows.ByRun()
	again := tables.Rows{Mixed: rows.Mixed}
	for _, key := range keys {
		own := tables.Rows{}
		own.Append(runs[key]) // a copy
		if err := reprice(&own, change); err != nil {
			return err
		}
		again.Append(&own)
	}
	FillBreakEven(&again)
	*rows = again
	return nil
}

// reprice prices one run or point, unless it has not finished.
func reprice(own *tables.Rows, change func(power.Config) (power.Config, error)) error {
	for i := range own.Runs {
		r := &own.Runs[i]
		e, err := priceAgain(own, r.ExitState, r.SimulationKey, r.Hardware, r.Power, r.Cycles.Value+r.DrainCycles.Value, change)
		if err == nil && e != nil {
			e.FillRun(r)
			err = fillChip(r, own, e.prices)
		}
		if err != nil {
			return fmt.Errorf("run %s on %s with seed %d: %w", r.Workload, r.Router, r.Seed, err)
		}
	}
	for i := range own.Traffic {
		r := &own.Traffic[i]
		e, err := priceAgain(own, r.ExitState, r.SimulationKey, r.Hardware, r.Power, r.Cycles-r.Warmup, change)
		if err != nil {
			return fmt.Errorf("%s at load %g with seed %d: %w", r.Router, r.Offered, r.Seed, err)
		}
		if e != nil {
			e.FillTraffic(r)
		}
	}
	return nil
}

// priceAgain prices a run, fills its routers, and replaces its key. It returns nil if the run has not finished.
func priceAgain(own *tables.Rows, state, simulation string, hardware, prices tables.Maybe[string], cycles uint64, change func(power.Config) (power.Config, error)) (*Energy, error) {
	if state != tables.Finished {
		return nil, nil
	}
	var h noc.Hardware
	var old power.Config
	if err := json.Unmarshal([]byte(hardware.Value), &h); err != nil {
		return nil, fmt.Errorf("column hardware: %w", err)
	}
	if err := json.Unmarshal([]byte(prices.Value), &old); err != nil {
		return nil, fmt.Errorf("column power: %w", err)
	}
	config, err := change(old)
	if err != nil {
		return nil, err
	}
	if len(own.Routers) == 0 && !h.Uncounted {
		return nil, fmt.Errorf("table routers has no rows for it, so its energy cannot be computed again")
	}
	var activity []noc.Activity
	for i := range own.Routers {
		activity = append(activity, own.Routers[i].Activity)
	}
	var links []noc.Link
	var like []*topology.Link
	for i := range own.Links {
		l := &own.Links[i]
		links = append(links, noc.Link{From: noc.NodeID(l.FromNode), To: noc.NodeID(l.ToNode), Port: uint8(l.Port), Phits: l.Phits})
		like = append(like, &topology.Link{Bits: int(l.Bits.Value), MM: l.MM.Value, Class: l.Class.Value})
	}
	e, err := Price(h, config, activity, links, like, noc.Cycle(cycles))
	if err != nil {
		return nil, err
	}
	for i := range own.Routers {
		e.FillRouter(&own.Routers[i], i)
	}
	fresh := Priced(simulation, config)
	own.EachKey(func(key *string) { *key = fresh })
	return &e, nil
}
