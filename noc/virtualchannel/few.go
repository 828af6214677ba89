package virtualchannel

import "math/bits"

// At light loads few routers of a bank have anything to do, and sets of them are nearly empty. While no more than a few
// flits moved in a bank in the cycle before, its switches are allocated flit by flit: those that nobody else in their
// router is in the way of move, and routers with two flits for one input or output are dealt with one by one. Both ways
// give the same, to which the tests hold them.

// fewFlits is about where the two ways cost the same.
const fewFlits = 8

// listing is channels that can send a flit.
type listing [4 * fewFlits]uint32

// allocateFew is allocateSwitch for a bank in which few flits can go; done is false, and nothing has happened, if there
// are too many.
func (n *Network) allocateFew(b int) (some, done bool) {
	x, m := &n.banks[b], &n.match
	var channels listing
	count := channels.gather(x.live, n.lanes[b*n.places:][:n.places], uint32(b*n.places)<<6)
	if count > len(channels) {
		return false, false
	}
	clear(m.won)
	clear(m.used)
	clash := uint64(0)
	for _, ch := range channels[:count] {
		c, bit := &n.channel[ch], uint64(1)<<(ch&63)
		clash |= bit & (m.won[c.input] | m.used[c.output]&^n.freeExits(x, int(c.output)))
		m.won[c.input] |= bit
		m.used[c.output] |= bit
	}
	for p := range m.won {
		m.won[p] &^= clash
		m.used[p] &^= clash
	}
	for _, ch := range channels[:count] {
		if c := &n.channel[ch]; clash>>(ch&63)&1 == 0 {
			n.win(x, int(c.input), int(c.number), int(c.output), ch)
		}
	}
	for ; clash != 0; clash &= clash - 1 {
		n.arbitrate(b, bits.TrailingZeros64(clash))
	}
	return count > 0, true
}

// gather lists the channels of a bank, of which base is the first, that can send a flit; live is the places in which any
// packet has a channel to go to. It stops when there are too many, with a count that is larger than the list.
//
//go:noinline
func (l *listing) gather(live []uint64, lanes []lane, base uint32) (count int) {
	for i, places := range live {
		for ; places != 0; places &= places - 1 {
			place := i<<6 + bits.TrailingZeros64(places)
			x := &lanes[place]
			for set := x.active & x.some & x.room; set != 0; set &= set - 1 {
				if count >= len(l) {
					return len(l) + 1
				}
				l[count] = base + uint32(place<<6+bits.TrailingZeros64(set))
				count++
			}
		}
	}
	return count
}

// freeExits is the routers in which an output leads to a node that takes flits of all inputs at the same time.
func (n *Network) freeExits(x *bank, o int) uint64 {
	if n.config.EjectionPerInput {
		return x.exits[o]
	}
	return 0
}

// win lets the flit of a channel go from an input to an output.
func (n *Network) win(x *bank, p, v, o int, ch uint32) {
	m, r := &n.match, ch&63
	m.moved = append(m.moved, ch)
	n.entered += x.entries[p] >> r & 1
	n.ejected += x.exits[o] >> r & 1
	setLast(x.switching.input[p], r, v)
	if n.freeExits(x, o)>>r&1 == 0 {
		setLast(x.switching.output[o], r, p)
	}
}

// setLast makes a rival the last in one router. It mostly is: flits follow others of their packet.
func setLast(after []uint64, r uint32, last int) {
	if after[last]>>r&1 == 0 && (last+1 == len(after) || after[last+1]>>r&1 != 0) {
		return
	}
	for i := range after {
		after[i] &^= 1 << r
		if i > last {
			after[i] |= 1 << r
		}
	}
}

// arbitrate allocates the switch of one router.
func (n *Network) arbitrate(b, r int) {
	x, m := &n.banks[b], &n.match
	bit := uint64(1) << r
	var wants [maxPorts]uint32
	var nominees [maxPorts]uint32
	for p, lanes := range x.lanes {
		requests := requests(lanes, r)
		if requests == 0 {
			continue
		}
		for range bits.OnesCount32(requests) - 1 {
			x.extra.carry(0, bit)
		}
		v := first(requests, column(x.switching.input[p], r))
		nominees[p] = n.channelAt(b<<6|r, p, v)
		wants[n.channel[nominees[p]].output] |= 1 << p
	}
	for o, inputs := range wants[:n.ports] {
		if inputs == 0 {
			continue
		}
		m.used[o] |= bit
		if n.freeExits(x, o)&bit == 0 {
			for range bits.OnesCount32(inputs) - 1 {
				x.losers.carry(0, bit)
			}
			inputs = 1 << first(inputs, column(x.switching.output[o], r))
		}
		for ; inputs != 0; inputs &= inputs - 1 {
			p := bits.TrailingZeros32(inputs)
			m.won[p] |= bit
			n.win(x, p, int(n.channel[nominees[p]].number), o, nominees[p])
		}
	}
}

// requests is the channels of an input of one router that can send a flit.
func requests(lanes []lane, r int) (some uint32) {
	for v := range lanes {
		x := &lanes[v]
		some |= uint32((x.active&x.some&x.room)>>(r&63)&1) << (v & 31)
	}
	return some
}

// column is one router's bits of a list of sets.
func column(sets []uint64, r int) (column uint32) {
	for i, set := range sets {
		column |= uint32(set>>(r&63)&1) << (i & 31)
	}
	return column
}

// first is the first of some requests after the one that was granted last, whose followers are given.
func first(requests, after uint32) int {
	if later := requests & after; later != 0 {
		requests = later
	}
	return bits.TrailingZeros32(requests)
}
