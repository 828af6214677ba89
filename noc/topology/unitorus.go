package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// UniTorus is a torus whose links lead one way round each ring, and the order in which packets
// correct their dimensions. Output and input 1+d of a router belong to dimension d; port Local
// belongs to its node.
//
// The route from a to b and the way back together go once round every ring in which a and b differ,
// so a request and its answer cross the same number of links wherever they meet.
type UniTorus struct {
	Radix []int  // routers along each dimension, x first
	Down  []bool // per dimension: links lead to smaller coordinates
	Order []int  // dimensions in the order in which packets are routed
}

// dimensionNames are the letters of dimensions.
const dimensionNames = "xyzuvwt"

// NewUniTorus returns the torus with links to larger coordinates, routed along x first.
func NewUniTorus(radix ...int) UniTorus {
	u := UniTorus{Radix: radix, Down: make([]bool, len(radix))}
	for d := range radix {
		u.Order = append(u.Order, d)
	}
	return u
}

// ParseUniTorus reads "utorus:10x12", or "utorus:10x12:-y-x" with the direction of each dimension
// in the order of routing.
func ParseUniTorus(spec string) (UniTorus, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	size, ways, given := strings.Cut(rest, ":")
	if kind != "utorus" {
		return UniTorus{}, fmt.Errorf("topology %q: want utorus:AxB, such as utorus:10x12", spec)
	}
	g, err := Parse("torus:" + size)
	if err != nil {
		return UniTorus{}, fmt.Errorf("topology %q: %w", spec, err)
	}
	u := NewUniTorus(g.Radix...)
	if !given {
		return u, nil
	}
	want := fmt.Errorf("topology %q: directions are %q; give a sign and a letter for each dimension in the order of routing, such as %s",
		spec, ways, "utorus:"+size+":"+u.ways())
	if len(ways) != 2*len(u.Radix) {
		return UniTorus{}, want
	}
	u.Order = u.Order[:0]
	for i := 0; i < len(ways); i += 2 {
		d := strings.IndexByte(dimensionNames[:len(u.Radix)], ways[i+1])
		if d < 0 || slices.Contains(u.Order, d) || ways[i] != '+' && ways[i] != '-' {
			return UniTorus{}, want
		}
		u.Order = append(u.Order, d)
		u.Down[d] = ways[i] == '-'
	}
	return u, nil
}

// ways is "+x+y" for links to larger coordinates and packets along x first.
func (u UniTorus) ways() string {
	var text strings.Builder
	for _, d := range u.Order {
		text.WriteByte("+-"[u.sign(d)])
		text.WriteByte(dimensionNames[d])
	}
	return text.String()
}

// sign returns 0 for a dimension whose links lead to larger coordinates, else 1.
func (u UniTorus) sign(dim int) int {
	if u.Down[dim] {
		return 1
	}
	return 0
}

// String returns the shortest form that ParseUniTorus reads.
func (u UniTorus) String() string {
	name := "u" + u.Grid().String()
	if ways := u.ways(); ways != NewUniTorus(u.Radix...).ways() {
		name += ":" + ways
	}
	return name
}

// Grid returns the bidirectional torus of the same size, for coordinates.
func (u UniTorus) Grid() Grid { return Torus(u.Radix...) }

// Route lists the routers on the route from a to b, without a.
func (u UniTorus) Route(a, b noc.NodeID) []noc.NodeID {
	g, path := u.Grid(), []noc.NodeID{}
	for _, d := range u.Order {
		for g.Coordinate(a, d) != g.Coordinate(b, d) {
			a = u.Next(a, d)
			path = append(path, a)
		}
	}
	return path
}

// Next returns the router behind a link of a dimension.
func (u UniTorus) Next(router noc.NodeID, dim int) noc.NodeID {
	g := u.Grid()
	peer, _, _ := g.Neighbour(router, g.Port(dim, 1-2*u.sign(dim)))
	return peer
}

// Wiring returns the torus as tables.
func (u UniTorus) Wiring() *Wiring {
	nodes := u.Grid().Nodes()
	var channels []Channel
	places := make([]Place, nodes)
	for n := range noc.NodeID(nodes) {
		places[n] = Place{n, Local}
		for d := range u.Radix {
			channels = append(channels, Channel{n, u.Next(n, d), uint16(1 + d), uint16(1 + d), nil})
		}
	}
	return newWiring(u.String(), nodes, channels, places, places)
}
