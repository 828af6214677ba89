package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Part is a part of a stack: the sum of some columns of records, without that of others.
type Part struct {
	Name        string
	Plus, Minus []string
}

// OfCores stands in front of the columns of the table cores in records, which have the means over
// cores.
const OfCores = "core "

// Cycles are the parts of a core's time: they add up to the time of the last core. To show a new
// column: a row here.
var Cycles = []Part{
	{"retiring", []string{OfCores + "retiring_cycles"}, nil},
	{"L1", []string{OfCores + "l1_cycles"}, nil},
	{"interface", []string{OfCores + "interface_cycles"}, nil},
	{"flight", []string{OfCores + "flight_cycles"}, nil},
	{"contention", []string{OfCores + "contention_cycles"}, nil},
	{"L2", []string{OfCores + "l2_cycles"}, nil},
	{"memory", []string{OfCores + "memory_cycles"}, nil},
	{"timeouts", []string{OfCores + "timeout_cycles"}, nil},
	{"protocol", []string{OfCores + "protocol_cycles"}, nil},
	{"synchronisation", []string{OfCores + "synchronisation_cycles"}, nil},
	{"recorded order", []string{OfCores + "recorded_order_cycles"}, nil},
	{"dependence", []string{OfCores + "dependence_cycles"}, nil},
	{"ended before others", []string{"cycles"}, []string{OfCores + "finish_cycle"}},
}

// coreColumns are those of the table cores that the parts are made of.
func coreColumns() (list []string) {
	for _, p := range Cycles {
		for _, c := range slices.Concat(p.Plus, p.Minus) {
			if column, ok := strings.CutPrefix(c, OfCores); ok {
				list = append(list, column)
			}
		}
	}
	return list
}

// InNetwork are the parts of Cycles in which messages are on their way.
var InNetwork = []string{"interface", "flight", "contention"}

// Of is the part of a row's numbers.
func (p *Part) Of(numbers map[string]float64) (v float64) {
	for _, c := range p.Plus {
		v += numbers[c]
	}
	for _, c := range p.Minus {
		v -= numbers[c]
	}
	return v
}

// Energies are the parts of the network's energy, from the table routers.
var Energies = []Part{
	{"clock", []string{"energy_clock_j"}, nil},
	{"leakage", []string{"energy_leakage_j", "energy_link_leakage_j"}, nil},
	{"buffers", []string{"energy_buffer_write_j", "energy_buffer_read_j"}, nil},
	{"crossbar", []string{"energy_crossbar_j"}, nil},
	{"rings", []string{"energy_ring_j"}, nil},
	{"arbitration", []string{"energy_arbiter_j"}, nil},
	{"headers", []string{"energy_header_j"}, nil},
	{"links", []string{"energy_link_j"}, nil},
}

// Stack is a picture of how totals divide into parts: a chart whose bars are the series, stacked.
// With a baseline each part is divided by the whole of the baseline's run of the same seed, or,
// of an execution, its total by that of the baseline.
type Stack struct {
	Chart
	Parts []Part
}

// column is the name under which the records have a part; the whole has the part "".
func (s *Stack) column(part string) string { return s.Name + ": " + part }

// prepare adds the parts and their whole to the records that know them.
func (s *Stack) prepare(d *Data) error {
	records, err := d.At(s.Prices)
	for i := range records {
		numbers := records[i].Numbers
		if _, known := numbers[s.Parts[0].Plus[0]]; !known {
			continue
		}
		whole := 0.0
		for _, p := range s.Parts {
			numbers[s.column(p.Name)] = p.Of(numbers)
			whole += numbers[s.column(p.Name)]
		}
		numbers[s.column("")] = whole
	}
	return err
}

// Draw makes the picture and the rows of its table; parts that are nothing everywhere are left out.
func (s *Stack) Draw(d *Data) (*figures.Figure, []tables.FigurePoint, error) {
	if err := s.prepare(d); err != nil {
		return nil, nil, err
	}
	whole := s.Chart
	whole.Column = s.column("")
	cells, err := d.Cells(&whole)
	if err != nil || len(cells) == 0 {
		return nil, nil, err
	}
	for i := range cells {
		cells[i].Totals = len(d.rows.Runs) > 0
	}
	f := &figures.Figure{Name: s.Name, Title: s.Title, Warning: d.Warning(), Stacks: true}
	series := SeriesOf(d, &s.Chart)
	var points []tables.FigurePoint
	for _, p := range s.Parts {
		one := s.Chart
		one.Column = s.column(p.Name)
		parts, err := d.Cells(&one)
		if err != nil {
			return nil, nil, err
		}
		any := false
		for i := range parts {
			for _, samples := range parts[i].Samples {
				for _, v := range samples {
					any = any || v.Value != 0
				}
			}
		}
		if !any {
			continue
		}
		f.Series = append(f.Series, p.Name)
		for i := range parts {
			points = append(points, s.part(d, f, p.Name, &parts[i], &cells[i], series)...)
		}
	}
	f.Note = s.note(d, f, cells, points)
	return f, points, nil
}

// part adds one part of the bars of a cell to the figure.
func (s *Stack) part(d *Data, f *figures.Figure, name string, in, whole *Cell, series []string) (points []tables.FigurePoint) {
	panel := s.panel(f, in.Panel)
	panel.Reference = 0
	at := slices.IndexFunc(panel.Series, func(s figures.Series) bool { return s.Name == name })
	if at < 0 {
		at, panel.Series = len(panel.Series), append(panel.Series, figures.Series{Name: name})
	}
	own := &panel.Series[at]
	for _, bar := range series {
		e := metrics.MeanValue(in.Samples[bar])
		if s.Baseline != "" {
			e = ratio(in.Samples[bar], whole.Samples[s.Baseline], whole.Totals)
		}
		if !e.OK {
			continue
		}
		where := figures.Category{Group: join(in.Group, in.Label), Label: bar}
		at := slices.Index(panel.Categories, where)
		if at < 0 {
			at, panel.Categories = len(panel.Categories), append(panel.Categories, where)
		}
		own.Points = append(own.Points, figures.Point{X: float64(at), Y: e.Mean, Low: e.Low, High: e.High})
		p := s.row(d, in, bar, e)
		p.Quantity = fmt.Sprintf("%s: %s", s.Quantity, name)
		points = append(points, p)
	}
	return points
}

// join puts the names of a group and of a label together.
func join(group, label string) string {
	if group == "" || label == "" {
		return group + label
	}
	return group + ", " + label
}
