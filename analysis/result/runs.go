package result

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Runs are observations that are averaged, or compared with others.
type Runs []tables.Observation

// Ideal is the router without contention, a bound for others and no contestant.
const Ideal = "ideal"

// Of are all observations of a study, in the order of the plan, whether finished or not.
func Of(rows *tables.Rows) Runs { return rows.Observations() }

// Where are the runs for which a condition holds.
func (r Runs) Where(holds func(o *tables.Observation) bool) Runs {
	return slices.DeleteFunc(slices.Clone(r), func(o tables.Observation) bool { return !holds(&o) })
}

// Finished are the runs that have finished.
func (r Runs) Finished() Runs { return r.Where((*tables.Observation).Finished) }

// Group is the runs that have the values of some variables in common.
type Group struct {
	Values []string
	Runs
}

// values is a list of texts that can be compared.
type values struct {
	before any // another list
	last   string
}

// key is the values of variables.
func key(o *tables.Observation, variables []tables.Name) (list any) {
	for _, v := range variables {
		list = values{list, o.Text(v)}
	}
	return list
}

// By sorts runs by the values of variables, in the order in which they appear.
func (r Runs) By(variables ...tables.Name) (groups []Group) {
	for _, g := range tables.GroupBy(r, func(o *tables.Observation) any { return key(o, variables) }) {
		one := Group{Runs: g.Records}
		for _, v := range variables {
			one.Values = append(one.Values, g.Records[0].Text(v))
		}
		groups = append(groups, one)
	}
	return groups
}

// Distinct lists the values of a variable, in the order in which they appear.
func (r Runs) Distinct(v tables.Name) (list []string) {
	for _, g := range r.By(v) {
		list = append(list, g.Values[0])
	}
	return list
}

// Count is how many runs there are, in how many windows of a trace.
func (r Runs) Count() (runs, windows int) {
	seen := map[uint64]bool{}
	for i := range r {
		if r[i].Batch == 0 {
			runs++
		}
		seen[r[i].Window] = true
	}
	return runs, len(seen)
}

// Saturated are the observations of saturated networks.
func (r Runs) Saturated() Runs { return r.Where((*tables.Observation).Saturated) }

// Samples are the values of a variable, of the runs that have it. What is known of a whole run only is
// one value for all of its batches.
func (r Runs) Samples(v tables.Name) (samples []metrics.Sample) {
	rare := r.RareBarriers()
	for i := range r {
		o := &r[i]
		n, ok := o.Number(v)
		if !ok || tables.OfWhole(v) && o.Batch > 0 {
			continue
		}
		s := metrics.Sample{Pair: o.Pair, Value: n}
		if o.Run != nil {
			s.Run = o.Run.Digest.Value
		}
		time := tables.Col.Cycles
		product := v == tables.Col.ED2PJs2 || v == tables.Col.ChipED2PJs2
		if product {
			time = tables.Col.Seconds
			s.Delay, _ = o.Number(time)
		}
		if waited, known := o.Number(tables.Cycles.Column(tables.EndedBefore)); known && (product || v == time) {
			cycles, _ := o.Number(tables.Col.Cycles)
			whole, _ := o.Number(time)
			s.Busy = whole / cycles * (cycles - waited)
			for c := range o.Cores {
				if w := &o.Cores[c]; rare {
					s.Cores = append(s.Cores, metrics.Work{Time: float64(w.FinishCycle), Instructions: float64(w.Instructions), Waited: float64(w.StallSync)})
				}
			}
		}
		samples = append(samples, s)
	}
	return samples
}

// RareBarriers reports whether the program has barriers that are rarer than its windows are long, and its
// windows do not go from one to another.
func (r Runs) RareBarriers() bool {
	all, known := 0.0, 0.0
	for i := range r {
		if b := r[i].Run; b != nil && b.Barriers.Known {
			all, known = all+b.Barriers.Value, known+1
		}
	}
	return all < known
}

// EqualWindows reports whether runs of different windows are equal, as if the windows held the same records.
func (r Runs) EqualWindows() bool {
	windows := map[string]uint64{}
	for i := range r {
		if o := &r[i]; o.Run != nil && o.Run.Digest.Known {
			if w, ok := windows[o.Run.Digest.Value]; ok && w != o.Window {
				return true
			}
			windows[o.Run.Digest.Value] = o.Window
		}
	}
	return false
}

// ByCycles reports whether a limit of cycles ends the runs.
func (r Runs) ByCycles() bool { return len(r) > 0 && r[0].Text(tables.Col.RunLimit) == tables.ByCycles }

