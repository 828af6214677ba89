// Package drawing draws multicast plans on meshes as SVG.
//
// There is one function: [Plan]. The source is black, each destination has the colour of the worm
// that brings it the message, and nodes that send it on have a ring. Worms on the same channel lie
// beside each other, on the right-hand side of their direction, so that none covers another.
package drawing

import (
	"fmt"
	"html"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// The picture of a plan, in user units of the SVG file.
const (
	pitch  = 64.0 // between nodes
	margin = 48.0
	radius = 15.0
	lane   = 4.5  // between worms beside each other
	beside = 26.0 // room for all of them
	stroke = 2.4
	entry  = 135.0 // of the legend
	first  = 4.0   // from the middle of a link to its first worm
)

// wormColours are told apart by most people, on white.
var wormColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#8c6d31", "#a61c3c", "#3a3a3a"}

// picture collects the elements of one drawing. Row 0 is at the bottom: north is towards larger
// rows, as in the names of ports.
type picture struct {
	strings.Builder
	grid topology.Grid
	rows int
	lane float64
	used map[[2]noc.NodeID]int // worms drawn on each channel so far
}

func (d *picture) printf(format string, parts ...any) { fmt.Fprintf(&d.Builder, format, parts...) }

// at returns the middle of a node.
func (d *picture) at(n noc.NodeID) (x, y float64) {
	x = margin + pitch*float64(d.grid.Coordinate(n, 0))
	if y = margin; len(d.grid.Radix) > 1 {
		y += pitch * float64(d.rows-1-d.grid.Coordinate(n, 1))
	}
	return x, y
}

// Plan draws a plan for a request, below a title. The network must be a mesh of one or two
// dimensions.
func Plan(l topology.Layout, r multicast.Request, p multicast.Plan, title string) ([]byte, error) {
	if l.Grid == nil || l.Grid.Wrap || len(l.Grid.Radix) > 2 {
		return nil, fmt.Errorf("meshes of one or two dimensions can be drawn, not %s", l.Wiring.Name)
	}
	g, w := *l.Grid, l.Wiring
	columns, rows := g.Radix[0], 1
	if len(g.Radix) > 1 {
		rows = g.Radix[1]
	}
	d := &picture{grid: g, rows: rows, lane: min(lane, beside/float64(busiest(w, p))), used: map[[2]noc.NodeID]int{}}
	width := max(2*margin+pitch*float64(columns-1), 480)
	perLine := int((width - 2*(margin-radius)) / entry)
	bottom := 2*margin + pitch*float64(rows-1)
	height := bottom + 22*float64((len(p)+perLine-1)/perLine) + 12
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" font-family="sans-serif">`+"\n", width, height, width, height)
	d.printf("<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", html.EscapeString(title))
	d.printf(`<text x="%g" y="20" font-size="14">%s</text>`+"\n", margin-radius, html.EscapeString(title))
	d.links(w)
	for i, m := range p {
		d.worm(w, i, m)
	}
	d.nodes(r, p)
	for i := range p {
		x, y := margin-radius+entry*float64(i%perLine), bottom+22*float64(i/perLine)
		d.printf(`<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="3"/>`, x, y, x+18, y, colour(i))
		d.printf(`<text x="%g" y="%g" font-size="11">worm %d, step %d</text>`+"\n", x+23, y+4, i, p.Step(i))
	}
	d.printf("</svg>\n")
	return []byte(d.String()), nil
}

// busiest returns the number of worms on the channel that most of them cross, and at least 1.
func busiest(w *topology.Wiring, p multicast.Plan) int {
	most, used := 1, map[[2]noc.NodeID]int{}
	for _, m := range p {
		m.Visit(w, func(from, to noc.NodeID) {
			used[[2]noc.NodeID{from, to}]++
			most = max(most, used[[2]noc.NodeID{from, to}])
		})
	}
	return most
}

func colour(worm int) string { return wormColours[worm%len(wormColours)] }

// links draws the mesh.
func (d *picture) links(w *topology.Wiring) {
	d.printf(`<g stroke="#d9d9d9" stroke-width="2">` + "\n")
	for _, c := range w.Channels {
		if c.From < c.To {
			x1, y1 := d.at(c.From)
			x2, y2 := d.at(c.To)
			d.printf(`<line x1="%g" y1="%g" x2="%g" y2="%g"/>`+"\n", x1, y1, x2, y2)
		}
	}
	d.printf("</g>\n")
}

// worm draws every channel of a worm as an arrow on the right-hand side of its direction, beside
// those of the worms before it, so that no two worms cover each other.
func (d *picture) worm(w *topology.Wiring, i int, m multicast.Worm) {
	d.printf(`<g stroke="%s" fill="%s" stroke-width="%.3g" stroke-linecap="round">`+"\n", colour(i), colour(i), min(stroke, 0.8*d.lane))
	m.Visit(w, func(from, to noc.NodeID) {
		shift := first + d.lane*float64(d.used[[2]noc.NodeID{from, to}])
		d.used[[2]noc.NodeID{from, to}]++
		x1, y1 := d.at(from)
		x2, y2 := d.at(to)
		dx, dy := (x2-x1)/pitch, (y2-y1)/pitch // one of them is 0, the other 1 or -1
		x1, y1, x2, y2 = x1+radius*dx-shift*dy, y1+radius*dy+shift*dx, x2-(radius+6)*dx-shift*dy, y2-(radius+6)*dy+shift*dx
		d.printf(`<line x1="%g" y1="%g" x2="%g" y2="%g"/>`, x1, y1, x2, y2)
		d.printf(`<path stroke="none" d="M%g %g L%g %g L%g %g Z"/>`+"\n", x2+6*dx, y2+6*dy, x2-3.5*dy, y2+3.5*dx, x2+3.5*dy, y2-3.5*dx)
	})
	d.printf("</g>\n")
}

// nodes draws the source black, destinations in the colour of the worm that serves them, those that
// send on with a ring, and all others white.
func (d *picture) nodes(r multicast.Request, p multicast.Plan) {
	served, sends := map[noc.NodeID]int{}, map[noc.NodeID]bool{}
	for i, m := range p {
		sends[m.From] = true
		for _, s := range m.Stops {
			served[s] = i
		}
	}
	for n := range noc.NodeID(d.grid.Nodes()) {
		x, y := d.at(n)
		fill, text, edge := "white", "#8a8a8a", "#b5b5b5"
		worm, isServed := served[n]
		switch {
		case n == r.Source:
			fill, text, edge = "black", "white", "black"
		case isServed:
			fill, text, edge = colour(worm), "white", colour(worm)
		}
		d.printf(`<circle cx="%g" cy="%g" r="%g" fill="%s" stroke="%s" stroke-width="1.5"/>`, x, y, radius, fill, edge)
		if sends[n] && n != r.Source {
			d.printf(`<circle cx="%g" cy="%g" r="%g" fill="none" stroke="black" stroke-width="2"/>`, x, y, radius+2.5)
		}
		d.printf(`<text x="%g" y="%g" font-size="12" text-anchor="middle" fill="%s">%d</text>`+"\n", x, y+4, text, n)
	}
}
