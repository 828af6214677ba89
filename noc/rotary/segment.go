package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// arbitrate decides for the heads of all segments of some routers of a bank and carries it out. Turns are
// decided on the counts at the start of the cycle, so that the order of segments decides nothing.
func (n *Network) arbitrate(b *bank, routers uint64) {
	slow, some := uint64(0), uint64(0)
	for s := range b.segment {
		g := &b.segment[s].grants
		*g = grants{}
		head0, head1 := n.heads(&b.segment[s], 0)&routers, n.heads(&b.segment[s], 1)&routers
		if head0|head1 != 0 {
			g.open = n.openTurns(b, s)
			b.segment[s].decide(n.judged>>s&1, n.open(b, s), head0, head1)
			slow |= g.slow
			some |= g.eject | g.turn
		}
	}
	if some|slow == 0 {
		return
	}
	for s := range n.ports { // rule 4 looks at both lanes of an output stage: ring 0 goes first
		n.ejectAll(b, s, b.segment[s].grants.eject, b.segment[s].grants.ejectLane)
	}
	if slow != 0 {
		for s := range b.segment {
			x := &b.segment[s]
			x.lanes.peek(x.grants.slow, x.second, &n.packets)
			for m := x.grants.slow; m != 0; m &= m - 1 {
				n.judge(b, first(m), s)
			}
		}
	}
	for s := n.ports; s < n.segments; s++ {
		n.ejectAll(b, s, b.segment[s].grants.eject, b.segment[s].grants.ejectLane)
	}
	n.turnAll(b)
}

// openTurns is the routers in which the ring port of a segment is idle and the next segment takes a header.
func (n *Network) openTurns(b *bank, s int) uint64 {
	x, to := &b.segment[s], int(n.next[s&segmentBits])
	y := &b.segment[to]
	open := y.free.atLeast(n.config.TurnSlots, n.planes)
	if n.config.RingTurnBalance {
		less, _ := compare(&y.free, &x.free, n.planes)
		open &^= less
	}
	return open &^ (x.toRing[0] | x.toRing[1] | b.input[n.portOf[to&segmentBits]].holds[n.ringOf[to&segmentBits]])
}

// open is the routers in which the output that segment s drains to takes a header, as far as that does not depend on
// what has been granted in this cycle, or on the packet.
func (n *Network) open(b *bank, s int) uint64 {
	x := &b.segment[s]
	out := x.outIdle & x.outRoom
	if x.full != 0 && !n.hasTurn(int(b.output[n.feeds[s&segmentBits]&portBits].entry)) {
		out &^= x.full
	}
	return out
}

// decide grants moves to the heads of a segment that have one destination: the output if it serves that, else
// the ring; the lane that did not send last goes first, the other one takes what is left. Where the output takes a
// header (out), those for it are judged one by one if they have several destinations or it leads to where places are
// few, and all of them if judged is 1 rather than 0. The others cannot leave the ring, whatever the rules say: on
// the saturated 64x64 torus, where nearly every router is short of places, they are nearly all.
func (x *segment) decide(judged, out, head0, head1 uint64) {
	g, special := &x.grants, x.tight|x.judged|-judged
	g.slow = (head0&(x.many[0]|x.wants[0]&special) | head1&(x.many[1]|x.wants[1]&special)) & out
	head0 &^= g.slow
	head1 &^= g.slow
	swapped := (head0 ^ head1) & x.second
	firstHead, otherHead := head0^swapped, head1^swapped
	swapped = (x.wants[0] ^ x.wants[1]) & x.second
	firstWants, otherWants := x.wants[0]^swapped, x.wants[1]^swapped
	eject := firstHead & firstWants & out
	turn := firstHead &^ eject & g.open
	otherEject := otherHead & otherWants & out &^ eject
	otherTurn := otherHead &^ otherEject & g.open &^ turn
	g.eject, g.ejectLane = eject|otherEject, eject&x.second|otherEject&^x.second
	g.turn, g.turnLane = turn|otherTurn, turn&x.second|otherTurn&^x.second
	x.second ^= (eject | turn) &^ (otherEject | otherTurn)
}

