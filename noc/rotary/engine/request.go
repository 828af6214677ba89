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
func (s *router) request(l uint) grant {
	n := s.net
	j := l & segmentBits
	k, drain := &n.pool[s.lane[l&laneBits].first], uint(n.rules.ahead[j])
	p := int(drain & portBits)
	if s.asked>>j&1 != 0 && s.refuses(p, k, &n.quotas.one) {
		return nothing
	}
	some, all := n.compare(int(s.id), p, k)
	misroutable := n.isAged(k) && p != topology.Local
	switch {
	case !some && !misroutable:
		return nothing
	case some && all:
		return whole
	case some && n.config.Multicast == rotary.Tree:
		return part
	case misroutable:
		return whole
	case p == topology.Local || n.mayReplicate(s.space(drain)) && !s.refuses(p, k, &n.quotas.two):
		return part
	}
	return whole
}

// refuses reports whether there is no room for a packet behind output p: a place in the sink of the
// node, or quota of the neighbour that leaves as much as is told.
func (s *router) refuses(p int, k *packet, most *levels) bool {
	n := s.net
	if p == topology.Local {
		return !n.rules.unlimited && !n.Sinks.Room(noc.NodeID(s.id), noc.Class(k.class))
	}
	x := &s.port[p]
	return n.quotas.on && n.refusedBy(int(x.peer.id), int(x.entry), noc.Class(k.class), most, s.special.tookTurn(p, n.Clock))
}

// mayReplicate is rule 4 for an output that leads to a neighbour.
func (n *Network) mayReplicate(space int32) bool {
	return space >= int32(n.config.ReplicateSlots) || n.rules.unlimited
}

// space returns the free slots of an output stage, which rule 4 looks at.
func (s *router) space(drain uint) int32 {
	n := s.net
	staged := &s.port[drain&portBits].staged
	return 2*n.rules.laneSlots - staged[0] - staged[1]
}
