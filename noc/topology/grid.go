// Package topology describes how routers are wired: neighbours, distances and the ports that
// start a shortest path, as plain tables that engines copy into their own layout.
//
// A [Grid] is a mesh or torus of any number of dimensions. Ports are numbered so that in two
// dimensions they follow the ring order of the rotary router: 0 local, 1 y-, 2 x+, 3 y+, 4 x-;
// each further dimension adds its minus and plus port. In one dimension the ports are 0 local, 1
// x+, 2 x-.
package topology

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc"
)

// Local is the port that joins a router to its own node.
const Local = 0

// MaxNodes bounds the size of a network that the packages accept.
const MaxNodes = 1 << 16

// Grid is a mesh (Wrap false) or torus (Wrap true) with Radix[d] routers along dimension d;
// dimension 0 is x. Node = x + Radix[0]*(y + Radix[1]*(z + ...)).
type Grid struct {
	Radix []int
	Wrap  bool
}

// Torus returns a torus with the given radices.
func Torus(radix ...int) Grid { return Grid{Radix: radix, Wrap: true} }

// Mesh returns a mesh with the given radices.
func Mesh(radix ...int) Grid { return Grid{Radix: radix} }

// Parse reads "torus:8x8" or "mesh:4x4x4".
func Parse(spec string) (Grid, error) {
	kind, size, ok := strings.Cut(spec, ":")
	if !ok || (kind != "torus" && kind != "mesh") {
		return Grid{}, fmt.Errorf("topology %q: want torus:AxB or mesh:AxB, such as torus:8x8", spec)
	}
	g := Grid{Wrap: kind == "torus"}
	for _, part := range strings.Split(size, "x") {
		k, err := strconv.Atoi(part)
		if err != nil {
			return Grid{}, fmt.Errorf("topology %q: %q is not a number of routers; write sizes as 8x8", spec, part)
		}
		g.Radix = append(g.Radix, k)
	}
	return g, g.Validate()
}

// Validate reports whether the grid can be built.
func (g Grid) Validate() error {
	if len(g.Radix) == 0 {
		return fmt.Errorf("topology %s: no dimensions", g)
	}
	nodes, least := 1, 2
	if !g.Wrap {
		least = 1 // a mesh may be a line
	}
	for _, k := range g.Radix {
		if k < least || k > MaxNodes {
			return fmt.Errorf("topology %s: %d routers along a dimension; %d to %d are allowed", g, k, least, MaxNodes)
		}
		if nodes *= k; nodes > MaxNodes {
			return fmt.Errorf("topology %s: more than %d nodes", g, MaxNodes)
		}
	}
	if nodes < 2 {
		return fmt.Errorf("topology %s: one router; use two or more", g)
	}
	if len(g.Radix) > 7 {
		return fmt.Errorf("topology %s: %d dimensions; at most 7 are supported", g, len(g.Radix))
	}
	return nil
}

// String returns the form that Parse reads.
func (g Grid) String() string {
	kind := "mesh:"
	if g.Wrap {
		kind = "torus:"
	}
	parts := make([]string, len(g.Radix))
	for i, k := range g.Radix {
		parts[i] = strconv.Itoa(k)
	}
	return kind + strings.Join(parts, "x")
}

// Nodes returns the number of routers.
func (g Grid) Nodes() int {
	n := 1
	for _, k := range g.Radix {
		n *= k
	}
	return n
}

// Ports returns the number of ports of each router, the local one included.
func (g Grid) Ports() int { return 1 + 2*len(g.Radix) }

// Port returns the port that leads along dimension dim, towards larger (+1) or smaller (-1)
// coordinates.
func (g Grid) Port(dim, sign int) int {
	up := 0
	if sign > 0 {
		up = 1
	}
	switch {
	case len(g.Radix) == 1:
		return 2 - up
	case dim < 2:
		return [2][2]int{{4, 2}, {1, 3}}[dim][up]
	}
	return 2*dim + 1 + up
}

// Direction returns the inverse of Port for network ports: the dimension and the sign.
func (g Grid) Direction(port int) (dim, sign int) {
	for dim = range g.Radix {
		if g.Port(dim, -1) == port {
			return dim, -1
		}
		if g.Port(dim, +1) == port {
			return dim, +1
		}
	}
	panic(fmt.Sprintf("topology %s: port %d is not a network port", g, port))
}

