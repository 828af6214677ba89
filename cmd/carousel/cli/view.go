package cli

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// estimate is a mean over runs and half the width of its 95 % confidence interval, which a single run does not have.
type estimate struct {
	Mean *float64 `json:"mean"`
	CI   *float64 `json:"ci95"`
}

// estimateOf puts a value of a summary into a document.
func estimateOf(e chart.Estimate) estimate {
	if !e.OK {
		return estimate{}
	}
	if e.N < 2 {
		return estimate{&e.Mean, nil}
	}
	half := e.HalfWidth()
	return estimate{&e.Mean, &half}
}

// cell writes an estimate for people.
func (e estimate) cell(scale float64) string {
	if e.CI == nil {
		return cell(e.Mean, scale)
	}
	return cell(e.Mean, scale) + " ± " + twoDigits(*e.CI*scale)
}

// twoDigits writes a half width with two significant digits, from 100 on without an exponent.
func twoDigits(v float64) string {
	text := strconv.FormatFloat(v, 'g', 2, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && rounded >= 100 && rounded < 1e15 {
		return fmt.Sprintf("%.0f", rounded)
	}
	return text
}

// ratio writes a normalised mean with its confidence.
func (e estimate) ratio() string {
	switch {
	case e.Mean == nil:
		return "-"
	case e.CI == nil:
		return fmt.Sprintf("%.3f", *e.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", *e.Mean, *e.CI)
}

// shownMeasure is a measure of a summary as people see it: its title, and what its values are
// multiplied with. A ratio has three decimals.
type shownMeasure struct {
	title string
	chart.Measure
	scale float64
}

// cells writes the values of a line.
func lineCells(l *chart.Line, shown []shownMeasure) (cells []string) {
	for i, m := range shown {
		e := estimateOf(l.Values[i])
		if m.Baseline != "" {
			cells = append(cells, e.ratio())
		} else {
			cells = append(cells, e.cell(m.scale))
		}
	}
	return cells
}

// measuresOf are the measures that a summary needs.
func measuresOf(shown []shownMeasure) (list []chart.Measure) {
	for _, m := range shown {
		list = append(list, m.Measure)
	}
	return list
}

// saturation says how many runs of a line were saturated.
func saturation(l *chart.Line) string {
	switch l.Saturated {
	case 0:
		return "no"
	case l.Runs:
		return "yes"
	}
	return fmt.Sprintf("%d of %d", l.Saturated, l.Runs)
}

// pick makes a spreadsheet of some fields of objects: full precision, and empty cells for what is absent.
func pick(objects []tables.Object, names ...string) *sheet {
	s := &sheet{header: names}
	for _, o := range objects {
		var row []string
		for _, name := range names {
			row = append(row, o.Text(name))
		}
		s.add(row...)
	}
	return s
}

// internal are columns of the tables that only programs which price energy again need.
var internal = []string{"hardware", "power", "simulation_key"}

// runObjects are the rows of the runs table as documents have them: all columns by their names,
// and the packets by cast and class.
func runObjects(rows *tables.Rows) []tables.Object {
	classes := map[string][]tables.Object{}
	for i := range rows.Classes {
		c := &rows.Classes[i]
		classes[c.RunKey] = append(classes[c.RunKey], tables.Object{{Name: "class", Value: c.Class}, {Name: "unicast", Value: c.Unicast},
			{Name: "multicast", Value: c.Multicast}, {Name: "broadcast", Value: c.Broadcast}, {Name: "local", Value: c.Local}, {Name: "phits", Value: c.Phits}})
	}
	list := []tables.Object{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		o := tables.Runs.Object(r, internal...)
		var packets any
		if r.PacketsUnicast.Known {
			packets = tables.Object{{Name: "unicast", Value: r.PacketsUnicast.Value}, {Name: "multicast", Value: r.PacketsMulticast.Value},
				{Name: "broadcast", Value: r.PacketsBroadcast.Value}}
		}
		o.Set("packets", packets)
		o.Set("packets_by_class", classes[r.RunKey])
		o.Set("network_energy_j", o.Get("energy_j"))
		o.Set("network_ed2p", o.Get("ed2p_js2"))
		list = append(list, o)
	}
	return list
}

// trafficObjects are the rows of the traffic table as documents have them.
func trafficObjects(rows []tables.Traffic) []tables.Object {
	list := []tables.Object{}
	for i := range rows {
		o := tables.TrafficPoints.Object(&rows[i], internal...)
		if s := rows[i].Saturated; s.Known {
			o.Set("saturated", s.Value == tables.Saturated)
		}
		list = append(list, o)
	}
	return list
}

// known is a cell as JSON has it.
func known[T any](m tables.Maybe[T]) *T {
	if !m.Known {
		return nil
	}
	return &m.Value
}

// full writes a value that may be absent with all its digits.
func full[T any](v *T) string {
	if v == nil {
		return ""
	}
	if f, ok := any(*v).(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(*v)
}

// cell writes a scaled number, whole ones and those from 1000 on without a fraction; "-" stands for none.
func cell(v *float64, scale float64) string {
	if v == nil {
		return "-"
	}
	scaled := *v * scale
	if scaled < 1e15 && (scaled >= 1000 || scaled == float64(int64(scaled))) {
		return fmt.Sprintf("%.0f", scaled)
	}
	return number(scaled)
}

// jsonNumber is the label of a column of numbers as a number.
func jsonNumber(label string) json.Number { return json.Number(label) }
