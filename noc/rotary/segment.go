package rotary

import (
	"encoding/binary"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// grants is what a router's segments do in one cycle: sets of segments, and which of them use lane 1.
type grants struct {
	eject, ejectSecond uint32
	turn, turnSecond   uint32
}

// arbitrate decides for the heads of all segments and carries it out. Turns are decided on the counts at
// the start of the cycle, so that the order of segments decides nothing. It returns the segments that
// turning packets took a slot of.
func (n *Network) arbitrate(id int, r *router) (wrote uint32) {
	judged := n.judged | r.judged | r.tight
	spread := r.head & r.many
	slow := spread.of(0) | spread.of(1) | (r.head.of(0)|r.head.of(1))&judged
	turns := n.openTurns(r)
	g := r.decide(turns, slow)
	if slow == 0 {
		n.ejectAll(id, r, g.eject, g.ejectSecond)
	} else { // rule 4 looks at both lanes of an output stage: ring 0 goes first
		first := uint32(1)<<n.ports - 1
		n.ejectAll(id, r, g.eject&first, g.ejectSecond)
		for m := slow; m != 0; m &= m - 1 {
			n.judge(id, r, bits.TrailingZeros32(m), turns, &g)
		}
		n.ejectAll(id, r, g.eject&^first, g.ejectSecond)
	}
	return n.turnAll(id, r, g.turn, g.turnSecond)
}

func (n *Network) ejectAll(id int, r *router, set, second uint32) {
	for ; set != 0; set &= set - 1 {
		s := bits.TrailingZeros32(set) & segmentBits
		n.eject(id, r, s, int(second>>s&1))
	}
}

// decide grants moves to the heads that have one destination, all segments at once: the output if the
// head wants it, else the ring; the lane that did not send last goes first, the other one takes what
// is left. turns are the segments that may turn.
func (r *router) decide(turns, slow uint32) (g grants) {
	head0, head1, want0, want1 := r.head.of(0)&^slow, r.head.of(1)&^slow, r.want.of(0), r.want.of(1)
	swapped := (head0 ^ head1) & r.second
	firstHead, otherHead := head0^swapped, head1^swapped
	swapped = (want0 ^ want1) & r.second
	firstWant, otherWant := want0^swapped, want1^swapped
	out := r.outIdle & r.outRoom
	eject := firstHead & firstWant & out
	turn := firstHead &^ eject & turns
	otherEject := otherHead & otherWant & out &^ eject
	otherTurn := otherHead &^ otherEject & turns &^ turn
	g = grants{
		eject: eject | otherEject, ejectSecond: eject&r.second | otherEject&^r.second,
		turn: turn | otherTurn, turnSecond: turn&r.second | otherTurn&^r.second,
	}
	r.second ^= (eject | turn) &^ (otherEject | otherTurn)
	return g
}

// openTurns is the set of segments whose ring port is idle and whose next segment takes a header, on the
// counts at the start of the cycle.
func (n *Network) openTurns(r *router) (set uint32) {
	set = n.openAmong(r, 0) | n.openAmong(r, 8)<<8
	if n.segments > 16 {
		set |= n.openAmong(r, 16)<<16 | n.openAmong(r, 24)<<24
	}
	set &= r.ringIdle
	for ring, p := range r.holder {
		if p >= 0 {
			set &^= 1 << n.previous[ring*n.ports+int(p)]
		}
	}
	return set
}

// openAmong is the part of openTurns for eight segments from first on, whose counts it compares at once,
// without a branch.
func (n *Network) openAmong(r *router, first int) uint32 {
	ahead := binary.LittleEndian.Uint64(r.ahead[first:first+8]) | tops
	free := binary.LittleEndian.Uint64(r.free[first:first+8]) & n.balance
	return collect((ahead - n.turnSlots) & (ahead - free))
}

// judge applies the rules one head after the other to a segment with a header of several destinations.
func (n *Network) judge(id int, r *router, s int, turns uint32, g *grants) {
	bit := uint32(1) << s
	lane := int(r.second >> s & 1)
	for range 2 {
		if r.head>>bitOf(s, lane)&1 != 0 {
			seg := &r.segment[s&segmentBits]
			k := seg.lanes[lane].front(n.segmentLane(r, s, lane)) & row
			leaves := true
			switch v := n.ask(id, r, s, k); {
			case v == whole:
				n.eject(id, r, s, lane)
			case v == part:
				n.replicate(id, r, s, k)
				fallthrough // what is left asks for the ring; if refused it keeps its slot
			default:
				if leaves = turns&bit&^g.turn != 0; leaves {
					g.turn |= bit
					g.turnSecond |= uint32(lane) << s
					if v == part {
						r.count.dualPhits += uint64(r.headers[k].phits)
					}
				} else if v == part {
					n.showRest(id, r, s, lane)
				}
			}
			if leaves {
				r.second = r.second&^bit | uint32(1-lane)<<s
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

// ask applies rows 1 to 6 of ref 3.1 (fig. 5 of the paper) to the packet at the head of a lane of s.
func (n *Network) ask(id int, r *router, s int, k packet) verdict {
	h := &r.headers[k]
	p, ring := int(n.feeds[s]), int(n.ringOf[s])
	some, all := n.compare(id, p, h)
	lost := n.lost(p, h)
	o := &r.output[p]
	if (!some && !lost) || (r.outIdle&r.outRoom)>>s&1 == 0 || n.shut(r, p, h.class, 1) {
		return nothing
	}
	if p == topology.Local && !n.unlimited && !n.sinks.Room(noc.NodeID(id), h.class) {
		return nothing
	}
	switch {
	case some && all:
		return whole
	case some && n.tree: // before rule 3 as well: its branches are never pruned
		return part
	case lost:
		return whole
	case p == topology.Local || (n.maySplit(o, ring) && !n.shut(r, p, h.class, 2)):
		return part
	case int(h.turns) <= n.pruneAfter:
		return nothing
	}
	return whole
}

// lost is rule 3: the packet has turned for so long that it may leave by any network port.
func (n *Network) lost(p int, h *header) bool { return n.lostTo(h)>>(p&portBits)&1 != 0 }

// lostTo is the set of ports by which rule 3 lets a packet leave, found without a branch.
func (n *Network) lostTo(h *header) uint32 {
	const network = uint32(everyPort &^ (1 << topology.Local))
	over := uint32(n.missLimit-int(h.turns)) >> 31 &^ uint32(h.origin/orderedFlag)
	return -over & network
}

// compare tells whether port p serves some of a header's destinations, and all. On a path, the ports on the
// way to the next destination serve all.
func (n *Network) compare(id, p int, h *header) (some, all bool) {
	if h.only != several {
		some = h.ports>>p&1 != 0
		return some, some && !h.parts(p)
	}
	all = true
	for i, w := range n.worms.Set(h.worm) {
		m := n.maskWord(id, p, i)
		some = some || w&m != 0
		all = all && w&^m == 0
	}
	return some, all
}

// parts tells whether a header on a path serves only its next destination by port p, and goes on to others.
func (h *header) parts(p int) bool { return p == topology.Local && h.origin&moreFlag != 0 }

// maySplit is rule 4 for a network port; the lane is known to have a free slot.
func (n *Network) maySplit(o *output, ring int) bool {
	space := int(o.free[ring])
	if n.config.Rule4Scope == StageScope {
		space = int(o.free[0]) + int(o.free[1])
	}
	return space >= n.config.ReplicateSlots || n.unlimited || n.tree
}

// flagged is a packet with its flags for segment s.
func (n *Network) flagged(s int, k packet, h *header) packet {
	if h.only == several {
		return k | splits
	}
	return k | packet((uint32(h.ports)|n.lostTo(h))>>(n.feeds[s&segmentBits]&portBits)&1)*wants
}

// showRest notes the flags of a head that has given some destinations to a replica and stays.
func (n *Network) showRest(id int, r *router, s, lane int) {
	q, list := &r.segment[s&segmentBits].lanes[lane], n.segmentLane(r, s, lane)
	k := q.front(list) & row
	k = n.flagged(s, k, &r.headers[k])
	*list.at(q.head) = k
	r.flag(bitOf(s, lane), k, 1)
}

// leaveSegment takes the head of a lane out, which releases its slot. The lane shows its next header
// when the packet has left whole, by when that header is there. It returns the agenda of the cycle in
// which the packet has left.
func (n *Network) leaveSegment(r *router, s, lane int) (packet, *agenda) {
	s, lane = s&segmentBits, lane&1
	q, list := &r.segment[s].lanes[lane], n.segmentLane(r, s, lane)
	k := q.pop(list) & row
	more := lanes(atLeast(q.size, 1))
	at := bitOf(s, lane)
	r.flag(at, q.front(list), 1) // of no meaning if there are no more
	n.moved = true
	r.head &^= 1 << at
	r.hidden |= 1 << at
	r.ready ^= (1 - more) << at
	slot := uint(n.now+noc.Cycle(r.headers[k].phits)) & n.agendaMask & agendaBits
	end := &r.agenda[slot]
	r.dates |= 1 << slot
	free := end
	if !n.config.LaneBlock {
		slot = uint(n.now+1) & n.agendaMask & agendaBits
		free = &r.agenda[slot]
		r.dates |= 1 << slot
	}
	r.segment[s].until[lane] = uint8(slot)
	r.must |= uint32(more) << slot
	free.left |= 1 << at
	n.changeFree(r, s, 1)
	return k, end
}

// changeFree changes the free slots of a segment.
func (n *Network) changeFree(r *router, s int, more uint8) {
	s &= segmentBits
	free := r.free[s] + more
	r.free[s] = free
	r.ahead[n.previous[s]&segmentBits] = free
}

// flag notes the flags of the packet that is now the first of a lane if it is (1, else 0). They mean nothing
// until its header is there.
func (r *router) flag(at uint, k packet, is lanes) {
	at &= 63
	r.want ^= ((r.want>>at ^ k.wanted()) & is) << at
	r.many ^= ((r.many>>at ^ k.many()) & is) << at
}

// atLeast is 1 if free slots are enough, else 0, without a branch.
func atLeast(free uint8, enough int) uint32 { return uint32(^uint64(int(free)-enough) >> 63) }

// write puts a packet into segment s, where its header is after some cycles; end is the agenda of the cycle
// in which it is there whole.
func (n *Network) write(r *router, s int, k packet, h *header, cycles noc.Cycle, end *agenda) {
	s &= segmentBits
	seg := &r.segment[s]
	lane := r.chooseLane(s)
	h.ready = n.now + cycles
	k = n.flagged(s, k, h)
	at := bitOf(s, lane)
	first := lanes(atLeast(0, int(seg.lanes[lane].size))) // a coin's outcome, so no branch
	r.flag(at, k, first)
	n.mayHurry(r, cycles, uint32(first)).ready |= first << at
	r.must |= uint32(first&(r.hidden>>at)) << (seg.until[lane] & agendaBits)
	seg.lanes[lane].push(n.segmentLane(r, s, lane), k)
	r.writing |= 1 << at
	end.written |= 1 << at
	n.changeFree(r, s, ^uint8(0))
}

// eject moves the head of a lane of segment s to the output stage that the segment drains to.
func (n *Network) eject(id int, r *router, s, lane int) {
	s &= maxSegments - 1
	k, end := n.leaveSegment(r, s, lane)
	h := &r.headers[k]
	r.used--
	r.ringFree[n.ringOf[s]]++
	n.changePlaces(id, r, h.class, -1)
	in := &r.input[h.origin&portBits]
	in.inside--
	if h.origin&orderedFlag != 0 {
		in.ordered = false
		n.relook |= 1 << (h.origin & portBits)
	}
	if n.config.EntryHysteresis && in.inside < hysteresisTight {
		in.tight = true
	}
	if int(h.turns) > n.missLimit && h.origin&orderedFlag == 0 {
		if r.lostOf[h.class]--; r.lostOf[h.class] == 0 {
			r.lost &^= 1 << h.class
		}
		if _, all := n.compare(id, int(n.feeds[s]), h); !all && n.lost(int(n.feeds[s]), h) {
			r.count.misroutes++
		}
	}
	if invariants {
		n.must(n.mayLeave(id, int(n.feeds[s]), h), "a packet leaves by a port that is not on its way (I15)", id)
	}
	n.toOutput(id, r, s, k, h, end)
}

// toOutput reserves a slot of the output stage that segment s drains to and starts a packet towards it;
// end is the agenda of the cycle in which it has left.
func (n *Network) toOutput(id int, r *router, s int, k packet, h *header, end *agenda) {
	p, ring := int(n.feeds[s]), int(n.ringOf[s])
	o := &r.output[p]
	if invariants {
		n.must(r.outIdle>>s&1 != 0, "two packets at one output port (I16)", id)
	}
	h.ready = n.now + 2
	if o.free[ring] == 0 { // an unlimited output stage
		n.spill(id, r, p, ring, k)
	} else {
		first := atLeast(0, int(o.lanes[ring].size))
		n.mayHurry(r, 2, first).leaving[ring] |= uint16(first << p)
		o.lanes[ring].push(n.outputLane(r, p, ring), k)
		o.free[ring]--
		if !n.unlimited {
			r.outRoom &^= atLeast(0, int(o.free[ring])) << s
		}
	}
	r.outIdle &^= 1 << s
	end.outIdle |= 1 << s
	r.count.ejectPhits += uint64(h.phits)
	n.moved = true
	if p == topology.Local && !n.unlimited {
		n.sinks.Reserve(noc.NodeID(id), h.class)
	} else if p != topology.Local {
		r.passed |= 1 << p
		n.changePlaces(int(o.peer), &n.routers[o.peer], h.class, 1)
	}
}

// replicate splits off a copy for the destinations that the output of segment s serves; the original
// keeps the others. Both headers are rewritten on the fly.
func (n *Network) replicate(id int, r *router, s int, k packet) {
	c := r.headers[k]
	original := c.worm
	c.worm = n.worms.NewSeveral(*n.worms.At(original))
	kept, taken := n.worms.Set(original), n.worms.Set(c.worm)
	for i := range kept {
		m := n.maskWord(id, int(n.feeds[s]), i)
		taken[i] = kept[i] & m
		kept[i] &^= m
	}
	if invariants {
		n.must(n.partition(c.worm, original), "a replica and its original share a destination (I9)", id)
	}
	n.worms.Settle(c.worm)
	n.worms.Settle(original)
	n.aim(id, &c)
	n.aim(id, &r.headers[k])
	n.route(id, &r.headers[k])
	copied := r.newPacket(&c)
	if invariants {
		p := int(n.feeds[s])
		n.must(p == topology.Local || n.maySplit(&r.output[p], int(n.ringOf[s])), "a replica takes the last place (I8)", id)
	}
	n.toOutput(id, r, s, copied, &r.headers[copied], n.on(r, noc.Cycle(c.phits), false))
	r.residents++
	r.count.replications++
	n.buffered += uint64(c.phits)
}
