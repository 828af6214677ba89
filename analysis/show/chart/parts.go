package chart

import (
	"maps"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Part is a part of a whole: the sum of some columns of a table, which records have under its own
// name.
type Part struct {
	Name    string
	Columns []string
}

// Of is the part of a row's numbers.
func (p *Part) Of(numbers map[string]float64) (v float64) {
	for _, c := range p.Columns {
		v += numbers[c]
	}
	return v
}

// Parts divide a whole.
type Parts struct {
	Whole string // column of records
	Parts []Part
}

// Column is the name under which records have a part.
func (p *Parts) Column(part string) string { return p.Whole + ": " + part }

// Cycles are the parts of a core's time, from the table cores; records have their means over cores.
// With what the cores that end early wait for the last one they add up to the execution time. To show
// a new column: a row here.
var Cycles = Parts{"cycles", []Part{
	{"retiring", []string{"retiring_cycles"}},
	{"L1", []string{"l1_cycles"}},
	{"interface", []string{"interface_cycles"}},
	{"flight", []string{"flight_cycles"}},
	{"contention", []string{"contention_cycles"}},
	{"L2", []string{"l2_cycles"}},
	{"memory", []string{"memory_cycles"}},
	{"timeouts", []string{"timeout_cycles"}},
	{"protocol", []string{"protocol_cycles"}},
	{"synchronisation", []string{"synchronisation_cycles"}},
	{"recorded order", []string{"recorded_order_cycles"}},
	{"dependence", []string{"dependence_cycles"}},
	{endedBefore, []string{afterFinish}},
}}

// The part of the time from the end of a core's trace to that of the last one, and its column.
const (
	endedBefore = "ended before others"
	afterFinish = "cycles_after_finish"
)

// Energies are the parts of the network's energy, from the table routers, and their sum in J.
var Energies = Parts{"energy of parts", []Part{
	{"clock", []string{"energy_clock_j"}},
	{"leakage", []string{"energy_leakage_j", "energy_link_leakage_j"}},
	{"buffers", []string{"energy_buffer_write_j", "energy_buffer_read_j"}},
	{"crossbar", []string{"energy_crossbar_j"}},
	{"rings", []string{"energy_ring_j"}},
	{"arbitration", []string{"energy_arbiter_j"}},
	{"headers", []string{"energy_header_j"}},
	{"links", []string{"energy_link_j"}},
}}

// CoreNumbers are the numbers of a core of a run of so many cycles, as the parts of Cycles need them.
func CoreNumbers(c *tables.Core, cycles float64) map[string]float64 {
	_, numbers := tables.Cores.Cells(c)
	numbers[afterFinish] = cycles - float64(c.FinishCycle)
	return numbers
}

// addParts adds the parts of time and energy to the numbers of each run.
func addParts(rows *tables.Rows, records []tables.Record) {
	energies, cores := tables.EnergyParts(rows.Routers), map[string][]*tables.Core{}
	for i := range rows.Cores {
		cores[rows.Cores[i].RunKey] = append(cores[rows.Cores[i].RunKey], &rows.Cores[i])
	}
	for i := range records {
		numbers, key := records[i].Numbers, records[i].Texts["run_key"]
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

// Share is a part of the totals of some runs, as a fraction of those of a whole; 0 where nothing is
// known.
func (p *Parts) Share(part string, of, whole []tables.Record) float64 {
	return metrics.TotalRatio(Samples(of, p.Column(part)), Samples(whole, p.Whole)).Mean
}
