package tables

import (
	"fmt"
	"slices"
)

// Part is a part of the time of cores, or of the energy of routers or of a chip.
type Part struct {
	Name string
	Of   func(o *Observation) (v float64, known bool)
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

// sum adds the parts of an observation up.
func (p *Parts) sum(o *Observation) (sum float64, known bool) {
	for _, part := range p.Parts {
		v, ok := part.Of(o)
		if !ok {
			return 0, false
		}
		sum += v
	}
	return sum, true
}

// Cycles are the parts of a core's time, from the table cores; observations have their means over
// cores. With what the cores that end early wait for the last one they add up to the execution
// time. To show a new column: a row here.
var Cycles = Parts{Col.Cycles, []Part{
	{"retiring", ofCores(func(c *Core) uint64 { return c.Retiring })},
	{"L1", ofCores(func(c *Core) uint64 { return c.L1 })},
	{"interface", ofCores(func(c *Core) uint64 { return c.Interface })},
	{"flight", ofCores(func(c *Core) uint64 { return c.Flight })},
	{"contention", ofCores(func(c *Core) uint64 { return c.Contention })},
	{"L2", ofCores(func(c *Core) uint64 { return c.L2 })},
	{"memory", ofCores(func(c *Core) uint64 { return c.Memory })},
	{"timeouts", ofCores(func(c *Core) uint64 { return c.Timeout })},
	{"protocol", ofCores(func(c *Core) uint64 { return c.Protocol })},
	{"synchronisation", ofCores(func(c *Core) uint64 { return c.Synchronisation })},
	{"recorded order", ofCores(func(c *Core) uint64 { return c.RecordedOrder })},
	{"dependence", ofCores(func(c *Core) uint64 { return c.Dependence })},
	{"idle", ofCores(func(c *Core) uint64 { return c.Idle })},
	{EndedBefore, ofCores(nil)},
}}

// EndedBefore is the part of the time from the end of a core's trace to that of the last one.
const EndedBefore = "ended before others"

// ofCores is a mean over the cores of a run; nil is what a core waits for the last one.
func ofCores(cycles func(*Core) uint64) func(*Observation) (float64, bool) {
	return func(o *Observation) (mean float64, known bool) {
		for i := range o.Cores {
			own := float64(o.Run.Cycles.Value) - float64(o.Cores[i].FinishCycle)
			if cycles != nil {
				own = float64(cycles(&o.Cores[i]))
			}
			mean += own / float64(len(o.Cores))
		}
		return mean, len(o.Cores) > 0
	}
}

// Energies are the parts of the network's energy, from the table routers, and their sum in J.
var Energies = Parts{Name{"energy of parts"}, []Part{
	{"clock", ofRouters(func(r *Router) float64 { return r.Parts.Clock })},
	{"leakage", ofRouters(func(r *Router) float64 { return r.Parts.Leakage + r.Parts.LinkLeakage })},
	{"buffers", ofRouters(func(r *Router) float64 { return r.Parts.BufferWrite + r.Parts.BufferRead })},
	{"crossbar", ofRouters(func(r *Router) float64 { return r.Parts.Crossbar })},
	{"rings", ofRouters(func(r *Router) float64 { return r.Parts.Ring })},
	{"arbitration", ofRouters(func(r *Router) float64 { return r.Parts.Arbiter })},
	{"headers", ofRouters(func(r *Router) float64 { return r.Parts.Header })},
	{"links", ofRouters(func(r *Router) float64 { return r.Parts.Link })},
}}

// ofRouters is an energy of all routers together.
func ofRouters(energy func(*Router) float64) func(*Observation) (float64, bool) {
	return func(o *Observation) (float64, bool) {
		if o.energy == nil {
			return 0, false
		}
		return energy(o.energy), true
	}
}

// Chips are the parts of a chip's energy, from the table runs, and their sum in J. DRAM is no part of it.
var Chips = Parts{Name{"energy of the chip"}, []Part{
	{"network", ofChips(func(r *Run) Maybe[float64] { return r.Energy })},
	{"cores", ofChips(func(r *Run) Maybe[float64] { return r.ChipCores })},
	{"L1 caches", ofChips(func(r *Run) Maybe[float64] { return r.ChipL1 })},
	{"L2 banks", ofChips(func(r *Run) Maybe[float64] { return r.ChipL2 })},
	{"coherence state", ofChips(func(r *Run) Maybe[float64] { return r.ChipState })},
	{"controllers", ofChips(func(r *Run) Maybe[float64] { return r.ChipControllers })},
}}

// ofChips is an energy of a run whose chip was priced.
func ofChips(energy func(*Run) Maybe[float64]) func(*Observation) (float64, bool) {
	return func(o *Observation) (float64, bool) {
		if o.Run == nil {
			return 0, false
		}
		part := energy(o.Run)
		return part.Value, part.Known && o.Run.ChipEnergy.Known
	}
}

// computed are the parts of observations, by name.
var computed = func() map[Name]func(*Observation) (float64, bool) {
	list := map[Name]func(*Observation) (float64, bool){Energies.Whole: Energies.sum, Chips.Whole: Chips.sum}
	for _, whole := range []*Parts{&Cycles, &Energies, &Chips} {
		for _, p := range whole.Parts {
			list[whole.Column(p.Name)] = p.Of
		}
	}
	for _, c := range EnergyParts {
		list[c.RecordName()] = ofRouters(func(r *Router) float64 { return *c.Cell(r).(*float64) })
	}
	return list
}()
