package engine

import "math/bits"

// small is what the switches of 64 small routers are allocated with, one by one, while few flits
// move: routers of one word for their inputs and one for their outputs.
type small struct {
	words    *[64]word
	robins   *[64]robin
	codes    *[64 << 6]uint8
	switches *switchAllocator
}

// newSmall makes that of a group of small routers.
func newSmall(s *switchAllocator, first int) *small {
	return &small{(*[64]word)(s.words[first:]), (*[64]robin)(s.robins[first:]), (*[64 << 6]uint8)(s.codes[first<<6:]), s}
}

// allocate lists the channels of a group that get their switches. Mostly a router has one flit
// that can go, which is in nobody's way.
func (x *small) allocate(g *group, granted []uint32) []uint32 {
	at, base := len(granted), uint32(g.first)<<6
	granted = granted[:cap(granted)]
	count, contested, idle := x.grantLone(g.live, base, (*[64]uint32)(granted[at:]))
	g.live &^= idle
	at += count
	for ; contested != 0; contested &= contested - 1 {
		r := uint32(bits.TrailingZeros64(contested)) & 63
		router := base + r<<6
		for won := x.arbitrate(r); won != 0; won &= won - 1 {
			granted[at] = router + uint32(bits.TrailingZeros64(won))
			at++
		}
	}
	return granted[:at]
}

// grantLone gives the switch to the channel that asks, in routers in which no more than one does.
// It lists these channels, the first router's indices beginning with base, and returns their
// number, the routers in which several ask, and those in which no packet has a channel to go to. It
// calls nothing and shifts by no variable, so that all it needs stays in registers.
//
//go:noinline
func (x *small) grantLone(live uint64, base uint32, list *[64]uint32) (at int, contested, idle uint64) {
	words, robins, codes, s := x.words, x.robins, x.codes, x.switches
	_, _, _, _, _ = words[0], robins[0], codes[0], list[0], s.grants[0] // none is nil, here instead of every time
	for ; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live) & 63
		x := &words[r]
		asks := x.active & x.occupied & x.credited
		if asks&(asks-1) != 0 {
			contested |= live & -live
			continue
		}
		if asks == 0 {
			if x.active == 0 {
				idle |= live & -live
			}
			continue
		}
		x.asked++
		i, y := bits.TrailingZeros64(asks)&63, &robins[r]
		y.after = s.grants[i].turn(y.after)
		y.turns = s.taken[codes[r<<6|i]&63].turn(y.turns)
		list[at&63] = base + uint32(r<<6|i)
		at++
	}
	return at, contested, idle
}

// arbitrate returns the channels of a router that get its switch. Whose turn it is next changes in
// all fields at once.
func (x *small) arbitrate(router uint32) (won uint64) {
	y, codes, s := &x.robins[router&63], x.codes, x.switches
	nominees, upTo := s.layout.inputs.first(x.words[router&63].requests(), y.after)
	wants := uint64(0)
	for set := nominees; set != 0; set &= set - 1 {
		wants |= 1 << (codes[router&63<<6|uint32(bits.TrailingZeros64(set)&63)] & 63)
	}
	shared := wants & y.shared
	chosen, inputs := s.layout.outputs.first(wants&^shared, y.turns)
	y.turns = y.turns&^s.layout.outputs.filled(chosen) | ^inputs
	chosen |= shared
	chosen |= chosen >> 32
	chosen |= chosen >> 16
	won = s.bitsOf[(chosen|chosen>>8)&0xff]
	y.after = y.after&^won | won&^upTo
	won &= nominees
	if nominees != won {
		y.losers += uint64(bits.OnesCount64(nominees ^ won))
	}
	return won
}
