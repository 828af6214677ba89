package figures

import "math"

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
