package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Growth is a table of how many steps an algorithm takes at growing sizes, beside the bound that a
// claim states. Steps are counted, not timed, so the table is the same everywhere.
type Growth struct {
	Where  string // the networks
	Series string // the algorithm, or its requests
	Size   string // what doubles from row to row, such as "k"
	Rows   []Grown
	// Ends tells that the size cannot grow without end while the others stay, as k cannot where N
	// stays. Such a table is held to the largest ratio of the others.
	Ends bool
}

// Grown is a row: the requests of a size, and the one of them whose steps are the most for its
// bound.
type Grown struct {
	Size   int
	Steps  uint64
	Bound  float64
	Walked uint64 // steps of the routing function, which are not among Steps
}

// Ratio is what the claim says is bounded.
func (g *Grown) Ratio() float64 { return float64(g.Steps) / g.Bound }

// lastDoublings is how many rows at the end of a table are compared with those before them, and
// mayGrow by how much their ratio may exceed that of those before.
const (
	lastDoublings = 2
	mayGrow       = 1.1
)

// most is the largest ratio of rows.
func most(rows []Grown) (ratio float64) {
	for i := range rows {
		ratio = max(ratio, rows[i].Ratio())
	}
	return ratio
}

// rise is the largest ratio of the last doublings over the largest before, or the last ratio over
// the one before these doublings: whichever is more. The first alone would miss what small sizes
// hide, where constants and lower powers are most of the steps; the second alone would miss a rise
// just before the end.
func (g *Growth) rise() float64 {
	early := len(g.Rows) - lastDoublings
	last := g.Rows[len(g.Rows)-1].Ratio() / g.Rows[early-1].Ratio()
	return max(most(g.Rows[early:])/most(g.Rows[:early]), last)
}

