package engine

import "math/bits"

// narrow is what the switches of 64 narrow routers are allocated with, one by one.
type narrow struct {
	words  *[64]word
	robins *[64]robin
	codes  *[64 << 6]uint8 // by router and bit: where the front packets leave, see layout.code
}

// allocateNarrow allocates the switches of the narrow routers of a bank, whose first is given, one router at a time. Mostly a router has
// one flit that can go, which is in nobody's way.
func (n *Network) allocateNarrow(x *bank, first uint32) {
	at := len(n.going)
	going := n.going[:cap(n.going)]
	allowed, several, rest := x.allow(&n.grants, x.live, first<<6, (*[64]uint32)(going[at:]))
	x.live &^= rest
	at += allowed
	for ; several != 0; several &= several - 1 {
		r := uint32(bits.TrailingZeros64(several)) & 63
		base := (first | r) << 6
		for won := n.arbitrate(&x.narrow, r); won != 0; won &= won - 1 {
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
func (b *narrow) allow(grants *grants, live uint64, base uint32, list *[64]uint32) (at int, several, rest uint64) {
	words, robins, codes := b.words, b.robins, b.codes
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
func (n *Network) arbitrate(b *narrow, router uint32) uint64 {
	w, x, codes := &b.words[router&63], &b.robins[router&63], b.codes
	asks := w.active & w.some & w.room
	w.asked += uint64(bits.OnesCount64(asks))
	nominees, upTo := n.layout.inputs.first(asks, x.after)
	wants := uint64(0)
	for set := nominees; set != 0; set &= set - 1 {
		wants |= 1 << (codes[router&63<<6|uint32(bits.TrailingZeros64(set)&63)] & 63)
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
