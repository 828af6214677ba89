package tables

import (
	"fmt"
	"maps"
	"slices"
)

// Part is a part of a whole: the sum of some columns of a table, which records have under its own
// name.
type Part struct {
	Name    string
	Columns []Name
}

// Of is the part of a row's numbers.
func (p *Part) Of(numbers map[Name]float64) (v float64) {
	for _, c := range p.Columns {
		v += numbers[c]
	}
	return v
}

// Parts divide a whole.
type Parts struct {
	Whole Name
	Parts []Part
}

// Column is the name under which records have a part. It panics if there is no such part.
func (p *Parts) Column(part string) Name {
	if !slices.ContainsFunc(p.Parts, func(o Part) bool { return o.Name == part }) {
		panic(fmt.Sprintf("tables: %s has no part %q", p.Whole, part))
	}
	return Name{p.Whole.text + ": " + part}
}

// Cycles are the parts of a core's time, from the table cores; records have their means over
// cores. With what the cores that end early wait for the last one they add up to the execution
// time. To show a new column: a row here.
var Cycles = Parts{Col.Cycles, []Part{
	{"retiring", Cores.Named("retiring_cycles")},
	{"L1", Cores.Named("l1_cycles")},
	{"interface", Cores.Named("interface_cycles")},
	{"flight", Cores.Named("flight_cycles")},
	{"contention", Cores.Named("contention_cycles")},
	{"L2", Cores.Named("l2_cycles")},
	{"memory", Cores.Named("memory_cycles")},
	{"timeouts", Cores.Named("timeout_cycles")},
	{"protocol", Cores.Named("protocol_cycles")},
	{"synchronisation", Cores.Named("synchronisation_cycles")},
	{"recorded order", Cores.Named("recorded_order_cycles")},
	{"dependence", Cores.Named("dependence_cycles")},
	{EndedBefore, []Name{afterFinish}},
}}

// EndedBefore is the part of the time from the end of a core's trace to that of the last one.
const EndedBefore = "ended before others"

var afterFinish = Name{"cycles_after_finish"}

// Energies are the parts of the network's energy, from the table routers, and their sum in J.
var Energies = Parts{Name{"energy of parts"}, []Part{
	{"clock", Routers.Named("energy_clock_j")},
	{"leakage", Routers.Named("energy_leakage_j", "energy_link_leakage_j")},
	{"buffers", Routers.Named("energy_buffer_write_j", "energy_buffer_read_j")},
	{"crossbar", Routers.Named("energy_crossbar_j")},
	{"rings", Routers.Named("energy_ring_j")},
	{"arbitration", Routers.Named("energy_arbiter_j")},
	{"headers", Routers.Named("energy_header_j")},
	{"links", Routers.Named("energy_link_j")},
}}

// CoreNumbers are the numbers of a core of a run of so many cycles, as the parts of Cycles need
// them.
func CoreNumbers(c *Core, cycles float64) map[Name]float64 {
	_, numbers := Cores.Cells(c)
	numbers[afterFinish] = cycles - float64(c.FinishCycle)
	return numbers
}

// addParts adds the parts of time and energy to the numbers of each run.
func (r *Rows) addParts(records []Record) {
	energies, cores := r.energyParts(), map[string][]*Core{}
	for i := range r.Cores {
		cores[r.Cores[i].RunKey] = append(cores[r.Cores[i].RunKey], &r.Cores[i])
	}
	for i := range records {
		numbers, key := records[i].Numbers, records[i].Texts[Col.RunKey]
		for _, c := range cores[key] {
			own := CoreNumbers(c, numbers[Cycles.Whole])
			for _, p := range Cycles.Parts {
				numbers[Cycles.Column(p.Name)] += p.Of(own) / float64(len(cores[key]))
			}
		}
		if energies[key] == nil {
			continue
		}
		maps.Copy(numbers, energies[key])
		for _, p := range Energies.Parts {
			v := p.Of(energies[key])
			numbers[Energies.Column(p.Name)] = v
			numbers[Energies.Whole] += v
		}
	}
}

// energyParts are the columns of the parts of energy, in J, summed over all routers of each run,
// by run key.
func (r *Rows) energyParts() map[string]map[Name]float64 {
	sums := map[string]map[Name]float64{}
	for i := range r.Routers {
		row := &r.Routers[i]
		if sums[row.RunKey] == nil {
			sums[row.RunKey] = map[Name]float64{}
		}
		for _, c := range EnergyParts {
			sums[row.RunKey][Name{c.Name}] += *c.Cell(row).(*float64)
		}
	}
	return sums
}