// work are samples for ratios. Runs that a limit of cycles ends take equal times and do different amounts of
// work; so what measures a whole execution counts per million instructions.
func (r Runs) work(v tables.Name, whole bool) []metrics.Sample {
	if whole && r.ByCycles() {
		return r.perInstruction(v)
	}
	return r.Samples(v)
}

// perInstruction are samples per million instructions.
func (r Runs) perInstruction(v tables.Name) []metrics.Sample {
	instructions := map[metrics.Pair]float64{}
	for i := range r {
		instructions[r[i].Pair], _ = r[i].Number(tables.Col.Instructions)
	}
	samples := r.Samples(v)
	for i := range samples {
		s := &samples[i]
		per := 1e6 / max(instructions[s.Pair], 1)
		s.Value, s.Delay, s.Busy = s.Value*per, s.Delay*per, s.Busy*per
		if s.Delay > 0 { // the value has it twice
			s.Value *= per * per
		}
	}
	return samples
}

// Total reports whether a variable measures a whole execution, of which windows and seeds are parts: its
// ratios are those of the totals. Ratios of others are means.
func Total(v tables.Name) bool {
	return slices.Contains([]tables.Name{tables.Col.Cycles, tables.Col.EnergyJ, tables.Col.ED2PJs2, tables.Col.ChipEnergyJ, tables.Col.ChipED2PJs2}, v)
}

// Sum adds up a variable over the runs that have it.
func (r Runs) Sum(v tables.Name) (sum float64) {
	for _, s := range r.Samples(v) {
		sum += s.Value
	}
	return sum
}

// Mean is the mean of a variable over windows, or over runs where there is one window.
func (r Runs) Mean(v tables.Name) metrics.Estimate { return metrics.MeanValue(r.Samples(v)) }

// unlike reports whether runs are windows of different programs. Windows are parts of an execution, and do not
// show its length.
func (r Runs) unlike(others Runs) bool {
	window := func(o tables.Observation) bool { // the region of a program starts warm, too
		return o.Window > 0 || o.Run.WarmUpCycles.Value > 0 || o.Run.Start.Value == tables.WarmStart && !o.Run.ProgramEnd.Known
	}
	return len(r) > 0 && len(others) > 0 && r[0].Text(tables.Col.TraceDigest) != others[0].Text(tables.Col.TraceDigest) &&
		(slices.ContainsFunc(r, window) || slices.ContainsFunc(others, window))
}

// Over is the ratio of a variable to that of other runs; that of cycles is one of times if clocks differ.
func (r Runs) Over(others Runs, v tables.Name) metrics.Estimate {
	return r.ratio(v, others, v, Total(v))
}

// ratio is that of a variable to one of other runs. total tells that these measure executions or their parts.
// Windows of one program match none of another: then it is that of the means over windows, per instruction.
func (r Runs) ratio(v tables.Name, others Runs, of tables.Name, total bool) (ratio metrics.Estimate) {
	switch {
	case !r.unlike(others):
		ratio = metrics.Ratio(r.work(v, total), others.work(of, total), total)
	case !total:
		ratio = metrics.Quotient(r.Mean(v), others.Mean(of))
	case v != tables.Col.ED2PJs2 && v != tables.Col.ChipED2PJs2: // no sum over windows
		ratio = metrics.Quotient(metrics.MeanValue(r.perInstruction(v)), metrics.MeanValue(others.perInstruction(of)))
		ratio = ratio.OfWindows(0, ratio.Mean)
	}
	return ratio.Scale(pace(r, others, of))
}

// pace is how much longer a cycle is than one of other runs; 1 for variables that are no cycles.
func pace(r, others Runs, v tables.Name) float64 {
	cycle := func(runs Runs) float64 {
		for i := range runs {
			seconds, ok := runs[i].Number(tables.Col.Seconds)
			if cycles, _ := runs[i].Number(tables.Col.Cycles); ok && cycles > 0 {
				return seconds / cycles
			}
		}
		return 0
	}
	const same = 1e-9
	ratio := cycle(r) / cycle(others)
	if v != tables.Col.Cycles || math.IsNaN(ratio) || math.IsInf(ratio, 0) || math.Abs(ratio-1) < same {
		return 1
	}
	return ratio
}

// Share is a part of the time or energy, as a fraction of the whole of other runs.
func (r Runs) Share(part tables.Name, others Runs, whole tables.Name) metrics.Estimate {
	return r.ratio(part, others, whole, true)
}
