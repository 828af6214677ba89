package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Data is what a sweep measured: a record for each finished run or point, at each of the prices
// that were asked for.
//
// It knows how much of the plan was measured, and notes whether the measurements were read: a
// verdict that follows from an incomplete study is withheld (see Entry.Analyse), whatever the code
// of the claim returns.
type Data struct {
	Extent
	rows   *tables.Rows
	all    []tables.Record            // also of what has not finished
	Priced map[string][]tables.Record // what has finished, by the name of the prices
	// cells keeps what Cells found for a chart: claims ask many times.
	cells map[*Chart][]Cell
	// Consulted is set when the measurements are read.
	Consulted bool
}

// Extent says how much a study has measured: whether its runs are short, and which part of its plan
// is finished.
type Extent struct {
	Quick bool
	experiment.Coverage
}

// NewData looks at the tables of a study.
func NewData(rows *tables.Rows, e Extent) *Data {
	all := Records(rows)
	return &Data{Extent: e, rows: rows, all: all, Priced: map[string][]tables.Record{experiment.AsSimulated: Finished(all)}}
}

// Tables returns the tables that the study has measured.
func (d *Data) Tables() *tables.Rows {
	d.Consulted = true
	return d.rows
}

// At are the records at some prices, which are computed once.
func (d *Data) At(name string) ([]tables.Record, error) {
	d.Consulted = true
	if list, ok := d.Priced[name]; ok {
		return list, nil
	}
	again, err := experiment.PricedAt(d.rows, name)
	if err != nil {
		return nil, err
	}
	d.Priced[name] = Finished(Records(&again))
	return d.Priced[name], nil
}

// Records lists runs and points in the order of the plan. Those that are divided into batches have a
// record for each, which counts as an observation, as if it had a seed of its own. Each knows the
// parts of its time and energy, see Cycles and Energies.
func Records(rows *tables.Rows) (list []tables.Record) {
	batches := map[string][]*tables.Batch{}
	for i := range rows.Batches {
		batches[rows.Batches[i].RunKey] = append(batches[rows.Batches[i].RunKey], &rows.Batches[i])
	}
	runs := rows.Records()
	addParts(rows, runs)
	for _, r := range runs {
		key := r.Texts["run_key"]
		if len(batches[key]) == 0 {
			list = append(list, r)
		}
		for _, b := range batches[key] {
			one := r.Clone()
			observe(&one, b)
			list = append(list, one)
		}
	}
	return list
}

// observe replaces what a run says of all its batches by one of them.
func observe(r *tables.Record, b *tables.Batch) {
	_, measured := tables.Batches.Cells(b)
	for _, c := range tables.Batches.Columns {
		delete(r.Numbers, c.Name)
		if v, ok := measured[c.Name]; ok {
			r.Numbers[c.Name] = v
		}
	}
	r.Batch = b.Batch
}

// Cell is what is compared: the runs of each series at one place of a chart.
type Cell struct {
	Place
	Samples   map[string][]metrics.Sample // by series
	Saturated map[string]int              // runs of a series that were saturated
	Windows   int                         // of a trace that the samples are of
	Totals    bool                        // ratios are those of totals, see Ratio
	means     map[string]Estimate         // by series, of a cell that is the mean of others
}

// Where names a place for people.
func (p Place) Where() string {
	text := join(join(p.Panel, p.Group), p.Label)
	if p.X != 0 {
		text += fmt.Sprintf(" at %g", p.X)
	}
	return strings.TrimSpace(text)
}

// Cells sorts the records of a chart into its cells, in the order of the plan. Records without the
// measure are left out. The chart must not change between calls, nor may the cells be changed.
func (d *Data) Cells(c *Chart) ([]Cell, error) {
	list, err := d.At(c.Prices)
	if err != nil {
		return nil, err
	}
	if known, ok := d.cells[c]; ok {
		return known, nil
	}
	if c.Knee > 0 {
		list = c.atKnee(list)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r tables.Record) bool {
		_, ok := r.Numbers[c.Column]
		return !ok || !c.keeps(&r)
	})
	var cells []Cell
	for _, at := range GroupBy(list, c.place) {
		in := Cell{Place: at.Key, Samples: map[string][]metrics.Sample{}, Saturated: map[string]int{}, Totals: slices.Contains(ofExecution, c.Column)}
		_, in.Windows = Count(at.Records)
		for _, s := range GroupBy(at.Records, c.series) {
			in.Samples[s.Key] = Samples(s.Records, c.Column)
			for i := range s.Records {
				if s.Records[i].Texts["saturated"] == tables.Saturated {
					in.Saturated[s.Key]++
				}
			}
		}
		cells = append(cells, in)
	}
	if d.cells == nil {
		d.cells = map[*Chart][]Cell{}
	}
	d.cells[c] = cells
	return cells, nil
}
