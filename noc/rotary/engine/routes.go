package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes answers which ports of a router start a shortest path, in time that does not depend on the
// size of the grid: everything is per dimension. Ports are bits of a uint16.
type routes struct {
	dimensions int
	words      int
	at         []uint16   // coordinate of node n along dimension d: at[n*dimensions+d]
	flat       []uint32   // both coordinates of each node of a grid of two dimensions, x<<16 | y
	bias       uint32     // what makes differences of those into indices of toward, both at once
	x, y       []uint16   // toward of two dimensions
	radix      []int      // per dimension
	toward     [][]uint16 // per dimension and coordinate difference + radix: profitable ports
	embedded   [][]uint16 // the same without wrap-around links, for ordered packets
	masks      *tables.Masks
	square     *[64]squareRow // the masks where they are one word, in a grid of two dimensions
	// around is the same for other dimensions: a row for each router, of the masks of its ports,
	// the local one's among them, and of the first ones again, so that in the order of ring 0 all
	// others follow each port.
	around    []uint64
	rowAround int // words of a row
}

func newRoutes(g topology.Grid) routes {
	nodes, ports := g.Nodes(), g.Ports()
	rt := routes{dimensions: len(g.Radix), words: noc.SetWords(nodes), radix: g.Radix,
		at: make([]uint16, nodes*len(g.Radix)), masks: tables.NewMasks(g)}
	for n := range nodes {
		for d := range g.Radix {
			rt.at[n*rt.dimensions+d] = uint16(g.Coordinate(noc.NodeID(n), d))
		}
	}
	for d, k := range g.Radix {
		plus, minus := uint16(1)<<g.Port(d, +1), uint16(1)<<g.Port(d, -1)
		toward, embedded := make([]uint16, 2*k), make([]uint16, 2*k)
		for difference := 1 - k; difference < k; difference++ {
			i := difference + k
			switch {
			case difference > 0:
				embedded[i] = plus
			case difference < 0:
				embedded[i] = minus
			}
			toward[i] = embedded[i]
			if ahead := (difference + k) % k; g.Wrap && ahead != 0 {
				toward[i] = 0
				if 2*ahead <= k {
					toward[i] |= plus
				}
				if 2*ahead >= k { // exactly half way round both directions are shortest
					toward[i] |= minus
				}
			}
		}
		rt.toward, rt.embedded = append(rt.toward, toward), append(rt.embedded, embedded)
	}
	for n := 0; n < nodes && rt.dimensions == 2; n++ {
		rt.flat = append(rt.flat, uint32(rt.at[2*n])<<16|uint32(rt.at[2*n+1]))
	}
	if rt.dimensions == 2 {
		rt.bias = uint32(g.Radix[0])<<16 | uint32(g.Radix[1])
		rt.x, rt.y = rt.toward[0], rt.toward[1]
	}
	if rt.words == 1 {
		rt.makeRows(nodes, ports)
	}
	return rt
}

// makeRows makes square, or around.
func (rt *routes) makeRows(nodes, ports int) {
	rt.rowAround = 2*ports - 2
	if ports == squarePorts {
		rt.square = new([64]squareRow)
	} else {
		rt.around = make([]uint64, nodes*rt.rowAround)
	}
	for i := range nodes * rt.rowAround {
		r, place := i/rt.rowAround, i%rt.rowAround
		mask := rt.masks.Word(r, place%ports, 0)
		if ports == squarePorts {
			rt.square[r][place] = mask
		} else {
			rt.around[i] = mask
		}
	}
}

// mask is the destinations that port p of router r serves, where they are one word.
func (rt *routes) mask(r, p int) uint64 {
	if rt.square != nil {
		return rt.square[r&63][p&7]
	}
	return rt.around[r*rt.rowAround+p]
}

// profitable is the set of ports of router r that start a shortest path to node d.
func (rt *routes) profitable(r, d int) uint16 {
	if len(rt.flat) != 0 {
		return rt.profitableFlat(r, d)
	}
	if r == d {
		return 1 << topology.Local
	}
	here, there := rt.at[r*rt.dimensions:], rt.at[d*rt.dimensions:]
	ports := uint16(0)
	for dim, k := range rt.radix {
		ports |= rt.toward[dim][int(there[dim])-int(here[dim])+k]
	}
	return ports
}

// profitableFlat is profitable in two dimensions, as most grids have, without a branch that would
// not be predicted.
func (rt *routes) profitableFlat(r, d int) uint16 {
	apart := rt.flat[d] - rt.flat[r] + rt.bias
	ports := rt.x[apart>>16] | rt.y[apart&0xffff]
	return ports | uint16((uint32(ports)-1)>>31)<<topology.Local // none: it is there
}

// dimensionOrder is the one port of the path that corrects x first, then y and so on, and uses no
// wrap-around link: the path of ordered packets (rule 21).
func (rt *routes) dimensionOrder(r, d int) uint16 {
	here, there := rt.at[r*rt.dimensions:], rt.at[d*rt.dimensions:]
	for dim, k := range rt.radix {
		if port := rt.embedded[dim][int(there[dim])-int(here[dim])+k]; port != 0 {
			return port
		}
	}
	return 1 << topology.Local
}

