package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// arbitrate decides for the heads of all segments of a router (rule 10), ring 0 first. Turns are
// decided on the counts at the start of the cycle, and all packets leave before the first comes,
// because the lengths of the lanes choose where.
func (r *router) arbitrate() {
	start, heads := r.used, r.now.heads
	turning, copied := uint32(0), uint32(0)
	if heads&(heads-1) != 0 { // no use in looking at segments that stream both ways
		idle := r.net.idleSegments(&r.turned) | r.net.idleSegments(&r.ejected)
		heads &= idle | idle<<maxSegments
	}
	for m := (heads | heads>>maxSegments) & allSegments; m != 0; m &= m - 1 {
		j := uint(bits.TrailingZeros32(m)) & segmentBits
		l := j | uint(r.second>>j&1)*maxSegments
		if heads>>l&1 != 0 {
			r.decide(l, &start, &turning, &copied)
		}
		if l ^= maxSegments; heads>>l&1 != 0 {
			r.decide(l, &start, &turning, &copied)
		}
	}
	if turning != 0 {
		r.leaveTurning(turning, copied)
		r.turn()
	}
}

// decide decides for the head of lane l: it leaves to the output, or turns, or stays. Lanes whose
// head turns are added to turning, and those of whose head a copy leaves to copied; start has the
// slots in use of each segment at the start of the cycle.
func (r *router) decide(l uint, start *[maxSegments]uint8, turning, copied *uint32) {
	n := r.net
	l &= laneBits
	j := l & segmentBits
	toRing, toOutput := busy(r.turned[j], n.Clock), busy(r.ejected[j], n.Clock)
	if (toRing || toOutput) && r.blocked(l, n.Clock) {
		return
	}
	granted := nothing
	if p := &n.pool[r.lane[l].first]; p.outputs>>(n.rules.ahead[j]&portBits)&1 != 0 && !toOutput && r.full>>j&1 == 0 {
		if granted = whole; p.flags&several != 0 || r.asked>>j&1 != 0 {
			granted = r.request(l)
		}
	}
	switch granted {
	case whole:
		r.lookAtOther(l)
		r.eject(l)
		return
	case part:
		r.copyHead(l)
		*copied |= 1 << l
	}
	if !toRing && (*turning|*turning>>maxSegments)>>j&1 == 0 && r.mayTurn(j, start) {
		r.lookAtOther(l)
		*turning |= 1 << l
	}
}

// lookAtOther lets the other lane of a segment be looked at first after the head of lane l has
// left it.
func (r *router) lookAtOther(l uint) {
	j := l & segmentBits
	r.second = r.second&^(1<<j) | uint32(l/maxSegments^1)<<j
}

// mayTurn is rule 9 for segment j, but for whether the segment streams to the ring.
func (r *router) mayTurn(j uint, start *[maxSegments]uint8) bool {
	rules, next := &r.net.rules, r.net.rules.ahead[j]&segmentBits
	return int(start[next]) <= rules.turnMost && (!rules.balance || start[next] <= start[j]) && r.held>>j&1 == 0
}

// leaveTurning takes the heads of some lanes out of them, for turn. Copies of some leave meanwhile.
func (r *router) leaveTurning(lanes, copied uint32) {
	n := r.net
	r.turning, r.turningAt = (lanes|lanes>>maxSegments)&allSegments, n.Clock
	r.toRing = r.toRing&^r.turning | lanes>>maxSegments
	r.count.turns += uint64(bits.OnesCount32(lanes))
	for m := lanes; m != 0; m &= m - 1 {
		l := uint(bits.TrailingZeros32(m)) & laneBits
		place, p := n.pop(&r.lane[l])
		r.leaveLane(l, p)
		j := l & segmentBits
		n.places[j] = place
		r.turned[j] = uint8(p.until(n.Clock))
		r.count.turnedPhits += uint64(p.phits)
		if copied>>l&1 != 0 {
			r.count.dualPhits += uint64(p.phits)
		}
		if p.turns++; p.turns > n.rules.missLimit || p.turns == 0 {
			r.turnedOften(p)
		}
	}
}

// turnedOften notes that a packet becomes aged (rule 3), or that its turns are as many as can be
// counted.
func (r *router) turnedOften(p *packet) {
	n := r.net
	if p.turns == 0 {
		p.turns = neverAged
		return
	}
	if p.turns == n.rules.missLimit+1 {
		r.special.addAged(p.class)
		n.route(int(r.id), p)
	}
}

// links returns the outputs to neighbours.
func (n *Network) links() uint16 { return 1<<n.limits.Ports - 1<<topology.Local - 1 }

// isAged is rule 3.
func (n *Network) isAged(p *packet) bool { return p.turns > n.rules.missLimit }

