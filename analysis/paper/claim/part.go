package claim

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/show/chart"
)

// Source says which columns of the result tables a claim looks at. Cells are told apart by panel,
// group, label and x; each has values of several series.
type Source struct {
	Measure string
	// Per divides each value, and Less subtracts from it: by x, or by the startups that a multicast
	// to x destinations takes at least.
	Per, Less                      string
	Series, Panel, Group, Label, X string // columns, or several joined by " & "
	Only                           map[string][]string
	Prices                         string
	Knee                           float64 // see chart.Chart
}

// Cells chooses cells of a source. What is empty chooses all.
type Cells struct {
	Panel Texts // the panel contains one of these
	Group Texts // the group is one of these, or with "!" before it none; "any" is all
	Label Texts // likewise; "first" and "last" are those of the plan
	X     Texts // values, or "first" and "last", the smallest and the largest of the study
	From  float64
	To    float64 // 0 is no end
	// Load chooses loads that all series of the part carry: "carried" all of them, "light" those up
	// to half of the largest, "wide" those up to three quarters of it, "heaviest" the largest.
	Load string
}

// Part is a part of a claim, which one judge judges.
type Part struct {
	Judge    string
	Data     string // a source of the figure; "" is its first
	Of, Over Texts  // series; each of Of is divided by each of Over
	Where    Cells
	// Below and Above are the bounds of what is judged; both make a range. Gain is a printed gain
	// over 1, such as 0.25 for 25 % faster or -0.5 for half: half to twice of it confirms.
	Below, Above, Gain *float64
	// Tie refutes a claim about an order where the difference is below 0.5 %.
	Tie bool
	// Shows is the value of the finding: "mean", over all cells, or "", which is the value that
	// speaks most against the claim.
	Shows string

	Mean  string // of judges mean and most: arithmetic or geometric
	By    string // of judge mean: panel or label, of which each has a mean of its own
	Per   string // of judge ratio: a source whose ratio the ratio is divided by
	Start Cells  // of judge order: the cells that those of Where are compared with
	// Instead is of judge throughput: words of a panel, and of the panel with which its series are compared.
	Instead map[string]string
	// Knee is of judge throughput, with seeds: the source of the latency, which decides where both
	// networks deliver all that nodes consume.
	Knee    string
	Seeds   bool      // of judge throughput: seed by seed, whether saturated or not
	Share   float64   // of judge most: the share of cells that must be exceeded
	Class   string    // of judge class: the message class
	At      []float64 // of judge printed: positions
	Printed map[string][]float64
	source  *source
	per     *source
	latency *source
}

// Texts are one text or several.
type Texts []string

// UnmarshalYAML reads one text or a list.
func (t *Texts) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*t = Texts{one}
		return nil
	}
	return unmarshal((*[]string)(t))
}

// source is a Source as claims ask it.
type source struct {
	Source
	chart chart.Chart
}

// cells are those of a source; none where the tables have none.
func (s *source) cells(d *chart.Data) []chart.Cell {
	return d.Cells(&s.chart)
}

// estimate is what a cell says of a series.
func (s *source) estimate(in *chart.Cell, series string) metrics.Estimate {
	e := s.chart.Estimate(in, series)
	change := func(by string, apply func(v *float64, by float64)) {
		if by == "" {
			return
		}
		x := in.X
		if by == "startups" {
			x = startups(in.X)
		}
		for _, v := range []*float64{&e.Mean, &e.Low, &e.High} {
			apply(v, x)
		}
	}
	change(s.Less, func(v *float64, x float64) { *v -= x })
	change(s.Per, func(v *float64, x float64) { *v /= x })
	e.OK = e.OK && (s.Per == "" || in.X > 0)
	return e
}

// startups is the least time that the startups of a multicast take in networks of workstations:
// 1000 cycles of 10 ns in each of ceil(log2(d+1)) steps, which is the length of d in bits.
func startups(destinations float64) float64 { return 1000 * float64(bits.Len(uint(destinations))) }