// exponent is the slope of a column over the size, both as logarithms, by least squares.
func (g *Growth) exponent(column func(*Grown) float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(g.Rows))
	for i := range g.Rows {
		a, b := math.Log(float64(g.Rows[i].Size)), math.Log(column(&g.Rows[i]))
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// name tells the table from the others of its claim.
func (g *Growth) name() string { return g.Where + ", " + g.Series }

// text is the table in words.
func (g *Growth) text() string {
	var rows []string
	for i := range g.Rows {
		rows = append(rows, fmt.Sprintf("%d: %d (%.3g)", g.Rows[i].Size, g.Rows[i].Steps, g.Rows[i].Ratio()))
	}
	steps := g.exponent(func(r *Grown) float64 { return float64(r.Steps) })
	bound := g.exponent(func(r *Grown) float64 { return r.Bound })
	return fmt.Sprintf("%s; steps (over the bound) by %s: %s; fitted, steps grow as %s^%.2f, the bound as %s^%.2f",
		g.name(), g.Size, strings.Join(rows, ", "), g.Size, steps, g.Size, bound)
}

// whole tells why a table cannot be judged: sizes that do not double, or too few of them.
func (g *Growth) whole() error {
	if len(g.Rows) < lastDoublings+2 || g.Rows[len(g.Rows)-1].Size < 8*g.Rows[0].Size {
		return fmt.Errorf("%s: %d sizes do not cover a factor of eight", g.name(), len(g.Rows))
	}
	for i := 1; i < len(g.Rows); i++ {
		if g.Rows[i].Size != 2*g.Rows[i-1].Size {
			return fmt.Errorf("%s: %s %d does not double %d", g.name(), g.Size, g.Rows[i].Size, g.Rows[i-1].Size)
		}
	}
	return nil
}

// growthCriterion is how claims about growth are judged.
const growthCriterion = "counted steps over the printed bound, of the heaviest request of each size: in every table the largest ratio of the last two doublings is at most 1.1 times the largest before, and the last at most 1.1 times the one two doublings before; " +
	"a distance is one step, as in the papers, which take it as given; measured value: the larger of these quotients, largest of all tables"

// largest is the largest ratio of the tables whose size has no end.
func largest(list []Growth) (ratio float64) {
	for i := range list {
		if !list[i].Ends {
			ratio = max(ratio, most(list[i].Rows))
		}
	}
	return ratio
}

// Bounded judges a claim by its tables.
func Bounded(list []Growth) Finding {
	worst, holds := 0.0, true
	for i := range list {
		if err := list[i].whole(); err != nil {
			return Nothing(err.Error())
		}
	}
	limit := largest(list)
	var details []string
	for i := range list {
		g := &list[i]
		if g.Ends {
			holds = holds && most(g.Rows) <= limit
			details = append(details, g.text()+fmt.Sprintf("; %s ends where the network does, so only the largest ratio counts: %.3g, of the other tables %.3g", g.Size, most(g.Rows), limit))
			continue
		}
		rise := g.rise()
		worst, holds = max(worst, rise), holds && rise <= mayGrow
		details = append(details, g.text()+fmt.Sprintf("; rise in the last two doublings: %.2f", rise))
	}
	if len(list) == 0 {
		return Nothing("nothing was counted")
	}
	return Fact(holds, worst, strings.Join(details, ". "))
}

// Count is what was counted for a claim.
type Count struct {
	Claim string
	Title string // of its picture
	Bound string // as the paper prints it
	// Tables are counted when they are first asked for.
	Tables func() ([]Growth, error)
}

// NewCount makes a count whose tables are made once.
func NewCount(claim, title, bound string, tables func() ([]Growth, error)) Count {
	return Count{claim, title, bound, sync.OnceValues(tables)}
}

// claim is the claim that was counted for.
func (c *Count) AsClaim(text, conditions string) Claim {
	return Claim{ID: c.Claim, Text: text, Conditions: conditions, Printed: "O(" + c.Bound + ")", Criterion: growthCriterion, Judge: func(*chart.Data) Finding { return c.Judge() }}
}

// Judge judges it.
func (c *Count) Judge() Finding {
	list, err := c.Tables()
	if err != nil {
		return Nothing(err.Error())
	}
	return Bounded(list)
}

// Draw makes the picture of the ratios, a panel for each kind of networks, and the rows of its
// table.
func (c *Count) Draw(name string) (*figures.Figure, []tables.FigurePoint, error) {
	list, err := c.Tables()
	if err != nil {
		return nil, nil, err
	}
	f := &figures.Figure{Name: name, Title: c.Title, Note: "counted steps over the bound " + c.Bound + "; 1 is that of the smallest size; confirmed where the last two doublings stay below 1.1 times what was before"}
	var points []tables.FigurePoint
	for i := range list {
		g := &list[i]
		if !slices.Contains(f.Series, g.Series) {
			f.Series = append(f.Series, g.Series)
		}
		at := slices.IndexFunc(f.Panels, func(p figures.Panel) bool { return p.Title == g.Where && p.XLabel == g.Size })
		if at < 0 {
			at = len(f.Panels)
			f.Panels = append(f.Panels, figures.Panel{Title: g.Where, XLabel: g.Size, YLabel: "steps / bound", Reference: 1, Doublings: true})
		}
		curve, unit := figures.Series{Name: g.Series}, g.Rows[0].Ratio()
		if g.Ends {
			unit, f.Panels[at].YLabel = largest(list), "steps / bound, of the largest elsewhere"
		}
		for k := range g.Rows {
			y := g.Rows[k].Ratio() / unit
			curve.Points = append(curve.Points, figures.Point{X: float64(g.Rows[k].Size), Y: y, Low: y, High: y})
		}
		f.Panels[at].Series = append(f.Panels[at].Series, curve)
		points = append(points, g.points(name, c.Bound)...)
	}
	return f, points, nil
}

// points are the rows as values of a figure's table.
func (g *Growth) points(figure, bound string) (points []tables.FigurePoint) {
	for i := range g.Rows {
		row := &g.Rows[i]
		p := tables.FigurePoint{Figure: figure, Panel: g.Where, Label: g.Size, X: tables.Some(float64(row.Size)), Series: g.Series, Runs: 1, Unit: "steps"}
		for _, v := range []struct {
			quantity string
			value    float64
		}{{"steps counted", float64(row.Steps)}, {"steps of the routing function, which are not among them", float64(row.Walked)}, {"the bound " + bound, row.Bound}} {
			p.Quantity, p.Value = v.quantity, v.value
			points = append(points, p)
		}
	}
	return points
}
