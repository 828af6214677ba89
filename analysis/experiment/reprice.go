package experiment

import (
	"encoding/json"
	"fmt"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/power"
)

// Reprice prices the finished runs and points of a stored study again, without simulating:
// energies, energy-delay products, keys and the columns about prices change, in the tables runs,
// traffic and routers; every other table changes its keys only. The result is that of a fresh
// study, to the last bit. change gives the new energy configuration for the old one.
func Reprice(rows *tables.Rows, change func(power.Config) (power.Config, error)) error {
	p := repricing{change: change, keys: map[string]string{}, routers: map[string][]*tables.Router{}, links: map[string][]noc.Link{}}
	for i := range rows.Routers {
		r := &rows.Routers[i]
		p.routers[r.RunKey] = append(p.routers[r.RunKey], r)
	}
	for i := range rows.Links {
		l := &rows.Links[i]
		p.links[l.RunKey] = append(p.links[l.RunKey], noc.Link{From: noc.NodeID(l.From.Node), To: noc.NodeID(l.To.Node),
			Port: uint8(l.Port), Phits: l.Phits})
	}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		if r.ExitState != tables.Finished {
			continue
		}
		e, err := p.price(&r.RunKey, r.SimulationKey, r.Hardware.Value, r.Power.Value, r.Cycles.Value+r.DrainCycles.Value)
		if err != nil {
			return fmt.Errorf("run %s on %s with seed %d: %w", r.Workload, r.Router, r.Seed, err)
		}
		e.FillRun(r)
	}
	for i := range rows.Traffic {
		r := &rows.Traffic[i]
		if r.ExitState != tables.Finished {
			continue
		}
		e, err := p.price(&r.RunKey, r.SimulationKey, r.Hardware.Value, r.Power.Value, r.Cycles-r.Warmup)
		if err != nil {
			return fmt.Errorf("%s at load %g with seed %d: %w", r.Router, r.Offered, r.Seed, err)
		}
		e.FillTraffic(r)
	}
	rows.EachKey(func(key *string) {
		if fresh, ok := p.keys[*key]; ok {
			*key = fresh
		}
	})
	return nil
}

// repricing is a study on its way to new prices.
type repricing struct {
	change  func(power.Config) (power.Config, error)
	keys    map[string]string // old run key to new
	routers map[string][]*tables.Router
	links   map[string][]noc.Link
}

// price prices one run, fills its routers, and replaces its key.
func (p *repricing) price(key *string, simulation, hardware, prices string, cycles uint64) (Energy, error) {
	var h noc.Hardware
	var old power.Config
	if err := json.Unmarshal([]byte(hardware), &h); err != nil {
		return Energy{}, fmt.Errorf("column hardware: %w", err)
	}
	if err := json.Unmarshal([]byte(prices), &old); err != nil {
		return Energy{}, fmt.Errorf("column power: %w", err)
	}
	config, err := p.change(old)
	if err != nil {
		return Energy{}, err
	}
	rows := p.routers[*key]
	if len(rows) == 0 {
		return Energy{}, fmt.Errorf("table routers has no rows for it, so its energy cannot be computed again")
	}
	activity := make([]noc.Activity, len(rows))
	for i, r := range rows {
		activity[i] = r.Activity
	}
	e, err := Price(h, config, activity, p.links[*key], noc.Cycle(cycles))
	if err != nil {
		return Energy{}, err
	}
	for i, r := range rows {
		e.FillRouter(r, i)
	}
	fresh, err := Priced(simulation, config)
	p.keys[*key] = fresh
	*key = fresh
	return e, err
}
