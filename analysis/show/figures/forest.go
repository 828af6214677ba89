package figures

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
	s.height = s.lines("soft", smallSize, s.width, 0.5, (in.left+in.right)/2, in.bottom+10+smallSize, p.YLabel) + gap/2
}

// estimate draws a value of a series and its interval at a height. What lies beyond the axis is cut
// off there.
func (f *Figure) estimate(in *plot, p *Panel, series string, q Point, y float64) {
	role := f.role(series)
	low, high := in.x(max(q.Low, in.x0)), in.x(min(q.High, in.x1))
	if q.High > q.Low && q.Low < in.x1 && q.High > in.x0 {
		in.stroke(role, 2, xy{low, y}, xy{high, y}).series = series
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
	first := p.Reference == 0
	for _, s := range p.Series {
		for _, q := range s.Points {
			if first {
				low, high, first = q.Y, q.Y, false
			}
			low, high = min(low, q.Y), max(high, q.Y)
		}
	}
	wide := max(high-low, 0.05*high)
	least, most := low-wide/2, high+wide/2
	for _, s := range p.Series {
		for _, q := range s.Points {
			low, high = min(low, max(q.Low, least)), max(high, min(q.High, most))
		}
	}
	return max(0, low-wide*0.05), high + wide*0.05
}
