package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/topology"
)

// routes are the tables of routing. A small network has, beside those of all, the next port by
// router, destination and way of ties.
type routes struct {
	*topology.Sectors
	near *[2 * maxNear * maxNear]uint8 // nil in a large network
}

// maxNear is up to how many nodes a network has a table of ports: one that stays in the first
// cache.
const maxNear = 128

func newRoutes(g topology.Grid) routes {
	t := routes{Sectors: buffered.Routes(g)}
	if g.Nodes() > maxNear {
		return t
	}
	t.near = new([2 * maxNear * maxNear]uint8)
	for i := range t.near {
		if at, to := noc.NodeID(i/(2*maxNear)), noc.NodeID(i/2%maxNear); int(max(at, to)) < g.Nodes() {
			t.near[i] = t.Next(at, to, (packet(i) << oddAt).ties()).Port
		}
	}
	return t
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
