package chart

import (
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Group is the runs and points that have a key in common.
type Group[K comparable] struct {
	Key     K
	Records []tables.Record
}

// GroupBy sorts records by a key, in the order in which the keys appear: the only grouping behind
// pictures, tables of means and comparisons.
func GroupBy[K comparable](records []tables.Record, key func(r *tables.Record) K) (groups []Group[K]) {
	at := map[K]int{}
	for i := range records {
		k := key(&records[i])
		place, known := at[k]
		if !known {
			place = len(groups)
			at[k], groups = place, append(groups, Group[K]{Key: k})
		}
		groups[place].Records = append(groups[place].Records, records[i])
	}
	return groups
}

// labels are the values of columns, as a key.
func labels(r *tables.Record, columns []string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = r.Label(c)
	}
	return strings.Join(list, "\x00")
}

// Finished lists the records of what has finished.
func Finished(records []tables.Record) (list []tables.Record) {
	for i := range records {
		if records[i].Texts["exit_state"] == tables.Finished {
			list = append(list, records[i])
		}
	}
	return list
}

// Count is how many runs records are of, in how many windows of a trace.
func Count(records []tables.Record) (runs, windows int) {
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
func Samples(records []tables.Record, column string) (samples []metrics.Sample) {
	whole := !slices.ContainsFunc(tables.Batches.Columns, func(c tables.Column[tables.Batch]) bool { return c.Name == column })
	for i := range records {
		r := &records[i]
		v, ok := r.Numbers[column]
		if !ok || whole && r.Batch > 0 {
			continue
		}
		s := metrics.Sample{Pair: metrics.Pair{Seed: r.Seed, Batch: r.Batch, Window: r.Window}, Value: v}
		if column == "ed2p_js2" {
			s.Delay = r.Numbers["cycles"]
		}
		samples = append(samples, s)
	}
	return samples
}

// ofExecution are the measures of a whole execution, of which windows and seeds are parts: their
// ratios are those of the totals. Ratios of others are means.
var ofExecution = []string{"cycles", "energy_j", "ed2p_js2"}

// Ratio is what the records of two sides say of the ratio of a column.
func Ratio(over, under []tables.Record, column string) Estimate {
	return ratio(Samples(over, column), Samples(under, column), slices.Contains(ofExecution, column))
}

func ratio(over, under []metrics.Sample, totals bool) Estimate {
	if totals {
		return metrics.TotalRatio(over, under)
	}
	return metrics.MeanRatio(over, under)
}
