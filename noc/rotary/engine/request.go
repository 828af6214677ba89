package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// grant is what the output of a segment grants a header.
type grant uint8

const (
	nothing grant = iota
	whole         // it leaves to the output stage
	part          // a copy leaves, for the destinations that the output serves
)

// request is rule 12 for the head of lane l, whose output is idle and has a free slot.
func (r *router) request(l uint) grant {
	n := r.net
	j := l & segmentBits
	p, drain := &n.pool[r.lane[l&laneBits].first], uint(n.rules.ahead[j])
	port := int(drain & portBits)
	if r.asked>>j&1 != 0 && r.refuses(port, p, &n.quotas.one) {
		return nothing
	}
	some, all := n.compare(int(r.id), port, p)
	misroutable := n.mayMisroute(p) && port != topology.Local
	switch {
	case !some && !misroutable:
		return nothing
	case some && all:
		return whole
	case some && n.config.Multicast == rotary.Tree:
		return part
	case misroutable:
		return whole
	case port == topology.Local || n.mayReplicate(r.space(drain)) && !r.refuses(port, p, &n.quotas.two):
		return part
	}
	return whole
}

// refuses reports whether there is no room for a packet behind output p: a place in the sink of the
// node, or quota of the neighbour that leaves as much as is told.
func (r *router) refuses(port int, p *packet, most *levels) bool {
	n := r.net
	if port == topology.Local {
		return !n.rules.unlimited && !n.Sinks.Room(noc.NodeID(r.id), noc.Class(p.class))
	}
	out := &r.port[port]
	return n.quotas.on && n.refusedBy(int(out.peer.id), int(out.entry), noc.Class(p.class), most, r.special.tookTurn(port, n.Clock))
}

// mayReplicate is rule 4 for an output that leads to a neighbour.
func (n *Network) mayReplicate(space int32) bool {
	return space >= int32(n.config.ReplicateSlots) || n.rules.unlimited
}

// space returns the free slots of an output stage, which rule 4 looks at.
func (r *router) space(drain uint) int32 {
	n := r.net
	staged := &r.port[drain&portBits].staged
	return 2*n.rules.laneSlots - staged[0] - staged[1]
}
