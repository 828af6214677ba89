package claim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// picture is a chart of a figure as a file has it, see [chart.Chart]. Columns are several joined by
// " & ". Name and title may hold words in braces: {suffix} and {word} of the figure's repetitions, and
// {price}, {prices}, {reading} and {definition} of energy.
type picture struct {
	Name, Title                         string // the name follows the figure's identifier
	Measure, Quantity, Definition, Unit string
	Scale, Ymax                         float64
	Series, Panel, Group, Label         string
	X, Axis                             string // the axis is the title of x
	Baseline                            string
	Mean                                bool // stands behind the cells of each group
	Only                                map[string][]string
	Names                               map[string]string // beside those of the file
	SeriesNames                         map[string]string `yaml:"series_names"`
	PanelNames                          map[string]string `yaml:"panel_names"`
	TableOnly                           bool              `yaml:"table_only"`
	Energy                              string            // a key of energies: the chart is repeated for all prices
	Nodes, Arities                      []int             // of the networks of panels
	BySwitches                          bool              `yaml:"by_switches"` // tells networks apart, instead of nodes
	Panels                              []panel
	References                          []struct {
		Label, Series    string
		Value, Low, High float64
	}
}

// panel is a panel of a picture that shows multistage networks of a kind. What it does not say is as
// the picture says.
type panel struct {
	Panel, Measure string
	Kind           string // such as min:baseline
	Nodes, Arities []int
}

// repetition repeats the pictures of a figure on other records.
type repetition struct {
	Suffix, Word string
	Only         map[string][]string
	Knee         float64
}

// energies are the measures of energy-delay products, with names and how they are computed: of networks
// alone in both readings of "energy divided by the square of throughput", the energy of the window and
// that of a fixed amount of work, and of chips, for which both are one.
var energies = map[string][]struct {
	measure                    tables.Name
	quantity, name, definition string
}{
	"network": {{tables.Col.ED2P, "ED2P", "-window", "energy of the window / throughput^2"}, {tables.Col.ED2PPerPhit, "ED2P", "-phit", "energy per delivered phit / throughput^2"}},
	"chip":    {{tables.Col.ED2PJs2, "network ED2P", "", "energy x execution time^2 of a fixed amount of work, for which both readings are one"}},
}

// pictures makes the charts of a figure: all pictures for each of its repetitions.
func (r *reader) pictures(f *figure) (charts []chart.Chart, err error) {
	repetitions := f.Each
	if repetitions == nil {
		repetitions = []repetition{{}}
	}
	for _, each := range repetitions {
		for i := range f.Pictures {
			p := &f.Pictures[i]
			if p.Energy == "" {
				charts = append(charts, r.chart(f, p, each, ""))
				continue
			}
			if energies[p.Energy] == nil {
				return nil, r.errorf(f.ID, "energy is %q; it can be network or chip", p.Energy)
			}
			charts = append(charts, r.priced(f, p, each)...)
		}
	}
	return charts, nil
}

// priced makes a chart for each way of pricing and each reading. Pictures are drawn of the first
// reading at the prices of the paper's tool and the usual ones; the others are in the table.
func (r *reader) priced(f *figure, p *picture, each repetition) (charts []chart.Chart) {
	for i, prices := range experiment.AllPrices() {
		for k, e := range energies[p.Energy] {
			one := *p
			one.Measure, one.Quantity, one.Definition = e.measure.String(), e.quantity, e.definition
			one.TableOnly = k > 0 || prices.Name != experiment.PaperPrices && prices.Name != experiment.UsualPrices
			words := strings.NewReplacer("{price}", fmt.Sprint(i+1), "{prices}", prices.Name, "{reading}", e.name, "{definition}", e.definition)
			one.Name, one.Title = words.Replace(p.Name), words.Replace(p.Title)
			charts = append(charts, r.chart(f, &one, each, prices.Name))
		}
	}
	return charts
}

// chart makes a chart of a picture.
func (r *reader) chart(f *figure, p *picture, each repetition, prices string) (first chart.Chart) {
	words := strings.NewReplacer("{suffix}", each.Suffix, "{word}", each.Word)
	c := r.chartOf(&Source{Measure: p.Measure, Series: p.Series, Panel: p.Panel, Group: p.Group, Label: p.Label, X: p.X, Prices: prices, Knee: each.Knee}, p.Only, each.Only)
	c.Names = r.names(r.doc.Names, p.Names)
	c.Name, c.Title = f.ID+words.Replace(p.Name), words.Replace(p.Title)
	c.Measure = chart.Measure{Column: c.Column, Quantity: p.Quantity, Definition: p.Definition, Unit: p.Unit, Scale: p.Scale}
	c.X.Title, c.YMax, c.Baseline, c.TableOnly, c.Mean = p.Axis, p.Ymax, p.Baseline, p.TableOnly, p.Mean
	c.Series.Names, c.Panel.Names = r.names(p.SeriesNames), r.names(p.PanelNames)
	for _, v := range p.References {
		c.References = append(c.References, chart.Reference{Place: chart.Place{Label: v.Label}, Series: v.Series, Value: v.Value, Low: v.Low, High: v.High})
	}
	first = c
	for i := range p.Panels {
		one := r.show(p, &p.Panels[i], c)
		if i == 0 {
			first = one
		} else {
			first.With = append(first.With, one)
		}
	}
	return first
}

// show restricts a chart to the networks of a panel.
func (r *reader) show(p *picture, of *panel, c chart.Chart) chart.Chart {
	c.Column, c.Only = r.column(cmp.Or(of.Measure, p.Measure)), maps.Clone(c.Only)
	c.Panel.Names, c.Series.Names = map[chart.Value]string{}, maps.Clone(c.Series.Names)
	nodes, arities := of.Nodes, of.Arities
	if nodes == nil {
		nodes = p.Nodes
	}
	if arities == nil {
		arities = p.Arities
	}
	for _, n := range nodes {
		for _, b := range arities {
			spec := fmt.Sprintf("%s:%d:%d", of.Kind, n, b)
			at := chart.Value{Column: tables.Col.Topology, Value: spec}
			c.Only[tables.Col.Topology] = append(slices.Clone(c.Only[tables.Col.Topology]), spec)
			c.Panel.Names[at], c.Series.Names[at] = of.Panel, fmt.Sprintf("%d nodes", n)
			if p.BySwitches {
				c.Series.Names[at] = fmt.Sprintf("%dx%d", b, b)
			}
		}
	}
	return c
}
