package tables

import (
	"maps"
	"strconv"
)

// Record is a row of the table runs or traffic by column name, with the values of the axes of its
// sweep. What is absent has no entry.
type Record struct {
	Texts        map[string]string
	Numbers      map[string]float64
	Seed, Window uint64 // exactly, which Numbers may not have
	Batch        uint64 // of a long run, from 0
}

// Label returns a column's value as a text; "" for no column.
func (r *Record) Label(column string) string {
	if column == "seed" {
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
	return Record{maps.Clone(r.Texts), maps.Clone(r.Numbers), r.Seed, r.Window, r.Batch}
}

// Records lists all runs and points, in the order of the plan. The value of an axis that is a
// number is both a text and a number; columns are stronger than axes of their names.
func (r *Rows) Records() (list []Record) {
	axes := map[string][]Axis{}
	for _, a := range r.Axes {
		axes[a.RunKey] = append(axes[a.RunKey], a)
	}
	add := func(key string, texts map[string]string, numbers map[string]float64, seed, window uint64) {
		for _, a := range axes[key] {
			if _, column := texts[a.Key]; !column {
				texts[a.Key] = a.Value
			}
			if v, err := strconv.ParseFloat(a.Value, 64); err == nil {
				if _, column := numbers[a.Key]; !column {
					numbers[a.Key] = v
				}
			}
		}
		list = append(list, Record{texts, numbers, seed, window, 0})
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
