package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

const (
	groupShare = 0.8 // the part of a category's width that its bars take
	leastBar   = 9.0 // the width that a bar should have, if the picture may grow
	widestBar  = 48.0
	mostWidth  = 1400.0
)

// barsWidth is how wide a panel of bars should be.
func (f *Figure) barsWidth(p *Panel) float64 {
	bars := 1.0
	if !f.Stacks {
		bars = float64(len(f.Series))
	}
	each := bars * leastBar / groupShare
	for _, c := range p.Categories {
		each = max(each, min(widest(c.Label, smallSize)+4, 90))
	}
	return min(each*float64(len(p.Categories))+60, mostWidth)
}

// bars draws the values of a panel with categories: side by side in the order of the figure's
// series, or on top of each other.
func (f *Figure) bars(in *plot, p *Panel) {
	each := in.x(1) - in.x(0)
	bars := float64(len(f.Series))
	if f.Stacks {
		bars = 1
	}
	width := min(each*groupShare/bars, widestBar)
	sums, wholes := make([]float64, len(p.Categories)), p.wholes()
	room := width
	if f.Stacks {
		room = each
	}
	labelled := p.labelled(room, wholes, f.Stacks)
	for _, s := range p.Series {
		place := float64(f.place(s.Name))
		for _, q := range s.Points {
			if f.Stacks && q.Y == 0 {
				continue
			}
			c := p.Categories[int(q.X)]
			left, from := in.x(q.X)+(place-bars/2)*width, 0.0
			if f.Stacks {
				left, from = in.x(q.X)-width/2, sums[int(q.X)]
				sums[int(q.X)] += q.Y
			}
			right, top := left+width*0.92, min(from+q.Y, in.y1)
			bar := in.box(f.role(s.Name), left, in.y(top), right, in.y(max(from, in.y0)))
			bar.series, bar.title = s.Name, join(", ", s.Name, c.Group, c.Label)+": "+valueText(q)
			if f.Stacks {
				bar.title += fmt.Sprintf(", %.3g %% of the whole", 100*q.Y/wholes[int(q.X)])
				continue
			}
			in.interval(s.Name, (left+right)/2, q, width/4)
			if labelled {
				in.above(s.Name, (left+right)/2, q.Y, q.High)
			}
		}
	}
	for i, sum := range sums {
		if f.Stacks && labelled {
			in.above("", in.x(float64(i)), sum, sum)
		}
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

// labelled reports whether the values of all bars of a panel can be written above them. Values stand
// at all bars or at none, as one that is missing would look like one that was not measured.
func (p *Panel) labelled(room float64, wholes []float64, stacks bool) bool {
	wide := func(v float64) bool { return extent(tick(rounded(v)), smallSize) >= room }
	if stacks {
		return !slices.ContainsFunc(wholes, wide)
	}
	return !slices.ContainsFunc(p.points(), func(q Point) bool { return wide(q.Y) })
}

// above writes a value above its bar and its interval, on paper, so that no line crosses it.
func (p *plot) above(series string, x, v, high float64) {
	text, y := tick(rounded(v)), p.y(min(max(v, high), p.y1))-3
	half := extent(text, smallSize) / 2 / otherFonts
	p.box("paper", x-half, y-smallSize*0.8, x+half, y+1).series = series
	p.write("ink", smallSize, 0.5, x, y, text).series = series
}

// rounded is a value with three significant digits.
func rounded(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return short
}

// interval draws a confidence interval around x, cut off at the top.
func (p *plot) interval(series string, x float64, q Point, half float64) {
	if !(q.High > q.Low) || q.Low >= p.y1 {
		return
	}
	low, high := p.y(max(q.Low, p.y0)), p.y(min(q.High, p.y1))
	p.stroke("ink", 1, xy{x, low}, xy{x, high}).series = series
	p.stroke("ink", 1, xy{x - half, low}, xy{x + half, low}).series = series
	if q.High <= p.y1 {
		p.stroke("ink", 1, xy{x - half, high}, xy{x + half, high}).series = series
	}
}

// curves draws the series of a panel without categories: lines, a mark at each point, and its
// interval. A curve that others cover is wider than they are, so that it is seen below them.
func (f *Figure) curves(in *plot, p *Panel) {
	for _, k := range p.Knees {
		if k.X < in.x0 || k.X > in.x1 || f.place(k.Series) < 0 {
			continue
		}
		mark := in.stroke(f.role(k.Series), 1.2, xy{in.x(k.X), in.top}, xy{in.x(k.X), in.bottom})
		mark.dash, mark.series, mark.title = 2, k.Series, k.Text
	}
	for i, s := range p.Series {
		role, covered := f.role(s.Name), float64(min(in.covered(p.Series, i), mostCovers))
		in.curve(s, role, 1.8+1.8*covered, f.dash(s.Name))
		for _, q := range s.Points {
			if q.Y > in.y1 {
				continue
			}
			in.interval(s.Name, in.x(q.X), q, 3)
			if q.Ends {
				in.cross(s.Name, role, q)
			}
			if len(s.Points) > mostMarks {
				continue
			}
			in.add(shape{kind: disc, role: role, rings: [][]xy{{{in.x(q.X), in.y(q.Y)}}}, size: 3 + 1.2*covered, open: q.Saturated,
				series: s.Name, title: s.Name + " at " + tick(q.X) + ": " + valueText(q) + map[bool]string{true: ", saturated"}[q.Saturated]})
		}
	}
}

// mostCovers bounds how wide a covered curve becomes.
const mostCovers = 2

// mostMarks is the largest number of points of a curve that are marked.
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
func (p *plot) curve(s Series, role string, width float64, dash int) {
	var path []xy
	flush := func() {
		if len(path) > 1 {
			line := p.stroke(role, width, path...)
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

// covered counts the later curves that run on top of a curve somewhere.
func (p *plot) covered(all []Series, one int) (n int) {
	const near = 2.5
	for _, later := range all[one+1:] {
		last := false
		for _, q := range all[one].Points {
			here := false
			for _, o := range later.Points {
				here = here || o.X == q.X && math.Abs(p.y(o.Y)-p.y(q.Y)) < near
			}
			if here && (last || len(all[one].Points) == 1) {
				n++
				break
			}
			last = here
		}
	}
	return n
}

// Measures of a forest plot.
const (
	forestWidth = 620.0
	forestStep  = 10.0 // between the values of a category
)

// forest draws a panel with its categories one below the other: a row of values with their intervals
// for each, in the order of the figure's series. above is where the rows start.
func (f *Figure) forest(s *scene, p *Panel, above float64) {
	s.width = forestWidth
	in := plot{scene: s, top: above + gap, right: s.width - 2*gap}
	for _, c := range p.Categories {
		in.left = max(in.left, extent(join(", ", c.Group, c.Label), smallSize)+gap)
	}
	each := forestStep*float64(len(f.Series)) + gap
	in.bottom = in.top + each*float64(len(p.Categories))
	in.x0, in.x1 = p.values()
	for _, v := range ticks(in.x0, in.x1) {
		x := in.x(v)
		in.stroke("grid", 1, xy{x, in.top}, xy{x, in.bottom})
		in.write("soft", smallSize, 0.5, x, in.bottom+5+smallSize, tick(v))
	}
	if r := p.Reference; r > in.x0 && r < in.x1 {
		in.stroke("ink", 1, xy{in.x(r), in.top}, xy{in.x(r), in.bottom}).dash = 1
	}
	for i, c := range p.Categories {
		y := in.top + each*float64(i)
		in.stroke("grid", 1, xy{0, y}, xy{in.right, y})
		in.write("ink", smallSize, 1, in.left-gap, y+each/2+smallSize*0.35, join(", ", c.Group, c.Label))
	}
	for _, one := range p.Series {
		for _, q := range one.Points {
			y := in.top + each*q.X + gap/2 + forestStep*(float64(f.place(one.Name))+0.5)
			f.estimate(&in, p, one.Name, q, y)
		}
	}
	s.height = s.lines("soft", smallSize, s.width, 0.5, (in.left+in.right)/2, in.bottom+10+smallSize, p.Label()) + gap/2
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

// values is what the axis of a forest plot shows: all values, and their intervals as far as these do
// not reach beyond twice the range of the values.
func (p *Panel) values() (low, high float64) {
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
