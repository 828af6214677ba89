package tables

import (
	"fmt"
	"slices"
)

// Part is a part of the time of a core, or of the energy of routers.
type Part struct {
	Name   string
	core   func(*Core) uint64 // nil for the time from its end to that of the last one
	energy func(*Router) float64
	chip   func(*Run) Maybe[float64]
}

// Parts divide a whole.
type Parts struct {
	Whole Name
	Parts []Part
}

// Column is the name under which observations have a part. It panics if there is no such part.
func (p *Parts) Column(part string) Name {
	if !slices.ContainsFunc(p.Parts, func(o Part) bool { return o.Name == part }) {
		panic(fmt.Sprintf("tables: %s has no part %q", p.Whole, part))
	}
	return Name{p.Whole.text + ": " + part}
}

// Cycles are the parts of a core's time, from the table cores; observations have their means over
// cores. With what the cores that end early wait for the last one they add up to the execution
// time. To show a new column: a row here.
var Cycles = Parts{Col.Cycles, []Part{
	{Name: "retiring", core: func(c *Core) uint64 { return c.Retiring }},
	{Name: "L1", core: func(c *Core) uint64 { return c.L1 }},
	{Name: "interface", core: func(c *Core) uint64 { return c.Interface }},
	{Name: "flight", core: func(c *Core) uint64 { return c.Flight }},
	{Name: "contention", core: func(c *Core) uint64 { return c.Contention }},
	{Name: "L2", core: func(c *Core) uint64 { return c.L2 }},
	{Name: "memory", core: func(c *Core) uint64 { return c.Memory }},
	{Name: "timeouts", core: func(c *Core) uint64 { return c.Timeout }},
	{Name: "protocol", core: func(c *Core) uint64 { return c.Protocol }},
	{Name: "synchronisation", core: func(c *Core) uint64 { return c.Synchronisation }},
	{Name: "recorded order", core: func(c *Core) uint64 { return c.RecordedOrder }},
	{Name: "dependence", core: func(c *Core) uint64 { return c.Dependence }},
	{Name: EndedBefore},
}}

// EndedBefore is the part of the time from the end of a core's trace to that of the last one.
const EndedBefore = "ended before others"

// Of is the part of the time of a core in a run of so many cycles.
func (p *Part) Of(c *Core, cycles float64) float64 {
	if p.core == nil {
		return cycles - float64(c.FinishCycle)
	}
	return float64(p.core(c))
}

// Energies are the parts of the network's energy, from the table routers, and their sum in J.
var Energies = Parts{Name{"energy of parts"}, []Part{
	{Name: "clock", energy: func(r *Router) float64 { return r.Parts.Clock }},
	{Name: "leakage", energy: func(r *Router) float64 { return r.Parts.Leakage + r.Parts.LinkLeakage }},
	{Name: "buffers", energy: func(r *Router) float64 { return r.Parts.BufferWrite + r.Parts.BufferRead }},
	{Name: "crossbar", energy: func(r *Router) float64 { return r.Parts.Crossbar }},
	{Name: "rings", energy: func(r *Router) float64 { return r.Parts.Ring }},
	{Name: "arbitration", energy: func(r *Router) float64 { return r.Parts.Arbiter }},
	{Name: "headers", energy: func(r *Router) float64 { return r.Parts.Header }},
	{Name: "links", energy: func(r *Router) float64 { return r.Parts.Link }},
}}

// Chips are the parts of a chip's energy, from the table runs, and their sum in J. DRAM is no part of it.
var Chips = Parts{Name{"energy of the chip"}, []Part{
	{Name: "network", chip: func(r *Run) Maybe[float64] { return r.Energy }},
	{Name: "cores", chip: func(r *Run) Maybe[float64] { return r.ChipCores }},
	{Name: "L1 caches", chip: func(r *Run) Maybe[float64] { return r.ChipL1 }},
	{Name: "L2 banks", chip: func(r *Run) Maybe[float64] { return r.ChipL2 }},
	{Name: "coherence state", chip: func(r *Run) Maybe[float64] { return r.ChipState }},
	{Name: "controllers", chip: func(r *Run) Maybe[float64] { return r.ChipControllers }},
}}

// computed are the parts of observations, by name.
var computed = func() map[Name]func(*Observation) (float64, bool) {
	list := map[Name]func(*Observation) (float64, bool){}
	for _, p := range Cycles.Parts {
		list[Cycles.Column(p.Name)] = func(o *Observation) (mean float64, ok bool) {
			for _, c := range o.Cores {
				mean += p.Of(c, float64(o.Run.Cycles.Value)) / float64(len(o.Cores))
			}
			return mean, len(o.Cores) > 0
		}
	}
	energy := func(name Name, of func(*Router) float64) {
		list[name] = func(o *Observation) (float64, bool) {
			if o.energy == nil {
				return 0, false
			}
			return of(o.energy), true
		}
	}
	for _, p := range Energies.Parts {
		energy(Energies.Column(p.Name), p.energy)
	}
	energy(Energies.Whole, func(r *Router) (sum float64) {
		for _, p := range Energies.Parts {
			sum += p.energy(r)
		}
		return sum
	})
	for _, p := range Chips.Parts {
		list[Chips.Column(p.Name)] = func(o *Observation) (float64, bool) {
			if o.Run == nil {
				return 0, false
			}
			part := p.chip(o.Run)
			return part.Value, part.Known && o.Run.ChipEnergy.Known
		}
	}
	list[Chips.Whole] = func(o *Observation) (sum float64, ok bool) {
		for _, p := range Chips.Parts {
			v, known := list[Chips.Column(p.Name)](o)
			if !known {
				return 0, false
			}
			sum += v
		}
		return sum, true
	}
	for _, c := range EnergyParts {
		energy(c.RecordName(), func(r *Router) float64 { return *c.Cell(r).(*float64) })
	}
	return list
}()
