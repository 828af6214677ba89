package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes are the tables of routing. A small network has, beside those of all, the next port by
// router, destination and way of ties, and the links between two nodes.
type routes struct {
	*topology.Sectors
	near  *[2 * maxNear * maxNear]uint8 // nil in a large network, like hops
	hops  []uint8
	nodes int
}

// maxNear is up to how many nodes a network has a table of ports: one that stays in the first
// cache.
const maxNear = 128

func newRoutes(g topology.Grid) routes {
	t := routes{Sectors: buffered.Routes(g), nodes: g.Nodes()}
	if t.nodes > maxNear {
		return t
	}
	near, hops := new([2 * maxNear * maxNear]uint8), make([]uint8, t.nodes*t.nodes)
	for i := range hops {
		from, to := noc.NodeID(i/t.nodes), noc.NodeID(i%t.nodes)
		hops[i] = uint8(t.Hops(from, to))
		for odd := range packet(2) {
			near[from*2*maxNear+2*to+noc.NodeID(odd)] = t.Next(from, to, (odd << oddAt).ties()).Port
		}
	}
	t.near, t.hops = near, hops
	return t
}

// distance is the number of links between two nodes.
func (t *routes) distance(from, to noc.NodeID) uint16 {
	if t.hops != nil {
		return uint16(t.hops[int(from)*t.nodes+int(to)])
	}
	return uint16(t.Hops(from, to))
}

// look is step for a packet with one destination in a small network: it reads the port from a
// table. The router in which a packet turns cannot be predicted, so a branch would cost more than
// the table.
func (t *routes) look(k packet, at globalVC) packet {
	const most = 2*maxNear - 1 // of destination and way of ties
	i := at.router()*(most+1) | uint(k>>oddAt)&most
	return k&^(maxPorts-1) | packet(t.near[i%uint(len(t.near))])
}

// step returns a packet in the next router on its route.
func (t *routes) step(k packet, router int32) packet {
	if k -= oneLeft; k&leftBits != 0 {
		return k
	}
	return t.aim(k, router)
}

// aim returns a packet with its output in a router where it turns or arrives, and how far that
// leads.
func (t *routes) aim(k packet, router int32) packet {
	if k.several() {
		return k.through(severalPorts, 1)
	}
	leg := t.Next(noc.NodeID(router), k.to(), k.ties())
	return k.through(port(leg.Port), leg.Links)
}
