package tables

import (
	"strconv"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// Observation is a run, a point of a network alone, or a batch of one, with the axes of its sweep.
type Observation struct {
	metrics.Pair
	Run     *Run     // nil of a network alone
	Traffic *Traffic // nil of a chip
	// Axes are the values of the axes. A column is stronger than an axis of its name.
	Axes      map[Name]string
	Cores     []Core // of the run
	HotBlocks []HotBlock
	Classes   []Class

	batch  *Batch  // nil of a whole run
	energy *Router // the sums of the parts over all routers; nil where there are none
}

// Observations lists runs and points in the order of the plan. Those that are divided into batches have
// one for each, which counts as if it had a seed of its own.
func (r *Rows) Observations() (list []Observation) {
	_, runs := (&Rows{Axes: r.Axes, Routers: r.Routers, Cores: r.Cores, HotBlocks: r.HotBlocks, Classes: r.Classes, Batches: r.Batches}).ByRun()
	add := func(o Observation, key string) {
		own := runs[key]
		if own == nil {
			own = &Rows{}
		}
		o.Axes, o.Cores, o.HotBlocks, o.Classes = map[Name]string{}, own.Cores, own.HotBlocks, own.Classes
		for _, a := range own.Axes {
			o.Axes[AxisName(a.Key)] = a.Value
		}
		for i := range own.Routers {
			if o.energy == nil {
				o.energy = &Router{}
			}
			o.energy.Parts = o.energy.Parts.Add(own.Routers[i].Parts)
		}
		if len(own.Batches) == 0 {
			list = append(list, o)
		}
		for i := range own.Batches {
			o.batch, o.Batch = &own.Batches[i], own.Batches[i].Batch
			list = append(list, o)
		}
	}
	for i := range r.Runs {
		row := &r.Runs[i]
		add(Observation{Run: row, Pair: metrics.Pair{Seed: row.Seed, Window: row.Window}}, row.RunKey)
	}
	for i := range r.Traffic {
		row := &r.Traffic[i]
		add(Observation{Traffic: row, Pair: metrics.Pair{Seed: row.Seed}}, row.RunKey)
	}
	return list
}

// byName finds the columns of a row by name.
func byName[R any](t *Table[R]) map[Name]func(*R) any {
	list := map[Name]func(*R) any{}
	for _, c := range t.Columns {
		list[c.RecordName()] = c.Cell
	}
	return list
}

// The columns that observations have.
var (
	ofRuns    = byName(Runs)
	ofTraffic = byName(TrafficPoints)
	ofBatches = byName(Batches)
)

// cell is the content of a column; nil where it is absent.
func (o *Observation) cell(name Name) any {
	if cell := ofBatches[name]; cell != nil && o.batch != nil {
		return value(cell(o.batch))
	}
	if cell := ofRuns[name]; cell != nil && o.Run != nil {
		return value(cell(o.Run))
	}
	if cell := ofTraffic[name]; cell != nil && o.Traffic != nil {
		return value(cell(o.Traffic))
	}
	return nil
}

// Number returns the value of a column, part or axis, and whether it has one that is a number.
func (o *Observation) Number(name Name) (float64, bool) {
	if part := computed[name]; part != nil {
		return part(o)
	}
	switch n := o.cell(name).(type) {
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	n, err := strconv.ParseFloat(o.Axes[name], 64)
	return n, err == nil
}

// Text returns the value as a text; "" where there is none.
func (o *Observation) Text(name Name) string {
	if name == Col.Seed {
		return strconv.FormatUint(o.Seed, 10) // exactly
	}
	if text, ok := o.cell(name).(string); ok {
		return text
	}
	if text, ok := o.Axes[name]; ok {
		return text
	}
	if n, ok := o.Number(name); ok {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return ""
}

// Finished reports whether the run has.
func (o *Observation) Finished() bool { return o.Text(Col.ExitState) == Finished }

// Saturated reports whether the network was.
func (o *Observation) Saturated() bool { return o.Text(Col.Saturated) == Saturated }

// OfWhole reports whether a column is known of whole runs only, and not of their batches.
func OfWhole(name Name) bool { return ofBatches[name] == nil }

// Group is the rows that have a key in common, such as runs of a router.
type Group[K comparable, T any] struct {
	Key     K
	Records []T
}

// GroupBy sorts rows by a key, in the order in which the keys appear: the only grouping behind
// pictures, tables of means and comparisons.
func GroupBy[K comparable, T any](rows []T, key func(r *T) K) (groups []Group[K, T]) {
	at := map[K]int{}
	for i := range rows {
		k := key(&rows[i])
		place, known := at[k]
		if !known {
			place = len(groups)
			at[k], groups = place, append(groups, Group[K, T]{Key: k})
		}
		groups[place].Records = append(groups[place].Records, rows[i])
	}
	return groups
}

// Keys lists the keys of groups.
func Keys[K comparable, T any](groups []Group[K, T]) (list []K) {
	for i := range groups {
		list = append(list, groups[i].Key)
	}
	return list
}

// AxisNames lists the axes of a sweep, in the order of the plan.
func (r *Rows) AxisNames() []Name {
	return Keys(GroupBy(r.Axes, func(a *Axis) Name { return AxisName(a.Key) }))
}
