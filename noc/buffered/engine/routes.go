package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes holds dimension-order routing as tables. Dimension 0 comes first. On a torus a
// destination exactly half a ring away is reached in the plus direction when the sum of the
// source's coordinates is even, else in the minus direction: this balances both and keeps one
// path per source and destination.
type routes struct {
	dims      int
	words     int      // of a destination set
	port      []uint8  // per dimension: of its minus direction, then of its plus direction
	place     []uint16 // coordinates of each node
	parity    []uint8  // of each node's coordinate sum
	steps     []step   // for each dimension and parity, by the difference of coordinates
	origin    []int32  // per node, parity and dimension: where in steps the way to coordinate 0 is
	masks     [][]uint64
	dimension []uint8                       // per port
	plus      []bool                        // per port
	near      *[2 * maxNear * maxNear]uint8 // in a small network, the port by router, destination and parity; else nil
	hops      []uint8                       // in a small network, the links between two nodes
	nodes     int
}

// maxNear is up to how many nodes a network has a table of ports: one that stays in the first
// cache.
const maxNear = 128

// step is the route from one coordinate to another: the port, Local when they are equal, and the
// links.
type step struct {
	port  uint8
	links uint16
}

// newRoutes builds the tables. masks[d] holds, for each coordinate and parity, three destination
// sets: those behind the minus port, behind the plus port, and with the same coordinate.
func newRoutes(g topology.Grid) routes {
	nodes, dims := g.Nodes(), len(g.Radix)
	t := routes{dims: dims, words: noc.SetWords(nodes), port: make([]uint8, 2*dims),
		place: make([]uint16, nodes*dims), parity: make([]uint8, nodes),
		origin: make([]int32, 2*nodes*dims), masks: make([][]uint64, dims),
		dimension: make([]uint8, g.Ports()), plus: make([]bool, g.Ports())}
	for n := range nodes {
		for d := range dims {
			x := g.Coordinate(noc.NodeID(n), d)
			t.place[n*dims+d] = uint16(x)
			t.parity[n] ^= uint8(x & 1)
		}
	}
	for d, k := range g.Radix {
		minus, plus := g.Port(d, -1), g.Port(d, +1)
		t.port[2*d], t.port[2*d+1] = uint8(minus), uint8(plus)
		t.dimension[minus], t.dimension[plus], t.plus[plus] = uint8(d), uint8(d), true
		base := len(t.steps)
		t.steps = append(t.steps, steps(k, g.Wrap, uint8(minus), uint8(plus))...)
		for i := range 2 * nodes {
			t.origin[i*dims+d] = int32(base + i%2*2*k + k - int(t.place[i/2*dims+d]))
		}
		t.masks[d] = make([]uint64, k*2*3*t.words)
		for i := range k * 2 {
			x, parity := i/2, i%2
			for n := range nodes {
				which := 2
				switch t.steps[base+parity*2*k+int(t.place[n*dims+d])-x+k].port {
				case uint8(minus):
					which = 0
				case uint8(plus):
					which = 1
				}
				t.masks[d][(i*3+which)*t.words+n/64] |= 1 << (n % 64)
			}
		}
	}
	t.nodes = nodes
	if nodes <= maxNear {
		near, hops := new([2 * maxNear * maxNear]uint8), make([]uint8, nodes*nodes)
		for i := range hops {
			from, to := i/nodes, i%nodes
			hops[i] = uint8(t.distance(noc.NodeID(from), noc.NodeID(to)))
			for parity := range 2 {
				k := packet(to)<<toShift | packet(parity)<<oddShift
				near[from*2*maxNear+2*to+parity] = uint8(t.aim(k, int32(from)).port())
			}
		}
		t.near, t.hops = near, hops
	}
	return t
}

// steps lists the route to a destination for each difference of coordinates, -radix to radix-1,
// first for even, then for odd sources.
func steps(radix int, wrap bool, minus, plus uint8) []step {
	table := make([]step, 4*radix)
	for parity := range 2 {
		for i := range 2 * radix {
			hops := i - radix
			if wrap {
				hops = (hops + radix) % radix
				if 2*hops > radix || (2*hops == radix && parity == 1) {
					hops -= radix
				}
			}
			port := uint8(topology.Local)
			if hops > 0 {
				port = plus
			} else if hops < 0 {
				port = minus
			}
			table[parity*2*radix+i] = step{port: port, links: uint16(max(hops, -hops))}
		}
	}
	return table
}

// distance is the number of links between two nodes.
func (t *routes) distance(from, to noc.NodeID) (sum uint16) {
	if t.hops != nil {
		return uint16(t.hops[int(from)*t.nodes+int(to)])
	}
	origin := t.origin[2*int(from)*t.dims:]
	for d, coordinate := range t.place[int(to)*t.dims:][:t.dims] {
		sum += t.steps[int(origin[d])+int(coordinate)].links
	}
	return sum
}

// sectors returns the three destination sets of masks for one router, dimension and source.
func (t *routes) sectors(router int32, d int, src noc.NodeID) []uint64 {
	i := int(t.place[int(router)*t.dims+d])*2 + int(t.parity[src])
	return t.masks[d][i*3*t.words : (i+1)*3*t.words]
}

// tree returns the set of outputs that a multicast has to visit in a router.
func (t *routes) tree(router int32, src noc.NodeID, set []uint64) uint8 {
	out := uint8(0)
	for w, rest := range set {
		for d := 0; d < t.dims && rest != 0; d++ {
			s := t.sectors(router, d, src)
			if rest&s[w] != 0 {
				out |= 1 << t.port[2*d]
			}
			if rest&s[t.words+w] != 0 {
				out |= 1 << t.port[2*d+1]
			}
			rest &= s[2*t.words+w]
		}
		if rest != 0 {
			out |= 1 << topology.Local
		}
	}
	return out
}

// behind selects the members of a set that are reached through one output.
func (t *routes) behind(router int32, out uint8, src noc.NodeID, set, into []uint64) {
	if out == topology.Local {
		clear(into)
		into[router/64] = 1 << (router % 64)
		return
	}
	last := int(t.dimension[out])
	side := 0
	if t.plus[out] {
		side = t.words
	}
	for w, rest := range set {
		for d := 0; d < last && rest != 0; d++ {
			rest &= t.sectors(router, d, src)[2*t.words+w]
		}
		into[w] = rest & t.sectors(router, last, src)[side+w]
	}
}
