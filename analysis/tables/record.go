package tables

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// Record is a row of the table runs or traffic by column name, with the values of the axes of its
// sweep. What is absent has no entry.
type Record struct {
	Texts        map[Name]string
	Numbers      map[Name]float64
	metrics.Pair // exactly, which Numbers may not have
}

// Label returns a column's value as a text; "" for no column.
func (r *Record) Label(column Name) string {
	if column == Col.Seed {
		return strconv.FormatUint(r.Seed, 10)
	}
	if text, ok := r.Texts[column]; ok {
		return text
	}
	if v, ok := r.Numbers[column]; ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// Clone returns a record that can be changed.
func (r *Record) Clone() Record {
	return Record{maps.Clone(r.Texts), maps.Clone(r.Numbers), r.Pair}
}

// Records lists all runs and points, in the order of the plan. The value of an axis that is a
// number is both a text and a number; columns are stronger than axes of their names.
func (r *Rows) Records() (list []Record) {
	axes := map[string][]Axis{}
	for _, a := range r.Axes {
		axes[a.RunKey] = append(axes[a.RunKey], a)
	}
	add := func(key string, texts map[Name]string, numbers map[Name]float64, seed, window uint64) {
		for _, a := range axes[key] {
			name := AxisName(a.Key)
			if _, column := texts[name]; !column {
				texts[name] = a.Value
			}
			if v, err := strconv.ParseFloat(a.Value, 64); err == nil {
				if _, column := numbers[name]; !column {
					numbers[name] = v
				}
			}
		}
		list = append(list, Record{texts, numbers, metrics.Pair{Seed: seed, Window: window}})
	}
	for i := range r.Runs {
		texts, numbers := Runs.Cells(&r.Runs[i])
		add(r.Runs[i].RunKey, texts, numbers, r.Runs[i].Seed, r.Runs[i].Window)
	}
	for i := range r.Traffic {
		texts, numbers := TrafficPoints.Cells(&r.Traffic[i])
		add(r.Traffic[i].RunKey, texts, numbers, r.Traffic[i].Seed, 0)
	}
	return list
}

// Observations lists runs and points in the order of the plan. Those that are divided into batches have
// a record for each, which counts as an observation, as if it had a seed of its own. Each knows the parts of
// its time and energy, see Cycles and Energies.
func (r *Rows) Observations() (list []Record) {
	batches := map[string][]*Batch{}
	for i := range r.Batches {
		batches[r.Batches[i].RunKey] = append(batches[r.Batches[i].RunKey], &r.Batches[i])
	}
	runs := r.Records()
	r.addParts(runs)
	for _, whole := range runs {
		key := whole.Texts[Col.RunKey]
		if len(batches[key]) == 0 {
			list = append(list, whole)
		}
		for _, b := range batches[key] {
			one := whole.Clone()
			one.observe(b)
			list = append(list, one)
		}
	}
	return list
}

// observe replaces what a run says of all its batches by one of them.
func (r *Record) observe(b *Batch) {
	_, measured := Batches.Cells(b)
	for _, c := range Batches.Columns {
		name := Name{c.Name}
		delete(r.Numbers, name)
		if v, ok := measured[name]; ok {
			r.Numbers[name] = v
		}
	}
	r.Batch = b.Batch
}

// Group is the rows that have a key in common, such as records of runs.
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

// Key is the key of a record by the values of some columns, for GroupBy.
func Key(columns ...Name) func(r *Record) string {
	return func(r *Record) string {
		list := make([]string, len(columns))
		for i, c := range columns {
			list[i] = r.Label(c)
		}
		return strings.Join(list, "\x00")
	}
}

// Keys lists the keys of groups.
func Keys[K comparable, T any](groups []Group[K, T]) (list []K) {
	for i := range groups {
		list = append(list, groups[i].Key)
	}
	return list
}

// Distinct lists the values of a column, in the order in which they appear.
func Distinct(records []Record, column Name) []string { return Keys(GroupBy(records, Key(column))) }

// AxisNames lists the axes of a sweep without some keys, in the order of the plan.
func (r *Rows) AxisNames(without ...string) (names []Name) {
	for _, key := range Keys(GroupBy(r.Axes, func(a *Axis) string { return a.Key })) {
		if !slices.Contains(without, key) {
			names = append(names, AxisName(key))
		}
	}
	return names
}

// OnlyFinished lists the records of what has finished.
func OnlyFinished(records []Record) []Record {
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Texts[Col.ExitState] != Finished })
}

// Count is how many runs records are of, in how many windows of a trace.
func Count(records []Record) (runs, windows int) {
	seen := map[uint64]bool{}
	for i := range records {
		if records[i].Batch == 0 {
			runs++
		}
		seen[records[i].Window] = true
	}
	return runs, len(seen)
}

// Samples are the values of a column, of the records that have it. What is known of a whole run only
// is one value for all of its batches.
func Samples(records []Record, column Name) (samples []metrics.Sample) {
	whole := !Batches.has(column.text)
	for i := range records {
		r := &records[i]
		v, ok := r.Numbers[column]
		if !ok || whole && r.Batch > 0 {
			continue
		}
		s := metrics.Sample{Pair: r.Pair, Value: v}
		switch column {
		case Col.ED2PJs2:
			s.Delay = r.Numbers[Col.Cycles]
			fallthrough
		case Col.Cycles:
			if waited, known := r.Numbers[Cycles.Column(EndedBefore)]; known {
				s.Busy = r.Numbers[Col.Cycles] - waited
			}
		}
		samples = append(samples, s)
	}
	return samples
}

// OfExecution reports whether a column measures a whole execution, of which windows and seeds are parts:
// its ratios are those of the totals. Ratios of others are means.
func OfExecution(column Name) bool {
	return column == Col.Cycles || column == Col.EnergyJ || column == Col.ED2PJs2
}

// RatioOf is what the records of two sides say of the ratio of a column.
func RatioOf(over, under []Record, column Name) metrics.Estimate {
	return metrics.Ratio(Samples(over, column), Samples(under, column), OfExecution(column))
}
