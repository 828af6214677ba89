package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Chart says which columns of the result tables a picture shows. Bars have groups and labels,
// curves an x.
type Chart struct {
	Name, Title string
	Measure     string // column of the values
	Quantity    string // what it is, for the axis
	Definition  string // how it is computed, where that needs saying
	Unit        string
	// Scale converts the column's unit into Unit, for the picture and its table; 0 is 1.
	Scale float64
	// Series, Panel, Group, Label and X name columns, or axes of the plan; "" for none. All but X
	// may be several, see Join. Of a joined series the first column decides the colour and the
	// others the line.
	Series, Panel, Group, Label, X string
	XLabel                         string
	// Baseline is the series whose run of the same seed and window a value is divided by; "" leaves
	// values as they are. Where ratios are those of sums, see the package, a mean over cells has the
	// error of windows that were drawn for each cell by itself.
	Baseline string
	// Prices of energy; AsSimulated keeps those of the sweep.
	Prices string
	// Only keeps the records whose column has one of these values; nil keeps all.
	Only map[string][]string
	// Knee keeps, of records that differ in their offered load alone, the one with the largest load
	// at which the latency is at most so many times that at the lightest; 0 keeps all.
	Knee float64
	// Names gives values of columns a name for people: "multicast_fraction=0.1" is "10 %". For
	// groups alone, "group:workload=nas-is-s" may be "recordings", and likewise "panel:..." and
	// "series:...". Series have no other names, for claims compare them by their values.
	Names map[string]string
	// Beside are values that stand beside the measured ones, such as those that a paper prints.
	Beside []Reference
	// With are charts whose panels belong to the same picture.
	With []Chart
	// Mean adds the mean over the cells of each group, as the papers' figures have.
	Mean bool
	// Forest lays the cells one below the other, and adds the geometric mean over those of each group.
	Forest    bool
	YMax      float64
	Knees     bool // mark the values of X between which a series saturates
	TableOnly bool // its values are in the table, but there is no picture
}

// Reference is a value that was not measured here.
type Reference struct {
	Panel, Group, Label string
	X                   float64
	Series              string
	// Like is the series whose colour it has, with another line; "" gives it a colour of its own.
	Like             string
	Value, Low, High float64 // equal where there is no interval
}

// keeps reports whether a record belongs to the chart.
func (c *Chart) keeps(r *tables.Record) bool {
	for column, values := range c.Only {
		if !slices.Contains(values, r.Label(column)) {
			return false
		}
	}
	return true
}

// Join makes one column of several, for panels, groups and labels: its values are joined by commas.
func Join(columns ...string) string { return strings.Join(columns, joint) }

const joint = " & "

// The parts of a picture that columns of records decide.
const (
	inPanel  = "panel:"
	inGroup  = "group:"
	inLabel  = "label:"
	inSeries = "series:"
)

// name is what people read in a part of the picture for a record's value of a column, or of several
// joined ones. Names that are empty are left out.
func (c *Chart) name(r *tables.Record, part, column string) string {
	var parts []string
	for one := range strings.SplitSeq(column, joint) {
		value := r.Label(one)
		if name, ok := c.Names[part+one+"="+value]; ok {
			value = name
		} else if name, ok := c.Names[one+"="+value]; ok && part != inSeries {
			value = name
		}
		if value != "" || column == one {
			parts = append(parts, value)
		}
	}
	return strings.Join(parts, ", ")
}

// Estimate is a value of a chart.
type Estimate = metrics.Estimate

// Values are those of one series in a cell: as measured, or divided by the baseline's of the same
// seeds. There are none where ratios are those of totals.
func (c *Chart) Values(in *Cell, series string) []float64 {
	if c.Baseline != "" {
		ratios, _ := in.Ratios(series, c.Baseline)
		return ratios
	}
	var list []float64
	for _, s := range in.Samples[series] {
		list = append(list, s.Value)
	}
	return list
}

// Estimate is the mean of a series in a cell, with its interval: as measured, or divided by the
// baseline's.
func (c *Chart) Estimate(in *Cell, series string) Estimate {
	if in.means != nil {
		return in.means[series]
	}
	if c.Baseline != "" {
		_, e := in.Ratios(series, c.Baseline)
		return e
	}
	return metrics.MeanValue(in.Samples[series])
}

// Ratios of two series of a cell by seed, and what they say. Where it is the ratio of totals, it has
// no parts.
func (c *Cell) Ratios(series, baseline string) ([]float64, Estimate) {
	if c.Totals {
		return nil, metrics.TotalRatio(c.Samples[series], c.Samples[baseline])
	}
	return metrics.PairedRatios(c.Samples[series], c.Samples[baseline]).Values, metrics.MeanRatio(c.Samples[series], c.Samples[baseline])
}

// SeriesOf lists the series of cells in the order of their first appearance.
func SeriesOf(d *Data, c *Chart) (list []string) {
	records, err := d.At(c.Prices)
	if err != nil {
		return nil
	}
	for i := range records {
		if s := c.name(&records[i], inSeries, c.Series); c.keeps(&records[i]) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// withMeans puts a cell behind each group that holds, for each seed, the mean over the group's
// cells. With a baseline it is the mean of the ratios, as in the papers.
func (c *Chart) withMeans(cells []Cell, series []string) (list []Cell) {
	for begin := 0; begin < len(cells); {
		end := begin
		for end < len(cells) && cells[end].Panel == cells[begin].Panel && cells[end].Group == cells[begin].Group {
			end++
		}
		group := cells[begin:end]
		mean := Cell{Panel: group[0].Panel, Group: group[0].Group, Label: "mean"}
		if c.Forest {
			mean.Label, mean.means = "geometric mean", c.estimatesOf(group, series, metrics.GeometricMeanOfEach)
		} else if slices.ContainsFunc(group, func(in Cell) bool { return in.Totals }) {
			mean.means = c.estimatesOf(group, series, metrics.MeanOfEach)
		} else {
			mean.Samples = c.samplesOf(group, series)
		}
		list = append(append(list, group...), mean)
		begin = end
	}
	return list
}

// samplesOf are the means of series over cells, for each run that all of them have.
func (c *Chart) samplesOf(group []Cell, series []string) map[string][]metrics.Sample {
	means := map[string][]metrics.Sample{}
	for _, s := range series {
		for k := 0; ; k++ {
			sum := 0.0
			for i := range group {
				values := c.Values(&group[i], s)
				if k >= len(values) {
					sum = math.NaN()
					break
				}
				sum += values[k] / float64(len(group))
			}
			if math.IsNaN(sum) {
				break
			}
			means[s] = append(means[s], metrics.Sample{Pair: metrics.Pair{Seed: uint64(k)}, Value: sum})
		}
	}
	return means
}

// estimatesOf are the means of series over cells that were measured by themselves; of those that
// all cells have.
func (c *Chart) estimatesOf(group []Cell, series []string, mean func([]Estimate) Estimate) map[string]Estimate {
	means := map[string]Estimate{}
	for _, s := range series {
		var each []Estimate
		for i := range group {
			each = append(each, c.Estimate(&group[i], s))
		}
		means[s] = mean(each)
	}
	return means
}

// axis is the label of the values: what they are, and in which unit or divided by what.
func (c *Chart) axis() string {
	if c.Baseline != "" {
		return fmt.Sprintf("%s / %s of %s", c.Quantity, c.Quantity, c.Baseline)
	}
	return fmt.Sprintf("%s [%s]", c.Quantity, c.Unit)
}
