package virtualchannel

import "math/bits"

// allocateNarrow allocates the switches of some of the 64 narrow routers of a bank, one router at a time. Mostly a router has
// one flit that can go, which is in nobody's way.
func (n *Network) allocateNarrow(b int, live uint64) {
	words, robins := (*[64]word)(n.words[b<<6:]), (*[64]robin)(n.robins[b<<6:])
	going, at := n.going[:cap(n.going)], len(n.going)
	for ; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live) & 63
		x := &words[r]
		asks := x.active & x.some & x.room
		if asks == 0 {
			n.rest(b, r, x.active)
			continue
		}
		base := uint32(b<<6|r) << 6
		if asks&(asks-1) == 0 {
			x.asked++
			going[at] = base | n.allow(&robins[r], asks)
			at++
			continue
		}
		x.asked += uint64(bits.OnesCount64(asks))
		for won := n.arbitrate(&robins[r], asks); won != 0; won &= won - 1 {
			going[at] = base | uint32(bits.TrailingZeros64(won))
			at++
		}
	}
	n.going = going[:at]
}

// allow lets the only channel of a router that asks have its switch, and tells its bit.
func (n *Network) allow(x *robin, channel uint64) uint32 {
	i := bits.TrailingZeros64(channel) & 63
	input, code := n.fieldOf[i], x.codes[i]
	output := 0xff << (code & 56) &^ x.shared
	x.after = x.after&^input | input&-(channel<<1)
	x.turns = x.turns&^output | output&-(2<<(code&63))
	return uint32(i)
}

// arbitrate chooses those of a narrow router's channels that ask that get its switch.
func (n *Network) arbitrate(x *robin, asks uint64) uint64 {
	nominees, upTo := n.layout.inputs.first(asks, x.after)
	wants := uint64(0)
	for set := nominees; set != 0; set &= set - 1 {
		wants |= 1 << (x.codes[bits.TrailingZeros64(set)&63] & 63)
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
