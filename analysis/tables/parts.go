package tables

import "maps"

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
	{EndedBefore, []string{afterFinish}},
}}

// The part of the time from the end of a core's trace to that of the last one, and its column.
const (
	EndedBefore = "ended before others"
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
func CoreNumbers(c *Core, cycles float64) map[string]float64 {
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

// energyParts are the columns of the parts of energy, in J, summed over all routers of each run, by run
// key.
func (r *Rows) energyParts() map[string]map[string]float64 {
	sums := map[string]map[string]float64{}
	for i := range r.Routers {
		row := &r.Routers[i]
		if sums[row.RunKey] == nil {
			sums[row.RunKey] = map[string]float64{}
		}
		for _, c := range EnergyParts {
			sums[row.RunKey][c.Name] += *c.Cell(row).(*float64)
		}
	}
	return sums
}
