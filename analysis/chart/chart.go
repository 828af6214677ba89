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
	Mean      bool
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
type Estimate struct {
	metrics.Interval // without confidence for a single run: Low, High and Mean are equal
	OK               bool
}

// EstimateOf is the mean of values and its interval.
func EstimateOf(values []float64) Estimate {
	if i, ok := metrics.Confidence95(values); ok {
		return Estimate{i, true}
	}
	m, ok := metrics.Mean(values)
	return Estimate{metrics.Interval{Mean: m, Low: m, High: m, N: len(values)}, ok}
}

// Values are those of one series in a cell: as measured, or divided by the baseline's of the same
// seeds. Where ratios are those of sums, these are one reading of each window, for its error alone:
// they cannot be combined with those of other cells, and Estimate is more than their mean.
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
	return EstimateOf(c.Values(in, series))
}

// Ratios of two series of a cell, by seed or window, and what they say; nil when they have none in
// common. For sums over windows see Values.
func (c *Cell) Ratios(series, baseline string) ([]float64, Estimate) {
	divide := metrics.PairedRatios
	if c.Totals {
		divide = metrics.TotalRatios
	}
	pairs, err := divide(c.Samples[series], c.Samples[baseline])
	if err != nil {
		return nil, Estimate{}
	}
	_, ok := metrics.Mean(pairs.Ratios)
	return pairs.Ratios, Estimate{pairs.Interval(), ok}
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
		if slices.ContainsFunc(group, func(in Cell) bool { return in.Totals }) {
			mean.means = c.estimatesOf(group, series)
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
		for k, v := range c.meansOf(group, s) {
			means[s] = append(means[s], metrics.Sample{Seed: uint64(k), Value: v})
		}
	}
	return means
}

// estimatesOf are the means of series over cells that were measured by themselves; of those that
// all cells have.
func (c *Chart) estimatesOf(group []Cell, series []string) map[string]Estimate {
	means := map[string]Estimate{}
	for _, s := range series {
		var each []Estimate
		for i := range group {
			each = append(each, c.Estimate(&group[i], s))
		}
		means[s] = MeanOf(each)
	}
	return means
}

// MeanOf is the mean of estimates that were made independently of each other; none if one is
// missing. It has no confidence where one of them has none.
func MeanOf(each []Estimate) Estimate {
	var list []metrics.Interval
	sure := true
	for _, e := range each {
		if !e.OK {
			return Estimate{}
		}
		list, sure = append(list, e.Interval), sure && e.N > 1
	}
	i, ok := metrics.MeanOfIntervals(list)
	if !sure {
		i.Low, i.High, i.N = i.Mean, i.Mean, 1
	}
	return Estimate{i, ok}
}

// GeometricMeanOf is the geometric mean of such estimates: the mean of their logarithms, whose
// errors are to first order the relative ones.
func GeometricMeanOf(each []Estimate) Estimate {
	var logs []Estimate
	for _, e := range each {
		at, half := math.Log(e.Mean), e.HalfWidth()/e.Mean
		logs = append(logs, Estimate{metrics.Interval{Mean: at, Low: at - half, High: at + half, N: e.N}, e.OK && e.Mean > 0})
	}
	m := MeanOf(logs)
	if m.OK {
		m.Mean, m.Low, m.High = math.Exp(m.Mean), math.Exp(m.Low), math.Exp(m.High)
	}
	return m
}

// meansOf are the means of a series over cells, for each run that all of them have.
func (c *Chart) meansOf(group []Cell, series string) (list []float64) {
	for k := 0; ; k++ {
		sum := 0.0
		for i := range group {
			values := c.Values(&group[i], series)
			if k >= len(values) {
				return list
			}
			sum += values[k]
		}
		list = append(list, sum/float64(len(group)))
	}
}

// axis is the label of the values: what they are, and in which unit or divided by what.
func (c *Chart) axis() string {
	if c.Baseline != "" {
		return fmt.Sprintf("%s / %s of %s", c.Quantity, c.Quantity, c.Baseline)
	}
	return fmt.Sprintf("%s [%s]", c.Quantity, c.Unit)
}

// Side tells on which side of a threshold an estimate is with 95 % confidence: -1 below, 1 above, 0
// neither.
func (e *Estimate) Side(threshold float64) int {
	switch {
	case e.High < threshold:
		return -1
	case e.Low > threshold:
		return 1
	}
	return 0
}

// Text is "1.03 ± 0.02".
func (e *Estimate) Text() string {
	if e.N < 2 {
		return fmt.Sprintf("%.3f", e.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", e.Mean, e.HalfWidth())
}
