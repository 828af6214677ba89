package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary/internal/injection"
)

// Why there is a congestion control beyond rule 2: without it, saturated networks keep their rings
// full of packets that only turn, and saturated MRRs have two states.
//
// Calm (rule 19). An aged packet found all its outputs taken for a whole turn and more: the router
// cannot serve what it holds. So its interface injects nothing until that packet has left. A limit
// on ring slots in use (rule 17) has a similar effect, but has to be found by trial. Classes above
// that of the aged packet wait only for so long, as it may itself wait for their answers; and a
// packet that waits for a full sink waits for the node, not for the network.
//
// Pace (rule 20). A sink takes one phit per cycle. The interface of an RR spends that long on every
// copy that it sends, so what a node is sent by its partner of a permutation and what it gets of
// broadcasts fit into its sink together. The interface of an MRR sends a broadcast in the time of
// one packet and goes on with unicasts, so a node whose partner finds a calm router is offered more
// than it can take. What finds the sink taken turns, is misrouted at its own destination and comes
// back; the routers around the node fill up and inject nothing, and the sources that cause it see
// nothing of that. So copies that routers make are paid for where they are consumed: the partner of
// the node, under the same rule, cannot send more than the sink has left. Were all of it paid
// there, a node that only broadcasts would send for nothing and starve the unicasts of others; so
// its interface pays a part before the copies exist.

// charge makes an interface pay for some phits at a share of their length in percent (rule 20).
func (n *Network) charge(a *injection.Account, phits, percent int) {
	if n.config.PacePercent > 0 {
		a.Charge(n.Clock, phits, percent)
	}
}

// calmClass returns the class up to which the aged packets on the rings of a router keep its
// interface from injecting (rule 19), or none. patient tells that the interface has injected
// nothing for long.
func (n *Network) calmClass(r *router, patient bool) int {
	if !n.config.CalmInjection {
		return none
	}
	highest, jammed := none, false
	for ring := range r.segments {
		for p := range r.segments[ring] {
			for lane := range 2 {
				for _, s := range r.segments[ring][p].lanes[lane].all() {
					if k := s.packet; n.aged(k) {
						highest = max(highest, int(k.class))
						// A packet whose sink is full waits for the node, not for the network.
						jammed = jammed || n.Sinks.Room(noc.NodeID(r.id), k.class)
					}
				}
			}
		}
	}
	if jammed && !patient {
		return n.config.Classes
	}
	return highest
}
