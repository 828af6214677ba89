package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// single flags a worm with one destination, kept in Turns, which the rotary engine uses and this does not.
const single = 1

// markSingle notes when one destination is left, which makes routing independent of the network's size.
func markSingle(worms *fabric.Worms, id fabric.WormID) bool {
	w := worms.At(id)
	if w.Flags&single != 0 {
		return true
	}
	count, at := 0, 0
	for i, word := range worms.Set(id) {
		if word != 0 {
			count += bits.OnesCount64(word)
			at = 64*i + bits.TrailingZeros64(word)
		}
	}
	if count != 1 {
		return false
	}
	w.Flags, w.Turns = single, uint16(at)
	return true
}

// routes holds dimension-order routing as tables. Dimension 0 comes first. On a torus a destination
// exactly half a ring away is reached in the plus direction when the sum of the source's coordinates is
// even, else in the minus direction: this balances both and keeps one path per source and destination.
type routes struct {
	dims      int
	words     int // of a destination set
	radix     []int
	port      []uint8   // per dimension: of its minus direction, then of its plus direction
	place     []uint16  // coordinates of each node
	parity    []uint8   // of each node's coordinate sum
	direction [][]uint8 // per dimension: [parity][difference + radix] -> port, Local when equal
	masks     [][]uint64
	dimension []uint8 // per port
	plus      []bool  // per port
}

// newRoutes builds the tables. masks[d] holds, for each coordinate and parity, three destination sets:
// those behind the minus port, behind the plus port, and with the same coordinate.
func newRoutes(g topology.Grid) routes {
	nodes, dims := g.Nodes(), len(g.Radix)
	t := routes{dims: dims, words: noc.SetWords(nodes), radix: g.Radix, port: make([]uint8, 2*dims),
		place: make([]uint16, nodes*dims), parity: make([]uint8, nodes),
		direction: make([][]uint8, dims), masks: make([][]uint64, dims),
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
		t.direction[d] = directions(k, g.Wrap, uint8(minus), uint8(plus))
		t.masks[d] = make([]uint64, k*2*3*t.words)
		for i := range k * 2 {
			x, parity := i/2, i%2
			for n := range nodes {
				which := 2
				switch t.direction[d][parity*2*k+int(t.place[n*dims+d])-x+k] {
				case uint8(minus):
					which = 0
				case uint8(plus):
					which = 1
				}
				t.masks[d][(i*3+which)*t.words+n/64] |= 1 << (n % 64)
			}
		}
	}
	return t
}

// directions lists the port towards a destination for each difference of coordinates, -radix to radix-1,
// first for even, then for odd sources.
func directions(radix int, wrap bool, minus, plus uint8) []uint8 {
	table := make([]uint8, 4*radix)
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
			table[parity*2*radix+i] = port
		}
	}
	return table
}

// unicast is the port towards the single destination of a worm; false for a multicast.
func (t *routes) unicast(router int32, w *fabric.Worm) (uint8, bool) {
	if w.Flags&single == 0 {
		return 0, false
	}
	here, there := int(router)*t.dims, int(w.Turns)*t.dims
	parity := int(t.parity[w.Src])
	for d, k := range t.radix {
		if port := t.direction[d][parity*2*k+int(t.place[there+d])-int(t.place[here+d])+k]; port != topology.Local {
			return port, true
		}
	}
	return topology.Local, true
}

// sectors is the three destination sets of masks for one router, dimension and source.
func (t *routes) sectors(router int32, d int, src noc.NodeID) []uint64 {
	i := int(t.place[int(router)*t.dims+d])*2 + int(t.parity[src])
	return t.masks[d][i*3*t.words : (i+1)*3*t.words]
}

// tree is the set of outputs that a multicast has to visit in a router.
func (t *routes) tree(router int32, src noc.NodeID, set []uint64) uint16 {
	out := uint16(0)
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
