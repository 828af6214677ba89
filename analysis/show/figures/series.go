package figures

import (
	"fmt"
	"math"
	"slices"
)

// Measures of rows.
const (
	rowStep   = 16.0  // between rows, if they fit
	mostRows  = 600.0 // the height of all
	labelPart = 0.55  // of the width, at most, for the labels of rows
)

// rows draws a panel with categories, one below the other: a stack for each, or a row with the
// value and the interval of each series. above is where they start.
func (f *Figure) rows(s *scene, p *Panel, above float64) {
	lines := len(f.Series)
	if f.Stacks {
		lines = 1
	}
	named := !f.Stacks && len(p.Categories) == 1 // each row by its series
	step := min(rowStep, mostRows/float64(lines*len(p.Categories)))
	in := plot{scene: s, top: above + gap}
	in.x0, in.x1 = p.values(f.Stacks)
	in.left, in.right, in.letters = f.rowEdges(p, named)
	tops, y := make([]float64, len(p.Categories)), in.top
	for i, c := range p.Categories {
		if i == 0 || c.Group != p.Categories[i-1].Group {
			y = s.lines("ink", smallSize, s.width, 0, 0, y, c.Group)
		}
		tops[i] = y
		if y += step * float64(lines); lines > 1 {
			y += gap / 2
		}
	}
	in.bottom = y
	label := join("; ", p.Label(), p.Better)
	if extent(label, smallSize) > s.width {
		label = join("\n", p.Label(), p.Better)
	}
	below := in.numbers(label)
	for _, v := range ticks(in.x0, in.x1) {
		in.stroke("grid", 1, xy{in.x(v), in.top}, xy{in.x(v), in.bottom})
	}
	if r := p.Reference; r > in.x0 && r < in.x1 {
		in.stroke("ink", 1, xy{in.x(r), in.top}, xy{in.x(r), in.bottom}).dash = 1
	}
	in.stroke("soft", 1, xy{in.left, in.bottom}, xy{in.right, in.bottom})
	end := 0.0 // of the label before
	for i, c := range p.Categories {
		if at := tops[i] + (step*float64(lines)+smallSize*0.7)/2; !named && at >= end+smallSize {
			in.write("ink", in.letters, 1, in.left-gap, at, c.Label)
			end = at
		}
	}
	if f.Stacks {
		in.stacks(f, p, tops, step)
	} else {
		in.dots(f, p, tops, step, named)
	}
	s.height = below
}

// rowEdges are the left and the right end of rows, between their labels and their values, and the size
// of letters with which the longest label has room.
func (f *Figure) rowEdges(p *Panel, named bool) (left, right, letters float64) {
	texts, value := []string(nil), 0.0
	for _, c := range p.Categories {
		texts = append(texts, c.Label)
	}
	if named {
		texts = f.Series
	}
	for _, t := range texts {
		left = max(left, extent(t, smallSize)+gap)
	}
	for _, v := range append(p.wholes(), p.Reference) {
		value = max(value, extent(tick(rounded(v)), smallSize))
	}
	most := panelWidth * labelPart
	return min(left, most), panelWidth - value - gap, smallSize * min(1, (most-gap)/(left-gap))
}

// stacks draws the parts of each category behind each other, and their sum at the end.
func (p *plot) stacks(f *Figure, panel *Panel, tops []float64, step float64) {
	sums, wholes := make([]float64, len(tops)), panel.wholes()
	for _, s := range panel.Series {
		for _, q := range s.Points {
			i, c := int(q.X), panel.Categories[int(q.X)]
			box := p.box(f.role(s.Name), p.x(sums[i]), tops[i]+step*0.1, p.x(sums[i]+q.Y), tops[i]+step*0.9)
			box.series, box.title = s.Name, join(", ", s.Name, c.Group, c.Label)+": "+valueText(q)+fmt.Sprintf(", %.3g %% of the whole", 100*q.Y/wholes[i])
			sums[i] += q.Y
		}
	}
	for i, sum := range sums {
		p.amount(sum, tops[i], step)
	}
}

// dots draws a row for each value.
func (p *plot) dots(f *Figure, panel *Panel, tops []float64, step float64, named bool) {
	for _, s := range panel.Series {
		for _, q := range s.Points {
			top := tops[int(q.X)] + step*float64(f.place(s.Name))
			if f.estimate(p, panel, s.Name, q, top+step/2); named {
				p.write("ink", p.letters, 1, p.left-gap, top+(step+smallSize*0.7)/2, s.Name).series = s.Name
			}
			p.amount(q.Y, top, step)
		}
	}
}

// amount writes a value at the end of a row, if there is room for letters.
func (p *plot) amount(v, top, step float64) {
	if step >= smallSize {
		p.write("soft", smallSize, 1, panelWidth, top+(step+smallSize*0.7)/2, tick(rounded(v)))
	}
}

// wholes are the sums of the values in each category.
func (p *Panel) wholes() []float64 {
	sums := make([]float64, len(p.Categories))
	for _, q := range p.points() {
		sums[int(q.X)] += q.Y
	}
	return sums
}

// rounded is a value with three significant digits.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/unit) * unit
}

