package virtualchannel

import "math/bits"

// allocateNarrow allocates the switches of some of the 64 narrow routers of a bank, one router at a time. Mostly a router has
// one flit that can go, which is in nobody's way.
func (n *Network) allocateNarrow(b int, live uint64) {
	words, robins, codes := (*[64]word)(n.words[b<<6:]), (*[64]robin)(n.robins[b<<6:]), (*[64 << 6]uint8)(n.codes[b<<12:])
	at := len(n.going)
	going := n.going[:cap(n.going)]
	allowed, several, rest := allow(words, robins, codes, &n.grants, live, uint32(b<<12), (*[64]uint32)(going[at:]))
	n.banks[b].live &^= rest
	at += allowed
	for ; several != 0; several &= several - 1 {
		r := bits.TrailingZeros64(several) & 63
		x := &words[r]
		asks := x.active & x.some & x.room
		x.asked += uint64(bits.OnesCount64(asks))
		base := uint32(b<<6|r) << 6
		for won := n.arbitrate(&robins[r], n.codesOf(b<<6|r), asks); won != 0; won &= won - 1 {
			going[at] = base | uint32(bits.TrailingZeros64(won))
			at++
		}
	}
	n.going = going[:at]
}

// allow deals with those of some routers in which no more than one channel asks: that has its switch. It lists these
// channels, the first router's indices beginning with base, and tells in which routers several ask, and which have nothing to
// do as long as no packet of them has a channel to go to. It calls nothing and shifts by no variable, so that all it needs
// stays in registers.
//
//go:noinline
func allow(words *[64]word, robins *[64]robin, codes *[64 << 6]uint8, grants *grants, live uint64, base uint32, list *[64]uint32) (at int, several, rest uint64) {
	_, _, _, _, _ = words[0], robins[0], codes[0], grants.inputs[0], list[0] // none is nil, here instead of every time
	for ; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live) & 63
		x := &words[r]
		asks := x.active & x.some & x.room
		if asks&(asks-1) != 0 {
			several |= live & -live
			continue
		}
		if asks == 0 {
			if x.active == 0 {
				rest |= live & -live
			}
			continue
		}
		x.asked++
		i, y := bits.TrailingZeros64(asks)&63, &robins[r]
		y.after = grants.inputs[i].turn(y.after)
		y.turns = grants.outputs[codes[r<<6|i]&63].turn(y.turns)
		list[at&63] = base + uint32(r<<6|i)
		at++
	}
	return at, several, rest
}

// arbitrate chooses those of a narrow router's channels that ask that get its switch.
func (n *Network) arbitrate(x *robin, codes *[64]uint8, asks uint64) uint64 {
	nominees, upTo := n.layout.inputs.first(asks, x.after)
	wants := uint64(0)
	for set := nominees; set != 0; set &= set - 1 {
		wants |= 1 << (codes[bits.TrailingZeros64(set)&63] & 63)
	}
	all := wants & x.shared
	all |= firstOctets(wants&^all, &x.turns)
	all |= all >> 32
	all |= all >> 16
	won := n.bitsOf[(all|all>>8)&0xff]
	x.after = x.after&^won | won&^upTo
	won &= nominees
	if nominees != won {
		x.losers += uint64(bits.OnesCount64(nominees ^ won))
	}
	return won
}