// judge applies the rules one head after the other to segment s of a router. The one that is looked at first is in
// n.packets.
func (n *Network) judge(b *bank, r, s int) {
	x, bit := &b.segment[s], uint64(1)<<r
	lane := int(x.second >> r & 1)
	for i := range 2 {
		if n.heads(x, lane)&bit != 0 {
			k := n.packets[r]
			if i > 0 {
				k = *x.lanes.front(lane<<6 | r)
			}
			leaves := true
			switch v := n.ask(b, r, s, k); {
			case v == whole:
				n.ejectAll(b, s, bit, uint64(lane)<<r)
			case v == part:
				n.replicate(b, r, s, lane)
				fallthrough // what is left asks for the ring; if refused it keeps its slot
			default:
				if leaves = x.grants.open&bit&^x.grants.turn != 0; leaves {
					x.grants.turn |= bit
					x.grants.turnLane |= uint64(lane) << r
					if v == part {
						b.count.dualPhits[r] += uint64(k.phits())
						if b.toggles != nil {
							b.toggles.twice[s] |= bit
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

// ask applies rows 1 to 6 of ref 3.1 (fig. 5 of the paper) to the packet at the head of a lane of segment s.
func (n *Network) ask(b *bank, r, s int, k packet) verdict {
	id, x := b.first+r, &b.segment[s]
	p, ring := int(n.feeds[s]), int(n.ringOf[s])
	if x.outIdle&x.outRoom>>r&1 == 0 || n.shut(b, r, p, k.class(), &n.leavesOne) ||
		p == topology.Local && !n.unlimited && !n.sinks.Room(noc.NodeID(id), k.class()) {
		return nothing
	}
	if k&severalBit == 0 && n.tour == nil { // all that its header could tell is in the word
		if !k.wants(n.feeds[s]) {
			return nothing
		}
		return whole
	}
	some, all := n.compare(id, p, k)
	lost := n.lost(p, k)
	switch {
	case !some && !lost:
		return nothing
	case some && all:
		return whole
	case some && n.tree: // before rule 3 as well: its branches are never pruned
		return part
	case lost:
		return whole
	case p == topology.Local || (n.maySplit(&b.output[p], r, ring) && !n.shut(b, r, p, k.class(), &n.leavesTwo)):
		return part
	case k.turns() <= n.pruneAfter:
		return nothing
	}
	return whole
}

// compare tells whether output p of router id serves some of a packet's destinations, and all. On a path, the
// outputs on the way to the next destination serve all.
func (n *Network) compare(id, p int, k packet) (some, all bool) {
	h := &n.headers[k.header()]
	if h.only != several {
		some = n.routed(id, k&^everyTurn).wants(uint8(p))
		return some, some && (p != topology.Local || h.flags&moreFlag == 0)
	}
	all = true
	for i, w := range n.worms.Set(h.worm) {
		m := n.maskWord(id, p, i)
		some = some || w&m != 0
		all = all && w&^m == 0
	}
	return some, all
}

// maySplit is rule 4 for a network port; the lane is known to have a free slot.
func (n *Network) maySplit(o *output, r, ring int) bool {
	space := n.laneSlots - o.lanes.size(ring<<6|r)
	if n.config.Rule4Scope == StageScope {
		space = 2*n.laneSlots - o.lanes.size(r) - o.lanes.size(64|r)
	}
	return space >= n.config.ReplicateSlots || n.unlimited || n.tree
}

// replicate splits off a copy of the first packet of a lane for the destinations that the output of segment s
// serves; the original keeps the others. Both headers are rewritten on the fly.
func (n *Network) replicate(b *bank, r, s, lane int) {
	id, x := b.first+r, &b.segment[s]
	k := x.lanes.front(lane<<6 | r)
	h := n.headers[k.header()]
	original := h.worm
	h.worm = n.worms.NewSeveral(*n.worms.At(original))
	kept, taken := n.worms.Set(original), n.worms.Set(h.worm)
	for i := range kept {
		m := n.maskWord(id, int(n.feeds[s]), i)
		taken[i] = kept[i] & m
		kept[i] &^= m
	}
	if invariants {
		n.must(n.partition(h.worm, original), "a replica and its original share a destination (I9)", id)
	}
	n.worms.Settle(h.worm)
	n.worms.Settle(original)
	if n.contents != nil {
		n.contents.Share(original, h.worm)
		n.contents.Address(h.worm)
		n.contents.Address(original)
	}
	n.aim(id, &h)
	n.aim(id, &n.headers[k.header()])
	*k = n.routed(id, *k)
	x.reveal(lane, 1<<r, uint64(*k>>n.feeds[s]&1)<<r, uint64(*k>>severalShift&1)<<r)
	if invariants {
		p := int(n.feeds[s])
		n.must(p == topology.Local || n.maySplit(&b.output[p], r, int(n.ringOf[s])), "a replica takes the last place (I8)", id)
	}
	copied := *k&(1<<headerShift-1) | n.newHeader(h)
	n.packets[r] = copied
	n.toOutput(b, s, 1<<r)
	b.residents[r]++
	b.count.replications[r]++
	n.buffered += uint64(k.phits())
}