// mayMisroute reports whether a packet may leave by any output to a neighbour (rules 3 and 12). Where
// the answer changes while it turns, turnedOften routes it again.
func (n *Network) mayMisroute(p *packet) bool { return n.isAged(p) }

// leaveLane notes that the first packet of lane l has left it, which releases its slot.
func (r *router) leaveLane(l uint, p *packet) {
	r.now.heads &^= p.isLast() << l
	r.size[l]--
	r.used[l&segmentBits]--
}

// copyHead moves a copy of the head of lane l, for the destinations that its output serves, to the
// output stage. Both headers are rewritten on the fly.
func (r *router) copyHead(l uint) {
	n := r.net
	l &= laneBits
	j, to := l&segmentBits, n.take()
	p, c := &n.pool[r.lane[l].first], &n.pool[to]
	next := p.next
	*c = *p
	n.divide(int(r.id), int(n.rules.ahead[j]&portBits), p, c)
	n.route(int(r.id), p)
	p.next = next
	r.count.Here++
	r.count.replications++
	n.buffered += uint64(p.phits)
	r.copying |= 1 << j
	r.stage(j, to, c)
}

// eject moves the head of lane l to its output.
func (r *router) eject(l uint) {
	n := r.net
	l &= laneBits
	place, p := n.pop(&r.lane[l])
	r.leaveLane(l, p)
	j, bit := l&segmentBits, uint32(1)<<(l&segmentBits)
	r.toOutput = r.toOutput&^bit | uint32(l/maxSegments)<<j
	r.copying &^= bit
	if n.quotas.leave(&r.holding, p) {
		n.quotas.note(r)
	}
	if p.turns > n.rules.missLimit {
		r.leaveLate(int(n.rules.ahead[j]&portBits), p)
	}
	r.stage(j, place, p)
}

// leaveLate notes that a packet that has turned often leaves the rings by an output.
func (r *router) leaveLate(port int, p *packet) {
	n := r.net
	if n.isAged(p) {
		r.special.dropAged(p.class)
	}
	if _, all := n.compare(int(r.id), port, p); !all && port != topology.Local && n.mayMisroute(p) {
		r.count.misroutes++
	}
}

// stage reserves a slot of the lane that segment j drains to, and starts a packet towards it.
func (r *router) stage(j uint, place int32, p *packet) {
	n := r.net
	j &= segmentBits
	drain, ready := uint(n.rules.ahead[j])&segmentBits, n.Clock+2
	port, ring := drain&portBits, drain/maxPorts
	out := &r.port[port]
	r.ejected[j] = uint8(p.until(n.Clock))
	full := r.full
	if out.staged[ring]++; out.staged[ring] >= n.rules.laneSlots {
		full |= 1 << j
	}
	r.full = full
	r.expect(ready, staging(port)).ports |= 1 << drain
	n.push(&out.stage[ring], place, p, ready)
	if r.asked>>j&1 != 0 { // else tookTurn is not called
		r.special.takeTurn(int(port), n.Clock)
	}
	if n.quotas.take(&out.peer.holding, p, isLocal(port)) {
		n.quotas.note(out.peer)
	}
	if n.Sinks.Bounded() && !n.rules.unlimited && port == topology.Local {
		n.Sinks.Reserve(noc.NodeID(r.id), noc.Class(p.class), n.Clock)
	}
}

// turn puts the packets that have left some lanes to the ring into the next segments.
func (r *router) turn() {
	n := r.net
	second := uint32(0)
	for m := r.turning; m != 0; m &= m - 1 {
		j := uint(bits.TrailingZeros32(m)) & segmentBits
		next, place := uint(n.rules.ahead[j])&segmentBits, n.places[j]
		port := next & portBits
		written := choose(busy(r.entered[port], n.Clock) && uint(r.fromRing>>port&1) == next/maxPorts)
		second |= r.put(next, place, &n.pool[place], written, uint(r.fromLane>>port), n.Clock+2) << j
	}
	r.into = r.into&^r.turning | second
}

// put puts a packet into segment j, where it is from a cycle on. If the last bit of written is 1,
// that of lane says which lane is being written. It returns the lane that the packet takes by rule
// 11.
func (r *router) put(j uint, place int32, p *packet, written, lane uint, ready noc.Cycle) uint32 {
	n := r.net
	j &= segmentBits
	// The shorter one; of equal ones, the one that is looked at first.
	shorter := (uint(r.size[j+maxSegments]) - uint(r.size[j]) - uint(r.second>>j&1)) >> 63
	lane = (shorter ^ (shorter^lane^1)&written) & 1
	l, port := j|lane*maxSegments, uint(n.rules.ahead[j])&portBits
	r.used[j]++
	r.size[l]++
	r.expect(ready, moving(p, port)).heads |= 1 << l
	n.push(&r.lane[l], place, p, ready)
	return uint32(lane)
}

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
