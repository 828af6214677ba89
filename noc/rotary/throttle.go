package rotary

import "github.com/carousel-sim/carousel/noc"

// Why there is a congestion control beyond rule 2: without it, saturated networks keep their rings
// full of packets that only turn, and saturated MRRs have two states.
//
// Calm (rule 19). An aged packet found all its outputs taken for a whole turn and more: the router
// cannot serve what it holds. So its interface injects nothing until that packet has left. A limit
// on ring slots in use (rule 17) has a similar effect, but has to be found by trial. Classes above
// that of the aged packet wait only for so long, as it may itself wait for their answers; and a
// packet that waits for a full sink waits for the node, not for the network.

// calmClass returns the class up to which the aged packets on the rings of a router keep its
// interface from injecting (rule 19), or none. starved tells that the interface has injected
// nothing for CalmPatience cycles.
func (n *Network) calmClass(r *router, starved bool) int {
	if !n.config.CalmInjection {
		return none
	}
	highest, networkBlocked := none, false
	for ring := range r.segments {
		for p := range r.segments[ring] {
			for lane := range 2 {
				for _, s := range r.segments[ring][p].lanes[lane].All() {
					if k := s.packet; n.aged(k) {
						highest = max(highest, int(k.class))
						// A packet whose sink is full waits for the node, not for the network.
						networkBlocked = networkBlocked || n.Sinks.Room(noc.NodeID(r.id), k.class)
					}
				}
			}
		}
	}
	if networkBlocked && !starved {
		return n.config.Classes
	}
	return highest
}
