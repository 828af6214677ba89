package engine

import (
	"encoding/binary"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// arbitrate is rule 10: it decides for the heads of all segments of a router, ring 0 first. Then
// the turns are made, because the lengths of the lanes choose where a packet goes.
func (r *router) arbitrate() {
	n := r.net
	n.start, r.turning, r.decided = r.used, 0, n.Clock
	n.hasAged = n.config.CalmCopies && r.rare.aged != 0
	switch heads := r.now.heads(); {
	case heads.Many():
		toRing, toOutput := r.streaming()
		if heads &^= r.blockedLanes(toRing, toOutput); crowded(heads) {
			heads = r.movable(heads, toRing|r.held, toOutput|r.full)
		}
		for m := segmentsOf(heads); m != 0; m &= m - 1 {
			j := m.First()
			l := laneOf(r.first.Bit(j), j)
			if heads.Has(l) {
				r.decide(l)
			}
			if l ^= maxSegments; heads.Has(l) {
				r.decide(l)
			}
		}
	case heads != 0 && !r.blocked(heads.First()):
		r.decide(heads.First())
	}
	for m := r.turning; m != 0; m &= m - 1 {
		r.makeTurn(m.First())
	}
}

// decide decides for the head of a lane: it leaves to the output, or turns, or stays.
func (r *router) decide(l lane) {
	n, j := r.net, l.segment()
	granted := r.request(l)
	if granted == part {
		r.copying.Add(j)
		index := r.copyHead(l)
		r.eject(j, index, &n.pool[index])
	}
	turns := granted != whole && r.mayTurn(j)
	if granted != whole && !turns {
		return
	}
	index, k := n.pop(&r.lane[l&laneBits])
	r.now &^= head(l) & k.ifLast()
	r.size[l&laneBits]--
	r.used[j]--
	r.first.Put(j, l.number()^1)
	if !turns {
		r.toOutput.Put(j, l.number())
		r.copying.Remove(j)
		n.leaveQuota(r, k)
		if n.aged(k) || n.mayMisroute(k) {
			r.leaveRings(n.next(j).port(), k)
		}
		r.eject(j, index, k)
		return
	}
	r.toRing.Put(j, l.number())
	r.turning.Add(j)
	n.turning[j] = index
	r.turned[j] = until(k.until(n.Clock))
	r.count.turns++
	r.count.turnedPhits += uint64(k.phits)
	if granted == part {
		r.count.dualPhits += uint64(k.phits)
	}
}

// crowded reports whether there are so many heads that it is faster to ask movable first than to decide for each.
func crowded(heads laneSet) bool {
	heads &= heads - 1
	heads &= heads - 1
	return (heads & (heads - 1)).Many()
}

// movable returns those of some heads for which rules 9 and 12 may let something move, given the segments out of which
// nothing turns and those out of which nothing leaves. Past saturation that is less than half of the heads. It is
// branch-free: the branches would be mispredicted.
func (r *router) movable(heads laneSet, stay, shut segmentSet) laneSet {
	n := r.net
	some := heads & lanesOf(n.fitting()&^stay)
	for m := heads &^ (some | lanesOf(shut)); m != 0; m &= m - 1 {
		l := m.First()
		some |= laneSet(n.pool[r.lane[l&laneBits].first].outputs.Bit(n.next(l.segment()).port())) << l
	}
	return some
}

// fitting returns the segments whose next one takes a turn by its slots in use (rule 9).
func (n *region) fitting() (s segmentSet) {
	const each, last = 0x0101010101010101, 8 * (maxPorts - 1)
	around, most, unbalanced := 8*(n.limits.Ports-1)&63, each*uint64(n.rules.turnMost), each*uint64(n.rules.unbalanced)
	first, second := binary.LittleEndian.Uint64(n.start[:maxPorts]), binary.LittleEndian.Uint64(n.start[maxPorts:])
	firstNext, secondNext := first>>8|first<<around, second<<8|second>>around
	firstFits := atMost(firstNext, most) & atMost(firstNext, first|unbalanced)
	secondFits := atMost(secondNext, most) & atMost(secondNext, second|unbalanced)
	return segmentSet(firstFits>>7*0x0102040810204080>>last) | segmentSet(secondFits>>7*0x0102040810204080>>last)<<maxPorts
}

// atMost returns the high bit of each byte of a that is at most that of b.
func atMost(a, b uint64) uint64 {
	const high = 0x8080808080808080
	return (b&^a | ^(a^b)&((b|high)-(a&^high))) & high
}

// mayTurn is rule 9.
func (r *router) mayTurn(j segment) bool {
	n := r.net
	used := n.start[n.next(j)]
	return used <= n.rules.turnMost && used <= n.start[j]|n.rules.unbalanced && !busy(r.turned[j], n.Clock) && !r.held.Has(j)
}

// grant is what the output of a segment grants a header.
type grant uint8

const (
	nothing grant = iota
	whole         // the packet leaves to the output stage
	part          // a copy leaves, for the destinations that the output serves
)

// request is rule 12: what the output that a segment drains to grants a packet at the head of a
// lane.
func (r *router) request(l lane) grant {
	n, j := r.net, l.segment()
	k, output := &n.pool[r.lane[l&laneBits].first], n.next(j).port()
	if !k.outputs.Has(output) || busy(r.ejected[j], n.Clock) || r.full.Has(j) || r.tight.Has(j) && !r.hasRoom(output, k, 1) {
		return nothing
	}
	if k.flags&(several|more) == 0 {
		return whole
	}
	some, all := n.serves(r, output, k)
	misroutable := n.mayMisroute(k) && output != topology.Local
	switch {
	case some && all:
		return whole
	case some && n.alwaysCopies():
		return part
	case misroutable:
		return whole
	case output == topology.Local:
		return part
	case n.mayReplicate(&r.stages[output]) && (!r.tight.Has(j) || r.hasRoom(output, k, 2)):
		return part
	}
	return whole
}

// hasRoom reports whether there is room behind an output, for that number of packets where classes
// are limited. It need not be asked where the segment that drains to the output is not tight.
func (r *router) hasRoom(output port, k *packet, packets int) bool {
	n := r.net
	if output == topology.Local {
		return n.Sinks.Room(noc.NodeID(r.id), k.class)
	}
	out := &r.stages[output]
	return n.admits(out.peer, port(out.entry), k.class, packets, r.rare.tookQuota(output, n.Clock))
}

// alwaysCopies is rule 23. It comes before rule 3, so that no branch of a tree is pruned.
func (n *region) alwaysCopies() bool { return n.config.Multicast == rotary.Tree }

// mayReplicate is rule 4 for an output that leads to a neighbour.
func (n *region) mayReplicate(out *stages) bool {
	return !n.hasAged && 2*n.limits.LaneSlots-int(out.staged[0])-int(out.staged[1]) >= n.config.ReplicateSlots
}

// mayMisroute is rule 3: whether a packet may leave by any output to a neighbour. It is apart from
// aged, which also keeps interfaces from injecting (rule 19).
func (n *region) mayMisroute(k *packet) bool { return n.aged(k) }

// aged reports whether a packet has turned for so long that it may leave by any output (rule 3).
func (n *region) aged(k *packet) bool { return int(k.segmentsEntered) > n.limits.MissLimit }

// age notes that a packet has become aged, and may be misrouted from now on.
func (r *router) age(k *packet) {
	r.rare.addAged(k.class)
	r.net.route(r, k)
}

// leaveRings notes that a packet which is aged or may be misrouted leaves the rings by an output.
func (r *router) leaveRings(output port, k *packet) {
	n := r.net
	if n.aged(k) {
		r.rare.dropAged(k.class)
	}
	if n.mayMisroute(k) && output != topology.Local {
		if _, all := n.serves(r, output, k); !all {
			r.count.misroutes++
		}
	}
}

// copyHead copies the head of a lane for the destinations that its output serves, and returns the
// copy. Both headers are rewritten on the fly.
func (r *router) copyHead(l lane) int32 {
	n := r.net
	index := n.take()
	k, c := &n.pool[r.lane[l].first], &n.pool[index]
	next := k.next
	*c = *k
	n.divide(r, n.next(l.segment()).port(), k, c)
	n.route(r, k)
	k.next = next
	r.count.Here++
	r.count.replications++
	n.buffered += uint64(k.phits)
	return index
}

// eject starts a packet from segment j towards the output stage that the segment drains to.
func (r *router) eject(j segment, index int32, k *packet) {
	n := r.net
	j &= segmentBits
	drain, ready := n.next(j), n.Clock+2
	output, ring := drain.port(), drain.ring()
	out := &r.stages[output]
	r.ejected[j] = until(k.until(n.Clock))
	if out.staged[ring]++; int(out.staged[ring]) >= n.limits.LaneSlots {
		r.full.Add(j)
	}
	*r.due(ready, sends) |= staged(drain)
	n.push(&out.stage[ring], index, k, ready)
	if output == topology.Local {
		if n.Sinks.Bounded() {
			n.Sinks.Reserve(noc.NodeID(r.id), k.class, n.Clock)
		}
		return
	}
	if r.tight.Has(j) { // else tookQuota is not called
		r.rare.takeQuota(output, n.Clock)
	}
	n.enterQuota(out.peer, k)
}

// makeTurn moves the packet that has left segment j to the ring into the next segment.
func (r *router) makeTurn(j segment) {
	n := r.net
	j &= segmentBits
	next, index := n.next(j), n.turning[j]
	k, at := &n.pool[index], next.port()
	written := busy(r.entered[at], n.Clock) && r.fromRing.Bit(at) == next.ring()
	r.into.Put(j, r.write(next, index, k, written, r.fromLane.Bit(at), n.Clock+2))
}

// write puts a packet into segment j, where it is from a cycle on, and returns the number of its
// lane. If written is set, the lane of the given number is being written.
func (r *router) write(j segment, index int32, k *packet, written bool, number uint, ready noc.Cycle) uint {
	n := r.net
	if k.segmentsEntered < mostEntered {
		k.segmentsEntered++
		if int(k.segmentsEntered) == n.limits.MissLimit+1 {
			r.age(k)
		}
	}
	j &= segmentBits
	number = r.chooseLane(j, written, number)
	l := laneOf(number, j)
	r.used[j]++
	r.size[l]++
	*r.due(ready, turns+uint(k.outputs.Bit(n.next(j).port()))) |= head(l)
	n.push(&r.lane[l], index, k, ready)
	return number
}

// chooseLane is rule 11, branch-free. At most one lane is being written.
func (r *router) chooseLane(j segment, written bool, number uint) uint {
	shorter := (uint(r.size[j+maxSegments]) - uint(r.size[j]) - r.first.Bit(j)) >> 63 // of equal ones the first
	return (shorter ^ (shorter^number^1)&choose(written)) & 1
}
