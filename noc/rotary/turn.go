package rotary

import (
	"encoding/binary"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Turns are the most frequent grants, and those of a router do not depend on each other: they are carried out
// together, and what can be done for a set of lanes at once is. leaveSegment and write do the same for one
// packet; a rule for what leaves or enters a segment must stand in both places.

// turnAll moves the head of a lane of each segment in set to the next segment of its ring; second are
// those whose lane 1 it is. All leave before the first is written, because the lengths of the lanes choose
// where. It returns the segments that are written.
func (n *Network) turnAll(id int, r *router, set, second uint32) (wrote uint32) {
	if set == 0 {
		return 0
	}
	if invariants {
		n.must(set&^r.ringIdle == 0, "two packets at one ring port (I16)", id)
	}
	left := lanes(set&^second) | lanes(second)<<maxSegments
	n.moved = true
	r.head &^= left
	r.hidden |= left
	r.ringIdle &^= set
	r.count.turns += uint64(bits.OnesCount32(set))
	n.turnOut(r, left)
	if !n.config.LaneBlock {
		n.unblock(r, left)
	}
	return n.turnIn(r, set)
}

// turnOut takes the heads of some lanes out into n.turning.
func (n *Network) turnOut(r *router, left lanes) {
	phitsOut := uint64(0)
	for ; left != 0; left &= left - 1 {
		at := uint(bits.TrailingZeros64(uint64(left))) & 63
		s, lane := int(at&segmentBits), int(at/maxSegments)
		seg := &r.segment[s]
		q, list := &seg.lanes[lane], n.segmentLane(r, s, lane)
		k := q.pop(list) & row
		n.turning[s] = k
		more := lanes(atLeast(q.size, 1))
		r.flag(at, q.front(list), 1) // of no meaning if there are no more
		r.ready ^= (1 - more) << at
		h := &r.headers[k]
		h.ready = n.now + 2
		if h.turns < never {
			h.turns++
			if int(h.turns) == n.missLimit+1 && h.origin&orderedFlag == 0 {
				r.lostOf[h.class]++
				r.lost |= 1 << h.class
			}
		}
		phitsOut += uint64(h.phits)
		slot := uint(n.now+noc.Cycle(h.phits)) & n.agendaMask & agendaBits
		r.dates |= 1 << slot
		r.must |= uint32(more) << slot
		seg.until[lane] = uint8(slot)
		a := &r.agenda[slot]
		a.ringIdle |= 1 << s
		a.left |= 1 << at
	}
	r.count.turnPhits += phitsOut
}

// unblock lets lanes that a packet has just left show their next header in the next cycle, instead of when
// it has left whole.
func (n *Network) unblock(r *router, left lanes) {
	next := uint(n.now+1) & n.agendaMask & agendaBits
	for m := left; m != 0; m &= m - 1 {
		at := uint(bits.TrailingZeros64(uint64(m))) & 63
		until := &r.segment[at&segmentBits].until[at/maxSegments]
		r.agenda[*until&agendaBits].left &^= 1 << at
		*until = uint8(next)
	}
	n.on(r, 1, true).left |= left
}

// turnIn writes the packets that have left some segments into the next ones, where their headers are two
// cycles after the grant.
func (n *Network) turnIn(r *router, set uint32) (wrote uint32) {
	var shown, writing lanes
	for ; set != 0; set &= set - 1 {
		s := bits.TrailingZeros32(set) & segmentBits
		k, to := n.turning[s]&row, int(n.next[s]&segmentBits)
		wrote |= 1 << to
		r.free[s]++
		r.ahead[n.previous[s]&segmentBits]++
		r.free[to]--
		r.ahead[s]--
		seg := &r.segment[to]
		lane := r.chooseLane(to)
		h := &r.headers[k]
		k = n.flagged(to, k, h)
		at, q := bitOf(to, lane), &seg.lanes[lane]
		first := lanes(atLeast(0, int(q.size))) // a coin's outcome, so no branch
		r.flag(at, k, first)
		shown |= first << at
		r.must |= uint32(first&(r.hidden>>at)) << (seg.until[lane] & agendaBits)
		q.push(n.segmentLane(r, to, lane), k)
		writing |= 1 << at
		n.soon(r, noc.Cycle(h.phits)).written |= 1 << at
	}
	r.writing |= writing
	if shown != 0 {
		n.on(r, 2, true).ready |= shown
	}
	return wrote
}

// collect makes a set of the top bits of eight bytes.
func collect(tops uint64) uint32 {
	const gather = 0x0102040810204080
	return uint32((tops >> 7 & 0x0101010101010101) * gather >> 56)
}

// enterable is the set of segments with enough free slots for an input.
func (n *Network) enterable(r *router) (set uint32) {
	set = n.enterableAmong(r, 0) | n.enterableAmong(r, 8)<<8
	if n.segments > 16 {
		set |= n.enterableAmong(r, 16)<<16 | n.enterableAmong(r, 24)<<24
	}
	return set
}

// enterableAmong is the part of enterable for eight segments from first on.
func (n *Network) enterableAmong(r *router, first int) uint32 {
	return collect((binary.LittleEndian.Uint64(r.free[first:first+8]) | tops) - n.enterSlots)
}

// chooseLane is the lane that is not being written, else the shorter one, else the one that is looked at
// first (ref 2.6). The outcome is a coin's: computed without branches it costs a third.
func (r *router) chooseLane(s int) int {
	s &= segmentBits
	seg := &r.segment[s]
	longer := (int(seg.lanes[1].size)-int(seg.lanes[0].size))<<1 - int(r.second>>s&1) // negative: lane 1
	busy := int(r.writing>>(s+maxSegments)&1) - int(r.writing>>s&1)
	return int(uint(busy<<9+longer) >> 63)
}
