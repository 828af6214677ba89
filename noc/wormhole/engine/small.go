package engine

import "math/bits"

// octets are the outputs of a small router, which is one word for its inputs and one for its
// outputs.
func octets() fields { return fields{low: 0x0101010101010101, high: 0x8080808080808080, last: 7} }

// allocateSmall lists the channels of 64 small routers that get their switches. All inputs of a
// router nominate at once, and so do all outputs choose: whose turn it is next changes in all
// fields of a word together. It calls nothing, so that what it needs stays in registers.
func (s *switchAllocator) allocateSmall(set int) {
	words, robins, codes := (*[64]word)(s.words[set<<6:]), (*[64]robin)(s.robins[set<<6:]), (*[64 << 6]uint8)(s.codes[set<<12:])
	before, base, inputs := len(s.granted), uint32(set)<<12, s.layout.inputs
	granted := (*[64 << 3]uint32)(s.granted[before : before+64<<3])
	idle, count := uint64(0), 0
	for live := s.live[set]; live != 0; live &= live - 1 {
		r := bits.TrailingZeros64(live) & 63
		x, y := &words[r], &robins[r]
		asks := x.active & x.occupied & x.credited
		if asks&(asks-1) == 0 { // mostly, while few flits move; a lone one is in nobody's way
			if asks == 0 {
				if x.active == 0 {
					idle |= live & -live
				}
				continue
			}
			x.asked++
			i := bits.TrailingZeros64(asks) & 63
			y.after = s.grants[i].turn(y.after)
			y.turns = s.taken[codes[r<<6|i]&63].turn(y.turns)
			granted[count&(64<<3-1)] = base + uint32(r<<6|i)
			count++
			continue
		}
		x.asked += uint64(bits.OnesCount64(asks))
		nominees, upTo := inputs.first(asks, y.after)
		wants, lanes, first := uint64(0), (*[64]uint8)(codes[r<<6:]), base+uint32(r<<6)
		for set := nominees; set != 0; set &= set - 1 {
			wants |= 1 << (lanes[bits.TrailingZeros64(set)&63] & 63)
		}
		shared := wants & y.shared
		chosen, taken := octets().first(wants&^shared, y.turns)
		y.turns = y.turns&^octets().filled(chosen) | ^taken
		chosen |= shared
		chosen |= chosen >> 32
		chosen |= chosen >> 16
		won := s.bitsOf[(chosen|chosen>>8)&0xff]
		y.after = y.after&^won | won&^upTo
		won &= nominees
		if nominees != won {
			y.losers += uint64(bits.OnesCount64(nominees ^ won))
		}
		for ; won != 0; won &= won - 1 {
			granted[count&(64<<3-1)] = first + uint32(bits.TrailingZeros64(won))
			count++
		}
	}
	s.live[set] &^= idle
	s.granted = s.granted[:before+count]
}
