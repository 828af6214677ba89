package figures

import "strconv"

// Plan is a multicast on a mesh. Row 0 is at the bottom: north is towards larger rows, as in the
// names of ports.
type Plan struct {
	Columns, Rows int
	Links         [][2]int // each once
	Source        int
	Worms         []Worm // the series of the figure
}

// Worm is one message of a multicast.
type Worm struct {
	From     int
	Channels [][2]int // that it crosses
	Stops    []int    // that it serves
}

// pitch is the distance between the nodes of a plan.
const pitch = 64.0

// width is how wide a panel is.
func (p *Panel) width() float64 {
	if p.Plan != nil {
		return max(panelWidth, pitch*float64(p.Plan.Columns))
	}
	return panelWidth
}

// plan draws a multicast: the source black, each destination in the colour of its worm, and a ring
// around nodes that send on. Worms on the same channel lie beside each other, on the right-hand
// side of their direction.
func (f *Figure) plan(s *scene, p *Plan, above float64) {
	const radius, first, beside, head = 15.0, 4.0, 26.0, 6.0
	at := func(node int) xy {
		return xy{pitch * (float64(node%p.Columns) + 0.5), above + pitch*(float64(p.Rows-1-node/p.Columns)+0.5)}
	}
	for _, l := range p.Links {
		s.stroke("grid", 2, at(l[0]), at(l[1]))
	}
	used, most := map[[2]int]int{}, 0
	for _, w := range p.Worms {
		for _, c := range w.Channels {
			used[c]++
			most = max(most, used[c])
		}
	}
	lane, fill, ring := min(4.5, beside/float64(max(most, 1))), map[int]string{p.Source: "ink"}, map[int]bool{}
	clear(used)
	for i, w := range p.Worms {
		role := f.role(f.Series[i])
		for _, c := range w.Channels {
			a, b, shift := at(c[0]), at(c[1]), first+lane*float64(used[c])
			used[c]++
			dx, dy := (b.x-a.x)/pitch, (b.y-a.y)/pitch // one of them is 0, the other 1 or -1
			beside := func(from xy, along, across float64) xy {
				return xy{from.x + along*dx - across*dy, from.y + along*dy + across*dx}
			}
			s.stroke(role, min(2.4, 0.8*lane), beside(a, radius, shift), beside(b, -radius-head, shift)).series = f.Series[i]
			s.add(shape{kind: area, role: role, series: f.Series[i], rings: [][]xy{{beside(b, -radius, shift), beside(b, -radius-head, shift-3.5), beside(b, -radius-head, shift+3.5)}}})
		}
		for _, stop := range w.Stops {
			fill[stop] = role
		}
		ring[w.From] = w.From != p.Source
	}
	for node := range p.Columns * p.Rows {
		role, text := fill[node], "paper"
		if ring[node] {
			s.add(shape{kind: disc, role: "ink", rings: [][]xy{{at(node)}}, size: radius + 3, open: true})
		}
		if role == "" {
			role, text = "soft", "soft"
		}
		s.add(shape{kind: disc, role: role, rings: [][]xy{{at(node)}}, size: radius, open: text == "soft"})
		s.write(text, textSize, 0.5, at(node).x, at(node).y+4, strconv.Itoa(node))
	}
	s.height = above + pitch*float64(p.Rows)
}
