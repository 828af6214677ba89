package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Grid is a heat map of the routers and links of a torus or a mesh, in phits per cycle. The maps of
// a figure have the same scales.
type Grid struct {
	Columns, Rows int
	Nodes         []float64 // by number, along x first
	Links         []GridLink
	Marks         []string // short texts beside the nodes, such as "C" for a core; nil for none
	// Frames are the values of the nodes over time, and Times the cycles at which each of them ended. A
	// page lets its reader choose one.
	Frames [][]float64
	Times  []string
}

// gridUnit is the unit of all values.
const gridUnit = "phits/cycle"

// tops are the largest values of nodes and links in the maps of a figure.
func (f *Figure) tops() (nodes, links float64) {
	for i := range f.Panels {
		if g := f.Panels[i].Grid; g != nil {
			nodes = max(nodes, slices.Max(g.Nodes))
			if l := g.Hottest(); l != nil {
				links = max(links, l.Value)
			}
		}
	}
	return nodes, links
}

// markSize is the size of the texts beside nodes.
const markSize = 8.0

// GridLink is a link between neighbours, from one node to another.
type GridLink struct {
	From, To int
	Value    float64
}

// Hottest returns the link with the largest value; nil if nothing crossed a link.
func (g *Grid) Hottest() (hottest *GridLink) {
	for i := range g.Links {
		if l := &g.Links[i]; l.Value > 0 && (hottest == nil || l.Value > hottest.Value) {
			hottest = l
		}
	}
	return hottest
}

// At writes the coordinates of a node as the map has them.
func (g *Grid) At(node int) string { return fmt.Sprintf("(%d,%d)", node%g.Columns, node/g.Columns) }

func (g *Grid) about() string {
	text := fmt.Sprintf("Heat map of %d by %d routers and the links between them.", g.Columns, g.Rows)
	if l := g.Hottest(); l != nil {
		text += fmt.Sprintf(" The hottest link goes from %s to %s; its utilisation is %.4g.", g.At(l.From), g.At(l.To), l.Value)
	}
	return text
}

// grid draws the map below a place and the scales below it.
func (f *Figure) grid(s *scene, g *Grid, above float64) {
	nodeTop, linkTop := f.tops()
	pitch := math.Floor(min((s.width-2*gap)/(float64(g.Columns)+1.2), 52))
	half := math.Round(pitch * 0.27)
	left, top := math.Round((s.width-pitch*float64(g.Columns))/2+pitch/2), math.Round(above+gap+pitch*0.8)
	centre := func(node int) xy {
		return xy{left + pitch*float64(node%g.Columns), top + pitch*float64(node/g.Columns)}
	}
	hottest := g.Hottest()
	for i := range g.Links {
		l := &g.Links[i]
		s.link(g, l, linkTop, centre(l.From), centre(l.To), pitch, half, l == hottest)
	}
	for node, v := range g.Nodes {
		c := centre(node)
		box := s.box(fmt.Sprint("h", level(v, nodeTop)), c.x-half, c.y-half, c.x+half, c.y+half)
		box.title, box.data = fmt.Sprintf("router %s: %.3g", g.At(node), v), ` data-n=""`
		if node < len(g.Marks) {
			s.write("soft", markSize, 0, c.x+half+1, c.y-half+markSize*0.4, g.Marks[node])
		}
	}
	if pitch > smallSize { // else numbers would run into each other
		for x := range g.Columns {
			s.write("soft", smallSize, 0.5, left+pitch*float64(x), top-pitch*0.74, strconv.Itoa(x))
		}
		for y := range g.Rows {
			s.write("soft", smallSize, 1, left-pitch*0.74, top+pitch*float64(y)+smallSize*0.35, strconv.Itoa(y))
		}
	}
	y := top + pitch*(float64(g.Rows)-0.2) + gap
	y = s.scale(y, "routers", nodeTop)
	if s.height = y; linkTop > 0 { // a study under way has none
		s.height = s.scale(y, "links", linkTop)
	}
	if len(g.Frames) > 1 {
		top := slices.Max(slices.Concat(g.Frames...))
		s.data = fmt.Sprintf(` data-frames="%s" data-times="%s" data-name="%s" data-top="%.4g"`, digits(g.Frames, top), strings.Join(g.Times, ","), gridUnit, top)
	}
}

// digits writes the level of each node in each frame.
func digits(frames [][]float64, top float64) string {
	var b []byte
	for i, frame := range frames {
		if i > 0 {
			b = append(b, ' ')
		}
		for _, v := range frame {
			b = append(b, byte('0'+level(v, top)))
		}
	}
	return string(b)
}

// link draws a link as an arrow beside that of the other direction; one around the edge as two
// stumps.
func (s *scene) link(g *Grid, l *GridLink, most float64, a, b xy, pitch, half float64, hottest bool) {
	ux, uy := float64(cmp.Compare(b.x, a.x)), float64(cmp.Compare(b.y, a.y)) // neighbours differ in one of them
	length := math.Abs(b.x-a.x) + math.Abs(b.y-a.y)
	title := fmt.Sprintf("%s to %s: %.3g", g.At(l.From), g.At(l.To), l.Value)
	side, wide := math.Ceil(pitch*0.11), math.Ceil(pitch*0.05)
	ox, oy := -uy*side, ux*side // to the right of the direction
	arrow := func(from xy, ux, uy, long float64) {
		at := func(along, across float64) xy {
			return xy{from.x + ox + ux*along - uy*across, from.y + oy + uy*along + ux*across}
		}
		ring := []xy{at(0, -wide), at(long-wide*1.5, -wide), at(long, 0), at(long-wide*1.5, wide), at(0, wide)}
		s.add(shape{kind: area, role: fmt.Sprint("h", level(l.Value, most)), rings: [][]xy{ring}, title: title})
		if hottest {
			s.stroke("ink", 1.4, append(ring, ring[0])...)
		}
	}
	if length < pitch*1.5 {
		arrow(xy{a.x + ux*half, a.y + uy*half}, ux, uy, pitch-2*half)
		return
	}
	ux, uy, ox, oy = -ux, -uy, -ox, -oy // around the edge
	stump := math.Round(pitch * 0.42)
	arrow(xy{a.x + ux*half, a.y + uy*half}, ux, uy, stump)
	arrow(xy{b.x - ux*(half+stump), b.y - uy*(half+stump)}, ux, uy, stump)
}

// scale draws the colours of a heat map from nothing to the most and returns the place below it.
func (s *scene) scale(y float64, what string, top float64) float64 {
	const wide, high = 11.0, 9.0
	label := s.write("soft", smallSize, 0, 0, y+high, what)
	x := extent(label.text, smallSize) + gap
	s.write("soft", smallSize, 0, x, y+high, "0")
	x += 12
	for i := range heat {
		s.box(fmt.Sprint("h", i), x, y, x+wide, y+high)
		x += wide
	}
	s.write("soft", smallSize, 0, x+5, y+high, tick(rounded(top))+" "+gridUnit)
	return y + high + gap
}
