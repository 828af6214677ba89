package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// Data is what a sweep measured: a record for each finished run or point, at each of the prices
// that were asked for.
//
// It knows how much of the plan was measured, and notes whether somebody has looked at the
// measurements: a verdict that follows from an incomplete study is withheld (see Entry.Analyse),
// whatever the claim's own code says.
type Data struct {
	Extent
	rows   *tables.Rows
	Priced map[string][]tables.Record // by the name of the prices
	// cells keeps what Cells found for a chart: claims ask many times.
	cells map[*Chart][]Cell
	// Consulted is set by whoever looks at the measurements.
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
	return &Data{Extent: e, rows: rows, Priced: map[string][]tables.Record{AsSimulated: records(rows)}}
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
	all := AllPrices()
	i := slices.IndexFunc(all, func(p Prices) bool { return p.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there are no prices called %q", name)
	}
	again := *d.rows
	again.Runs, again.Traffic, again.Routers = slices.Clone(again.Runs), slices.Clone(again.Traffic), slices.Clone(again.Routers)
	again.Links, again.Axes, again.Cores = slices.Clone(again.Links), slices.Clone(again.Axes), slices.Clone(again.Cores)
	again.Latency, again.Epochs, again.RouterEpochs = nil, nil, nil
	again.Classes, again.Distributions, again.HotBlocks = nil, nil, nil // Reprice would change the keys of the study's own
	err := experiment.Reprice(&again, func(c power.Config) (power.Config, error) { return all[i].of(c), nil })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.Priced[name] = records(&again)
	return d.Priced[name], nil
}

// records lists what finished, in the order of the plan. Each batch of a run is an observation, as
// if it had a seed of its own.
func records(rows *tables.Rows) (list []tables.Record) {
	batches := map[string][]int{}
	for i := range rows.Batches {
		batches[rows.Batches[i].RunKey] = append(batches[rows.Batches[i].RunKey], i)
	}
	for _, r := range rows.Records() {
		if r.Texts["exit_state"] != tables.Finished {
			continue
		}
		own := batches[r.Texts["run_key"]]
		if len(own) == 0 {
			list = append(list, r)
		}
		for _, b := range own {
			one := r.Clone()
			observe(&one, &rows.Batches[b])
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

// ofExecution are the measures of a whole execution, of which windows are parts: their ratios are
// those of the totals.
var ofExecution = []string{"cycles", "energy_j", "ed2p_js2"}

// sampleOf is what a record says of a measure.
func sampleOf(r *tables.Record, measure string, value float64) metrics.Sample {
	s := metrics.Sample{Pair: metrics.Pair{Seed: r.Seed, Batch: r.Batch, Window: r.Window}, Value: value}
	if measure == "ed2p_js2" {
		s.Delay = r.Numbers["cycles"]
	}
	return s
}

// settle finds out, once a cell has all samples of a measure, how many windows of a trace they are
// of.
func (c *Cell) settle(measure string) {
	windows := map[uint64]bool{}
	for _, samples := range c.Samples {
		for _, s := range samples {
			windows[s.Window] = true
		}
	}
	c.Windows = len(windows)
	c.Totals = c.Windows > 1 && slices.Contains(ofExecution, measure)
}

// Cell is what is compared: the runs of each series at one place of a chart.
type Cell struct {
	Panel, Group, Label string
	X                   float64
	Samples             map[string][]metrics.Sample // by series
	Saturated           map[string]int              // runs of a series that were saturated
	Windows             int                         // of a trace that the samples are of
	Totals              bool                        // ratios are those of sums over windows
	means               map[string]Estimate         // by series, of a cell that is the mean of others
}

// Where names a cell for people.
func (c *Cell) Where() string {
	text := ""
	for _, part := range []string{c.Panel, c.Group, c.Label} {
		if part != "" && text != "" {
			text += ", "
		}
		text += part
	}
	if c.X != 0 {
		text += fmt.Sprintf(" at %g", c.X)
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
	var cells []Cell
	for i := range list {
		r := &list[i]
		v, ok := r.Numbers[c.Measure]
		if !ok || !c.keeps(r) {
			continue
		}
		place := Cell{Panel: c.name(r, inPanel, c.Panel), Group: c.name(r, inGroup, c.Group), Label: c.name(r, inLabel, c.Label), X: r.Numbers[c.X]}
		at := slices.IndexFunc(cells, func(o Cell) bool {
			return o.Panel == place.Panel && o.Group == place.Group && o.Label == place.Label && o.X == place.X
		})
		if at < 0 {
			at = len(cells)
			place.Samples, place.Saturated = map[string][]metrics.Sample{}, map[string]int{}
			cells = append(cells, place)
		}
		series := c.name(r, inSeries, c.Series)
		cells[at].Samples[series] = append(cells[at].Samples[series], sampleOf(r, c.Measure, v))
		if r.Texts["saturated"] == tables.Saturated {
			cells[at].Saturated[series]++
		}
	}
	for i := range cells {
		cells[i].settle(c.Measure)
	}
	if d.cells == nil {
		d.cells = map[*Chart][]Cell{}
	}
	d.cells[c] = cells
	return cells, nil
}
