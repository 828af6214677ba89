package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Congestion control: what an interface may inject beyond rule 2. The paper has none; InjectLimit 40,
// CalmInjection false and PacePercent 0 are its router. Numbers are phits delivered per node and cycle on the
// 8x8 torus at offered load 1.0, six classes, cycles 12,000 to 30,000, means of two seeds unless stated; those of
// rejected variants were taken while senders of multicasts still paid, which changes the rest by a few per cent.
//
// Calm. A packet that has turned for more than MissLimit segments found all its outputs taken: the router
// cannot serve what it holds. So it injects nothing until that packet has left. This replaces a limit of 22
// ring slots in use, which was found by trial: uniform 0.82 instead of 0.80, tornado 0.334 (its peak, nothing
// is lost past saturation) instead of 0.318, with 8 instead of 20 packets on the rings of uniform traffic.
// A limit that looks at neighbours as well (0.74 uniform) or allows one or two lost packets (0.82, 0.81; tornado
// 0.338, 0.327) is no better. Over ten million cycles tornado delivers 0.3286 to 0.3288 in every million from the
// second on, and no node less than 0.328.
//
// Pace. Without it saturated MRRs have two states: transpose with 1 % of broadcasts delivers 0.68 or 0.38
// (the RR 0.65) and stays in the worse one for thousands of cycles. What happens:
// a sink takes one phit per cycle. An RR's interface spends that long on every copy it sends, so what a node
// is sent by its partner of a permutation and what it gets of broadcasts fit together. An MRR's interface
// sends a broadcast in one packet time and goes on with unicasts: a node whose partner finds a calm router
// is offered 0.9 + 0.2 phits per cycle. What finds the sink taken turns, is misrouted at its own destination
// and comes back; routers around the node fill up (ring slots in use 31 of 40), inject nothing any more
// (0.00 to 0.10 phits per cycle there, 0.8 elsewhere), and the sources that cause it see nothing of that.
// None of the following cures it: injection limits from 10 to 30, MissLimit from 5 to 255 (4 does, but
// tornado falls to 0.23), PruneAfter 0 or 255, ReplicateSlots 3 or 4, replication only towards routers with
// free rings, limits on all packets in or towards a router (22 to 38), limits on ring slots for packets from links (these stop the network), calm
// neighbours, misrouting only towards calm routers or never at the destination.
//
// So the copies that routers make are paid where they are consumed. With U for unicasts sent and B for copies
// consumed, 1.2 U + B <= 1: the node's partner, under the same rule and the same B, cannot send more than the
// sink has left. 100 % leaves sinks at exactly 1 and two states (0.57 to 0.60 for permutations with 1 % of
// broadcasts), 120 % gives 0.82, 0.83, 0.81 (transpose, bit-reversal, shuffle), seeds within 0.005. Charging
// copies more (160 %) costs broadcasts a third. The price is uniform traffic with few broadcasts: 0.89 instead
// of 0.96 at 1 % (RR 0.82). PaceSlack lets a node be ahead by some packets, so that nothing changes at low load;
// 1, 20 and 40 cycles differ by less than 0.03.
//
// Were all of it paid there, a node that sends nothing but broadcasts, such as one that a permutation maps to
// itself, would send them for nothing: with 15 % of broadcasts the eight such nodes of bit-reversal and transpose
// fill all sinks, and the unicasts of the other nodes come down to 0.001 phits per node and cycle (RR 0.066). So
// SenderPercent of each copy is paid by the sender, before the copies exist, and the rest by the consumer: a
// copy costs its length, whoever pays. Where all nodes send alike this changes nothing. A node that
// broadcasts alone sends 20 phits of copies per cycle, 20 times what an RR does. Unicasts of the nodes that have
// any, at 15 % of broadcasts (bit-reversal, transpose, shuffle), and what is delivered there:
//
//	sender pays          unicasts              delivered            the same in uniform traffic
//	nothing              0.001, 0.001, 0.057   0.984, 0.984, 0.982  0.984; 0.901 with 10 % to 8 nodes
//	5 %                  0.060, 0.060, 0.075   0.987, 0.987, 0.986  0.984; 0.902
//	the RR               0.066, 0.067, 0.066   0.789, 0.792, 0.791  0.801; 0.821
//	120 % of one copy    0.017, 0.017, 0.056   0.979, 0.979, 0.971  0.967; 0.850
//	5 % on top           0.057, 0.057, 0.072   0.945, 0.945, 0.942  0.941; 0.885
//
// 3, 8, 10 and 15 % are alike (unicasts of bit-reversal 0.045, 0.069, 0.071, 0.074), but from 8 % on some nodes
// fall behind with 5 % of broadcasts (the least unicasts of a node: 0.14 with 5 %, 0.13, 0.10 and 0.04 with 8, 10
// and 15 %).
//
// Patience. A class above that of a lost packet waits for CalmPatience cycles. Where sinks wait for answers, some
// packet that waits for its sink is always lost, and if it held them the throughput would be that of the patience:
// sinks of two places on a 4x4 torus took 0.039, 0.060, 0.10 and 0.25 phits per node and cycle with 256, 128, 64
// and 16 cycles. But a short patience costs other traffic its throughput at offered load 1.0: with 64 cycles
// multicasts to 8 nodes on a mesh fall by 8 to 12 %, below the RR's, with 16 cycles bit-complement by 7 %. So a
// packet whose sink is full holds no higher class, and with 256 cycles such sinks take 0.32, or 0.15 instead of
// 0.025 when the first class is broadcast.
//
// Where the MRR delivers less than the RR: the grid of nine patterns of package traffic and eight mixes (unicast;
// 1, 5, 10 and 15 % of broadcasts; 1, 5 and 10 % of multicasts to 8 nodes) on the 8x8 torus has no such place but
// hotspot with 5 to 15 % of broadcasts, where three seeds give 0.415, 0.552 and 0.651 for 0.413, 0.553 and 0.654,
// less than seeds differ (one seed each; hotspot was measured with 64 cycles of patience, the others with 256).
// On the 4x4 torus transpose and bit-reversal with 1 % of broadcasts are at 0.671 for 0.676 and 0.679: an MRR pays
// what nodes that are mapped to themselves broadcast to it, an RR does not. On the 8x8 mesh with 10 % of multicasts
// to 8 nodes bit-complement is at 0.97 of the RR (tornado 1.00, transpose 1.02; cycles 6,000 to 16,000, one seed);
// MissLimit 5 lifts the MRR there, from 0.19 to 0.24 (64 cycles of patience), but costs uniform traffic 5 %; higher
// limits halve it, PruneAfter from 0 to 30 and other prices change less than 3 %. What stays low in both routers is
// the node that a pattern loads most: with hotspot the unicasts of the last node are 0.002 to 0.02 phits per cycle
// (RR 0.000 to 0.006).