// PortName returns a short name for messages: L, then S E N W as seen on paper in two dimensions,
// then Z-, Z+ ...
func (g Grid) PortName(port int) string {
	if port == Local {
		return "L"
	}
	dim, sign := g.Direction(port)
	if dim < 2 {
		return [2][2]string{{"W", "E"}, {"S", "N"}}[dim][(sign+1)/2]
	}
	return fmt.Sprintf("%c%c", "XYZUVWT"[dim], "-+"[(sign+1)/2])
}

// Coordinate returns the position of a node along dimension dim.
func (g Grid) Coordinate(n noc.NodeID, dim int) int {
	v := int(n)
	for d := 0; d < dim; d++ {
		v /= g.Radix[d]
	}
	return v % g.Radix[dim]
}

// Node returns the router at the given coordinates, taken modulo the radices.
func (g Grid) Node(at ...int) noc.NodeID {
	n := 0
	for d := len(g.Radix) - 1; d >= 0; d-- {
		k := g.Radix[d]
		n = n*k + ((at[d]%k)+k)%k
	}
	return noc.NodeID(n)
}

// Neighbour returns the router that a network port leads to and the port by which a packet enters
// there. ok is false at the edge of a mesh.
func (g Grid) Neighbour(n noc.NodeID, port int) (peer noc.NodeID, entry int, ok bool) {
	dim, sign := g.Direction(port)
	stride := 1
	for d := 0; d < dim; d++ {
		stride *= g.Radix[d]
	}
	k := g.Radix[dim]
	x := g.Coordinate(n, dim)
	nx := x + sign
	if nx < 0 || nx >= k {
		if !g.Wrap {
			return 0, 0, false
		}
		nx = (nx + k) % k
	}
	return noc.NodeID(int(n) + (nx-x)*stride), g.Port(dim, -sign), true
}

// Offset returns the signed number of hops from a to b along dimension dim on a shortest path. On a
// torus of even radix k an offset of exactly k/2 is returned as +k/2 and tie is true: both
// directions are shortest.
func (g Grid) Offset(a, b noc.NodeID, dim int) (hops int, tie bool) {
	return offset(g.Coordinate(b, dim)-g.Coordinate(a, dim), g.Radix[dim], g.Wrap)
}

// offset is Offset for a difference of coordinates in a dimension of k routers.
func offset(difference, k int, wrap bool) (hops int, tie bool) {
	if !wrap {
		return difference, false
	}
	ahead := (difference + k) % k
	if 2*ahead > k {
		return ahead - k, false
	}
	return ahead, 2*ahead == k
}

// Odd reports whether the coordinates of a node have an odd sum.
func (g Grid) Odd(n noc.NodeID) bool {
	sum := 0
	for dim := range g.Radix {
		sum += g.Coordinate(n, dim)
	}
	return sum%2 == 1
}

// Distance returns the length of a shortest path from a to b in links.
func (g Grid) Distance(a, b noc.NodeID) int {
	sum := 0
	for dim := range g.Radix {
		d, _ := g.Offset(a, b, dim)
		sum += abs(d)
	}
	return sum
}

// Snake numbers the nodes row by row, turning round at the end of each row, plane by plane and so on
// (the reflected code of mixed radix): node (x, y) of a grid with n columns is y n + x in even rows
// and y n + n - 1 - x in odd ones. Consecutive nodes are neighbours.
func (g Grid) Snake() []int {
	numbers := make([]int, g.Nodes())
	for n := range numbers {
		number, size := 0, 1
		for dim, k := range g.Radix {
			c := g.Coordinate(noc.NodeID(n), dim)
			if c%2 == 1 {
				number = size - 1 - number
			}
			number += c * size
			size *= k
		}
		numbers[n] = number
	}
	return numbers
}

// Links appends all links, with the phits that each has carried.
func (g Grid) Links(into []noc.Link, phits func(node noc.NodeID, port int) uint64) []noc.Link {
	for node := range noc.NodeID(g.Nodes()) {
		for port := 1; port < g.Ports(); port++ {
			if to, _, ok := g.Neighbour(node, port); ok {
				into = append(into, noc.Link{From: node, To: to, Port: uint8(port), Phits: phits(node, port)})
			}
		}
	}
	return into
}
