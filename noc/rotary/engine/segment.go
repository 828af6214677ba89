package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// arbitrate decides for the heads of all segments of some routers of a bank and carries it out.
// Turns are decided on the counts at the start of the cycle, so that the order of segments decides
// nothing.
func (n *Network) arbitrate(b *bank, routers uint64) {
	for m := b.came; m != 0; m &= m - 1 {
		b.segment[first(m)].came = 0
	}
	b.came = 0
	slow, eject, turn := uint64(0), uint64(0), uint64(0) // segments
	for m := b.headed; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		head0, head1 := n.heads(x, 0)&routers, n.heads(x, 1)&routers
		if head0|head1 == 0 {
			continue
		}
		n.decide(x, head0, head1)
		slow |= x.bit * notEmpty(x.grants.slow)
		eject |= x.bit * notEmpty(x.grants.eject)
		turn |= x.bit * notEmpty(x.grants.turn)
	}
	if slow == 0 {
		n.ejectGranted(b, eject)
	} else {
		n.ejectGranted(b, eject&^n.ring1) // rule 4 looks at both lanes of an output stage: ring 0 goes first
		turn |= n.judgeAll(b, slow)
		n.ejectGranted(b, eject&n.ring1)
	}
	n.turnAll(b, turn)
}

// judgeAll judges the heads of some segments that are judged one by one, and returns those segments
// of which any turn.
func (n *Network) judgeAll(b *bank, segments uint64) (turn uint64) {
	for m := segments; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		x.lanes.peek(x.grants.slow, x.second, &n.packets)
		for m := x.grants.slow; m != 0; m &= m - 1 {
			n.judge(b, x, first(m))
		}
		turn |= x.bit * notEmpty(x.grants.turn)
	}
	return turn
}

// ejectGranted moves the heads of some segments that have been granted their outputs.
func (n *Network) ejectGranted(b *bank, segments uint64) {
	for m := segments; m != 0; m &= m - 1 {
		x := &b.segment[first(m)]
		n.ejectAll(b, x, x.grants.eject, x.grants.ejectLane)
	}
}

// openTurns is the routers in which the ring port of a segment is idle and the next segment takes a
// header.
func (n *Network) openTurns(x *segment) (open uint64) {
	y := x.next
	if n.config.TurnSlots == 1 {
		open = y.free.some(n.planes)
	} else {
		open = y.free.atLeast(&n.turnSlots, n.planes)
	}
	if n.config.RingTurnBalance {
		fewer := y.free.lowLess(&x.free, 0)
		if n.planes > low {
			fewer = y.free.lessAbove(&x.free, fewer, n.planes)
		}
		open &^= fewer
	}
	return open &^ (x.toRing[0] | x.toRing[1] | y.entry.holds[y.ring&1])
}

// open is the routers in which the output that a segment drains to takes a header, as far as that
// does not depend on what has been granted in this cycle, or on the packet.
func (n *Network) open(x *segment) uint64 {
	out := x.outIdle & x.outRoom
	if x.full != 0 && !n.hasTurn(int(x.drain.entry)) {
		out &^= x.full
	}
	return out
}

// decide grants moves to the heads of a segment that have one destination: the output if it serves
// that, else the ring; the lane that did not send last goes first, the other one takes what is
// left. Where the output takes a header, those that it serves are judged one by one if they have
// several destinations or it leads to where places are few, and all of them with some schemes. The
// others cannot leave the ring, whatever the rules say: on the saturated 64x64 torus, where nearly
// every router is short of places, they are nearly all.
func (n *Network) decide(x *segment, head0, head1 uint64) {
	g, out := &x.grants, n.open(x)
	wants0, wants1 := head0&x.wants[0]&out, head1&x.wants[1]&out
	slow := (wants0 | wants1) & (x.tight | x.judged)
	if n.judged&x.bit != 0 {
		slow = (head0 | head1) & out
	} else if n.spreads {
		slow |= x.lanes.several(wants0, 0) | x.lanes.several(wants1, 1)
	}
	g.slow = slow
	head0 &^= slow
	head1 &^= slow
	if head0&head1 != 0 {
		n.decideBoth(x, head0, head1, wants0, wants1)
		return
	}
	eject := (wants0 | wants1) &^ slow
	turn := (head0 | head1) &^ eject
	if turn|slow != 0 {
		g.open = n.openTurns(x)
		turn &= g.open
	}
	g.eject, g.ejectLane = eject, eject&head1
	g.turn, g.turnLane = turn, turn&head1
	granted := eject | turn
	x.second = x.second&^granted | granted&head0
}

// decideBoth is decide where both lanes of some router have a head.
func (n *Network) decideBoth(x *segment, head0, head1, wants0, wants1 uint64) {
	g, second := &x.grants, x.second
	g.open = n.openTurns(x)
	swapped := (head0 ^ head1) & second
	firstHead, otherHead := head0^swapped, head1^swapped
	swapped = (wants0 ^ wants1) & second
	eject := firstHead & (wants0 ^ swapped)
	turn := firstHead &^ eject & g.open
	otherEject := otherHead & (wants1 ^ swapped) &^ eject
	otherTurn := otherHead &^ otherEject & g.open &^ turn
	g.eject, g.ejectLane = eject|otherEject, eject&second|otherEject&^second
	g.turn, g.turnLane = turn|otherTurn, turn&second|otherTurn&^second
	x.second = second ^ (eject|turn)&^(otherEject|otherTurn)
}

