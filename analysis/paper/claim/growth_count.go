package claim

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// counting says how a table of growth is counted.
type counting struct {
	Growth    // without rows
	scheme    string
	threshold int // of Qualified Groups
	from, to  int // sizes
	// layout, k and draw make the network of a size, the number of destinations, and the requests.
	layout func(size int) topology.Layout
	k      func(size int) int
	draw   func(l topology.Layout, k int) []multicast.Request
	few    bool // large ones: half as many requests
	bound  func(a trial) float64
}

// trial is what a bound may depend on.
type trial struct {
	size, k, nodes int
	grid           *topology.Grid
	request        multicast.Request
	options        multicast.Options
}

// count plans the requests of each size and keeps the one that takes most steps for its bound.
func (t *counting) count() (Growth, error) {
	g := t.Growth
	scheme, err := multicast.LookupScheme(t.scheme)
	if err != nil {
		return g, err
	}
	options := multicast.DefaultOptions()
	options.Groups.Threshold = t.threshold
	for size := t.from; size <= t.to; size *= 2 {
		layout := t.layout(size)
		network := multicast.NewNetwork(layout)
		var row Grown
		requests := t.draw(layout, t.k(size))
		if t.few {
			requests = requests[:(len(requests)+1)/2]
		}
		for _, r := range requests {
			options.Work = new(multicast.Work)
			if _, err := scheme.Plan(network, r, options); err != nil {
				return g, fmt.Errorf("%s, %s = %d: %w", g.name(), g.Size, size, err)
			}
			bound := t.bound(trial{size, len(r.Destinations), layout.Nodes(), layout.Grid, r, options})
			one := Grown{size, options.Work.Steps(), bound, options.Work[multicast.Walking]}
			if row.Steps == 0 || one.Ratio() > row.Ratio() {
				row = one
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g, nil
}

// countAll makes tables.
func countAll(list []counting) (tables []Growth, err error) {
	for i := range list {
		g, err := list[i].count()
		if err != nil {
			return nil, err
		}
		tables = append(tables, g)
	}
	return tables, nil
}

func always(v int) func(int) int { return func(int) int { return v } }

func itself(size int) int { return size }

// share is a part of the nodes, and all but the source when it is whole.
func share(of int) func(int) int { return func(nodes int) int { return min(nodes/of, nodes-1) } }

// Box is the mesh of n nodes, a power of two, whose sides in some dimensions are as equal as can
// be.
func Box(n, dims int) topology.Layout {
	sides := make([]int, dims)
	for i := range sides {
		sides[i] = 1
	}
	for i, size := 0, 1; size < n; i, size = (i+1)%dims, 2*size {
		sides[i] *= 2
	}
	g := topology.Mesh(sides...)
	return topology.Layout{Wiring: g.Wiring(), Grid: &g}
}

// plane is the mesh of two dimensions.
func plane(n int) topology.Layout { return Box(n, 2) }

// fixed is one network for all sizes.
func fixed(l topology.Layout) func(int) topology.Layout {
	return func(int) topology.Layout { return l }
}

// tries is how many random requests there are of each size.
const tries = 8

// Anywhere draws requests with k destinations.
func Anywhere(l topology.Layout, k int) []multicast.Request {
	random, list := NewRandoms(20), make([]multicast.Request, tries)
	for i := range list {
		list[i] = random.Request(l.Nodes(), k)
	}
	return list
}

// FromCorner draws requests of node 0, whose label is the smallest. All destinations are on one
// side then, which makes one large problem of two small ones.
func FromCorner(l topology.Layout, k int) []multicast.Request {
	random, list := NewRandoms(21), make([]multicast.Request, tries)
	if k == l.Nodes()-1 {
		list = list[:1] // there is only one
	}
	for i := range list {
		for _, d := range random.Perm(l.Nodes() - 1)[:k] {
			list[i].Destinations = append(list[i].Destinations, noc.NodeID(d+1))
		}
	}
	return list
}

// evenly is a request of node 0 to nodes at equal distances in number.
func evenly(l topology.Layout, k int) []multicast.Request {
	var r multicast.Request
	for i := range k {
		r.Destinations = append(r.Destinations, noc.NodeID((i+1)*l.Nodes()/(k+1)))
	}
	return []multicast.Request{r}
}

// Crowded is a request of node 0 to the other corners of a mesh and to the nodes around itself,
// dense near by and, along each dimension, every time twice as far away. All but a few nodes are in
// one group then, and halving it takes off one node at a time, so that parts stay as large as they
// can.
func Crowded(l topology.Layout, k int) []multicast.Request {
	g := l.Grid
	chosen := make([]bool, g.Nodes())
	list := make([]noc.NodeID, 0, k)
	choose := func(n int) {
		if n > 0 && !chosen[n] && len(list) < k {
			chosen[n] = true
			list = append(list, noc.NodeID(n))
		}
	}
	corners, stride := []int{0}, 1
	for _, radix := range g.Radix {
		for _, c := range corners {
			corners = append(corners, c+(radix-1)*stride)
		}
		for far := radix/2 - 1; far > 0; far /= 2 {
			choose(far * stride)
		}
		stride *= radix
	}
	for _, c := range corners {
		choose(c)
	}
	near := make([]int, g.Nodes())
	for n := range near {
		near[n] = n
	}
	far := func(n int) (distance int) { // outside the first orthant farther than inside
		for dim, radix := range g.Radix {
			if c := g.Coordinate(noc.NodeID(n), dim); c < radix/2 {
				distance += c
			} else {
				distance += g.Nodes()
			}
		}
		return distance
	}
	slices.SortStableFunc(near, func(a, b int) int { return far(a) - far(b) })
	for _, n := range near {
		choose(n)
	}
	return []multicast.Request{{Destinations: list}}
}