// chooseRing decides between two rings that both admit a packet at input p and whose segments there
// have equally many free slots: rule 14. The random bit depends on seed, router, cycle and port
// alone.
func (n *Network) chooseRing(r, p int, k packet) uint64 {
	if k&severalBit != 0 {
		farther, h := 0, &n.headers[k.header()]
		if n.routes.square != nil {
			farther = n.routes.square[r&63].fartherOnFirst(p, h.owed)
		} else {
			farther = n.fartherOnFirst(r, p, h)
		}
		if farther != 0 {
			return choose(farther > 0)
		}
	}
	if n.ports <= nearerPorts {
		if at := uint64(n.nearer[k&(1<<nearerPorts-1)]) >> (2 * p & 15) & 3; at < rings {
			return at
		}
	} else if first := n.segmentsTo(p, uint16(k)); first[0] != first[1] {
		return choose(first[1] < first[0])
	}
	return n.coin(r) >> uint(p) & 1
}

// coin is the random bits of a router in this cycle, one for each port.
func (n *Network) coin(r int) uint64 { return tables.Coins(n.config.Seed, uint64(r), n.now) }

// nearerPorts is the number of ports, a power of two, up to which the comparison of segmentsTo is a
// table.
const nearerPorts = 8

// makeNearer tabulates by outputs, in two bits for each input, the ring on which the nearest output
// is nearer, or rings. In two dimensions a cache line is all that is looked at.
func (n *Network) makeNearer() {
	for p := range min(n.ports, nearerPorts) {
		for outputs := range n.nearer {
			ring := uint64(rings)
			if first := n.segmentsTo(p, uint16(outputs)); first[0] != first[1] && outputs != 0 && outputs < 1<<n.ports {
				ring = choose(first[1] < first[0])
			}
			n.nearer[outputs] |= uint16(ring << (2 * p))
		}
	}
}

func choose(second bool) uint64 {
	if second {
		return 1
	}
	return 0
}

// segmentsTo counts, on each ring, the segments from input p to the nearest of the given outputs.
// The input's own output comes last, after a full turn.
func (n *Network) segmentsTo(p int, ports uint16) [rings]int {
	all := uint32(ports)
	turned := (all>>p | all<<(n.ports-p)) & (1<<n.ports - 1) // bit k: output p+k
	ahead := turned&^1 | turned&1<<n.ports
	return [rings]int{bits.TrailingZeros32(ahead), n.ports + 1 - bits.Len32(turned)}
}

// fartherOnFirst tells by how many segments the way from input p, until every destination of a
// header with several has met a profitable output, is longer on ring 0 than on ring 1. Routers with
// a squareRow ask that.
func (n *Network) fartherOnFirst(r, p int, h *header) int {
	if n.rows {
		return n.fartherOfRow(r, p, h)
	}
	at := r*n.routes.rowAround + (p+1)%n.ports
	others := n.routes.around[at : at+n.ports-1] // the input's own output is last on both rings
	farther, first, second := uint64(0), h.owed, h.owed
	for k, mask := range others {
		first &^= mask
		second &^= others[len(others)-1-k]
		farther += notEmpty(first) - notEmpty(second)
	}
	return int(farther)
}

// fartherOfRow is fartherOnFirst where sets are rows.
func (n *Network) fartherOfRow(r, p int, h *header) int {
	last := [rings]int{}
	for ring := range rings {
		met := uint64(0) // a bit for each number of segments
		for i, rest := range n.worms.Row(h.row()) {
			if rest == 0 {
				continue
			}
			port := p
			for k := range n.ports { // to the end, as nothing would predict where the last destination is met
				port = int(n.feeds[(ring*n.ports+port)&segmentBits])
				mask := n.maskWord(r, port, i)
				met |= notEmpty(rest&mask) << (k & 63)
				rest &^= mask
			}
		}
		last[ring] = bits.Len64(met)
	}
	return last[0] - last[1]
}

// union is the outputs of a router that serve any of the destinations of a header with several.
// Routers with a squareRow ask that.
func (n *Network) union(r int, h *header) (outputs uint64) {
	if n.rows {
		return n.unionOfRow(r, h)
	}
	for p := range n.ports {
		outputs |= notEmpty(h.owed&n.routes.mask(r, p)) << (p & portBits)
	}
	return outputs
}

// unionOfRow is union where sets are rows.
func (n *Network) unionOfRow(r int, h *header) (outputs uint64) {
	for p := range n.ports {
		for i, w := range n.worms.Row(h.row()) {
			if w&n.maskWord(r, p, i) != 0 {
				outputs |= 1 << p
				break
			}
		}
	}
	return outputs
}

// notEmpty is 1 if a set has members, else 0, without a branch.
func notEmpty(set uint64) (some uint64) {
	if set != 0 {
		some = 1
	}
	return some
}

// maskWord is word i of the mask of port p of router r, the local port included.
func (n *Network) maskWord(r, p, i int) uint64 {
	if n.routes.words == 1 {
		return n.routes.mask(r, p)
	}
	return n.routes.masks.Word(r, p, i)
}