// permitted is the set of classes that the congestion control lets the interface of a router inject.
func (n *Network) permitted(b *bank, r int, waiting uint8) uint8 {
	x := &b.router[r]
	if n.injectLimit < n.segments*n.segmentSlots && n.used(b, r) >= n.injectLimit {
		return 0
	}
	if settled := n.settled(x); settled > n.now {
		b.paused |= 1 << r
		b.unpaused[b.on(n, min(settled-n.now, noc.Cycle(n.agendaMask)), paid, 1)] |= 1 << r
		return 0
	}
	if waiting = n.roomy(b, r, waiting); x.lost == 0 || !n.config.CalmInjection {
		return waiting
	}
	if b.impatient>>r&1 == 0 && n.jammed(b.first+r, x.lost) {
		return 0
	}
	return waiting >> bits.Len8(x.lost) << bits.Len8(x.lost)
}

// jammed reports whether a lost packet of some classes waits for anything but the sink of its class, which only the
// node can empty.
func (n *Network) jammed(id int, lost uint8) bool {
	for ; lost != 0; lost &= lost - 1 {
		if n.sinks.Room(noc.NodeID(id), noc.Class(bits.TrailingZeros8(lost))) {
			return true
		}
	}
	return false
}

// settled is the first cycle in which the interface owes little enough to inject.
func (n *Network) settled(x *router) noc.Cycle {
	due, slack := (x.paid+99)/100, noc.Cycle(n.config.PaceSlack)
	if n.config.PacePercent == 0 || due <= slack {
		return 0
	}
	return due - slack
}

// pay charges the interface for some phits at a share of their length.
func (n *Network) pay(x *router, phits noc.Cycle, percent int) {
	if n.config.PacePercent > 0 {
		x.paid = max(x.paid, 100*n.now) + phits*noc.Cycle(percent)
	}
}