// keep returns which cells a part looks at. The loads that all series carry depend on the data.
func (c *Cells) keep(cells []chart.Cell, series []string) func(*chart.Cell) bool {
	var labels []string
	least, most := 0.0, 0.0
	carried := map[string]float64{} // the largest load of a panel that all series carry
	for i := range cells {
		in := &cells[i]
		if !slices.Contains(labels, in.Label) {
			labels = append(labels, in.Label)
		}
		if i == 0 {
			least, most = in.X, in.X
		}
		least, most = min(least, in.X), max(most, in.X)
		if carries(in, series) {
			carried[in.Panel] = max(carried[in.Panel], in.X)
		}
	}
	is := func(value string, asked Texts) bool {
		ok := len(asked) == 0
		for _, a := range asked {
			switch {
			case a == "any":
				ok = true
			case a == "first":
				ok = ok || value == labels[0]
			case a == "last":
				ok = ok || value == labels[len(labels)-1]
			case strings.HasPrefix(a, "!"):
				ok = ok || value != a[1:]
			default:
				ok = ok || value == a
			}
		}
		return ok
	}
	return func(in *chart.Cell) bool {
		switch {
		case len(c.Panel) > 0 && !slices.ContainsFunc(c.Panel, func(p string) bool { return strings.Contains(in.Panel, p) }),
			!is(in.Group, c.Group), !is(in.Label, c.Label), in.X < c.From, c.To > 0 && in.X > c.To:
			return false
		}
		at := len(c.X) == 0
		for _, x := range c.X {
			at = at || x == "first" && in.X == least || x == "last" && in.X == most || x == fmt.Sprint(in.X)
		}
		if !at || c.Load == "" {
			return at
		}
		share := map[string]float64{"carried": 1, "light": 0.5, "wide": 0.75, "heaviest": 1}[c.Load]
		return carries(in, series) && in.X <= share*carried[in.Panel] && (c.Load != "heaviest" || in.X == carried[in.Panel])
	}
}

// carries reports whether a cell has a value of all series, and none of them was saturated.
func carries(in *chart.Cell, series []string) bool {
	for _, s := range series {
		if len(in.Samples[s]) == 0 || in.Saturated[s] > 0 {
			return false
		}
	}
	return true
}

// text says which cells are chosen, for criteria.
func (c *Cells) text() string {
	var parts []string
	add := func(name string, t Texts) {
		if len(t) > 0 {
			parts = append(parts, strings.TrimSpace(name+" "+strings.ReplaceAll(strings.Join(t, " or "), "!", "not ")))
		}
	}
	add("", c.Panel)
	add("", c.Group)
	add("", c.Label)
	add("x", c.X)
	switch {
	case c.From > 0 && c.To > 0:
		parts = append(parts, fmt.Sprintf("x %g to %g", c.From, c.To))
	case c.From > 0:
		parts = append(parts, fmt.Sprintf("x from %g", c.From))
	case c.To > 0:
		parts = append(parts, fmt.Sprintf("x up to %g", c.To))
	}
	if c.Load != "" {
		parts = append(parts, map[string]string{"carried": "loads that all carry", "light": "loads up to half of the largest that all carry",
			"wide": "loads up to three quarters of the largest that all carry", "heaviest": "the largest load that all carry"}[c.Load])
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// loads are the words for Cells.Load.
var loads = []string{"carried", "light", "wide", "heaviest"}

// pairs are the series and baselines that a part compares: each of Of with each other of Over, or
// with itself where panels are compared.
func (p *Part) pairs() (list [][2]string) {
	for _, of := range p.Of {
		for _, over := range p.Over {
			if (of == over) == (p.Instead != nil) {
				list = append(list, [2]string{of, over})
			}
		}
	}
	return list
}

// series are all that a part names.
func (p *Part) series() []string {
	return slices.Concat(p.Of, p.Over, slices.Sorted(maps.Keys(p.Printed)))
}

// names are the series in words, such as "mrr / base and mrr / rr".
func (p *Part) names() string {
	of, over := strings.Join(p.Of, ", "), strings.Join(p.Over, ", ")
	if over == "" {
		return of
	}
	return of + " / " + over
}