// interval draws a confidence interval around x, cut off at the top.
func (p *plot) interval(series, role string, x float64, q Point, half float64) {
	if !(q.High > q.Low) || q.Low >= p.y1 {
		return
	}
	low, high := p.y(max(q.Low, p.y0)), p.y(min(q.High, p.y1))
	p.stroke(role, 1, xy{x, low}, xy{x, high}).series = series
	p.stroke(role, 1, xy{x - half, low}, xy{x + half, low}).series = series
	if q.High <= p.y1 {
		p.stroke(role, 1, xy{x - half, high}, xy{x + half, high}).series = series
	}
}

// curves draws the series of a panel without categories: lines, a mark at each point, and its
// interval.
func (f *Figure) curves(in *plot, p *Panel) {
	for _, k := range p.Knees {
		if k.X < in.x0 || k.X > in.x1 || f.place(k.Series) < 0 {
			continue
		}
		mark := in.stroke(f.role(k.Series), 1.2, xy{in.x(k.X), in.top}, xy{in.x(k.X), in.bottom})
		mark.dash, mark.series, mark.title = f.dash(k.Series), k.Series, k.Text
	}
	for _, s := range p.Series {
		role := f.role(s.Name)
		in.curve(s, role, f.dash(s.Name))
		for i, q := range s.Points {
			if q.Y > in.y1 {
				continue
			}
			in.interval(s.Name, role, in.x(q.X), q, 3)
			if q.Ends {
				in.cross(s.Name, role, q)
			}
			if i%(1+len(s.Points)/mostMarks) > 0 {
				continue
			}
			in.add(shape{kind: disc, role: role, rings: [][]xy{{{in.x(q.X), in.y(q.Y)}}}, size: 3, open: q.Saturated,
				series: s.Name, title: s.Name + " at " + tick(q.X) + ": " + valueText(q) + map[bool]string{true: ", saturated"}[q.Saturated]})
		}
	}
}

// mostMarks is the largest number of points of a curve that are all marked; of more, every second, third and so on is.
const mostMarks = 40

// cross marks the last point of a curve before saturation.
func (p *plot) cross(series, role string, q Point) {
	const arm = 6.0
	x, y := p.x(q.X), p.y(q.Y)
	for _, side := range []float64{arm, -arm} {
		one := p.stroke(role, 2, xy{x - arm, y - side}, xy{x + arm, y + side})
		one.series, one.title = series, series+": the network saturates at the next load after "+tick(q.X)
	}
}

// curve draws the line of a series as far as it is inside, with an arrow where it leaves at the
// top.
func (p *plot) curve(s Series, role string, dash int) {
	var path []xy
	flush := func() {
		if len(path) > 1 {
			line := p.stroke(role, 1.8, path...)
			line.series, line.dash = s.Name, dash
		}
		path = nil
	}
	for i, q := range s.Points {
		if i > 0 {
			last := s.Points[i-1]
			if (last.Y > p.y1) != (q.Y > p.y1) {
				x := last.X + (q.X-last.X)*(p.y1-last.Y)/(q.Y-last.Y)
				edge := xy{p.x(x), p.top}
				path = append(path, edge)
				if q.Y > p.y1 {
					flush()
				}
				p.add(shape{kind: area, role: role, series: s.Name, title: s.Name + " goes on above: " + tick(max(q.Y, last.Y)) + " at " + tick(q.X),
					rings: [][]xy{{{edge.x, edge.y - 7}, {edge.x + 4.5, edge.y + 2}, {edge.x - 4.5, edge.y + 2}}}})
			}
		}
		if q.Y <= p.y1 {
			path = append(path, xy{p.x(q.X), p.y(q.Y)})
		}
	}
	flush()
}

// estimate draws a value of a series and its interval at a height. What lies beyond the axis is cut
// off there, with an arrow.
func (f *Figure) estimate(in *plot, p *Panel, series string, q Point, y float64) {
	role := f.role(series)
	low, high := in.x(max(q.Low, in.x0)), in.x(min(q.High, in.x1))
	if q.High > q.Low && q.Low < in.x1 && q.High > in.x0 {
		in.stroke(role, 2, xy{low, y}, xy{high, y}).series = series
		arrow := func(x, back float64) {
			in.stroke(role, 2, xy{x + back, y - 3}, xy{x, y}, xy{x + back, y + 3}).series = series
		}
		if q.High > in.x1 {
			arrow(high, -4)
		}
		if q.Low < in.x0 {
			arrow(low, 4)
		}
	}
	if q.Y > in.x1 {
		return
	}
	in.add(shape{kind: disc, role: role, rings: [][]xy{{{in.x(q.Y), y}}}, size: 3.5, series: series,
		title: join(", ", series, p.Categories[int(q.X)].Group, p.Categories[int(q.X)].Label) + ": " + valueText(q)})
}

// values is what the axis of rows shows: from 0 to the largest stack, or all values, and their
// intervals as far as these do not reach beyond twice the range of the values.
func (p *Panel) values(stacks bool) (low, high float64) {
	if stacks {
		return 0, max(slices.Max(p.wholes()), 1e-9)
	}
	low, high = p.Reference, p.Reference
	points := p.points()
	if low == 0 && len(points) > 0 {
		low, high = points[0].Y, points[0].Y
	}
	for _, q := range points {
		low, high = min(low, q.Y), max(high, q.Y)
	}
	wide := max(high-low, 0.05*high)
	least, most := low-wide/2, high+wide/2
	for _, q := range points {
		low, high = min(low, max(q.Low, least)), max(high, min(q.High, most))
	}
	return max(0, low-wide*0.05), high + wide*0.05
}