// judge applies the rules one head after the other to a segment of a router. The one that is looked
// at first is in n.packets.
func (n *Network) judge(b *bank, x *segment, r int) {
	bit := uint64(1) << r
	lane := int(x.second >> r & 1)
	for i := range 2 {
		if n.heads(x, lane)&bit != 0 {
			k := n.packets[r]
			if i > 0 {
				k = *x.lanes.front(lane<<6 | r)
			}
			leaves := true
			switch v := n.ask(b, x, r, k); {
			case v == whole:
				n.ejectAll(b, x, bit, uint64(lane)<<r)
			case v == part:
				n.replicate(b, x, r, lane)
				fallthrough // what is left asks for the ring; if refused it keeps its slot
			default:
				if leaves = x.grants.open&bit&^x.grants.turn != 0; leaves {
					x.grants.turn |= bit
					x.grants.turnLane |= uint64(lane) << r
					if v == part {
						b.count.dualPhits[r] += uint64(k.phits())
						if b.toggles != nil {
							b.toggles.twice[x.number] |= bit
						}
					}
				}
			}
			if leaves {
				x.second = x.second&^bit | uint64(1-lane)<<r
			}
		}
		lane = 1 - lane
	}
}

// verdict is what the output of a segment grants a header.
type verdict uint8

const (
	nothing verdict = iota
	whole           // it leaves to the output stage
	part            // a copy leaves, for the destinations that the port serves
)

// ask applies rule 12 to the packet at the head of a lane of a segment.
func (n *Network) ask(b *bank, x *segment, r int, k packet) verdict {
	if x.outIdle&x.outRoom>>r&1 == 0 {
		return nothing
	}
	return n.askOpen(b, x, r, k, n.spaceOf(x.drain, r, int(x.ring)))
}

// askOpen is ask for an output whose port is idle and that has a free slot; space is what spaceOf
// tells.
func (n *Network) askOpen(b *bank, x *segment, r int, k packet, space int) verdict {
	id, p := b.first+r, int(x.feeds)
	if n.shut(b, r, p, k.class(), &n.leavesOne) || p == topology.Local && !n.unlimited && !n.sinks.Room(noc.NodeID(id), k.class()) {
		return nothing
	}
	if k&severalBit == 0 && n.tour == nil { // all that its header could tell is in the word
		if !k.wants(x.feeds) {
			return nothing
		}
		return whole
	}
	some, all := n.compare(id, p, k)
	aged := n.aged(p, k)
	switch {
	case !some && !aged:
		return nothing
	case some && all:
		return whole
	case some && n.tree: // before rule 3 as well: its branches are never pruned
		return part
	case aged:
		return whole
	case p == topology.Local || (n.maySplit(space) && !n.shut(b, r, p, k.class(), &n.leavesTwo)):
		return part
	case k.turns() <= n.pruneAfter:
		return nothing
	}
	return whole
}

// compare reports whether output p of router id serves some of a packet's destinations, and all. On
// a path, the outputs on the way to the next destination serve all.
func (n *Network) compare(id, p int, k packet) (some, all bool) {
	h := &n.headers[k.header()]
	if h.flags&severalFlag == 0 {
		some = n.routed(id, k&^everyTurn).wants(uint8(p))
		return some, some && (p != topology.Local || h.flags&moreFlag == 0)
	}
	if !n.rows {
		w, m := h.owed, n.routes.mask(id, p)
		return w&m != 0, w&^m == 0
	}
	all = true
	for i, w := range n.worms.Row(h.row()) {
		m := n.maskWord(id, p, i)
		some = some || w&m != 0
		all = all && w&^m == 0
	}
	return some, all
}

// maySplit is rule 4 for a network port; the lane is known to have a free slot.
func (n *Network) maySplit(space int) bool {
	return space >= n.config.ReplicateSlots || n.unlimited || n.tree
}

// spaceOf is the free slots of an output stage of a router that rule 4 looks at, for a packet from
// a ring.
func (n *Network) spaceOf(o *output, r, ring int) int {
	return n.space(o.lanes.length(ring<<6|r), o.lanes.length((1-ring)<<6|r))
}

// space is spaceOf, given the packets in the lane of the ring and in the other one.
func (n *Network) space(lane, other int) int {
	if n.config.Rule4Scope == StageScope {
		return 2*n.laneSlots - lane - other
	}
	return n.laneSlots - lane
}

// replicate splits off a copy of the first packet of a lane for the destinations that the output of
// the segment serves; the original keeps the others. Both headers are rewritten on the fly.
func (n *Network) replicate(b *bank, x *segment, r, lane int) {
	k := x.lanes.front(lane<<6 | r)
	copied := n.copyHead(b, x, r, k)
	x.reveal(1<<r, uint64(lane)<<r, uint64(*k>>(x.feeds&portBits)&1)<<r)
	n.packets[r] = copied
	n.toOutput(b, x, 1<<r)
}

// copyHead makes the copy, and leaves in k what is left of the first packet of a lane.
func (n *Network) copyHead(b *bank, x *segment, r int, k *packet) (copied packet) {
	id, p := b.first+r, int(x.feeds)
	to := n.takeHeader()
	part := &n.headers[to]
	n.split(id, p, &n.headers[k.header()], part)
	*k = n.routed(id, *k)
	if fabric.Invariants {
		n.must(p == topology.Local || b.inWords || n.maySplit(n.spaceOf(x.drain, r, int(x.ring))), "a replica takes the last place (rule 4)", id)
	}
	copied = *k&(1<<headerShift-1)&^severalBit | packet(part.flags&severalFlag)<<severalShift | packet(to)<<headerShift
	b.presence[r].residents++
	b.count.replications[r]++
	n.buffered += uint64(k.phits())
	return copied
}
