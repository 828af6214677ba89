package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measures of a panel.
const (
	panelWidth = 400.0
	plotHeight = 200.0
)

// plot is the area inside a coordinate system on a scene.
type plot struct {
	*scene
	left, right, top, bottom float64 // edges of the inside
	x0, x1, y0, y1           float64 // what they stand for
	logX                     bool
	letters                  float64 // size of those of the labels of rows
}

func (p *plot) x(v float64) float64 {
	if p.logX {
		return p.left + math.Log(v/p.x0)/math.Log(p.x1/p.x0)*(p.right-p.left)
	}
	return p.left + (v-p.x0)/(p.x1-p.x0)*(p.right-p.left)
}

func (p *plot) y(v float64) float64 { return p.bottom - (v-p.y0)/(p.y1-p.y0)*(p.bottom-p.top) }

// panel makes the scene of a panel.
func (f *Figure) panel(p *Panel) *scene {
	s := &scene{width: p.width(), title: join(": ", f.Title, p.Title), about: f.about(p)}
	y := gap / 2
	if p.Title != "" {
		y = s.lines("ink", textSize, s.width, 0, 0, y, p.Title)
		for i := range s.shapes {
			s.shapes[i].bold = true
		}
	}
	switch {
	case p.Grid != nil:
		f.grid(s, p.Grid, y)
	case p.Plan != nil:
		f.plan(s, p.Plan, y)
	case len(p.Categories) > 0:
		f.rows(s, p, y)
	default:
		f.axes(s, p, s.lines("soft", smallSize, s.width, 0, 0, y, p.Label()))
	}
	return s
}

// axes draws a coordinate system with its values; above is where the texts at its top end.
func (f *Figure) axes(s *scene, p *Panel, above float64) {
	in := plot{scene: s, top: above + gap, right: s.width - 2*gap}
	in.bottom = in.top + plotHeight
	in.y0, in.y1 = f.joint(p).span()
	marks := ticks(in.y0, in.y1)
	for _, v := range marks {
		in.left = max(in.left, extent(tick(v), smallSize)+6)
	}
	for _, v := range marks {
		in.stroke("grid", 1, xy{in.left, in.y(v)}, xy{in.right, in.y(v)})
		in.write("soft", smallSize, 1, in.left-6, in.y(v)+smallSize*0.35, tick(v))
	}
	if r := p.Reference; r > in.y0 && r < in.y1 {
		in.stroke("ink", 1, xy{in.left, in.y(r)}, xy{in.right, in.y(r)}).dash = 1
	}
	in.logX = p.LogX
	in.x0, in.x1 = p.reach()
	f.curves(&in, p)
	s.height = in.numbers(p.XLabel)
	in.stroke("soft", 1, xy{in.left, in.bottom}, xy{in.right, in.bottom})
}

// joint has the curves of all panels with the values of one, which have the same axis.
func (f *Figure) joint(p *Panel) *Panel {
	all := &Panel{Reference: p.Reference, YMax: p.YMax}
	for i := range f.Panels {
		q := &f.Panels[i]
		if len(q.Categories) == 0 && q.Quantity == p.Quantity && q.Unit == p.Unit && q.YMax == p.YMax && q.Reference == p.Reference {
			all.Series = append(all.Series, q.Series...)
		}
	}
	return all
}

// span is what the vertical axis of curves shows: from 0, or from below all of them where they are
// near each other.
func (p *Panel) span() (low, high float64) {
	low, high = math.Inf(1), p.Reference
	if p.Reference > 0 {
		low = p.Reference
	}
	for _, q := range p.points() {
		low, high = min(low, q.Low), max(high, q.High)
	}
	if low < high/2 || low > high {
		low = 0
	}
	if p.YMax > 0 && p.YMax < high {
		high = p.YMax
	} else {
		high += (high - low) * 0.06
	}
	if low > 0 {
		low = max(0, low-(high-low)*0.06)
		marks := ticks(low, high)
		low = max(0, marks[0]-(marks[len(marks)-1]-marks[0])/float64(max(1, len(marks)-1)))
	}
	if high <= low {
		high = low + 1
	}
	return low, high
}

// reach returns the range of the horizontal axis of curves.
func (p *Panel) reach() (low, high float64) {
	points := p.points()
	if len(points) == 0 {
		return 0, 2
	}
	by := func(a, b Point) int { return cmp.Compare(a.X, b.X) }
	low, high = slices.MinFunc(points, by).X, slices.MaxFunc(points, by).X
	if p.LogX {
		return low, max(high, 2*low)
	}
	low = min(low, 0)
	return low, max(high+(high-low)*0.02, low+1e-9)
}

// numbers labels the horizontal axis and returns the place below it.
func (p *plot) numbers(label string) float64 {
	marks := ticks(p.x0, p.x1)
	if p.logX {
		marks = powers(p.x0, p.x1)
	}
	end := math.Inf(-1)
	for _, v := range marks {
		x, half := p.x(v), extent(tick(v), smallSize)/2
		p.stroke("soft", 1, xy{x, p.bottom}, xy{x, p.bottom + 4})
		if x-half > end {
			end = x + half + gap/2
			p.write("soft", smallSize, 0.5, min(x, p.width-half), p.bottom+5+smallSize, tick(v))
		}
	}
	y := p.bottom + 7 + smallSize
	return p.lines("soft", smallSize, p.width, 0.5, (p.left+p.right)/2, y, label) + gap/2
}

// ticks are about six round values between two others.
func ticks(low, high float64) (marks []float64) {
	if !(high > low) {
		return []float64{low}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if (high-low)/(step*times) <= 7 {
			step *= times
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		marks = append(marks, i*step+0) // no "-0"
	}
	return marks
}

// powers are the powers of ten between two values, and twice and five times each.
func powers(low, high float64) (marks []float64) {
	const near = 1 + 1e-9
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high*near; power *= 10 {
		for _, times := range []float64{1, 2, 5} {
			if v := times * power; v*near >= low && v <= high*near {
				marks = append(marks, v)
			}
		}
	}
	return marks
}

// tick writes a value at an axis.
func tick(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(v) >= 10*unit.size || math.Abs(v) >= unit.size && unit.size > 1e3 {
			return strconv.FormatFloat(v/unit.size, 'g', 4, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// valueText writes a value and its interval for the tooltip of a mark.
func valueText(q Point) string {
	text := strconv.FormatFloat(q.Y, 'g', 4, 64)
	if q.High > q.Low {
		text += fmt.Sprintf(" (%.4g to %.4g)", q.Low, q.High)
	}
	return text
}

// join puts texts that are not empty together.
func join(between string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), between)
}

// about describes a panel to readers who do not see it.
func (f *Figure) about(p *Panel) string {
	series := strings.Join(f.Series, ", ")
	switch {
	case p.Grid != nil:
		return p.Grid.about()
	case p.Plan != nil:
		return fmt.Sprintf("Multicast from node %d by %d worms on a mesh of %d by %d.", p.Plan.Source, len(p.Plan.Worms), p.Plan.Columns, p.Plan.Rows)
	case len(p.Categories) > 0:
		return fmt.Sprintf("Values of %s for %s, in %d rows.", p.Label(), series, len(p.Categories))
	}
	return fmt.Sprintf("Curves of %s over %s for %s.", p.Label(), p.XLabel, series)
}
